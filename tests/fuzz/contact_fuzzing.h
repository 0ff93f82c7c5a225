// SPDX-License-Identifier: Apache-2.0
//
// What every fuzzer does with a geometry or a scene in the end: evaluate contact. It may be refused with an Error;
// otherwise SIMD vectors and plain arithmetic agree in every bit, and no result is NaN.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "host/scene/scene_data.h"
#include "isopatch/isopatch.h"
#include "tests/support/message_check.h"

namespace isopatch::fuzz {

template <typename Function>
void allow_error(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    if (!testing::message_problem(error.what()).empty()) std::abort();
  }
}

/// All results of a batch, one environment after the other.
struct Evaluated {
  std::vector<double> numbers;  // 14 a pair: wrench, area, largest pressure, mean normal, energy; separation, overlap
  std::vector<std::uint32_t> status;
  std::vector<PotentialContact> contacts;  // kRoom in each environment, and so on
  std::vector<Relation> relations;
  std::vector<std::int32_t> members, needed;

  Evaluated(const Scene& scene, const std::vector<double>& poses, Precision precision, detail::Vectors vectors) {
    const std::size_t pairs = static_cast<std::size_t>(scene.num_pairs());
    const std::size_t environments = poses.size() / static_cast<std::size_t>(7 * scene.num_bodies());
    numbers.assign(14 * pairs * environments, 0);
    status.assign(environments, 0);
    const auto stride = static_cast<std::int64_t>(14 * pairs);
    Results results;
    double* at = numbers.data();
    const auto next = [&](OutputArray& array, std::size_t width) {
      array = {at, stride};
      at += width * pairs;
    };
    next(results.pair_wrench, 6);
    next(results.area, 1);
    next(results.max_pressure, 1);
    next(results.mean_normal, 3);
    next(results.energy, 1);
    next(results.separation, 1);
    next(results.overlap, 1);
    results.status = status.data();
    if (scene.data().view.pairs_of_model(detail::kPolytopeModel) > 0) ask_for_relations(environments, results);
    detail::CpuOptions options;
    options.precision = precision;
    options.vectors = vectors;
    options.num_threads = 1;
    State state;
    state.num_environments = static_cast<std::int64_t>(environments);
    state.poses = poses.data();
    detail::make_evaluator(scene, options).evaluate(state, results);
  }

  /// Contacts that were found, of all environments.
  std::vector<PotentialContact> found() const {
    std::vector<PotentialContact> all;
    for (std::size_t e = 0; 3 * e < needed.size(); ++e) {
      const auto count = std::min<std::size_t>(static_cast<std::size_t>(needed[3 * e]), kRoom);
      const auto first = contacts.begin() + static_cast<std::ptrdiff_t>(e * kRoom);
      all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(count));
    }
    return all;
  }

 private:
  static constexpr std::size_t kRoom = 40;

  void ask_for_relations(std::size_t environments, Results& results) {
    contacts.resize(kRoom * environments);
    relations.resize(kRoom * environments);
    members.resize(kRoom * environments);
    needed.resize(3 * environments);
    results.potential_contacts = {contacts.data(), kRoom};
    results.relations = {relations.data(), kRoom};
    results.relation_members = {members.data(), kRoom};
    results.relations_needed = {needed.data(), 3};
  }
};

inline bool is_sound(const PotentialContact& c) {
  const auto is_finite = [](float x) { return std::isfinite(x); };
  return std::isfinite(c.gap) && std::isfinite(c.applicability) && std::all_of(c.point, c.point + 3, is_finite) &&
         std::all_of(c.normal, c.normal + 3, is_finite);
}

inline void check(const Evaluated& simd, const Evaluated& plain) {
  if (simd.status != plain.status || simd.needed != plain.needed) std::abort();
  for (const PotentialContact& contact : simd.found()) {
    if (!is_sound(contact)) std::abort();
  }
  for (std::size_t i = 0; i < simd.numbers.size(); ++i) {
    if (!std::isfinite(simd.numbers[i])) std::abort();
    if (std::bit_cast<std::uint64_t>(simd.numbers[i]) != std::bit_cast<std::uint64_t>(plain.numbers[i])) std::abort();
  }
}

inline void evaluate(const SceneDescription& description, const std::vector<double>& poses) {
  std::size_t cells = 0;
  for (const Geometry& g : description.geometries) cells += g.mesh.tets.size() + g.surface.size();
  if (cells > 3000) return;  // for speed alone
  const Scene scene(description);
  if (scene.num_pairs() == 0) return;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    check(Evaluated(scene, poses, precision, detail::Vectors::kBest),
          Evaluated(scene, poses, precision, detail::Vectors::kNone));
  }
}

/// Poses: those of the scene file, and all bodies at one position.
inline void evaluate(const SceneDescription& scene) {
  std::vector<double> poses;
  for (const Body& body : scene.bodies) poses.insert(poses.end(), body.pose.begin(), body.pose.end());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    for (const double p : {1e-3 * static_cast<double>(i), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}) poses.push_back(p);
  }
  evaluate(scene, poses);
}

/// The geometry against a box of its size and a half space, in a few poses.
inline void evaluate(const Geometry& geometry) {
  Point3 low = {0, 0, 0}, high = low;
  for (std::size_t k = 0; k < 3 && !geometry.mesh.points.empty(); ++k) low[k] = high[k] = geometry.mesh.points[0][k];
  for (const Point3& p : geometry.mesh.points) {
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  }
  const double size = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  SceneDescription scene;
  scene.geometries = {geometry, make_box("box", {size, size, size}), make_half_space("ground", size)};
  for (int i = 0; i < 3; ++i) {
    Body body;
    body.name = std::to_string(i);
    body.geometry = i;
    body.rigid = i == 0 && geometry.is_surface_mesh();
    body.friction = 0.5;
    scene.bodies.push_back(body);
  }
  scene.pairs = {{0, 1, {}, {}}, {2, 0, {}, {}}};
  std::vector<double> poses;
  for (const double shift : {0.0, 0.4, 0.9}) {
    const double z = low[2] + shift * size;
    const double of_all[21] = {0, 0, 0, 1, 0, 0, 0, low[0], low[1], z, 1, 0.1, 0.2, 0, 0, 0, z, 1, 0, 0.1 * shift, 0};
    poses.insert(poses.end(), std::begin(of_all), std::end(of_all));
  }
  evaluate(scene, poses);
}

}  // namespace isopatch::fuzz

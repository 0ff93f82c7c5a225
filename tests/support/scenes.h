// SPDX-License-Identifier: Apache-2.0
//
// Scenes, random states, and room for everything an evaluation reports.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "host/evaluation/strides.h"
#include "isopatch/detail/pressure_field/outputs/wrench_sums.h"
#include "isopatch/isopatch.h"

// How GoogleTest prints parameters.
namespace isopatch {
inline void PrintTo(Precision p, std::ostream* out) { *out << (p == Precision::kFloat ? "float" : "double"); }
inline void PrintTo(Quadrature q, std::ostream* out) {
  constexpr const char* kNames[] = {"exact", "centroid", "fan3", "fan6"};
  *out << kNames[static_cast<int>(q)];
}
inline void PrintTo(DissipationModel m, std::ostream* out) {
  *out << (m == DissipationModel::kPfc ? "pfc" : "hunt_crossley");
}
namespace detail {
inline void PrintTo(Outputs o, std::ostream* out) {
  *out << (o == Outputs::kWrench ? "wrench" : o == Outputs::kPatch ? "patch" : "polygons");
}
}  // namespace detail
}  // namespace isopatch

namespace isopatch::test {

/// A status without the warning of bodies that reach each other's far sides, as they do where they lie at random or one
/// in another: for tests that ask for faults.
inline std::uint32_t but_far_side(std::uint32_t status) { return status & ~std::uint32_t{kFarSide}; }

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_()) / static_cast<double>(std::mt19937_64::max()));
  }
  int below(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }

 private:
  std::mt19937_64 engine_;
};

/// Bodies 'a' and 'b', compliant and at one position, and their pair.
inline SceneDescription two_bodies(const Geometry& a, const Geometry& b) {
  SceneDescription scene;
  scene.geometries = {a, b};
  scene.bodies.resize(2);
  scene.bodies[0].name = "a";
  scene.bodies[1].name = "b";
  scene.bodies[1].geometry = 1;
  scene.pairs = {{0, 1, {}, {}}};
  return scene;
}

/// Two compliant boxes on a compliant half space: few tets, for large batches.
inline SceneDescription boxes_on_ground() {
  SceneDescription scene;
  scene.geometries = {make_box("cube", {0.1, 0.1, 0.1}), make_box("brick", {0.08, 0.1, 0.14}),
                      make_half_space("ground", 0.1)};
  scene.bodies.resize(3);
  for (int i = 0; i < 3; ++i) {
    Body& body = scene.bodies[static_cast<std::size_t>(i)];
    body.name = scene.geometries[static_cast<std::size_t>(i)].name;
    body.geometry = i;
    body.modulus = 1e5 * (1 + 2 * i);
    body.dissipation = 0.3 * (i + 1);
    body.friction = 0.2 * (i + 2);
  }
  scene.bodies[2].fixed = true;
  scene.pairs = all_pairs(scene);
  return scene;
}

/// The scene with three layers in every half space, softer, stiffer and softer again.
inline SceneDescription with_layers(SceneDescription scene) {
  for (Geometry& geometry : scene.geometries) {
    if (geometry.kind != GeometryKind::kHalfSpace) continue;
    geometry = with_strain(geometry, {StrainMap::Kind::kTable, 0, {{0, 0}, {0.1, 0.05}, {0.3, 0.4}, {1, 1}}});
  }
  return scene;
}

/// Every kind of pair there is: compliant and rigid meshes, a compliant and a rigid half space; one pair with values of
/// its own, and some with the half space as body a.
inline SceneDescription mixed_scene(const ContactOptions& contact = {}) {
  SceneDescription scene = boxes_on_ground();
  scene.contact = contact;
  scene.geometries.push_back(make_sphere("ball", 0.05, 2));
  scene.geometries.push_back(make_sphere("coarse ball", 0.06, 1));
  const auto add = [&](const char* name, int geometry, bool rigid, double modulus) {
    Body body;
    body.name = name;
    body.geometry = geometry;
    body.rigid = rigid;
    body.modulus = modulus;
    body.dissipation = 0.7;
    body.friction = 0.5;
    scene.bodies.push_back(body);
  };
  add("ball", 3, false, 2e6);
  add("rigid ball", 4, true, 1e5);
  add("wall", 2, true, 1e5);
  scene.pairs = all_pairs(scene);
  (*scene.pairs)[1].dissipation = 1.25;
  (*scene.pairs)[2].friction = 0.9;
  return scene;
}

/// A big ball, and a soft and a stiff small one that can be wholly inside it, the soft one without a contact surface.
inline SceneDescription balls_in_a_ball(const ContactOptions& contact = {}) {
  SceneDescription scene;
  scene.contact = contact;
  scene.geometries = {make_sphere("big", 0.1, 1), make_sphere("small", 0.03, 0)};
  scene.bodies.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    scene.bodies[i].name = std::to_string(i);
    scene.bodies[i].geometry = i == 0 ? 0 : 1;
    scene.bodies[i].modulus = i == 0 ? 1e6 : i == 1 ? 2e5 : 3e6;
  }
  scene.pairs = {{0, 1, {}, {}}, {2, 0, {}, {}}};
  return scene;
}

/// The state of some environments.
struct Batch : StateArrays {
  using StateArrays::StateArrays;

  /// Room for the states of a scene, still empty.
  Batch(const Scene& scene, std::int64_t environments) {
    num_environments = environments;
    num_bodies = scene.num_bodies();
    num_parts = scene.num_parts();
    num_pairs = scene.num_pairs();
  }

  /// Room for the states of two bodies of one part and their pair, still empty.
  static Batch of_two_bodies(std::int64_t environments) {
    Batch batch;
    batch.num_environments = environments;
    batch.num_bodies = batch.num_parts = 2;
    batch.num_pairs = 1;
    return batch;
  }

  /// With strides, so that it can be given to what is below an Evaluator.
  State state() const {
    State state = view();
    const ArrayCounts counts = this->counts();
    for_each_input([&](const ArrayInfo& info, auto& array) { array.stride = counts.row(info); }, state);
    return state;
  }

  /// Environment i of the result is environment order[i] of this batch.
  Batch permuted(const std::vector<std::int64_t>& order) const {
    Batch out = *this;
    for_each_input(
        [&](const ArrayInfo&, const auto& from, auto& to) {
          const std::size_t row = from.size() / static_cast<std::size_t>(num_environments);
          for (std::size_t i = 0; i < order.size() && row > 0; ++i) {
            std::copy_n(from.begin() + order[i] * static_cast<std::ptrdiff_t>(row), row,
                        to.begin() + static_cast<std::ptrdiff_t>(i * row));
          }
        },
        *this, out);
    return out;
  }
};

/// Bodies crowded into a cube of `spread` about a point just over the ground, turned and moving at random; half spaces
/// are tilted, those at index 5 and later into walls. Quaternions are not normalised. `full` gives every optional
/// array.
inline Batch random_batch(const Scene& scene, std::int64_t environments, unsigned seed, double spread = 0.16,
                          bool full = false) {
  Random random(seed);
  Batch batch(scene, environments);
  const SceneDescription& description = scene.description();
  for (std::int64_t e = 0; e < environments; ++e) {
    for (std::size_t b = 0; b < description.bodies.size(); ++b) {
      const Body& body = description.bodies[b];
      const Geometry& geometry = description.geometries[static_cast<std::size_t>(body.geometry)];
      const bool half_space = geometry.kind == GeometryKind::kHalfSpace;
      const double reach = half_space ? 0.01 : spread / 2, turn = half_space ? 0.1 : 1;
      const double lift = half_space ? 0 : 0.04;
      batch.poses.push_back(random.uniform(-reach, reach) - (half_space && b >= 5 ? 0.06 : 0));
      batch.poses.push_back(random.uniform(-reach, reach));
      batch.poses.push_back(random.uniform(-reach, reach) + lift);
      batch.poses.push_back(1);
      batch.poses.push_back(random.uniform(-turn, turn));
      batch.poses.push_back(random.uniform(-turn, turn) + (half_space && b >= 5 ? 1 : 0));
      batch.poses.push_back(random.uniform(-turn, turn));
      for (int i = 0; i < 3; ++i) batch.velocities.push_back(random.uniform(-0.3, 0.3));
      for (int i = 0; i < 3; ++i) batch.velocities.push_back(random.uniform(-2, 2));
      if (!full) continue;
      batch.modulus.push_back(std::exp(random.uniform(10, 15)));
      batch.dissipation.push_back(random.uniform(0, 2));
      batch.friction.push_back(random.uniform(0, 1));
      int other = body.geometry;
      while (!half_space && random.below(3) > 0) {
        other = random.below(static_cast<int>(description.geometries.size()));
        if (description.geometries[static_cast<std::size_t>(other)].kind == GeometryKind::kMesh) break;
      }
      if (!half_space && description.geometries[static_cast<std::size_t>(other)].kind == GeometryKind::kHalfSpace) {
        other = body.geometry;
      }
      batch.geometry_index.push_back(other);
    }
    for (int p = 0; p < scene.num_pairs() && full; ++p) batch.pair_mask.push_back(random.below(8) > 0 ? 1 : 0);
  }
  return batch;
}

/// Room for the results of some environments, filled with values that no evaluation gives.
struct UnwrittenResults : ResultArrays {
  static constexpr double kUnwritten = 777.25;

  UnwrittenResults(const Scene& scene, std::int64_t environments, detail::Outputs outputs = detail::Outputs::kPolygons,
                   std::int32_t capacity = 4096)
      : ResultArrays(scene, environments, {.patch = outputs != detail::Outputs::kWrench, .energy = true}) {
    if (outputs == detail::Outputs::kPolygons) {
      polygons.resize(static_cast<std::size_t>(environments * capacity));
      polygons_needed.resize(static_cast<std::size_t>(environments));
    }
    for_each_output(
        [](const ArrayInfo&, auto& values) {
          using Element = typename std::remove_cvref_t<decltype(values)>::value_type;
          if constexpr (std::is_arithmetic_v<Element>) std::fill(values.begin(), values.end(), unwritten<Element>());
        },
        *this);
  }

  /// With strides, as Batch::state().
  Results view() {
    Results results = ResultArrays::view();
    const ArrayCounts counts = this->counts();
    for_each_output(
        [&](const ArrayInfo& info, auto& array) {
          if constexpr (detail::HasRows<decltype(array)>) array.stride = counts.row(info);
        },
        results);
    return results;
  }
  using ResultArrays::view;

  void give_part_pairs() {
    part_pair_wrench.assign(static_cast<std::size_t>(6 * num_environments * num_part_pairs), kUnwritten);
  }

  void give_single_contacts() {
    const auto rows = static_cast<std::size_t>(num_environments * num_part_pairs);
    volume.assign(rows, kUnwritten);
    second_moments.assign(6 * rows, kUnwritten);
    damping_matrix.assign(36 * rows, kUnwritten);
  }

  void give_polytopes() {
    separation.assign(static_cast<std::size_t>(num_environments * num_pairs), kUnwritten);
    overlap = separation;
  }

  void give_contacts(std::int32_t capacity) {
    contacts_needed.assign(static_cast<std::size_t>(num_environments), unwritten<std::int32_t>());
    contacts.resize(static_cast<std::size_t>(num_environments * capacity));
  }

  /// Packed arrays of these capacities, with the offsets and environments.
  void give_packed(std::int64_t most_polygons, std::int64_t most_contacts) {
    Polygon polygon = {};
    DiscreteContact contact = {};
    polygon.pair = contact.pair = unwritten<std::int32_t>();
    packed_polygons.assign(static_cast<std::size_t>(most_polygons), polygon);
    packed_contacts.assign(static_cast<std::size_t>(most_contacts), contact);
    for (auto* offsets : {&polygon_offsets, &contact_offsets}) {
      offsets->assign(static_cast<std::size_t>(num_environments + 1), unwritten<std::int64_t>());
    }
    polygon_environments.assign(packed_polygons.size(), unwritten<std::int32_t>());
    contact_environments.assign(packed_contacts.size(), unwritten<std::int32_t>());
  }

 private:
  template <class T>
  static T unwritten() {
    if constexpr (std::is_same_v<T, double>) return kUnwritten;
    if constexpr (std::is_same_v<T, std::uint32_t>) return 0xABCD0000u;
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>) return -7;
  }
};

/// Evaluates a batch with all outputs.
inline UnwrittenResults evaluate_with(const Evaluator& evaluator, const Batch& batch,
                                      detail::Outputs outputs = detail::Outputs::kPolygons,
                                      std::int32_t capacity = 1024) {
  UnwrittenResults results(evaluator.scene(), batch.num_environments, outputs, capacity);
  evaluator.evaluate(batch.state(), results.view());
  return results;
}

inline UnwrittenResults evaluate(const Scene& scene, const Batch& batch, const EvaluatorOptions& options,
                                 detail::Outputs outputs = detail::Outputs::kPolygons, std::int32_t capacity = 1024) {
  return evaluate_with(Evaluator(scene, options), batch, outputs, capacity);
}

}  // namespace isopatch::test

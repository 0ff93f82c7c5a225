// SPDX-License-Identifier: Apache-2.0
#include "host/rollout/rollout_data.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "host/scene/body_mass.h"
#include "host/scene/scene_data.h"
#include "isopatch/error.h"

namespace isopatch::detail {

namespace {

/// The axis about which the body is most like a symmetric top is k; of the others, e is the one with the middle moment.
FreeTurning free_turning(const Symmetric3& I) {
  constexpr double kSame = 1e-14;  // relative; so that balls, cubes and tops turn exactly
  Eigen::Matrix3d inertia;
  inertia << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(inertia);  // in ascending order
  const Eigen::Array3d inverse = principal.eigenvalues().array().inverse();
  const int k = inverse[0] - inverse[1] > inverse[1] - inverse[2] ? 0 : 2;
  const double of_all = inverse[2 - k];
  const auto more = [&](int i) {
    const double difference = inverse[i] - of_all;
    return std::abs(difference) > kSame * of_all ? difference : 0.0;
  };
  const auto axis = [&](int i) {
    const Eigen::Vector3d v = principal.eigenvectors().col(i);
    return Vec3d{v[0], v[1], v[2]};
  };
  return {of_all, axis(k), axis(1), more(k), more(1)};
}

/// A planar body turns about z alone, for which the moment about z says all: it is given that about each axis, so that
/// angular velocity and momentum are along z together.
BodyMass view_of(MassProperties mass, bool is_planar) {
  auto& I = mass.inertia;
  if (is_planar) {
    const double about_z = I[2][2];
    I = {{{about_z, 0, 0}, {0, about_z, 0}, {0, 0, about_z}}};
  }
  BodyMass view = {};
  view.mass = mass.mass;
  view.center = {mass.center[0], mass.center[1], mass.center[2]};
  view.inertia = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
  view.inverse_inertia = inverse(view.inertia);
  view.turning = free_turning(view.inertia);
  return view;
}

/// The geometries that geometry_index can give a part.
std::vector<int> geometries_of(const SceneDescription& scene, const Part& part, bool posed) {
  std::vector<int> all;
  if (!posed) {
    for (std::size_t i = 0; i < scene.geometries.size(); ++i) all.push_back(static_cast<int>(i));
    return all;
  }
  all = part.alternatives;
  all.push_back(part.geometry);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Body with_geometry(Body body, std::size_t part, int geometry) {
  (body.parts.empty() ? body.geometry : body.parts[part].geometry) = geometry;
  return body;
}

class MassTables {
 public:
  explicit MassTables(const Scene& scene) : scene_(scene), masses_(scene.description()) {
    found_.masses.push_back({});
    found_.mass_steps.assign(scene.data().parts.size() * scene.description().geometries.size(), -1);
  }

  void add(std::size_t index, MovingBody& to) {
    const SceneDescription& scene = scene_.description();
    const Body& body = scene.bodies[index];
    is_planar_ = to.kind == MotionKind::kPlanar;
    to.mass = view_of(body_mass(scene, body, masses_), is_planar_);
    if (body.mass && body.center_of_mass && body.inertia) return;

    const BodyView& view = scene_.data().bodies[index];
    const std::vector<Part> parts = parts_of(body);
    std::vector<std::vector<int>> choices;
    std::size_t count = 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool posed = scene_.data().parts[static_cast<std::size_t>(view.parts_begin) + i].posed;
      choices.push_back(geometries_of(scene, parts[i], posed));
      count = std::min(count * choices.back().size(), kMaxMassesOfBody + 1);
    }
    if (count == 1) return;
    if (count > kMaxMassesOfBody) {
      for (std::size_t i = 0; i < parts.size(); ++i) choices[i] = {parts[i].geometry};
    }
    to.masses = {static_cast<std::int32_t>(found_.masses.size()), view.parts_begin, view.parts_end};
    add_rows(body, choices, 0);
    add_steps(view.parts_begin, choices);
  }

  BodyMasses take() { return std::move(found_); }

 private:
  /// A row for each combination, the last part's geometry changing first.
  void add_rows(const Body& body, const std::vector<std::vector<int>>& choices, std::size_t part) {
    if (part == choices.size()) {
      found_.masses.push_back(mass_or_none(body));
      return;
    }
    for (const int geometry : choices[part]) add_rows(with_geometry(body, part, geometry), choices, part + 1);
  }

  BodyMass mass_or_none(const Body& body) {
    try {
      return view_of(body_mass(scene_.description(), body, masses_), is_planar_);
    } catch (const Error&) {
      return {};
    }
  }

  void add_steps(std::int32_t parts_begin, const std::vector<std::vector<int>>& choices) {
    std::int32_t rows = 1;  // of the parts after this one
    for (std::size_t i = choices.size(); i-- > 0;) {
      const std::size_t first = (static_cast<std::size_t>(parts_begin) + i) * scene_.description().geometries.size();
      for (std::size_t k = 0; k < choices[i].size(); ++k) {
        found_.mass_steps[first + static_cast<std::size_t>(choices[i][k])] = static_cast<std::int32_t>(k) * rows;
      }
      rows *= static_cast<std::int32_t>(choices[i].size());
    }
  }

  const Scene& scene_;
  GeometryMasses masses_;
  BodyMasses found_;
  bool is_planar_ = false;  // the body at hand
};

}  // namespace

BodyMasses add_masses(const Scene& scene, std::vector<MovingBody>& bodies) {
  MassTables tables(scene);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].masses = {-1, 0, 0};
    if (bodies[i].num_dofs() > 0) tables.add(i, bodies[i]);
  }
  return tables.take();
}

}  // namespace isopatch::detail

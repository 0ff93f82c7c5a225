// SPDX-License-Identifier: Apache-2.0
#include "host/reference/polytope_model.h"

#include <algorithm>

#include "host/reference/polytope/convex_hull.h"
#include "host/reference/polytope/pair.h"
#include "isopatch/status.h"

namespace isopatch::reference {
namespace {

polytope::ConvexShape shape_of(const Geometry& geometry) {
  if (geometry.kind == GeometryKind::kHalfSpace) return polytope::half_space();
  const std::size_t count = geometry.mesh.points.size();
  std::vector<bool> used(count, geometry.polygon);
  for (const Triangle& triangle : geometry.surface) {
    for (const auto point : triangle) used[static_cast<std::size_t>(point)] = true;
  }
  std::vector<Vector3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const Point3& p = geometry.mesh.points[i];
    if (used[i]) points.emplace_back(p[0], p[1], p[2]);
  }
  return geometry.polygon ? polytope::polygon(points) : polytope::convex_hull(points);
}

Vector3 vector_of(const Point3& p) { return {p[0], p[1], p[2]}; }

/// The volume of a mesh, or the area of a polygon, and its centroid, m.
struct Solid {
  Real size = 0;
  Vector3 center = Vector3::Zero();
};

/// By the tetrahedra between the triangles of the surface and a point, and tetrahedra outside count as less than
/// nothing; of a polygon by its triangles.
Solid solid_of(const Geometry& geometry) {
  Solid solid;
  const auto point = [&](std::int32_t i) { return vector_of(geometry.mesh.points[static_cast<std::size_t>(i)]); };
  const Vector3 origin = point(geometry.surface.front()[0]);
  Vector3 moment = Vector3::Zero();
  for (const Triangle& triangle : geometry.surface) {
    const Vector3 a = point(triangle[0]) - origin, b = point(triangle[1]) - origin, c = point(triangle[2]) - origin;
    const Real size = geometry.polygon ? (b - a).cross(c - a).z() / 2 : a.dot(b.cross(c)) / 6;
    solid.size += size;
    moment += size * (a + b + c) / (geometry.polygon ? 3 : 4);
  }
  solid.center = origin + moment / solid.size;
  return solid;
}

/// In the frame of the body, m: what the scene says, else of its parts, which have one density; the origin if they are
/// all half spaces. It stays there where an environment gives a part another geometry.
Vector3 center_of_mass(const SceneDescription& scene, const Body& body) {
  if (body.center_of_mass) return vector_of(*body.center_of_mass);
  Real size = 0;
  Vector3 moment = Vector3::Zero();
  for (const Part& part : parts_of(body)) {
    const Geometry& geometry = scene.geometries[static_cast<std::size_t>(part.geometry)];
    if (geometry.kind == GeometryKind::kHalfSpace) continue;
    const Solid solid = solid_of(geometry);
    const auto& [x, y, z, qw, qx, qy, qz] = part.pose;
    const Eigen::Quaternion<Real> turn = Eigen::Quaternion<Real>(qw, qx, qy, qz).normalized();
    size += solid.size;
    moment += solid.size * (turn * solid.center + Vector3(x, y, z));
  }
  return size > 0 ? Vector3(moment / size) : Vector3(Vector3::Zero());
}

/// A body without its parts. The velocity of an environment is that of the origin.
polytope::PolytopeBody body_of(const SceneDescription& scene, const Environment& environment, int index) {
  const auto number = static_cast<std::size_t>(index);
  const BodyState& state = environment.bodies[number];
  polytope::PolytopeBody body;
  body.center = center_of_mass(scene, scene.bodies[number]);
  body.pose = state.X_WB;
  body.angular_velocity = state.angular_velocity;
  body.velocity = state.velocity + state.angular_velocity.cross(state.X_WB.rotation * body.center);
  return body;
}

polytope::PairSettings settings_of(const ContactOptions& contact, Real time_step) {
  polytope::PairSettings settings;
  if (contact.polytope.margin) settings.margin = *contact.polytope.margin;
  if (contact.polytope.tolerance) settings.tolerance = *contact.polytope.tolerance;
  switch (contact.polytope.relations) {
    case ContactRelations::kExact:
      settings.mode = polytope::RelationMode::kExact;
      break;
    case ContactRelations::kLnc:
      settings.mode = polytope::RelationMode::kLnc;
      break;
    case ContactRelations::kUnilateral:
      settings.mode = polytope::RelationMode::kUnilateral;
      break;
    case ContactRelations::kSeparating:
      settings.mode = polytope::RelationMode::kSeparating;
      break;
  }
  settings.time_step = time_step;
  return settings;
}

/// Appends those of a part pair.
void add_relations(const polytope::RelationSet& set, std::size_t pair, const PartIndices& parts, PairRelations& to) {
  const auto number = static_cast<std::int32_t>(pair), part_a = static_cast<std::int32_t>(parts.a),
             part_b = static_cast<std::int32_t>(parts.b);
  const auto contacts_before = static_cast<std::int32_t>(to.contacts.size());
  for (const polytope::Contact& contact : set.contacts) {
    PotentialContact record = {};
    record.pair = number;
    record.part_a = part_a;
    record.part_b = part_b;
    record.kind = static_cast<std::int32_t>(contact.features.kind);
    record.feature_a = contact.features.feature_a;
    record.feature_b = contact.features.feature_b;
    for (std::size_t i = 0; i < 3; ++i) {
      record.point[i] = static_cast<float>(contact.point[static_cast<Eigen::Index>(i)]);
      record.normal[i] = static_cast<float>(contact.normal[static_cast<Eigen::Index>(i)]);
    }
    record.gap = static_cast<float>(contact.gap);
    record.applicability = static_cast<float>(contact.applicability);
    to.contacts.push_back(record);
  }
  for (const polytope::Relation& relation : set.relations) {
    to.relations.push_back({number, static_cast<std::int32_t>(relation.kind),
                            static_cast<std::int32_t>(to.members.size()),
                            static_cast<std::int32_t>(relation.members.size())});
    for (const int member : relation.members) to.members.push_back(contacts_before + member);
  }
}

}  // namespace

PairResult evaluate_polytopes(const PairInput& input) {
  const Pair& pair = (*input.scene.pairs)[input.pair];
  polytope::PolytopeBody a = body_of(input.scene, input.environment, pair.a),
                         b = body_of(input.scene, input.environment, pair.b);
  const polytope::PairSettings settings = settings_of(input.scene.contact, input.state.time_step);
  const auto shape = [&](std::size_t part) {
    const PartState& state = input.environment.parts[part];
    return polytope::moved(shape_of(*state.geometry), state.X_BG);
  };
  PairResult result;
  result.X_WA = a.pose;
  for (const PartIndices& parts : input.part_pairs) {
    a.parts = {shape(parts.a)};
    b.parts = {shape(parts.b)};
    const polytope::PartPair found = polytope::evaluate_part_pair(a, 0, b, 0, settings);
    result.separation = std::min(result.separation.value_or(found.nearest.gap), found.nearest.gap);
    result.overlap += found.overlap;
    if (found.is_deep()) result.status |= kOverlap;
    add_relations(found.set, input.pair, parts, result.relations);
  }
  result.of_part_pairs.resize(input.part_pairs.size());
  return result;
}

}  // namespace isopatch::reference

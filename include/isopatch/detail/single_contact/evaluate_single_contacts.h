// SPDX-License-Identifier: Apache-2.0
//
// The contact of a pair in a model whose part pairs have one contact each: results of an evaluation, and plates for the
// solver of steps. A model has
//
//   FoundPatch find(const SingleContactParts&)   what a part pair has in common
#pragma once

#include "isopatch/detail/contact/contact_record.h"
#include "isopatch/detail/contact/part_law.h"
#include "isopatch/detail/contact/patch_contacts.h"
#include "isopatch/detail/contact/record_rows.h"
#include "isopatch/detail/force_law/damping_matrix.h"
#include "isopatch/detail/pair/pair_frame.h"
#include "isopatch/detail/polygon/matched_points.h"

namespace isopatch::detail {

/// A part pair of an environment, as a model reads it. Positions are from the origin of body a, in world axes: far from
/// the world's origin they keep their digits.
struct SingleContactParts {
  const PartView &a, &b;
  const GeometryView &geometry_a, &geometry_b;
  Transform<double> X_A, X_B;  // of the bodies; that of a has no translation
  const PairForceLaw& pair_law;
  LawNumbers& law;  // find() sets the stiffness where the pair has none
  Softness softness;
  std::int32_t row;  // of the contact state
};

/// What two parts have in common, from the origin of body a in world axes.
struct FoundPatch {
  ContactPatch patch;  // no contact unless its metric is positive
  double area;         // |a|, m^2; 0 of a point
  Symmetric3 second;   // C, m^5; of a point 0
  double depth;        // of the patch's point below the surface that it presses on, or of a point contact, m
  bool has_no_force;   // the parts overlap, one of them inside the other
  bool rolls;          // the plate does not turn with its bodies
  PlateMotion motion;  // in a step
  bool overflows;      // sums were too large for their scale

  /// Bits of the status that need no force.
  ISOPATCH_HD std::uint32_t status() const {
    return (has_no_force ? kNoContactSurface : kOk) | (overflows ? kSumOverflow : kOk);
  }
};

/// Calls visit(i, row, found, law) for the part pairs of a near pair that touch in the model, and untouched(row, found)
/// for the others.
template <class Model, class Visit, class Untouched>
ISOPATCH_HD void for_each_single_contact(const Model& model, const SceneView& scene, const State& state,
                                         std::int64_t environment, int view, const Visit& visit,
                                         const Untouched& untouched) {
  const PairView& pair = scene.pairs[view];
  Transform<double> X_A = read_pose(state, environment, pair.a), X_B = read_pose(state, environment, pair.b);
  X_B.translation = X_B.translation - X_A.translation;
  X_A.translation = {0, 0, 0};
  for (std::int32_t i = pair.part_pairs_begin; i < pair.part_pairs_end; ++i) {
    const PartPairView& parts = scene.part_pairs[i];
    if (parts.layer > 0) continue;  // layers are of pressure fields
    Softness softness = {};
    LawNumbers law = law_of(scene, state, environment, view, parts, softness);
    const SingleContactParts part = {scene.parts[parts.a],
                                     scene.parts[parts.b],
                                     scene.geometries[geometry_of(scene, state, environment, parts.a)],
                                     scene.geometries[geometry_of(scene, state, environment, parts.b)],
                                     X_A,
                                     X_B,
                                     scene.laws[view],
                                     law,
                                     softness,
                                     parts.row};
    const FoundPatch found = model.find(part);
    if (found.patch.metric > 0) {
      visit(i, parts.row, found, law);
    } else {
      untouched(parts.row, found);
    }
  }
}

/// The slope of the elastic force over depth, N/m.
ISOPATCH_HD double law_stiffness(const LawNumbers& law, const FoundPatch& found, double offset) {
  if (found.area > 0) return law.stiffness * found.area;
  const double pressed = found.patch.metric - offset;
  return pressed > 0 ? law.stiffness * law.exponent * power(pressed, law.exponent - 1) : 0;
}

/// The stored energy, J: of a depth, and of a volume as the work against the plane that it presses on.
ISOPATCH_HD double law_energy(const LawNumbers& law, const FoundPatch& found, double elastic, double offset) {
  if (found.area > 0) return elastic * found.depth;
  return elastic * max(found.patch.metric - offset, 0.0) / (law.exponent + 1);
}

/// Two axes in the plane of a unit vector.
struct PlaneBasis {
  Vec3d u, v;
};

ISOPATCH_HD PlaneBasis basis_of_plane(Vec3d n) {
  const Vec3d size = abs(n);
  const Vec3d least = size.x <= size.y && size.x <= size.z ? Vec3d{1, 0, 0}
                      : size.y <= size.z                   ? Vec3d{0, 1, 0}
                                                           : Vec3d{0, 0, 1};
  const Vec3d across = cross(n, least);
  const Vec3d u = (1 / norm(across)) * across;
  return {u, cross(n, u)};
}

/// sqrt(2) C_t^(1/2), in two columns.
ISOPATCH_HD void arms_of(const ContactPatch& patch, Vec3d (&arm)[2]) {
  arm[0] = arm[1] = {0, 0, 0};
  if (!(patch.radius > 0)) return;
  const auto [u, v] = basis_of_plane(patch.normal);
  const Vec3d of_u = patch.spread * u, of_v = patch.spread * v;
  AreaMoments<double> moments = {};
  moments.one = 1;
  moments.xx = dot(u, of_u), moments.xy = dot(u, of_v), moments.yy = dot(v, of_v);
  PlaneArms<double> arms;
  if (!matched_arms(moments, arms)) return;
  arm[0] = fma(arms.xx, u, arms.xy * v);
  arm[1] = fma(arms.xy, u, arms.yy * v);
}

/// What a pair of single contacts adds up to, on body a; positions from its origin.
struct SingleContactSums {
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0}, friction = {0, 0, 0};
  Vec3d center = {0, 0, 0}, normal = {0, 0, 0};  // weighted by `load` and `weight`
  double load = 0, weight = 0, area = 0, energy = 0;
  std::int32_t contacts = 0;
};

/// A contact as rows for solvers of point contacts.
template <class Packed>
struct SingleContactRows {
  const Results& results;
  const Packed& packed;
  std::int64_t environment;
  int pair;
  const PartPairView& parts;
  const FoundPatch& found;
  const LawNumbers& law;
  const NormalForce& normal;
  double stiffness;

  /// One row of a point, else four in the plane, which have its force and both of its moments. p_WoA is the origin of
  /// body a.
  template <class Warp>
  ISOPATCH_HD void append(Warp& warp, Vec3d p_WoA) const {
    const Vec3d center = p_WoA + found.patch.point;
    if (!(found.patch.radius > 0)) {
      append_row(warp, 0, center, 1.0);
      return;
    }
    const auto [u, v] = basis_of_plane(found.patch.normal);
    const double uu = dot(u, found.patch.spread * u), uv = dot(u, found.patch.spread * v),
                 vv = dot(v, found.patch.spread * v);
    double pp = uu, qq = vv, pq = uv, none = 0;  // principal axes in the plane
    Vec3d p = u, q = v;
    rotate_axes(pp, qq, pq, none, none, p, q);
    const Vec3d arms[2] = {sqrt(2 * max(pp, 0.0)) * p, sqrt(2 * max(qq, 0.0)) * q};
    for (int k = 0; k < 4; ++k) {
      const Vec3d arm = k % 2 == 0 ? arms[k / 2] : -arms[k / 2];
      append_row(warp, k, center + arm, 0.25);
    }
  }

 private:
  /// With a `share` of the contact.
  template <class Warp>
  ISOPATCH_HD void append_row(Warp& warp, int number, Vec3d point_W, double share) const {
    const ContactKey key = ContactKey::of_row(pair, parts.a, parts.b, parts.layer, number, 0);
    detail::append_row<DiscreteContact>(
        warp, environment_contacts(results), packed.contacts, environment, key, [&](DiscreteContact& to) {
          to = {};
          to.pair = pair;
          const Vec3d n = found.patch.normal;
          const double of_point[3] = {point_W.x, point_W.y, point_W.z}, of_normal[3] = {n.x, n.y, n.z};
          for (int k = 0; k < 3; ++k) {
            to.point[k] = static_cast<float>(of_point[k]);
            to.normal[k] = static_cast<float>(of_normal[k]);
          }
          to.area = static_cast<float>(share * found.area);
          to.pressure = static_cast<float>(found.area > 0 ? normal.elastic / found.area : 0);
          to.stiffness = static_cast<float>(share * stiffness);
          to.distance = static_cast<float>(stiffness > 0 ? -normal.elastic / stiffness : 0);
          to.dissipation = static_cast<float>(normal.damping);
          to.friction = static_cast<float>(law.friction);
          to.part_a = parts.a;
          to.part_b = parts.b;
        });
  }
};

/// A single contact as a flat polygon: with its area, moments, force and stiffness.
ISOPATCH_HD ElasticPolygon elastic_polygon_of(const LawNumbers& law, const FoundPatch& found, double offset) {
  const ContactPatch& patch = found.patch;
  const auto [u, v] = basis_of_plane(patch.normal);
  const Vec3d of_v = patch.spread * v;
  const double pressed = max(patch.metric - offset, 0.0);
  ElasticPolygon out = {};
  out.centroid = patch.point;
  out.u = u, out.v = v;
  out.normal = patch.normal;
  out.force = law.stiffness * (pressed > 0 ? power(pressed, law.exponent) : 0);
  out.stiffness = law_stiffness(law, found, offset);
  out.xx = dot(u, patch.spread * u), out.xy = dot(u, of_v), out.yy = dot(v, of_v);
  return out;
}

/// Writes the patch contacts of a pair with so many single contacts, which are found again one by one.
template <class Model>
ISOPATCH_HD_LARGE void write_contact_patches(const Model& model, const SceneView& scene, const State& state,
                                             const Results& results, std::int64_t environment, int view, int count,
                                             Vec3d p_WoA) {
  const auto contact = [&](int index) {
    ElasticPolygon wanted = {};
    int number = 0;
    const auto touching = [&](std::int32_t, std::int32_t row, const FoundPatch& found, const LawNumbers& law) {
      if (number++ != index) return;
      ContactState memory = read_contact_state(scene, state, environment, row);
      if (!(memory.impact_speed > 0)) memory.offset = law.relaxation_time > 0 ? found.patch.metric : 0;
      wanted = elastic_polygon_of(law, found, memory.offset);
    };
    for_each_single_contact(model, scene, state, environment, view, touching, [](std::int32_t, const FoundPatch&) {});
    return wanted;
  };
  SerialWarp alone;
  PatchContacts contacts = {};
  constexpr int kLanes = 1;  // there are few
  write_patch_contacts<kLanes>(alone, contacts, results, environment, scene.pairs[view].pair, p_WoA, contact, count);
}

/// The outputs of a part pair in contact alone.
ISOPATCH_HD void write_single_contacts(const Results& results, std::int64_t environment, std::int32_t row,
                                       const FoundPatch& found, const LawResult& result, const RelativeMotion& motion) {
  if (found.area > 0) write(results.volume, environment, row, found.patch.metric);
  const Symmetric3& c = found.second;
  const double second[6] = {c.xx, c.yy, c.zz, c.xy, c.xz, c.yz};
  for (int k = 0; k < 6; ++k) write(results.second_moments, environment, 6 * row + k, second[k]);
  if (results.damping_matrix.data == nullptr) return;
  const DampingMatrix damping = damping_matrix(result.step, result.forces, motion);
  for (int k = 0; k < 36; ++k) write(results.damping_matrix, environment, 36 * row + k, damping.entry[k]);
}

/// Writes the results of one near pair in view `view`, which adds to those of models before it. Returns bits of the
/// status. Called by one thread.
template <class Warp, class Model, class Packed>
ISOPATCH_HD std::uint32_t evaluate_single_contact_pair(Warp& warp, const Model& model, const SceneView& scene,
                                                       const State& state, const Results& results, const Packed& packed,
                                                       std::int64_t environment, int view) {
  const PairView& pair = scene.pairs[view];
  const Vec3d p_WoA = read_vec3(state.poses, environment, pair.a * kPoseSize);
  const Vec3d from_a_to_b = read_vec3(state.poses, environment, pair.b * kPoseSize) - p_WoA;
  const Twist twist_a = read_twist(state, environment, pair.a), twist_b = read_twist(state, environment, pair.b);
  const bool has_rows = environment_contacts(results).is_wanted() || packed.contacts.is_wanted();
  SingleContactSums sums;
  std::uint32_t status = kOk;
  const auto touching = [&](std::int32_t i, std::int32_t row, const FoundPatch& found, const LawNumbers& law) {
    const ContactPatch& patch = found.patch;
    const RelativeMotion motion = relative_motion(patch.point, {0, 0, 0}, twist_a.linear, twist_a.angular, from_a_to_b,
                                                  twist_b.linear, twist_b.angular);
    const LawResult result =
        evaluate_law(law, patch, motion, read_contact_state(scene, state, environment, row), state.time_step);
    const LawForces& f = result.forces;
    const Vec3d torque = cross(patch.point, f.force) + f.torque;
    add(results.part_pair_wrench, environment, 6 * row, f.force);
    add(results.part_pair_wrench, environment, 6 * row + 3, torque);
    write_contact_state(scene, results, environment, row, result.next);
    write_single_contacts(results, environment, row, found, result, motion);

    sums.force = sums.force + f.force;
    sums.torque = sums.torque + torque;
    sums.friction = sums.friction + f.tangential;
    sums.center = fma(f.normal, patch.point, sums.center);
    sums.load += f.normal;
    const double weight = found.area > 0 ? found.area : f.normal;
    sums.normal = fma(weight, patch.normal, sums.normal);
    sums.weight += weight;
    sums.area += found.area;
    sums.energy += law_energy(law, found, result.step.normal.elastic, result.offset);
    ++sums.contacts;
    status |= found.status();
    if (found.area > 0 && patch.metric > patch.radius * found.area) status |= kThickContact;
    if (has_rows) {
      SingleContactRows<Packed>{results,
                                packed,
                                environment,
                                pair.pair,
                                scene.part_pairs[i],
                                found,
                                law,
                                result.step.normal,
                                law_stiffness(law, found, result.offset)}
          .append(warp, p_WoA);
    }
  };
  const auto untouched = [&](std::int32_t row, const FoundPatch& found) {
    if (results.contact_state.data != nullptr) write_contact_state(scene, results, environment, row, {});
    status |= found.status();
  };
  for_each_single_contact(model, scene, state, environment, view, touching, untouched);
  if (sums.contacts == 0) return status;
  if (wants_derivatives(results)) status |= kNoDerivative;
  if (results.patch_point.data != nullptr || results.patch_count.data != nullptr) {
    write_contact_patches(model, scene, state, results, environment, view, sums.contacts, p_WoA);
  }

  const int at = pair.pair;
  add(results.pair_wrench, environment, 6 * at, sums.force);
  add(results.pair_wrench, environment, 6 * at + 3, sums.torque);
  add(results.friction_force, environment, 3 * at, sums.friction);
  add(results.area, environment, at, sums.area);
  add(results.energy, environment, at, sums.energy);
  add(results.polygon_count, environment, at, sums.contacts);
  if (sums.load > 0) write(results.center_of_pressure, environment, 3 * at, fma(1 / sums.load, sums.center, p_WoA));
  if (sums.weight > 0) write(results.mean_normal, environment, 3 * at, (1 / sums.weight) * sums.normal);
  return status;
}

/// Calls append(row, plate) for each part pair in contact. Returns bits of the status. Called by one thread.
template <class Model, class Append>
ISOPATCH_HD std::uint32_t find_single_contacts(const Model& model, const SceneView& scene, const State& state,
                                               std::int64_t environment, int view, const Append& append) {
  const PairView& pair = scene.pairs[view];
  const Vec3d p_WoA = read_vec3(state.poses, environment, pair.a * kPoseSize);
  const Vec3d origin = pair_origin(make_body_bounds(scene, state, environment, pair.a),
                                   make_body_bounds(scene, state, environment, pair.b)) -
                       p_WoA;
  std::uint32_t status = kOk;
  const auto touching = [&](std::int32_t i, std::int32_t row, const FoundPatch& found, const LawNumbers& law) {
    ContactState memory = read_contact_state(scene, state, environment, row);
    if (!(memory.impact_speed > 0)) memory.offset = law.relaxation_time > 0 ? found.patch.metric : 0;
    const double pressed = max(found.patch.metric - memory.offset, 0.0);
    PlateContact plate = {{}, found.patch.metric, found.rolls, found.motion};
    SolverContact<double>& points = plate.points;
    points.centroid = found.patch.point - origin;
    arms_of(found.patch, points.arm);
    points.normal = found.patch.normal;
    points.force = law.stiffness * (pressed > 0 ? power(pressed, law.exponent) : 0) / 3;
    points.stiffness = law_stiffness(law, found, memory.offset) / 3;
    points.dissipation = law.dissipation;
    points.key = ContactKey::of_part_pair(i).word();
    status |= found.status();
    if (found.area > 0 && found.patch.metric > found.patch.radius * found.area) status |= kThickContact;
    append(row, plate);
  };
  const auto untouched = [&](std::int32_t, const FoundPatch& found) { status |= found.status(); };
  for_each_single_contact(model, scene, state, environment, view, touching, untouched);
  return status;
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// Two meshes beside each other, or a mesh and a half space, and what the tests of their nodes and cells compare: for
// every contact model that traverses hierarchies. Everything is in the frame of the first one's body.
#pragma once

#include "isopatch/detail/cells/pressure.h"
#include "isopatch/detail/math/reproducible_sum.h"

namespace isopatch::detail {

/// The constants of the conservative tests in float. On the contact surface the extent of M, or of S beside a rigid M,
/// is called u.
struct alignas(16) CoarseTests {
  Transform<float> X_MS;
  Vec3f absolute_row[3];                       // |R| of X_MS
  float slack;                                 // m, added to every box test of cells; far above its rounding
  Vec3f foot_S;                                // half space S in M: the point of its surface nearest M's origin
  Vec3f slope_S;                               // of its extent, 1/m; of the height over it where it is rigid
  float weight_M, weight_S, error;             // of the signed difference at a vertex as filter_cells() forms it
  float modulus_ratio, inverse_modulus_ratio;  // extent of S where u = 1, and the inverse; 0 where S is rigid
  float extent_margin_S;                       // added to ranges of extents of S: 1e30 where it is rigid, and has none
  float depth_per_u;                           // half space S: how far below its surface the pressure of u = 1 is, m
  float extent_slack;                          // added to ranges of u, for rounding and pressures that count as equal
};

/// M has a mesh; S has one too or is a half space. Of compliant bodies the tets are tested, of rigid ones the
/// triangles.
struct MeshPair {
  PairBody M, S;
  Transform<double> X_MS;
  CoarseTests coarse;
  double pressure_scale;  // a power of two that brings the slopes of the pressure on the contact plane below 2

  /// The third axis of S, in M: where S is a half space, its outward normal.
  ISOPATCH_HD Vec3d up_S() const { return {X_MS.row[0].z, X_MS.row[1].z, X_MS.row[2].z}; }
};

ISOPATCH_HD CellRef cell_of_M(const MeshPair& f, std::int32_t m) { return {f.M.hierarchy.cells + m}; }

/// Null for a half space, which has the index -1.
ISOPATCH_HD CellRef cell_of_S(const MeshPair& f, std::int32_t s) { return {s < 0 ? nullptr : f.S.hierarchy.cells + s}; }

/// The tolerance for equal pressures: 16 times the rounding of an affine value formed from differences of coordinates,
/// in units of its gradient times the coordinate bound. At a vertex of one body only the other's value is rounded, so
/// only the other's gradient counts; a stiff body does not enlarge the tolerance of a soft one.
inline constexpr double kZeroTolerance = 0x1p-48;

/// Margin of the box tests relative to the coordinate bound of both meshes: 8 times the rounding of a float coordinate.
inline constexpr double kBoxSlack = 0x1p-20;

/// Margin of ranges of u relative to the largest: 16 times the rounding of one operation.
inline constexpr double kExtentSlack = 0x1p-20;

/// Margin of the tests on extents in float, relative to the largest slopes times the coordinate bound and the largest
/// extents: 32 times the rounding of one operation.
inline constexpr double kLevelSlack = 0x1p-19;

/// No coordinate of the body's mesh in its own frame is larger, m.
ISOPATCH_HD double coordinate_bound(const PairBody& body) {
  return norm(body.geometry->center) + body.geometry->radius;
}

/// The largest slope of a compliant body's pressure, Pa/m.
ISOPATCH_HD double steepest_slope(const PairBody& body) { return pressure_at(body, body.field->max_gradient); }

ISOPATCH_HD PairBody make_pair_body(const GeometryView& geometry, bool rigid, double modulus) {
  const FieldGeometry& field = *geometry.field;
  return {&geometry, &field, rigid ? field.surface : field.solid, rigid, geometry.half_space, rigid ? 0.0 : modulus,
          0.0};
}

ISOPATCH_HD CoarseTests make_coarse_tests(const MeshPair& f, double coordinate_bound) {
  const PairBody &M = f.M, &S = f.S;
  CoarseTests c;
  c.X_MS = float_copy(f.X_MS);
  for (int i = 0; i < 3; ++i) {
    c.absolute_row[i] = {std::fabs(c.X_MS.row[i].x), std::fabs(c.X_MS.row[i].y), std::fabs(c.X_MS.row[i].z)};
  }
  c.slack = static_cast<float>(kBoxSlack * coordinate_bound);

  constexpr double kFar = 0x1p64;  // beyond this ratio the stiffer body counts as rigid; float can hold it
  const bool compliant = !M.rigid && !S.rigid;
  const double ratio = compliant ? min(max(M.modulus / S.modulus, 1 / kFar), kFar) : 1.0;
  c.modulus_ratio = S.rigid ? 0.0f : static_cast<float>(ratio);
  c.inverse_modulus_ratio = S.rigid ? 0.0f : static_cast<float>(1 / ratio);
  c.extent_margin_S = S.rigid ? 1e30f : 0.0f;
  c.depth_per_u = S.half_space && !S.rigid ? static_cast<float>(ratio * S.field->thickness) : 0.0f;
  const double equal = compliant ? 2 * (M.zero_tolerance + S.zero_tolerance) / M.modulus : 0.0;
  c.extent_slack = static_cast<float>(equal + (M.rigid ? 0.0 : kExtentSlack * M.field->max_extent));

  const Vec3d up = f.up_S();
  const double foot = S.half_space ? dot(up, f.X_MS.translation) : 0.0, span = coordinate_bound + std::fabs(foot);
  c.foot_S = cast<float>(foot * up);
  c.slope_S = cast<float>((!S.half_space ? 0.0 : S.rigid ? 1.0 : half_space_extent_slope(S)) * up);

  // d is divided by the larger modulus; beside a rigid S it is the height over its surface
  const double inverse_modulus = 1.0 / max(M.modulus, S.modulus);
  const double level = span * (steepest_slope(M) + steepest_slope(S)) + pressure_at(M, M.field->max_extent) +
                       pressure_at(S, S.field->max_extent);
  c.weight_M = S.rigid ? 0.0f : static_cast<float>(M.modulus * inverse_modulus);
  c.weight_S = S.rigid ? -1.0f : static_cast<float>(S.modulus * inverse_modulus);
  c.error = static_cast<float>(kLevelSlack * (S.rigid ? span : level * inverse_modulus));
  return c;
}

/// Makes the tests of a pair whose bodies and pose are set.
ISOPATCH_HD void set_tests(MeshPair& f) {
  const double bound = coordinate_bound(f.M) + coordinate_bound(f.S);
  f.M.zero_tolerance = kZeroTolerance * bound * (f.S.rigid ? 1.0 : steepest_slope(f.S));
  f.S.zero_tolerance = kZeroTolerance * bound * (f.M.rigid ? 1.0 : steepest_slope(f.M));
  f.coarse = make_coarse_tests(f, bound);

  constexpr double kTiny = 0x1p-500;
  const double gradient_M = steepest_slope(f.M), gradient_S = steepest_slope(f.S);
  const double steepest = f.M.rigid ? gradient_S : f.S.rigid ? gradient_M : min(gradient_M, gradient_S);
  f.pressure_scale = 1 / next_power_of_two(max(steepest, kTiny));
}

}  // namespace isopatch::detail

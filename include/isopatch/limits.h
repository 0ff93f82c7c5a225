// SPDX-License-Identifier: Apache-2.0
//
// Which numbers are taken, the same ones by files, by Scene and by every environment of a State. They are far from all
// that is built or simulated, and near enough that no arithmetic behind them overflows, or rounds a result away without
// a word. What is beyond them is an Error, or a bit of Status.
//
// Most of the search for contacts, and with Precision::kFloat the integration, is in float, which holds 1e-38 to 3e38:
// that is what most of the reasons refer to. A force or torque in float is a multiple of 2^-122 N or N m at the finest,
// 2e-37, and is kSumOverflow in the status where it would be beyond 3e38.
#pragma once

namespace isopatch::limits {

// --- shapes

/// Coordinates of a mesh in its own frame, m. A product of three edges, the largest power in float, is below 5e28 m^3.
inline constexpr double kMaxCoordinate = 1e9;

/// The diagonal of a mesh's bounding box, m. The finest grid of a sum of areas is 2^-122 m^2 (detail/fixed_point.h),
/// 2e-19 of the square of this; that of a torque in float is 2e-7 of the softest body's at this size.
inline constexpr double kMinSize = 1e-9;

/// An edge of a tet or of a triangle, m. The square of the area of the flattest face that is taken, 1e-228 m^4, is a
/// normal number in double. In float such cells are points, and the tests there leave them to double.
inline constexpr double kMinEdge = 1e-30;

/// An extent, and the largest one of a mesh. Times the largest modulus it is a pressure of 1e27 Pa; and 2^64 of them,
/// which is where a body counts as rigid beside another, are 2e28.
inline constexpr double kMaxExtent = 1e9;
inline constexpr double kMinLargestExtent = 1e-6;

/// The largest gradient of the extent times the diagonal of the mesh, in units of its largest extent. A field over a
/// sound mesh has 1 to 1e3, one of 1e10 jumps in a tet. Pressures that differ by 2^-48 of this are taken as equal in
/// the whole body (kSnap in detail/pair_frame.h), so that a tet which does not fit its extents costs all the others
/// 4e-5 of the largest pressure at the limit; beyond, light contacts would vanish.
inline constexpr double kMaxSteepness = 1e10;

/// A tet's smallest height relative to its longest edge, below which there is a warning: its gradient is made of
/// differences of extents that are all rounding by 1e-5 and more.
inline constexpr double kFlatTet = 1e-11;

/// Thickness of a half space, m.
inline constexpr double kMinThickness = 1e-9;
inline constexpr double kMaxThickness = 1e12;

// --- bodies

/// Pa. Pressures in float are 1e-9 to 1e27 Pa.
inline constexpr double kMinModulus = 1e-3;
inline constexpr double kMaxModulus = 1e18;

/// Dissipation in s/m or s, and friction. The sums are on a grid that has room for a traction raised by
/// (1 + dissipation speed) (1 + friction), so a part without it is rounded to that times 2^-56 of the largest pressure
/// times the square of the body's radius: 1e-7 at both limits and a speed of 1 m/s, as is all in float, and 1e-12 with
/// friction alone.
inline constexpr double kMaxDissipation = 1e6;
inline constexpr double kMaxFriction = 1e4;

/// Coordinates of a body in the world, m.
inline constexpr double kMaxPosition = 1e12;

/// The norm of a quaternion before it is normalised.
inline constexpr double kMinQuaternion = 1e-6;
inline constexpr double kMaxQuaternion = 1e6;

/// m/s and rad/s. Where a body touches another its points move by less than 1e9 + 4e12 x 1e6 m/s, 4e12 m being what the
/// origins of two half spaces can be apart; the square of that is 2e37.
inline constexpr double kMaxVelocity = 1e9;
inline constexpr double kMaxAngularVelocity = 1e6;

/// m/s. Its square is added to that of the slip: in float it is a normal number, 1e-24 to 1e12.
inline constexpr double kMinSlipTolerance = 1e-12;
inline constexpr double kMaxSlipTolerance = 1e6;

}  // namespace isopatch::limits

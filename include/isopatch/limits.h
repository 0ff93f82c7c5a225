// SPDX-License-Identifier: Apache-2.0
//
// Which numbers are accepted: the same ones in files, in a Scene and in every environment of a State. The limits lie
// far beyond anything that is made or simulated, yet close enough that no later arithmetic overflows or silently rounds
// a result away. A number beyond them is an Error, or a bit of Status.
//
// Most of the search for contacts, and with Precision::kFloat the integration, is in float, which holds 1e-38 to 3e38;
// most of the reasons below refer to that range. A force or torque in float is a multiple of at least 2^-122 N or N m,
// 2e-37, and sets kSumOverflow in the status where it would exceed 3e38.
#pragma once

#include <cstdint>

/// The bounds of the numbers that are accepted, in files, in a Scene and in every environment of a State. A number
/// beyond them is an Error, or a bit of Status.
namespace isopatch::limits {

// --- counts

/// Bodies of a scene.
inline constexpr int kMaxBodies = 64;

/// Pairs of a scene: every body with every other.
inline constexpr int kMaxPairs = kMaxBodies * (kMaxBodies - 1) / 2;

/// Parts of a body.
inline constexpr int kMaxPartsOfBody = 64;

/// Parts of a scene, those of all bodies together.
inline constexpr int kMaxParts = 256;

/// Part pairs of a scene, each layer of a half space counted by itself.
inline constexpr std::size_t kMaxPartPairs = 32'768;

/// Points, tets and triangles of a mesh, which are indexed with 32 bits.
inline constexpr std::int64_t kMaxElements = 2'147'483'647;

/// Subdivisions of a sphere or an ellipsoid: 327 680 tets; one more would be 1.3 million.
inline constexpr int kMaxSubdivisions = 7;

/// How often refine() cuts every tet in eight.
inline constexpr int kMaxRefinements = 6;

/// The number of segments of a cylinder's or capsule's circle is a multiple of this, and at least this.
inline constexpr int kSegmentStep = 4;

/// Segments of a cylinder's or capsule's circle.
inline constexpr int kMaxSegments = 1024;

/// The number of segments of one turn of a screw thread is a multiple of this, and at least this.
inline constexpr int kThreadSegmentStep = 12;

/// Segments of one turn of a screw thread.
inline constexpr int kMaxThreadSegments = 720;

/// Segments of all turns of a screw thread: 1.1 million tets of a bolt.
inline constexpr int kMaxThreadSegmentsOfAll = 20'000;

/// Faces of a convex hull.
inline constexpr int kMaxHullFaces = 4096;

// --- files, bytes

inline constexpr std::uint64_t kMaxSceneBytes = std::uint64_t{16} << 20;  ///< a scene file
inline constexpr std::uint64_t kMaxMeshBytes = std::uint64_t{2} << 30;    ///< a mesh file
inline constexpr std::uint64_t kMaxStatesBytes = std::uint64_t{4} << 30;  ///< a file of states, for the command

// --- shapes

/// Tets and surface triangles of all geometries that are placed with an offset: each is a copy.
inline constexpr std::int64_t kMaxPlacedElements = std::int64_t{1} << 20;

/// Coordinates of a mesh in its own frame, m. A product of three edges, the largest power in float, is below 5e28 m^3.
inline constexpr double kMaxCoordinate = 1e9;

/// The diagonal of a mesh's bounding box, m. The smallest quantum of a sum of areas is 2^-122 m^2
/// (detail/math/reproducible_sum.h), 2e-19 of the square of this; that of a torque in float is 2e-7 of the softest
/// body's at this size.
inline constexpr double kMinSize = 1e-9;

/// An edge of a tet or of a triangle, m. The square of the area of the flattest accepted face, 1e-228 m^4, is a normal
/// number in double. In float such cells are points, and the tests in float leave them to double.
inline constexpr double kMinEdge = 1e-30;

/// An extent. Times the largest modulus it is a pressure of 1e27 Pa; and 2^64 times it, where a body counts as rigid
/// beside another, is 2e28.
inline constexpr double kMaxExtent = 1e9;

/// The largest extent of a mesh must be at least this.
inline constexpr double kMinLargestExtent = 1e-6;

/// The largest gradient of the extent times the diagonal of the mesh, in units of its largest extent. A field over a
/// good mesh has 1 to 1e3; at 1e10 the field jumps within a tet. Pressures that differ by 2^-48 of this count as equal
/// in the whole body (kZeroTolerance in detail/cells/mesh_pair.h), so that at the limit a single
/// tet that does not fit its extents makes this tolerance 4e-5 of the largest pressure; beyond it, light contacts would
/// vanish.
inline constexpr double kMaxSteepness = 1e10;

/// A tet's smallest height relative to its longest edge below which there is a warning: 1e-5 or more of the differences
/// of extents that make its gradient is rounding.
inline constexpr double kFlatTet = 1e-11;

inline constexpr double kMinThickness = 1e-9;  ///< of a half space, m
inline constexpr double kMaxThickness = 1e12;  ///< of a half space, m

/// Layers of a half space with a strain map: rounding of heights takes 2e-7 of the pressure in thinner ones.
inline constexpr double kMinLayerExtent = 5e-10;     ///< change of the extent from one row of the map to the next
inline constexpr double kMinLayerThickness = 1e-12;  ///< m

// --- bodies

// With these moduli, pressures in float are 1e-9 to 1e27 Pa.
inline constexpr double kMinModulus = 1e-3;  ///< Pa
inline constexpr double kMaxModulus = 1e18;  ///< Pa

/// Dissipation in s/m or s. The scale of the sums has room for a traction raised by (1 + dissipation speed) (1 +
/// friction), so a part without it is rounded to that times 2^-56 of the largest pressure times the square of the
/// body's radius: 1e-7 at both limits and a speed of 1 m/s, no worse than float, and 1e-12 with friction alone.
inline constexpr double kMaxDissipation = 1e6;

/// Coefficient of friction; the reason is under kMaxDissipation.
inline constexpr double kMaxFriction = 1e4;

/// Coordinates of a body's origin in the world, m.
inline constexpr double kMaxPosition = 1e12;

inline constexpr double kMinQuaternion = 1e-6;  ///< norm of a quaternion before it is normalised
inline constexpr double kMaxQuaternion = 1e6;   ///< norm of a quaternion before it is normalised

/// PolytopeOptions::tolerance of gaps, m: far below what rounding does to any gap.
inline constexpr double kMinGapTolerance = 1e-15;

/// How far a body of polygons may be out of the plane z = 0: m, and x and y of its unit quaternion. For rounding.
inline constexpr double kMaxOutOfPlane = 1e-9;

/// Speed of a body's origin, m/s. Where two bodies touch, their points move at less than 1e9 + 4e12 x 1e6 m/s, since
/// two origins are at most 4e12 m apart; the square of that is 2e37.
inline constexpr double kMaxVelocity = 1e9;

/// Angular speed of a body, rad/s.
inline constexpr double kMaxAngularVelocity = 1e6;

/// Slip tolerance, m/s. Its square is added to that of the slip: in float it is a normal number, 1e-24 to 1e12.
inline constexpr double kMinSlipTolerance = 1e-12;

/// Slip tolerance, m/s, as for kMinSlipTolerance.
inline constexpr double kMaxSlipTolerance = 1e6;

// --- contacts with state

/// Impact speed, m/s, offset, m or m^3, bend, m, twist, rad, and age, s, of a contact state. No offset exceeds what two
/// bodies have in common, 1e28 m^3, and a million steps of kMaxTime at kMaxAngularVelocity twist by 1e18 rad; the
/// squares of this are 1e60.
inline constexpr double kMaxContactState = 1e30;

/// A damping of 1/restitution over the impact speed is at most 1e24 s/m.
inline constexpr double kMinRestitution = 1e-12;

// --- motion

// A cube with the largest edge and density has 1e36 kg. With a radius of gyration of 1e-9 m to 1e9 m, moments of
// inertia are 1e-48 to 1e54 kg m^2, and the products of three that a determinant consists of are normal numbers in
// double.
inline constexpr double kMinMass = 1e-30;    ///< kg
inline constexpr double kMaxMass = 1e36;     ///< kg
inline constexpr double kMinDensity = 1e-6;  ///< kg/m^3
inline constexpr double kMaxDensity = 1e9;   ///< kg/m^3
inline constexpr double kMaxInertia = 1e54;  ///< an entry of the inertia tensor, kg m^2
inline constexpr double kMinAxis = 1e-6;     ///< length of a joint's axis before it is normalised
inline constexpr double kMaxAxis = 1e6;      ///< length of a joint's axis before it is normalised

/// Angle of a revolute joint, rad: 160 000 turns, of which a double keeps 1e-10 rad.
inline constexpr double kMaxAngle = 1e6;

/// Force [N] or torque [N m] of a drive; its stiffness and damping.
inline constexpr double kMaxForce = 1e30;

/// The smallest limit of a drive's force or torque, N or N m.
inline constexpr double kMinForce = 1e-30;

/// Times of a path or a drive and durations, s: eleven days, of which a double keeps 1e-10 s.
inline constexpr double kMaxTime = 1e6;

inline constexpr double kMinTimeStep = 1e-9;     ///< s
inline constexpr double kMaxAcceleration = 1e9;  ///< of gravity, m/s^2
inline constexpr double kMinTolerance = 1e-15;   ///< of a rollout's solves
inline constexpr double kMaxTolerance = 0.1;     ///< of a rollout's solves
inline constexpr int kMaxIterations = 10'000;    ///< of a rollout's solves
inline constexpr int kMaxFrictionPasses = 100;   ///< of a rollout's solves

/// How far a joint may be beyond a stop, m or rad: a step takes it back by half of that, at a rate that it keeps.
inline constexpr double kMaxBeyondStop = 1e-3;

inline constexpr double kMinJointRatio = 1e-6;        ///< of the rates of a joint and one that it mimics
inline constexpr double kMaxJointRatio = 1e6;         ///< of the rates of a joint and one that it mimics
inline constexpr int kMaxSubsteps = 64;               ///< of a rollout's step
inline constexpr int kMaxClusters = 16;               ///< of normals of a pair: Results::max_clusters
inline constexpr int kMaxPolygonCapacity = 1 << 24;   ///< of an environment in a rollout
inline constexpr int kMaxGeometryIterations = 32;     ///< of a rollout's step with rigid parts
inline constexpr int kMaxRelationCapacity = 1 << 20;  ///< of an environment in a rollout

}  // namespace isopatch::limits

// SPDX-License-Identifier: Apache-2.0
//
// The arrays that an evaluation writes. All memory belongs to the caller; a null array is not computed.
#pragma once

#include <cstdint>

#include "isopatch/state.h"

namespace isopatch {

/// One polygon of a contact patch, world frame.
struct Polygon {
  std::int32_t pair;          ///< index into SceneDescription::pairs
  std::int32_t num_vertices;  ///< 3 to 8
  float vertices[8][3];       ///< m, counter-clockwise seen from the side the normal points to
  float pressures[8];         ///< Pa at the vertices
  float normal[3];            ///< unit, from body b into body a
  float area;                 ///< m^2
  std::int32_t part_a;        ///< the part of body a, numbered through the scene
  std::int32_t part_b;        ///< the part of body b
};

/// One polygon as a spring and damper at a point, world frame (VL eqs. 12, 15, 16 and 23), for solvers that take point
/// contacts: at rest its normal force is stiffness * -distance = area * pressure. A polygon across which the pressure
/// does not rise into each compliant body has none.
struct DiscreteContact {
  std::int32_t pair;  ///< index into SceneDescription::pairs
  float point[3];     ///< centroid of the polygon, m
  float normal[3];    ///< unit, from body b into body a
  float area;         ///< m^2
  float pressure;     ///< p0 at the point, Pa
  float stiffness;    ///< k = area * g, N/m
  float distance;     ///< phi0 = -p0 / g, m, negative
  float dissipation;  ///< d, s/m, also under the pfc law
  float friction;     ///< coefficient of the pair

  std::int32_t part_a;  ///< the part of body a, numbered through the scene
  std::int32_t part_b;  ///< the part of body b
};

/// An array of the whole batch. It has no stride: rows follow one another without gaps, however many an environment
/// has.
template <class T>
struct BatchArray {
  T* data = nullptr;  ///< first element, or null

  BatchArray() = default;
  /// An array that begins at `values`.
  BatchArray(T* values) : data(values) {}
};

/// Results of N environments with P pairs, Q part pairs and B bodies. Force in N, torque in N m, world frame.
struct Results {
  OutputArray pair_wrench;       ///< N x P x 6   force on body a, then torque on a about a's body origin
  OutputArray part_pair_wrench;  ///< N x Q x 6   the part of pair_wrench from each of Scene::part_pairs(), about the
                                 ///< same point
  OutputArray body_wrench;  ///< N x B x 6   sum over the body's pairs, torque about its own origin; needs pair_wrench
  TypedArray<std::uint32_t> status;  ///< N   bits of Status

  // patch summary
  OutputArray area;                ///< N x P       m^2
  OutputArray center_of_pressure;  ///< N x P x 3   m, world: integral of x p over integral of p; 0 without contact
  OutputArray mean_normal;         ///< N x P x 3   integral of n dS over the area, from b into a; 0 without contact
  OutputArray max_pressure;        ///< N x P       Pa, at a polygon vertex
  OutputArray friction_force;      ///< N x P x 3   N, the tangential part of the force on a
  TypedArray<std::int32_t> polygon_count;  ///< N x P   polygons of non-zero area

  // each patch as a few point contacts (INTERFACE.md), K = max_clusters
  OutputArray patch_point;      ///< N x P x K x 4 x 3   m, world
  OutputArray patch_normal;     ///< N x P x K x 3       unit, from b into a; of all four points
  OutputArray patch_stiffness;  ///< N x P x K x 4       N/m
  OutputArray patch_distance;   ///< N x P x K x 4       m; the normal force of a point is stiffness * -distance
  OutputArray patch_residual;   ///< N x P x 6   N, N m on a about its body origin: the wrench of the pressure alone,
                                ///< without damping and friction, less that of the points
  TypedArray<std::int32_t> patch_count;  ///< N x P   clusters that have points; those behind them are 0
  std::int32_t max_clusters = 1;         ///< K, the most clusters of normals of a pair, from 1 to 16

  /// N x P J, elastic energy: integral of min(p_A, p_B) over the overlap (PFC eq. 1). Continuous in the pose; it has a
  /// kink, at which the wrench jumps, where the two pressures are equal throughout a volume.
  OutputArray energy;

  // contact polygons, a row of `polygon_capacity` for each environment, in no particular order
  TypedArray<Polygon> polygons;              ///< N x polygon_capacity
  TypedArray<std::int32_t> polygons_needed;  ///< N   the capacity that would have been enough; required with polygons,
                                             ///< and may be asked for alone
  std::int32_t polygon_capacity = 0;         ///< room of a row

  // the same as point contacts
  TypedArray<DiscreteContact> contacts;      ///< N x contact_capacity
  TypedArray<std::int32_t> contacts_needed;  ///< N   required with contacts, and may be asked for alone
  std::int32_t contact_capacity = 0;         ///< room of a row

  // the polygons of all environments in one array: those of environment 0, then those of environment 1, and so on; in
  // each by pair, part of a, part of b, and the cells of the two parts (INTERFACE.md), the same on every backend
  BatchArray<Polygon> packed_polygons;       ///< packed_polygon_capacity   as many as fit; needs polygon_offsets
  BatchArray<std::int64_t> polygon_offsets;  ///< N + 1   environment e has the rows from offsets[e] to before
                                             ///< offsets[e + 1], so the last is the number of all rows, those that do
                                             ///< not fit too; may be asked for alone
  BatchArray<std::int32_t> polygon_environments;  ///< packed_polygon_capacity   of each row that is written; may be
                                                  ///< null, else needs packed_polygons
  std::int64_t packed_polygon_capacity = 0;       ///< rows that there is room for

  // the same as point contacts
  BatchArray<DiscreteContact> packed_contacts;    ///< packed_contact_capacity   needs contact_offsets
  BatchArray<std::int64_t> contact_offsets;       ///< N + 1   may be asked for alone
  BatchArray<std::int32_t> contact_environments;  ///< packed_contact_capacity   may be null, else needs packed_contacts
  std::int64_t packed_contact_capacity = 0;       ///< rows that there is room for
};

}  // namespace isopatch

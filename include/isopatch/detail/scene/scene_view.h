// SPDX-License-Identifier: Apache-2.0
//
// The flattened scene as kernels see it: plain arrays in one address space, passed by value.
#pragma once

#include <cstdint>

#include "isopatch/detail/math/transform.h"
#include "isopatch/detail/scene/cell.h"
#include "isopatch/geometry/geometry.h"

namespace isopatch::detail {

struct Node;      // of bvh/node.h
struct WideNode;  // of bvh/node.h

/// A bounding volume hierarchy over cells; node 0 is the root. It has at most kMaxDepth levels. The wide nodes are the
/// same hierarchy without some of its levels; wide node 0 holds the root alone.
struct HierarchyView {
  const Cell* cells;
  const CoarseCell* coarse_cells;
  const Node* nodes;
  const WideNode* wide_nodes;                  // null on a GPU
  const SmoothedGradient* smoothed_gradients;  // of each cell; null where no contact law needs them
  std::int32_t num_cells;
  std::int32_t num_nodes;
};

struct FieldGeometry;  // of cells/field_geometry.h
struct PairForceLaw;   // of force_law/numbers.h
struct PolytopeView;   // of polytope/shape.h

/// What is the same of a geometry for all contact models, and what each of them has of it.
struct GeometryView {
  bool half_space;
  bool surface_only;  // a surface mesh, which only a rigid body can have
  bool polygon;       // flat, in the plane z = 0, which meets others of its kind alone
  float core;         // of a solid mesh: the middle of its bounding box, and what is beside it within this share of
                      // `half`, is inside; 0 of others, such as rings and bowls

  // A half space with a strain map has layers, in which the extent is linear. Each layer is a half space of its own,
  // whose surface is at an extent of 0.
  bool is_layer;
  std::int32_t layers_begin, num_layers;  // indices into SceneView::geometries; 0 of other geometries
  double zero_height;                     // of a layer: height of its surface over the whole's, m
  double low, high;                       // of a layer: it lies between these heights over its surface, m

  // of a mesh
  Vec3d center;   // of the bounding box, m
  double radius;  // of the vertices about `center`, m
  Vec3d half;     // half edges of the bounding box, m

  // The exact shape that a mesh stands for, in the frame of its geometry, see Primitive; not moved with the mesh.
  PrimitiveKind primitive;
  Vec3d primitive_half;     // m
  double primitive_radius;  // m

  double foundation_depth;  // H of a part without one of its own, m

  const FieldGeometry* field;  // for the pressure field
  const PolytopeView* shape;   // for pairs that touch by faces; null if it has none, or no pair needs it
};

/// A body's parts follow each other. A body of several has torques summed about one point.
struct BodyView {
  std::int32_t parts_begin, parts_end;
  bool one_sided;
  Vec3d reference;  // of a body of several parts: the middle of their bounds, m

  ISOPATCH_HD bool has_one_part() const { return parts_end - parts_begin == 1; }
};

/// The geometry is placed in the body: its mesh has coordinates of the body's frame. A half space keeps its own.
struct PartView {
  std::int32_t geometry;      // index into SceneView::geometries
  std::int32_t placed_begin;  // negative: State::geometry_index is such an index too; else see placed_geometries
  bool rigid;
  bool posed;               // X_BG is not the identity
  std::int32_t num_layers;  // the most that a geometry of it may have
  double modulus;           // Pa
  double dissipation;       // s/m or s
  double friction;
  double foundation_depth;  // m; 0: the geometry's
  Transform<double> X_BG;   // geometry to body
};

/// Contact models that a scene can have pairs of.
inline constexpr int kMaxContactModels = 6;

/// A set of shapes: a bit for each kind of primitive and, in place of none, for half spaces.
using ShapeSet = std::uint8_t;

ISOPATCH_HD ShapeSet shape_of(const GeometryView& geometry) {
  if (geometry.half_space) return 1;
  return geometry.primitive == PrimitiveKind::kNone ? ShapeSet{0}
                                                    : static_cast<ShapeSet>(1u << static_cast<int>(geometry.primitive));
}

/// A pair in one contact model. Its part pairs follow each other, and so do their rows in Results::part_pair_wrench.
struct PairView {
  std::int32_t a, b;
  std::int32_t part_pairs_begin, part_pairs_end;
  std::int32_t rows_begin, rows_end;
  double dissipation;      // negative: combine the parts' values
  double friction;         // negative: combine the parts' values
  std::int32_t model;      // ContactModel
  std::int32_t pair;       // whose results it adds to
  std::int32_t further;    // index of the pair's next view, if it has several
  bool half_spaces_touch;  // in that model, each other
  bool has_state;          // that model carries a contact state
  bool has_law;            // which is a ContactState of a PairForceLaw (contact/part_law.h)
  bool has_plates;         // each of its part pairs makes a PlateContact, and no SolverContact
  bool touches_faces;      // in that model, by GeometryView::shape, both of polygons or both of solids
  bool exerts_force;       // in that model
  bool is_endless;         // near everywhere: a hole in something without an end, or a model that measures distances
  ShapeSet ball_touches;   // of each part pair one part is a sphere and the other of these; 0: no such rule
};

/// Two parts; or a part and one layer of the other, which is a half space. All layers have the same row.
struct PartPairView {
  std::int32_t a, b;  // parts of the pair's bodies a and b
  std::int32_t layer;
  std::int32_t row;  // in Results::part_pair_wrench
};

inline constexpr std::int32_t kExactRule = -1, kCentroidRule = 0;

struct ContactView {
  bool pfc_dissipation;
  bool gradient_filter;
  std::int32_t quadrature;  // kExactRule, kCentroidRule, or points per fan triangle: 3, 6
  double slip_tolerance;    // m/s
  std::int32_t state_size;  // Scene::contact_state_size()
  bool any_faces;           // a pair touches by faces
  bool normal_by_area;      // of overlaps: OverlapNormal::kArea

  // of the scene's laws: what no step leaves is refused
  double least_impact_speed;  // that is not 0, m/s
  double largest_bend;        // m
};

/// What pairs of polytopes need of a scene: PolytopeOptions, and two arrays, which are
/// null where there is no such pair.
struct DistanceView {
  double margin, tolerance;      // m; negative: of the smaller radius of two parts
  std::int32_t relations;        // ContactRelations
  const Vec3d* centers_of_mass;  // of each body, in its frame, m; 0 of one that has no mass or no such pair
  const double* radii;           // of each part with the scene's own geometry, see radius_about(), m; likewise
};

struct SceneView {
  const GeometryView* geometries;  // the scene's own, then those placed in bodies
  const BodyView* bodies;
  const PartView* parts;
  const PairView* pairs;  // of each pair in the first of its models; then, pair by pair, in further ones, in order
  const PartPairView* part_pairs;
  const std::int32_t* placed_geometries;  // a row for each posed part: the scene's geometries as placed in its body, or
                                          // -1 for one that is not an alternative
  const std::int32_t* body_pairs;         // the pairs of body 0, of body 1 and so on, each in ascending order
  const std::int32_t* body_pairs_begin;   // where each body's begin in body_pairs; num_bodies + 1
  std::int32_t num_geometries;            // the scene's own
  std::int32_t num_bodies;
  std::int32_t num_parts;
  std::int32_t num_pairs;
  std::int32_t num_pair_views;
  std::int32_t num_part_pairs;
  std::int32_t num_models;                           // 1 + the last ContactModel of a pair
  std::int32_t pairs_before[kMaxContactModels + 1];  // pairs of the models before each; the last is num_pair_views
  ContactView contact;
  const PairForceLaw* laws;           // of each pair view; null if none carries a ContactState
  const double* contact_states;       // of the scene, Q x S; null: zeros
  const std::uint8_t* planar_bodies;  // 1 of a body of polygons, in the plane z = 0; null if there is none
  DistanceView polytopes;

  ISOPATCH_HD std::int32_t pairs_of_model(int model) const { return pairs_before[model + 1] - pairs_before[model]; }

  /// The index of a pair's view in a model that it has.
  ISOPATCH_HD std::int32_t view_in(int model, std::int32_t pair) const {
    std::int32_t view = pair;
    while (pairs[view].model != model) view = view == pair ? pairs[view].further : view + 1;
    return view;
  }

  /// Behind the part pairs of a pair in all of its models.
  ISOPATCH_HD std::int32_t part_pairs_end(std::int32_t pair) const {
    return pair + 1 < num_pairs ? pairs[pair + 1].part_pairs_begin : num_part_pairs;
  }
};

}  // namespace isopatch::detail

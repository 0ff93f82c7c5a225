// SPDX-License-Identifier: Apache-2.0
//
// The parts of bolts and nuts: layers of points over a ScrewThreadGrid, and the triangles and tets between them.
#pragma once

#include <functional>
#include <vector>

#include "host/mesh/primitives/screw_thread_grid.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

/// Radius of a hexagon on a ray; its corners lie on rays.
double hexagon(int ray, int segments, double across_flats);

// ---- points

/// Points over all nodes of a grid; the point of node i is the returned index + i.
using Radius = std::function<double(const ScrewThreadGrid::Node&)>;
std::int32_t add_layer(std::vector<Point3>& points, const ScrewThreadGrid& grid, int segments, const Radius& radius);

std::int32_t add_point(std::vector<Point3>& points, const Point3& p);

/// Points of all rays, counterclockwise seen from above.
using Ring = std::vector<std::int32_t>;
Ring add_hexagon(std::vector<Point3>& points, int segments, double across_flats, double z);

/// The points of a layer on a chain of the grid.
Ring ring_of(const std::vector<ScrewThreadGrid::Edge>& chain, std::int32_t layer);

// ---- triangles

/// Quads between two rings. They run counterclockwise seen from the side from which the rays go to the right and `b` is
/// above `a`.
void add_band(std::vector<Triangle>& triangles, const Ring& a, const Ring& b);

/// A disk about `centre`, facing up, or down.
void add_disk(std::vector<Triangle>& triangles, const Ring& ring, std::int32_t centre, bool up);

/// A layer, facing outward, or inward.
void add_cells(std::vector<Triangle>& triangles, const ScrewThreadGrid& grid, std::int32_t layer, bool outward);

// ---- tets

/// Adds a tet in positive orientation.
void add_tet(TetMesh& mesh, const Tet& tet);

/// Fills the space between two layers with three tets over each cell. If possible, each has a corner of layer `to`
/// that is not on an end plane.
void add_prisms(TetMesh& mesh, const ScrewThreadGrid& grid, std::int32_t from, std::int32_t to);

/// Fills a prism over a regular polygon whose mantle is a layer of the grid, from z = 0 to `length`: cones of the
/// grid's sections from points of the axis, and between two of them, or at an end, wedges of a piece of the axis and
/// the chain around it.
void add_core(TetMesh& mesh, const ScrewThreadGrid& grid, std::int32_t layer, double length);

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// From a closed surface to a mesh of tets that can carry a pressure field, by programs that fill it: TetGen and Gmsh,
// each run as a process.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "isopatch/geometry/geometry.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::detail {

struct Mesher {
  std::string name;  // "tetgen" or "gmsh"
  std::filesystem::path program;
};

/// The mesher of that name on PATH; for "auto" TetGen, or else Gmsh. Throws Error of kFile, which says what to install,
/// if there is none, and of kInput for another name.
Mesher find_mesher(const std::string& name);

/// Fills a checked surface with tets and keeps its triangles as they are; inner edges are about as long as
/// `edge_length` [m], or as the edges of the surface. Larger triangles prevent that: no mesher puts a vertex closer to
/// them than about their size, so in a thin wall it puts none. `source` names the surface in errors. `check` is called
/// every 50 ms, and ends the mesher by throwing. Throws Error, with the last line it printed, if the mesher fails, and
/// if its tets do not have the volume inside the surface.
TetMesh fill_with_tets(const TriangleMesh& surface, double volume, const Mesher& mesher,
                       std::optional<double> edge_length, const std::string& source,
                       const std::function<void()>& check);

/// A checked surface as meshers take it: no two points have the same coordinates, and each has a triangle.
struct MesherInput {
  TriangleMesh surface;
  double volume = 0;  // inside, m^3
};

/// Throws Error, naming `source` and the indices in `surface`, as check_and_repair(), and where the surface cuts
/// through itself, which no mesher fills.
MesherInput mesher_input(TriangleMesh surface, const std::string& source);

/// How fine a mesh shall be; without a value, as the surface is.
struct MeshSize {
  std::optional<double> edge_length = {};      // about that of the tets, m: longer edges of the surface are cut
  std::optional<std::int64_t> triangles = {};  // to which the surface is coarsened before that
};

/// What was made, and of how many triangles.
struct Tetrahedralized {
  Geometry geometry;
  std::size_t coarsened = 0;  // triangles that coarsening left; without it, those of the input
  double moved = 0;           // about how far coarsening moved the surface, m
  std::size_t triangles = 0;  // after cutting edges
  std::string note;           // why there are not as many triangles as were asked for; else empty
};

/// Coarsens the surface, cuts its long edges, fills it, and makes a geometry called `name` without tets that have all
/// vertices on the surface. Where the coarser surface cuts through itself, or no mesher fills it, some fewer triangles
/// are tried. `check` is called every 50 ms, and ends the mesher by throwing. Throws Error as coarsen() and
/// fill_with_tets(), for an edge length that is not finite and positive, and for triangles below 4.
Tetrahedralized tetrahedralize(MesherInput input, const Mesher& mesher, const MeshSize& size, const std::string& name,
                               const std::string& source, const std::function<void()>& check);

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// Programs that fill a closed surface with tets: TetGen and Gmsh, each run as a process of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

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

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include "host/meshing/tetrahedralize.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <utility>
#include <vector>

#include "host/files/output_file.h"
#include "host/files/process.h"
#include "host/mesh/checks/geometry_check.h"
#include "host/mesh/math/point_math.h"
#include "host/mesh/topology/connectivity.h"
#include "host/mesh/topology/cuts.h"
#include "host/mesh/topology/element_check.h"
#include "host/meshing/coarsening.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

/// In edge lengths: the halves of an edge that is longer are nearer to the edge length than the whole.
constexpr double kLongestEdge = std::numbers::sqrt2;

/// Of coarsening, each with some fewer triangles.
constexpr std::size_t kTries = 8;
constexpr std::size_t kFewer = 32;  // a 32nd part of them

constexpr std::int64_t kFewestTriangles = 4;

/// Removes the points that no triangle uses.
void drop_unused_points(TriangleMesh& mesh) {
  std::vector<std::int32_t> image(mesh.points.size(), -1);
  std::vector<Point3> points;
  for (Triangle& triangle : mesh.triangles) {
    for (std::int32_t& v : triangle) {
      std::int32_t& new_index = image[static_cast<std::size_t>(v)];
      if (new_index < 0) {
        new_index = static_cast<std::int32_t>(points.size());
        points.push_back(mesh.points[static_cast<std::size_t>(v)]);
      }
      v = new_index;
    }
  }
  mesh.points = std::move(points);
}

void refuse_self_cuts(const TriangleMesh& mesh, const MeshReport& report, const std::string& source) {
  if (report.cut_triangles == 0) return;
  throw_error(
      "{}: {}, so it cannot be filled with tets; unite its parts, in Blender or by trimesh's boolean.union(), or cut "
      "the triangles there out and fill the holes in MeshLab",
      source, self_cuts_text(mesh, report));
}

Tetrahedralized fill(MesherInput input, std::size_t coarsened, const Mesher& mesher, std::optional<double> edge_length,
                     const std::string& name, const std::string& source, const std::function<void()>& check) {
  if (edge_length) refine(input.surface, kLongestEdge * *edge_length, source);
  TetMesh mesh = fill_with_tets(input.surface, input.volume, mesher, edge_length, source, check);
  return {make_tet_mesh(name, std::move(mesh)), coarsened, 0, input.surface.triangles.size(), ""};
}

/// Tets that fill the surface have its volume up to rounding, unless the mesher left a part out.
constexpr double kSameVolume = 1e-6;

constexpr std::string_view kFolderPrefix = "isopatch_mesher_";

const std::vector<std::string> kMeshers = {"tetgen", "gmsh"};

/// Medit's ASCII format, which both meshers read. All triangles belong to surface 1.
std::string medit_text(const TriangleMesh& surface) {
  std::string text = fmt::format("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", surface.points.size());
  for (const Point3& p : surface.points) text += fmt::format("{:.17g} {:.17g} {:.17g} 1\n", p[0], p[1], p[2]);
  text += fmt::format("Triangles\n{}\n", surface.triangles.size());
  for (const auto& [a, b, c] : surface.triangles) text += fmt::format("{} {} {} 1\n", a + 1, b + 1, c + 1);
  return text + "End\n";
}

struct Call {
  std::vector<std::string> arguments;
  std::string result;  // the file it writes
};

/// -p fills a surface, -Y keeps its triangles, -q bounds radius over edge, -a the volume, -k writes VTK, and -NEFI
/// leaves its own formats unwritten.
Call tetgen_call(const TemporaryFolder& folder, std::optional<double> edge_length) {
  std::string options = "-pYkNEFIq1.5/10";
  if (edge_length) options += fmt::format("a{:.17g}", std::pow(*edge_length, 3) * std::numbers::sqrt2 / 12);
  return {{options, folder.file("surface.mesh")}, folder.file("surface.vtk")};
}

Call gmsh_call(const TemporaryFolder& folder, std::optional<double> edge_length) {
  std::string script = "Merge \"surface.mesh\";\nSurface Loop(1) = {1};\nVolume(1) = {1};\n";
  if (edge_length) script += fmt::format("Mesh.CharacteristicLengthMax = {:.17g};\n", *edge_length);
  write_output_file(folder.file("fill.geo"), script);
  return {{"-3", "-nt", "1", "-format", "msh22", "-o", folder.file("filled.msh"), folder.file("fill.geo")},
          folder.file("filled.msh")};
}

/// Of tets of either orientation.
double filled_volume(const TetMesh& mesh) {
  double six_v = 0;
  for (const Tet& tet : mesh.tets) six_v += std::fabs(six_volumes(mesh, tet));
  return six_v / 6;
}

}  // namespace

MesherInput mesher_input(TriangleMesh surface, const std::string& source) {
  check_indices(surface.triangles, surface.points.size(), source);
  TriangleMesh as_given = surface;
  weld(surface);
  // checked unchanged, so that errors name the indices that it came with; seams of points that are there twice are none
  if (open_edges(surface).edges > 0 || open_edges(as_given).edges == 0) {
    refuse_self_cuts(as_given, check_and_repair(as_given, source), source);
  }
  const MeshReport report = check_and_repair(surface, source);
  refuse_self_cuts(surface, report, source);
  drop_unused_points(surface);
  return {std::move(surface), report.volume};
}

Tetrahedralized tetrahedralize(MesherInput input, const Mesher& mesher, const MeshSize& size, const std::string& name,
                               const std::string& source, const std::function<void()>& check) {
  if (size.edge_length && !(std::isfinite(*size.edge_length) && *size.edge_length > 0)) {
    throw wrong_value(source + ": edge_length", fmt::format("{}", *size.edge_length),
                      "it must be finite and greater than 0");
  }
  const std::size_t before = input.surface.triangles.size();
  if (!size.triangles) return fill(std::move(input), before, mesher, size.edge_length, name, source, check);
  if (*size.triangles < kFewestTriangles) {
    throw wrong_value(source + ": triangles", fmt::format("{}", *size.triangles),
                      fmt::format("a closed surface has at least {}", kFewestTriangles));
  }
  const auto wanted = static_cast<std::size_t>(*size.triangles);
  if (before <= wanted) {
    Tetrahedralized made = fill(std::move(input), before, mesher, size.edge_length, name, source, check);
    made.note = fmt::format("the surface has only {} triangles, which stay as they are", before);
    return made;
  }
  for (std::size_t k = 0;; ++k) {
    TriangleMesh surface = input.surface;
    const double moved = coarsen(surface, wanted - k * wanted / kFewer, source);
    const std::size_t triangles = surface.triangles.size();
    const std::string coarser = fmt::format("{}, coarsened to {} triangles", source, triangles);
    try {
      Tetrahedralized made =
          fill(mesher_input(std::move(surface), coarser), triangles, mesher, size.edge_length, name, coarser, check);
      made.moved = moved;
      if (triangles > wanted) {
        made.note = fmt::format("fewer than {} would change what is connected", triangles);
      } else if (k > 0) {
        made.note = fmt::format("it has {}, since with more of them the surface would cut through itself", triangles);
      }
      return made;
    } catch (const Error&) {
      if (k + 1 == kTries) throw;
    }
  }
}

Mesher find_mesher(const std::string& name) {
  for (const std::string& candidate : kMeshers) {
    if (name != "auto" && name != candidate) continue;
    if (const auto program = find_program(candidate)) return {candidate, *program};
  }
  const bool any = name == "auto";
  if (!any && std::find(kMeshers.begin(), kMeshers.end(), name) == kMeshers.end()) {
    throw wrong_value("mesher", in_quotes(name, '"'), "it must be auto, tetgen or gmsh");
  }
  throw Error(fmt::format("no {} on PATH; install {} (on Debian: apt-get install {})",
                          any ? "mesher, TetGen or Gmsh," : name, any ? "one of them" : "it", any ? "tetgen" : name),
              ErrorKind::kFile, {.where = any ? "tetgen" : name, .code = ENOENT});
}

TetMesh fill_with_tets(const TriangleMesh& surface, double volume, const Mesher& mesher,
                       std::optional<double> edge_length, const std::string& source,
                       const std::function<void()>& check) {
  const TemporaryFolder folder(kFolderPrefix);
  write_output_file(folder.file("surface.mesh"), medit_text(surface));
  const Call call = mesher.name == "tetgen" ? tetgen_call(folder, edge_length) : gmsh_call(folder, edge_length);
  auto [problem, last_line] = run_process(mesher.program, call.arguments, check);
  if (problem.empty() && !std::filesystem::exists(call.result)) problem = "wrote no mesh";
  if (!problem.empty()) {
    throw_error("{}: {} {}; it last printed: {}. A surface that cuts through itself cannot be filled", source,
                mesher.program.string(), problem, in_quotes(last_line, '"'));
  }
  TetMesh mesh = read_tet_mesh(call.result);
  mesh.notes.clear();  // the triangles of the surface, in the same file
  if (const double found = filled_volume(mesh); !(std::fabs(found - volume) <= kSameVolume * volume)) {
    throw_error(
        "{}: the tets of {} have a volume of {:.6g} m^3, the surface one of {:.6g} m^3; it may cut through itself",
        source, mesher.program.string(), found, volume);
  }
  return mesh;
}

}  // namespace isopatch::detail

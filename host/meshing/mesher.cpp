// SPDX-License-Identifier: Apache-2.0
#include "host/meshing/mesher.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/output_file.h"
#include "host/files/process.h"
#include "host/files/temporary_folder.h"
#include "host/mesh/math/point_math.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {

namespace {

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

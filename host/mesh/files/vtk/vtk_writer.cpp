// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "host/files/output_file.h"
#include "host/mesh/topology/element_check.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/error.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch {

using namespace detail;

namespace {

/// Array names are one word in the file: spaces, unprintable characters, '%' and '"' become %XX.
std::string encode_name(const std::string& name) {
  std::string encoded;
  for (const char c : name) {
    if (c > ' ' && c <= '~' && c != '%' && c != '"') {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

void check_mesh(const TetMesh& mesh, const std::string& path) {
  check_indices(mesh.tets, mesh.points.size(), path);
  if (mesh.point_data.count("") > 0) throw Error(path + ": point data without a name cannot be written; give it one");
  check_point_data(mesh, path);
}

std::string format_mesh(const TetMesh& mesh) {
  std::string text = "# vtk DataFile Version 3.0\ntetrahedral mesh\nASCII\nDATASET UNSTRUCTURED_GRID\n";
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "POINTS {} double\n", mesh.points.size());
  for (const Point3& p : mesh.points) fmt::format_to(out, "{:.17g} {:.17g} {:.17g}\n", p[0], p[1], p[2]);

  fmt::format_to(out, "CELLS {} {}\n", mesh.tets.size(), 5 * mesh.tets.size());
  for (const Tet& t : mesh.tets) fmt::format_to(out, "4 {} {} {} {}\n", t[0], t[1], t[2], t[3]);
  fmt::format_to(out, "CELL_TYPES {}\n", mesh.tets.size());
  for (std::size_t i = 0; i < mesh.tets.size(); ++i) text += "10\n";

  if (!mesh.point_data.empty()) fmt::format_to(out, "POINT_DATA {}\n", mesh.points.size());
  for (const auto& [name, values] : mesh.point_data) {
    fmt::format_to(out, "SCALARS {} double 1\nLOOKUP_TABLE default\n", encode_name(name));
    for (const double value : values) fmt::format_to(out, "{:.17g}\n", value);
  }
  return text;
}

}  // namespace

void write_vtk(const TetMesh& mesh, const std::string& path) {
  const StandardArithmetic standard;
  check_mesh(mesh, path);
  write_output_file(path, format_mesh(mesh));
}

}  // namespace isopatch

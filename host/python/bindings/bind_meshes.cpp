// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "host/mesh/files/mesh_files.h"
#include "host/mesh/files/vtk/vtk_cells.h"
#include "host/mesh/primitives/polygon_fan.h"
#include "host/mesh/scale.h"
#include "host/meshing/tetrahedralize.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/mesh_arrays.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::python {
namespace {

/// Points, float64, cells, int32, and notes.
using MeshBytes = std::tuple<nb::bytes, nb::bytes, std::vector<std::string>>;

MeshBytes read_surface(const std::string& path) {
  const SignalScope signals;
  const TriangleMesh mesh = read_triangle_mesh(path);
  return {bytes_of(mesh.points), bytes_of(mesh.triangles), mesh.notes};
}

/// The triangles of polygons with `counts` corners each.
nb::bytes triangles_of(nb::handle points, nb::handle corners, nb::handle counts, const std::string& location) {
  const auto at = Rows({"triangles_of", "points"}, points, dlpack::kFloat64, 3).copied<Point3>();
  const auto all = Rows({"triangles_of", "corners"}, corners, dlpack::kInt32, 1).copied<std::int32_t>();
  std::vector<Triangle> triangles;
  std::vector<std::int32_t> face;
  auto next = all.begin();
  std::int64_t index = 0;
  for (const std::int32_t count : Rows({"triangles_of", "counts"}, counts, dlpack::kInt32, 1).copied<std::int32_t>()) {
    face.assign(next, next + count);
    next += count;
    for (const std::int32_t v : face) {
      if (0 <= v && v < std::ssize(at)) continue;
      throw_value_error(
          fmt::format("{}: face {} has the point {}; there are {} points", location, index, v, at.size()));
    }
    isopatch::detail::drop_repeated_corners(face);
    if (!isopatch::detail::append_fan(at, face, triangles)) {
      throw_value_error(
          fmt::format("{}: face {} of {} corners cannot be cut into triangles about one of them; cut it before",
                      location, index, count));
    }
    ++index;
  }
  return bytes_of(triangles);
}

/// How readers use cells of a type of VTK, and its name in the plural.
std::tuple<std::string, std::string> vtk_cell(std::int64_t type) {
  using isopatch::detail::VtkCellUse;
  constexpr std::array<const char*, 5> kUses = {"tet", "tet by corners", "left out", "volume", "unknown"};
  const VtkCellUse use = isopatch::detail::vtk_cell_use(type);
  return {kUses[static_cast<std::size_t>(use)], isopatch::detail::vtk_cell_name(type)};
}

/// Points, tets, and point data by name, float64.
std::tuple<nb::bytes, nb::bytes, nb::dict> read_tets(const std::string& path) {
  const SignalScope signals;
  const TetMesh mesh = read_tet_mesh(path);
  nb::dict fields;
  for (const auto& [name, values] : mesh.point_data) fields[name.c_str()] = bytes_of(values);
  return {bytes_of(mesh.points), bytes_of(mesh.tets), fields};
}

MeshBytes tetrahedralized(nb::handle points, nb::handle triangles, const std::string& source,
                          const std::string& mesher_name, std::optional<double> edge_length,
                          std::optional<std::int64_t> coarser) {
  TriangleMesh surface = {Rows({"tetrahedralize", "points"}, points, dlpack::kFloat64, 3).copied<Point3>(),
                          Rows({"tetrahedralize", "triangles"}, triangles, dlpack::kInt32, 3).copied<Triangle>(),
                          {}};
  TetMesh mesh;
  std::vector<std::string> notes;
  {
    const SignalScope signals;
    const nb::gil_scoped_release released;
    const isopatch::detail::StandardArithmetic standard;
    isopatch::detail::MesherInput input = isopatch::detail::mesher_input(std::move(surface), source);
    notes = input.surface.notes;
    if (const auto doubt = isopatch::detail::doubt_of_units("it", isopatch::detail::longest_side(input.surface))) {
      notes.push_back(fmt::format("{} In a scene, say {}", doubt->question, doubt->remedy));
    }
    const isopatch::detail::Mesher mesher = isopatch::detail::find_mesher(mesher_name);
    isopatch::detail::Tetrahedralized made =
        tetrahedralize(std::move(input), mesher, {edge_length, coarser}, source, source, &check_signals);
    if (!made.note.empty()) notes.push_back(fmt::format("triangles {}: {}", *coarser, made.note));
    mesh = std::move(made.geometry.mesh);
  }
  return {bytes_of(mesh.points), bytes_of(mesh.tets), notes};
}

}  // namespace

void bind_meshes(nb::module_& module) {
  module.def("_read_surface", &read_surface, nb::arg("path"));
  module.def("_triangles_of", &triangles_of);
  module.def("_vtk_cell", &vtk_cell, nb::arg("type"));
  module.def("_read_tets", &read_tets, nb::arg("path"));
  module.def("_is_surface_file", &isopatch::detail::is_surface_file, nb::arg("path"));
  module.def("_is_tet_mesh_file", &isopatch::detail::is_tet_mesh_file, nb::arg("path"));
  module.def("_tetrahedralize", &tetrahedralized, nb::arg("points"), nb::arg("triangles"), nb::arg("source"),
             nb::arg("mesher"), nb::arg("edge_length").none(), nb::arg("triangles").none());
}

}  // namespace isopatch::python

// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "host/meshing/tetrahedralize.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/mesh_arrays.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/geometry/triangle_mesh.h"

namespace isopatch::python {
namespace {

/// Points, float64, and cells, int32.
using MeshBytes = std::tuple<nb::bytes, nb::bytes>;

MeshBytes read_surface(const std::string& path) {
  const SignalScope signals;
  const TriangleMesh mesh = read_triangle_mesh(path);
  return {bytes_of(mesh.points), bytes_of(mesh.triangles)};
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
                          const std::string& mesher_name, std::optional<double> edge_length) {
  TriangleMesh surface = {Rows({"tetrahedralize", "points"}, points, dlpack::kFloat64, 3).copied<Point3>(),
                          Rows({"tetrahedralize", "triangles"}, triangles, dlpack::kInt32, 3).copied<Triangle>(),
                          {}};
  TetMesh mesh;
  {
    const SignalScope signals;
    const nb::gil_scoped_release released;
    const isopatch::detail::StandardArithmetic standard;
    const auto check = [] {  // Python itself ignores this on all threads but its main one
      const nb::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
    isopatch::detail::MesherInput input = isopatch::detail::mesher_input(std::move(surface), source);
    const isopatch::detail::Mesher mesher = isopatch::detail::find_mesher(mesher_name);
    mesh = tetrahedralize(std::move(input), mesher, edge_length, source, source, check).geometry.mesh;
  }
  return {bytes_of(mesh.points), bytes_of(mesh.tets)};
}

}  // namespace

void bind_meshes(nb::module_& module) {
  module.def("_read_surface", &read_surface, nb::arg("path"));
  module.def("_read_tets", &read_tets, nb::arg("path"));
  module.def("_tetrahedralize", &tetrahedralized, nb::arg("points"), nb::arg("triangles"), nb::arg("source"),
             nb::arg("mesher"), nb::arg("edge_length").none());
}

}  // namespace isopatch::python

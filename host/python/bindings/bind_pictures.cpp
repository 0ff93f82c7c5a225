// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/bytes.h"
#include "isopatch/pictures.h"

namespace isopatch::python {
namespace {

/// A part's body, and its points [V, 3], float64, and faces, int32, as bytes.
using SurfaceTuple = std::tuple<int, nb::bytes, nb::bytes>;

std::vector<SurfaceTuple> surfaces_of(const Scene& scene, const nb::bytes& poses) {
  StateArrays states(scene.description(), 1);
  states.poses = elements_of<double>(poses);
  std::vector<SurfaceTuple> tuples;
  for (const auto& [body, surface] : scene_surfaces(scene.description(), states, 0)) {
    tuples.emplace_back(body, bytes_of(surface.points), bytes_of(surface.faces));
  }
  return tuples;
}

std::tuple<nb::bytes, nb::bytes> patch_of(const nb::bytes& polygons) {
  const PolygonSurface surface = patch_surface(elements_of<Polygon>(polygons));
  return {bytes_of(surface.points), bytes_of(surface.faces)};
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("_scene_surfaces", &surfaces_of, nb::arg("scene"), nb::arg("poses"));
  module.def("_patch_surface", &patch_of, nb::arg("polygons"));
}

}  // namespace isopatch::python

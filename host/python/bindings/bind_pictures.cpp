// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/mesh_arrays.h"
#include "host/render/glb.h"
#include "host/render/page.h"
#include "host/render/render.h"

namespace isopatch::python {
namespace {

using namespace isopatch::detail;

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

/// What was computed already: the polygons of a frame, and the wrenches of its pairs, which may be empty.
FrameContacts found_contacts(const nb::bytes& polygons, const nb::bytes& wrenches) {
  const std::vector<double> forces = elements_of<double>(wrenches);
  FrameContact contact;
  contact.patches = drawn_patches(elements_of<Polygon>(polygons), forces.empty() ? nullptr : forces.data(), 6);
  FrameContacts contacts(1);
  contacts.add(std::move(contact));
  return contacts;
}

nb::bytes render(const Scene& scene, const nb::bytes& poses, const nb::bytes& velocities,
                 const std::vector<double>& times, std::int64_t environment, const std::string& title,
                 const std::optional<nb::bytes>& polygons, const std::optional<nb::bytes>& wrenches) {
  require_render();
  Frames frames;
  frames.states = StateArrays(scene.description(), 0);
  frames.states.poses = elements_of<double>(poses);
  frames.states.velocities = elements_of<double>(velocities);
  frames.states.num_environments = std::ssize(frames.states.poses) / (7 * frames.states.num_bodies);
  frames.times = times;
  frames.environment = environment;
  check_count(frames.count());
  std::string glb;
  if (polygons) {
    frames.environments = {environment};
    const FrameContacts contacts = found_contacts(*polygons, wrenches ? *wrenches : nb::bytes("", 0));
    glb = glb_of(scene.description(), frames, contacts.all(), title);
  } else {
    const SignalScope signals;
    const nb::gil_scoped_release released;
    const HostEvaluator evaluator(scene);
    const auto check = [](std::int64_t) {  // Python itself ignores this on all threads but its main one
      const nb::gil_scoped_acquire acquired;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
    const FrameContacts contacts = evaluated_contacts(evaluator, frames, check);
    glb = glb_of(scene.description(), frames, contacts.all(), title);
  }
  return as_bytes(glb);
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("_render", &render, nb::arg("scene"), nb::arg("poses"), nb::arg("velocities"), nb::arg("times"),
             nb::arg("environment"), nb::arg("title"), nb::arg("polygons").none(), nb::arg("wrenches").none());
  module.def(
      "_page",
      [](const nb::bytes& glb, const std::string& title) {
        return page_of({static_cast<const char*>(glb.data()), glb.size()}, title);
      },
      nb::arg("glb"), nb::arg("title"));
  module.def("_chosen_frames", &chosen_frames, nb::arg("rows"), nb::arg("every"));
}

}  // namespace isopatch::python

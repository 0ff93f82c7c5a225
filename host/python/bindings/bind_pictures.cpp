// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/evaluation/evaluator_backend.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/mesh_arrays.h"
#include "host/render/glb.h"
#include "host/render/page.h"
#include "host/render/render.h"

namespace isopatch::python {
namespace {

using namespace isopatch::detail;

/// What was computed already: the polygons of a frame, and the wrenches of its pairs, which may be empty.
FrameContacts found_contacts(const nb::bytes& polygons, const nb::bytes& wrenches) {
  const std::vector<double> forces = elements_of<double>(wrenches);
  FrameContact contact;
  contact.patches = drawn_patches(elements_of<Polygon>(polygons), forces.empty() ? nullptr : forces.data(), 6);
  FrameContacts contacts(1);
  contacts.add(std::move(contact));
  return contacts;
}

/// The evaluator of a scene, or of the rollout that has this slip tolerance.
HostEvaluator evaluator_of(const Scene& scene, const std::optional<double>& slip_tolerance) {
  if (!slip_tolerance) return HostEvaluator(scene);
  return HostEvaluator(Evaluator(make_cpu_backend(scene, {}, slip_tolerance)));
}

/// `arrays` are the rows of the frames by their names in a State, and of a rollout pair_wrench.
Frames frames_of(const Scene& scene, const nb::dict& arrays, const std::vector<double>& times,
                 std::int64_t environment) {
  Frames frames;
  frames.states = StateArrays(scene.description(), 0);
  const auto take = [&arrays]<class Element>(const char* name, std::vector<Element>& values) {
    values.clear();
    if (arrays.contains(name)) values = elements_of<Element>(nb::cast<nb::bytes>(arrays[name]));
  };
  for_each_input([&](const ArrayInfo& info, auto& values) { take(info.name, values); }, frames.states);
  take("pair_wrench", frames.pair_wrench);
  settle_recorded_shapes(frames.states, scene.description(), "render");
  frames.states.num_environments = std::ssize(frames.states.poses) / (7 * frames.states.num_bodies);
  frames.times = times;
  frames.environment = environment;
  check_count(frames.count());
  return frames;
}

/// A file for each environment; `arrays` and `times` are of each.
std::vector<nb::bytes> render(const Scene& scene, const std::vector<nb::dict>& arrays,
                              const std::vector<std::vector<double>>& times,
                              const std::vector<std::int64_t>& environments, const std::string& title,
                              const std::optional<nb::bytes>& polygons, const std::optional<nb::bytes>& wrenches,
                              const std::optional<double>& slip_tolerance) {
  require_render();
  std::vector<Frames> all;
  for (std::size_t k = 0; k < environments.size(); ++k) {
    all.push_back(frames_of(scene, arrays.at(k), times.at(k), environments[k]));
  }
  std::vector<std::string> glbs;
  if (polygons) {
    all.at(0).environments = {environments.at(0)};
    const FrameContacts contacts = found_contacts(*polygons, wrenches ? *wrenches : nb::bytes("", 0));
    glbs = glbs_of(scene.description(), all, contacts.all(), title);
  } else {
    const SignalScope signals;
    const nb::gil_scoped_release released;
    const HostEvaluator evaluator = evaluator_of(scene, slip_tolerance);
    const FrameContacts contacts = evaluated_contacts(evaluator, all, [](std::int64_t) { check_signals(); });
    glbs = glbs_of(scene.description(), all, contacts.all(), title);
  }
  std::vector<nb::bytes> files;
  for (const std::string& glb : glbs) files.emplace_back(glb.data(), glb.size());
  return files;
}

}  // namespace

void bind_pictures(nb::module_& module) {
  module.def("_render", &render, nb::arg("scene"), nb::arg("arrays"), nb::arg("times"), nb::arg("environments"),
             nb::arg("title"), nb::arg("polygons").none() = nb::none(), nb::arg("wrenches").none() = nb::none(),
             nb::arg("slip_tolerance").none() = nb::none());
  module.def(
      "_page",
      [](const std::vector<nb::bytes>& glbs, const std::vector<std::int64_t>& environments, const std::string& title) {
        std::vector<std::string_view> files;
        for (const nb::bytes& glb : glbs) files.emplace_back(static_cast<const char*>(glb.data()), glb.size());
        return page_of(files, environments, title);
      },
      nb::arg("glbs"), nb::arg("environments"), nb::arg("title"));
  nb::list colors;
  for (const std::array<double, 3>& color : kBodyColors) colors.append(nb::make_tuple(color[0], color[1], color[2]));
  module.attr("_BODY_COLORS") = colors;
  module.attr("_BODY_ALPHA") = kBodyAlpha;
  module.def("_chosen_frames", &chosen_frames, nb::arg("rows"), nb::arg("every"));
}

}  // namespace isopatch::python

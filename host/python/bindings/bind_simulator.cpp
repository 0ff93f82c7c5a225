// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nlohmann/json.hpp>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/stepping.h"
#include "host/python/bindings/streams.h"
#include "host/rollout/rollout_data.h"
#include "host/scene_file/read_keys.h"

namespace isopatch::python {
namespace {

/// Calls visit(name, member, rule) for the options that have a name in Python.
template <class Visit>
void for_each_option(const RolloutOptions& rollout, const Visit& visit) {
  using namespace isopatch::detail;
  for_each_key(rollout, [&]<class Rule>(const Key& key, const auto& member, const Rule& rule) {
    if constexpr (!std::same_as<Rule, Object>) {
      if (std::string_view(key.name) != "duration") visit(key.name, member, rule);  // Python says how many steps
    }
  });
}

/// The scene's options with those that Python gives as JSON, by the keys of a scene file.
RolloutOptions parse_options(const Scene& scene, const std::string& json) {
  using isopatch::detail::JsonValue;
  const JsonValue::Document document = JsonValue::parse(json, "Simulator");
  RolloutOptions options = scene.description().rollout;
  read_value(JsonValue(document, "Simulator"), options, isopatch::detail::Object{});
  return options;
}

int parse_steps(const char* call, nb::handle n) {
  return parse_int({call, "n"}, n, "an integer", "a number of steps from 0 to 2147483647");
}

Placement placement_of(const char* call, const PythonSimulator& simulator, nb::handle stream, nb::handle poses) {
  const Placement& placement = simulator.compute.placement;
  if (!placement.on_cuda && stream.is_none()) return placement;
  return with_stream(placement, {call, "stream"}, stream, poses);
}

nb::handle poses_of(nb::handle state) {
  return PyTuple_Check(state.ptr()) && PyTuple_Size(state.ptr()) > 0 ? nb::handle(PyTuple_GetItem(state.ptr(), 0))
                                                                     : state;
}

void initial_state(const PythonSimulator& self, nb::handle state, nb::handle stream) {
  const Placement placement = placement_of("initial_state", self, stream, poses_of(state));
  const StateViews views("initial_state", self, state, placement, true);
  const nb::gil_scoped_release released;
  if (placement.on_cuda) {
    self.simulator.simulator().initial_state(views.view(), placement.stream);
  } else {
    self.simulator.initial_state(views.view());
  }
}

void reset(const PythonSimulator& self, nb::handle state, nb::handle mask, nb::handle initial, nb::handle stream) {
  const Placement placement = placement_of("reset", self, stream, poses_of(state));
  const StateViews views("reset", self, state, placement, true), start("reset", self, initial, placement, false);
  const ResetMask chosen(mask, placement, {self.counts, views.view().num_environments});
  const nb::gil_scoped_release released;
  self.simulator.simulator().reset(views.view(), chosen.data(), start.view(), placement.stream);
}

nb::object step(const PythonSimulator& self, nb::handle state, nb::handle n, nb::handle stream, nb::handle outputs,
                nb::handle out, const nb::dict& inputs) {
  const StepArguments arguments("step", inputs, outputs, out);
  const Placement placement = placement_of("step", self, stream, poses_of(state));
  const StateViews views("step", self, state, placement, true);
  StepArrays arrays("step", self, arguments, views.array(0), placement);
  self.step(views.view(), arrays.input(), arrays.output(), parse_steps("step", n), placement.stream);
  return arrays.results();
}

nb::object advance(const PythonSimulator& self, nb::handle state, nb::handle n, nb::handle outputs,
                   const nb::dict& inputs) {
  const StepArguments arguments("advance", inputs, outputs, nb::none());
  if (self.compute.placement.on_cuda) {
    Argument{"advance", "state"}.wrong_value("copies are made on the CPU only; step() writes arrays of the device");
  }
  const StateViews views("advance", self, state, {}, false);
  StepArrays arrays("advance", self, arguments, views.array(0), {});
  NewState after(self, views);
  self.step(after.view(), arrays.input(), arrays.output(), parse_steps("advance", n), nullptr);
  return nb::make_tuple(after.take(), arrays.results());
}

nb::dict options_of(const PythonSimulator& self) {
  using namespace isopatch::detail;
  RolloutOptions rollout = self.simulator.simulator().rollout();
  rollout.friction_passes = rollout.friction_passes.value_or(isopatch::usual_friction_passes(rollout.integrator));
  nb::dict options;
  for_each_option(rollout, [&]<class Rule>(const char* name, const auto& member, const Rule& rule) {
    if constexpr (std::same_as<Rule, Enumerators>) {
      options[name] = name_in(rule.names, member);
    } else {
      options[name] = member;
    }
  });
  return options;
}

}  // namespace

void bind_simulator(nb::module_& module) {
  using nb::arg;
  nb::list names;
  for_each_option({}, [&](const char* name, const auto&, const auto&) { names.append(name); });
  module.attr("STEP_OPTIONS") = nb::tuple(names);
  nb::class_<PythonSimulator>(module, "Simulator", "Steps states that are given to it; isopatch.Simulator owns one.")
      .def(
          "__init__",
          [](PythonSimulator* self, nb::object scene, const std::string& options, nb::object device,
             nb::handle precision, nb::handle threads) {
            check_scene("Simulator", scene);
            const ComputeOptions compute = parse_compute_options("Simulator", device, precision, threads, false);
            new (self) PythonSimulator(scene, parse_options(nb::cast<const Scene&>(scene), options), compute);
          },
          arg("scene").none(), arg("options"), arg("device").none(), arg("precision").none(), arg("threads").none())
      .def("initial_state", &initial_state, arg("state"), arg("stream").none())
      .def("reset", &reset, arg("state"), arg("mask").none(), arg("initial"), arg("stream").none())
      .def("step", &step, arg("state"), arg("n").none(), arg("stream").none(), arg("outputs").none(), arg("out").none(),
           arg("inputs"))
      .def("advance", &advance, arg("state").none(), arg("n").none(), arg("outputs").none(), arg("inputs"))
      .def(
          "reserve",
          [](const PythonSimulator& self, std::int64_t num_envs) {
            const nb::gil_scoped_release released;
            self.simulator.simulator().reserve(num_envs);
          },
          arg("num_envs"))
      .def("wanted", &PythonSimulator::wanted, arg("call"), arg("outputs"))
      .def("arrays", nb::overload_cast<const PythonSimulator&>(&describe_arrays))
      .def_prop_ro("scene", [](const PythonSimulator& self) { return self.scene; })
      .def_prop_ro("device", [](const PythonSimulator& self) { return self.compute.device; })
      .def_prop_ro("slip_tolerance",
                   [](const PythonSimulator& self) {
                     return isopatch::detail::step_slip_tolerance(nb::cast<const Scene&>(self.scene).description());
                   })
      .def_prop_ro("options", &options_of);
}

}  // namespace isopatch::python

// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/stepping.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "host/python/bindings/define.h"

namespace isopatch::python {

PythonSimulator::PythonSimulator(nb::object scene_, const RolloutOptions& rollout, const ComputeOptions& options)
    : scene(std::move(scene_)),
      compute(options),
      simulator(nb::cast<const Scene&>(scene), rollout, options.options),
      counts(rollout_counts(simulator.simulator().scene())) {}

void PythonSimulator::step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output,
                           int num_steps, void* stream) const {
  const nb::gil_scoped_release released;
  if (compute.placement.on_cuda) {
    simulator.simulator().step(state, input, output, num_steps, stream);
  } else {
    simulator.step(state, input, output, num_steps);
  }
}

std::uint64_t PythonSimulator::wanted(const char* call, nb::handle outputs) const {
  return names_of<kStepOutputs>().parse(call, outputs);
}

StateViews::StateViews(const char* call, const PythonSimulator& simulator, nb::handle state, const Placement& placement,
                       bool is_written) {
  if (!PyTuple_Check(state.ptr()) || PyTuple_Size(state.ptr()) != static_cast<Py_ssize_t>(kNumStateArrays)) {
    Argument{call, "state"}.wrong_type("expected a SimulatorState, whose fields are the arrays of the state");
  }
  std::size_t i = 0;
  CallShape shape{simulator.counts, -1};
  for_each_rollout_state(
      [&](const ArrayInfo& info, auto*& pointer) {
        using Value = std::remove_pointer_t<std::remove_reference_t<decltype(pointer)>>;
        ArrayView& view = views_[i];
        const Argument argument{call, info.name};
        PyObject* array = PyTuple_GetItem(state.ptr(), static_cast<Py_ssize_t>(i));
        ++i;
        if (array == Py_None && may_be_left_out(info) && simulator.counts.row(info) == 0) return;
        if (!is_written) check_tensor(array, argument);  // those written are the simulator's own
        view.read(array, argument, placement);
        if (is_written) check_writable(view, argument);
        check_element(view, argument, element_of<Value>());
        const std::int64_t stride = check_layout(view, argument, info, shape);
        if (view.shape[0] > 1 && stride != simulator.counts.row(info)) {
          argument.wrong_value("expected contiguous rows, found some with gaps or repeated ones; give a copy");
        }
        if (i == 1) shape.environments = view.shape[0];  // poses, the first
        pointer = static_cast<Value*>(view.data);
      },
      state_);
  state_.num_environments = shape.environments;
  if (shape.environments == 0) state_.poses = nullptr;  // no work, whatever the address of an empty array
}

NewState::NewState(const PythonSimulator& simulator, const StateViews& from) {
  state_.num_environments = from.view().num_environments;
  const CallShape shape{simulator.counts, state_.num_environments};
  std::size_t i = 0;
  for_each_rollout_state(
      [&](const ArrayInfo& info, auto*& pointer, auto* source) {
        using Value = std::remove_pointer_t<decltype(source)>;
        std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
        const auto count = static_cast<std::size_t>(shape_of(info, shape, dimensions));
        arrays_[i] = NewArray(from.array(0), kTypeOf<Value>, {dimensions, count}, {"advance", info.name});
        pointer = static_cast<Value*>(arrays_[i].data());
        const auto size = static_cast<std::size_t>(shape.counts.size(info, shape.environments));
        if (size > 0) std::copy_n(source, size, pointer);
        ++i;
      },
      state_, from.view());
}

nb::object NewState::take() {
  std::array<nb::object, kNumStateArrays> arrays;
  for (std::size_t i = 0; i < kNumStateArrays; ++i) arrays[i] = arrays_[i].take();
  return make_named_tuple(registered_types().state, arrays.data(), kNumStateArrays);
}

StepArguments::StepArguments(const char* call, const nb::dict& given, nb::handle outputs_, nb::handle out_)
    : outputs(outputs_), out(out_) {
  PyObject *name = nullptr, *array = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(given.ptr(), &position, &name, &array) != 0) {
    const std::size_t i = names_of<kStepInputs>().find(name);
    if (i == kNumStepInputs) {
      std::vector<std::string> known = {"n", "outputs", "check"};
      for (std::size_t k = 0; k < kNumStepInputs; ++k) known.emplace_back(names_of<kStepInputs>()[k]);
      refuse_unknown(call, name, known);
    }
    if (array != Py_None) inputs[i] = array;
  }
}

StepArrays::StepArrays(const char* call, const PythonSimulator& simulator, const StepArguments& arguments,
                       const ArrayView& poses, const Placement& placement) {
  const CallShape shape{simulator.counts, poses.shape[0]};
  std::size_t i = 0;
  for_each_rollout_input(
      [&](const ArrayInfo& info, auto& array) {
        const std::size_t k = i++;
        if (!arguments.inputs[k].is_valid()) return;
        const Argument argument{call, info.name};
        check_tensor(arguments.inputs[k], argument);
        inputs_[k].read(arguments.inputs[k].ptr(), argument, placement);
        set_array(array, inputs_[k], argument, info, shape);
      },
      input_);

  outputs_.find(call, names_of<kStepOutputs>(), registered_types().step_results, arguments.out);
  std::uint64_t wanted = 0;
  if (!arguments.outputs.is_none()) wanted = names_of<kStepOutputs>().parse(call, arguments.outputs);
  i = 0;
  for_each_rollout_output(
      [&](const ArrayInfo& info, auto& array) {
        const std::size_t k = i++;
        const Argument argument{call, info.name};
        if (outputs_.is_given(k)) {
          check_tensor(outputs_.given(k), argument);
          written_.add(outputs_.given(k));
          outputs_.use_given(k, array, argument, info, shape, placement);
        } else if ((wanted >> k & 1) != 0) {
          constexpr bool is_real = requires { array.type; };
          const dlpack::DataType type = is_real ? poses.type : dlpack::kInt32;
          outputs_.make(k, array, argument, info, shape, poses, type, placement);
        }
      },
      output_);
}

nb::object StepArrays::results() {
  written_.tell();
  return outputs_.results(registered_types().step_results);
}

}  // namespace isopatch::python

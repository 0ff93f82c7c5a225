// SPDX-License-Identifier: Apache-2.0
//
// One call of a simulator with Python's arrays.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>

#include "host/python/arrays/torch_tensor.h"
#include "host/python/bindings/array_lists.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/output_arrays.h"
#include "isopatch/simulator.h"

namespace isopatch::python {

/// A simulator with what a call needs to know of it.
struct PythonSimulator {
  PythonSimulator(nb::object scene_, const RolloutOptions& rollout, const ComputeOptions& options);

  nb::object scene;  // isopatch.Scene
  ComputeOptions compute;
  HostSimulator simulator;  // on a CUDA device its simulator() is called, with the device's memory
  ArrayCounts counts;

  /// Takes steps without holding the interpreter's lock.
  void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
            void* stream) const;

  /// The bits of `outputs`, names of results in a tuple or a list. Throws as step().
  std::uint64_t wanted(const char* call, nb::handle outputs) const;
};

/// A state in Python's arrays, checked; its memory is held.
class StateViews {
 public:
  /// Takes the arrays of a SimulatorState, some of which may be None: see may_be_left_out(). Throws as the checks of
  /// arrays do, and if one is not contiguous or, if it is to be written, cannot be.
  StateViews(const char* call, const PythonSimulator& simulator, nb::handle state, const Placement& placement,
             bool is_written);

  const RolloutState& view() const { return state_; }
  const ArrayView& array(std::size_t i) const { return views_[i]; }

 private:
  RolloutState state_;
  std::array<ArrayView, kNumStateArrays> views_;
};

/// A copy of a state on the host, in memory of its own, as new arrays of the library of its poses.
class NewState {
 public:
  NewState(const PythonSimulator& simulator, const StateViews& from);

  const RolloutState& view() const { return state_; }

  /// The SimulatorState, once it is filled.
  nb::object take();

 private:
  RolloutState state_;
  std::array<NewArray, kNumStateArrays> arrays_;
};

/// Python's arguments of a step.
struct StepArguments {
  /// `inputs` has arrays by their names, some of which may be None. Throws TypeError for an unknown name.
  StepArguments(const char* call, const nb::dict& inputs, nb::handle outputs, nb::handle out);

  std::array<nb::handle, kNumStepInputs> inputs;  // in the order of for_each_rollout_input(); null: none was given
  nb::handle outputs;                             // None: none
  nb::handle out;                                 // None: none
};

/// The inputs and outputs of a step, checked; their memory is held.
class StepArrays {
 public:
  StepArrays(const char* call, const PythonSimulator& simulator, const StepArguments& arguments, const ArrayView& poses,
             const Placement& placement);

  const RolloutInput& input() const { return input_; }
  const RolloutOutput& output() const { return output_; }

  /// The StepResults, once, after the step: torch is told which tensors were written.
  nb::object results();

 private:
  RolloutInput input_;
  RolloutOutput output_;
  std::array<ArrayView, kNumStepInputs> inputs_;
  WrittenTensors written_;
  OutputArrays<kNumStepOutputs> outputs_;
};

}  // namespace isopatch::python

// SPDX-License-Identifier: Apache-2.0
//
// The interface of every backend of Simulator.
#pragma once

#include "host/evaluation/backend_options.h"
#include "host/rollout/rollout_data.h"
#include "isopatch/rollout_state.h"
#include "isopatch/simulator.h"

namespace isopatch {

class Simulator::Implementation {
 public:
  Implementation(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options)
      : scene_(std::move(scene)),
        rollout_(rollout),
        options_(options),
        data_(scene_, rollout),
        counts_(rollout_counts(scene_)) {}
  virtual ~Implementation() = default;

  // Arguments are checked and strides filled in (never 0) before these are called.
  virtual void initial_state(const RolloutState& state, void* stream) const = 0;
  virtual void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
                    void* stream) const = 0;
  virtual void reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial,
                     void* stream) const = 0;
  // The same with arrays in host memory; return when done.
  virtual void initial_state_from_host(const RolloutState& state) const { initial_state(state, nullptr); }
  virtual void step_from_host(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output,
                              int num_steps) const {
    step(state, input, output, num_steps, nullptr);
  }

  virtual void reserve(std::int64_t /*num_environments*/) const {}

  const Scene& scene() const { return scene_; }
  const RolloutOptions& rollout() const { return rollout_; }
  const EvaluatorOptions& options() const { return options_; }
  const detail::RolloutView& view() const { return data_.view; }
  const ArrayCounts& counts() const { return counts_; }

 protected:
  Scene scene_;
  RolloutOptions rollout_;
  EvaluatorOptions options_;
  detail::RolloutData data_;
  ArrayCounts counts_;
};

namespace detail {

std::unique_ptr<Simulator::Implementation> make_cpu_simulator(Scene scene, const RolloutOptions& rollout,
                                                              const CpuOptions& options);

/// A simulator with these options, on the CPU. Throws Error as Simulator(), and for vectors that this machine or build
/// lacks.
Simulator make_simulator(Scene scene, const CpuOptions& options);

std::unique_ptr<Simulator::Implementation> make_cuda_simulator(Scene scene, const RolloutOptions& rollout,
                                                               const CudaOptions& options);

/// The same with the cuda backend.
Simulator make_simulator(Scene scene, const CudaOptions& options);

}  // namespace detail

}  // namespace isopatch

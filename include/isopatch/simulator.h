// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "isopatch/evaluator.h"
#include "isopatch/rollout_state.h"
#include "isopatch/scene/rollout_options.h"
#include "isopatch/scene/scene.h"

namespace isopatch {

/// Steps batches of environments in time. Each step finds the contact polygons where the bodies are, and then the
/// velocities at the end of the step, implicitly in contact forces, friction and drives, as the minimum of a convex
/// function (Castro, Han, Masterjohn, "Irrotational Contact Fields", 2023; the page ROLLOUTS.md beside this header has
/// the model). Environments are independent of each other: their bits depend neither on the batch nor on its order, on
/// threads, vectors, the backend or the capacity. Move-only; every call on a simulator that was moved from throws
/// Error. Calls may run side by side if no two of them have the same state.
class Simulator {
 public:
  /// Steps as SceneDescription::rollout says. Throws Error as Evaluator(), and for a scene with a body that cannot move
  /// as its motion says, with a mesh of more than 2^24 cells, or with options that the backend does not have.
  explicit Simulator(Scene scene, EvaluatorOptions options = {});

  /// Steps as `rollout` says.
  Simulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options = {});

  /// What `{}` is that could be options of either kind: the scene's own rollout and the defaults.
  enum class Defaults {};
  Simulator(Scene scene, Defaults none);  ///< as Simulator(scene)

  class Implementation;  ///< a backend

  /// Takes a backend that was made elsewhere.
  explicit Simulator(std::unique_ptr<Implementation> implementation);

  ~Simulator();
  Simulator(Simulator&&) noexcept;             ///< takes over what the other one holds
  Simulator& operator=(Simulator&&) noexcept;  ///< the same, and releases what this one held

  /// Writes the scene's own state into every environment. With cuda, as all that follow, enqueues on `stream` without
  /// synchronisation. Throws Error for a required array that is null, and for a negative number of environments.
  void initial_state(const RolloutState& state, void* stream = nullptr) const;

  /// Takes `num_steps` steps, and writes every array of `output` that is not null; with 0 steps that tells of the state
  /// as it is, wrenches by one more evaluation, with its velocities. An environment in which something is wrong keeps
  /// the state from before that step, and gets kFrozen beside the bit that says what (status.h); the others keep their
  /// bits. Throws Error, before anything is computed, for arguments as Evaluator::evaluate() does,
  /// and for poses of 0 environments.
  void step(const RolloutState& state, const RolloutInput& input = {}, const RolloutOutput& output = {},
            int num_steps = 1, void* stream = nullptr) const;

  /// Copies the environments in which `mask` [N] is not 0 from `initial`, which has as many environments; with a null
  /// mask all of them.
  void reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial,
             void* stream = nullptr) const;

  /// Allocates what batches of up to `num_environments` need, if nothing has yet. Throws Error where there is too
  /// little memory, and for a negative number.
  void reserve(std::int64_t num_environments) const;

  const Scene& scene() const;               ///< the scene it steps; valid as long as the simulator
  const EvaluatorOptions& options() const;  ///< how contact is found
  const RolloutOptions& rollout() const;    ///< how it steps
  int num_joints() const;                   ///< J in the shapes of RolloutState

 private:
  friend class HostSimulator;
  const Implementation& implementation() const;

  std::unique_ptr<Implementation> implementation_;
};

/// Steps environments whose arrays are in host memory, with any backend; otherwise as Simulator. With cuda, arrays are
/// copied to the device and back in every call, so give it many steps at once. Where the options leave the capacity for
/// polygons open, a call that needs more is taken again with more; the bits are the same.
class HostSimulator {
 public:
  /// Throws Error as Simulator().
  explicit HostSimulator(Scene scene, EvaluatorOptions options = {});

  /// Steps as `rollout` says.
  HostSimulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options = {});

  HostSimulator(Scene scene, Simulator::Defaults none);  ///< as HostSimulator(scene)

  /// Steps with this simulator alone.
  explicit HostSimulator(Simulator simulator);

  /// As Simulator::initial_state().
  void initial_state(const RolloutState& state) const;

  /// As Simulator::step(); returns when done. With cuda, calls from several threads take turns.
  void step(const RolloutState& state, const RolloutInput& input = {}, const RolloutOutput& output = {},
            int num_steps = 1) const;

  const Simulator& simulator() const;  ///< the one that it steps with

 private:
  Simulator simulator_;
};

}  // namespace isopatch

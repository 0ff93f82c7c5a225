// SPDX-License-Identifier: Apache-2.0
//
// Near pairs of a few environments, for outputs and for steps. pressure_field_float.cpp and pressure_field_double.cpp
// compile what there is for each precision, evaluate_pairs.cpp the rest.
#pragma once

#include "host/cpu/pressure_field/pressure_field_workspace.h"
#include "host/threads/work_counter.h"
#include "isopatch/detail/simt/warp.h"

namespace isopatch::detail {

/// A warp of one lane whose work can be cancelled: where lanes would wait for one another, which every round of a
/// traversal does, it counts.
struct CancellableWarp : SerialWarp {
  WorkCounter& counter;

  explicit CancellableWarp(WorkCounter& of) : counter(of) {}
  void sync() const { counter.add(1); }
};

/// What is the same for all pairs of a call.
struct CpuPressureFieldCall {
  const EvaluationBatch& batch;
  const PressureFieldKernels* kernels;  // null: one number at a time
  CandidateStore* candidates;           // null: none are kept
};

/// All outputs of near pairs. With `brute_force`, every cell is tested with every cell, for all outputs only.
template <class T, Outputs outputs, bool brute_force>
void evaluate_pairs(const CpuPressureFieldCall& call, std::span<const std::int64_t> near_pairs,
                    PressureFieldWorkspace& work, const PackedRows& rows);

/// The energy of a pair, in double.
void write_energy(const CpuPressureFieldCall& call, std::int64_t environment, int pair, PressureFieldWorkspace& work);

/// Appends the pairs of cells of a part pair that pass their test, which is done one at a time, to work.accepted. The
/// counterpart with SIMD is FindAccepted.
void find_accepted_cells(const PairContext& context, PressureFieldWorkspace& work);

/// Appends the contacts of a pair to `found`; returns bits of the status. Without kernels, cells are tested one at a
/// time.
template <class T>
std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment, int pair,
                            const PressureFieldKernels* kernels, PressureFieldWorkspace& work,
                            std::vector<SolverContact<T>>& found);

}  // namespace isopatch::detail

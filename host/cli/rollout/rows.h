// SPDX-License-Identifier: Apache-2.0
//
// The rows of a rollout, as a table and as a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/numpy/npz.h"
#include "isopatch/arrays.h"
#include "isopatch/rollout_state.h"

namespace isopatch::cli {

/// The rows of a rollout: its start, every so many steps, and its end.
struct RowPlan {
  std::int64_t steps = 0;           // of the rollout
  std::int64_t every = 1;           // steps from row to row
  std::int64_t rows_per_frame = 1;  // of the pictures

  std::int64_t num_rows() const { return 1 + (steps + every - 1) / every; }
  std::int64_t steps_before(std::int64_t row) const { return std::min(row * every, steps); }

  /// The first row and the last one are frames.
  std::int64_t num_frames() const { return 1 + (num_rows() - 2 + rows_per_frame) / rows_per_frame; }
  bool is_frame(std::int64_t row) const { return row % rows_per_frame == 0 || row == num_rows() - 1; }
};

/// What is recorded at one time.
struct RolloutRow {
  std::int64_t number;                // among the rows
  double time;                        // s
  const RolloutStateArrays& state;    // then
  const RolloutOutputArrays& output;  // of the step before; in row 0 of the state as it is
  std::int64_t lost;                  // environments that have a lost body; -1: they were not counted
};

/// What rows have that not every rollout has.
struct RowContents {
  bool energies = false;
  bool distances = false;  // of rigid convex parts, with their relations
  bool is_flat = false;    // these are polygons
  bool memory = false;     // contacts have one
};

/// Empties the arrays that no row is made of, with or without a table: a step that has no room for them does not
/// compute them.
void leave_out_unwritten(RolloutOutputArrays& output, const RowContents& contents, bool with_table);

/// A table of momentum and work, and of energies if these are computed, with a line for each row: means over the
/// environments that are not frozen, the most iterations of any, and how many environments have a lost body. Of a scene
/// with memory also the part pairs in contact, and of them those that have come to rest: with a dwell above 1/2.
class RolloutTable {
 public:
  explicit RolloutTable(const RowContents& contents) : contents_(contents) {}

  void add(const RolloutRow& row);
  void print() const;

 private:
  RowContents contents_;
  std::vector<std::string> lines_;
};

/// Collects the arrays of a rollout's .npz file.
class RolloutFile {
 public:
  /// `given` has the materials and shapes that hold in all rows. Throws Error, naming `path`, if an archive cannot hold
  /// so many rows.
  RolloutFile(const RowPlan& plan, const StateArrays& given, const ArrayCounts& counts, const RowContents& contents,
              const std::string& path);

  void add(const RolloutRow& row);

  /// The archive, with the status of each environment or'ed over all steps, the slip tolerance of the steps [m/s], and
  /// the path of the scene from the folder of the file on. Takes the arrays out.
  std::string npz(const std::vector<std::uint32_t>& status, double slip_tolerance, const std::string& scene);

 private:
  ParameterInputs<Owners> given_;
  std::map<std::string, detail::NpyArray> arrays_;
  std::vector<detail::NpyArray*> rows_of_;  // for each array of states and outputs, in their order; null: has no rows
};

}  // namespace isopatch::cli

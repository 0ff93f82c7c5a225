// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isopatch/evaluator.h"

namespace isopatch::detail {

/// How the cuda backend evaluates wrenches and patches.
enum class PairStages : std::uint8_t {
  kBySize,  // as the sizes of the scene and the batch suggest
  kOne,     // one kernel does all of a pair
  kSeveral  // a kernel for each stage: include/isopatch/detail/pressure_field/stages/begin.h
};

/// Options of the cuda backend, with those that only tests and benchmarks set; they change no bit. Other backends
/// ignore them.
struct CudaOptions : EvaluatorOptions {
  PairStages stages = PairStages::kBySize;
  std::int32_t cells_per_pair = 0;             // room in the list between stages, on average; 0: by the sizes of meshes
  std::int32_t max_listed_cells = 1 << 25;     // in all of that list, 1.1 GB; what does not fit is a round of its own
  std::int32_t max_listed_polygons = 1 << 22;  // of pairs in stages, for patch contacts, 0.8 GB; at most 2^26
  std::int32_t polygons_per_window =
      1 << 15;  // room of a warp for the polygons of a pair, for patch contacts; 2 or more
  std::int64_t min_spare_rows = 1 << 12,
               max_spare_rows = 1 << 16;  // of packed arrays, in lists; as many as fit between
};

/// An evaluator with these options. Throws Error as Evaluator().
Evaluator make_evaluator(Scene scene, const CudaOptions& options);

}  // namespace isopatch::detail

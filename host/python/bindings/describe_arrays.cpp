// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include <string>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/evaluation.h"
#include "host/python/bindings/stepping.h"

namespace isopatch::python {
namespace {

/// Adds one array to the dictionary that it holds.
struct Description {
  ArrayCounts counts;
  nb::dict arrays;

  void add(const ArrayInfo& info) {
    if (info.has_capacity() && counts[info.per] < 0) {
      arrays[info.name] = nb::none();
      return;
    }
    const bool is_packed = info.is_packed() && info.per != Per::kOffset;
    std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
    const int count = shape_of(info, {counts, 1}, dimensions);
    nb::list shape;
    for (int i = is_packed ? 0 : 1; i < count; ++i) shape.append(dimensions[i]);
    const char* rows = is_packed ? "" : info.per == Per::kOffset ? "N + 1" : "N";
    arrays[info.name] = nb::make_tuple(info.type, nb::tuple(shape), rows);
  }
};

}  // namespace

nb::tuple describe_arrays(const PythonEvaluator& evaluator, const ArrayCounts& counts) {
  Description inputs{evaluator.counts, {}}, outputs{counts, {}};
  for_each_input([&](const ArrayInfo& info) { inputs.add(info); });
  Results none;
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        outputs.add(as_words<ElementOf<std::remove_reference_t<decltype(array)>>>(info));
      },
      none);
  return nb::make_tuple(inputs.arrays, outputs.arrays);
}

nb::tuple describe_arrays(const PythonSimulator& simulator) {
  Description state{simulator.counts, {}}, inputs{simulator.counts, {}}, outputs{simulator.counts, {}};
  for_each_rollout_state([&](const ArrayInfo& info) { state.add(info); });
  for_each_rollout_input([&](const ArrayInfo& info) { inputs.add(info); });
  for_each_rollout_output([&](const ArrayInfo& info) { outputs.add(info); });
  return nb::make_tuple(state.arrays, inputs.arrays, outputs.arrays);
}

}  // namespace isopatch::python

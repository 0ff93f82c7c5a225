// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>

#include "host/python/bindings.h"
#include "host/python/evaluation.h"
#include "host/python/stepping.h"

namespace isopatch::python {
namespace {

/// Adds one array to the dictionary that it holds.
struct Description {
  ArrayCounts counts;
  nb::dict arrays;

  void add(const ArrayInfo& info) {
    if (info.is_packed() || info.per == Per::kPolygonCapacity || info.per == Per::kContactCapacity) {
      arrays[info.name] = nb::none();
      return;
    }
    std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
    const int count = shape_of(info, {counts, 1}, dimensions);
    nb::list shape;
    for (int i = 1; i < count; ++i) shape.append(dimensions[i]);
    arrays[info.name] = nb::make_tuple(info.type, nb::tuple(shape));
  }
};

}  // namespace

nb::tuple describe_arrays(const PythonEvaluator& evaluator, std::int64_t max_clusters) {
  Description inputs{evaluator.counts, {}}, outputs{evaluator.counts, {}};
  outputs.counts.clusters = max_clusters;
  for_each_input([&](const ArrayInfo& info) { inputs.add(info); });
  for_each_output([&](const ArrayInfo& info) { outputs.add(info); });
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

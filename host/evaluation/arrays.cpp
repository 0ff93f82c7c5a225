// SPDX-License-Identifier: Apache-2.0
#include "isopatch/arrays.h"

#include <algorithm>
#include <iterator>

#include "host/evaluation/output_table.h"
#include "host/evaluation/strides.h"
#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch {

using detail::HasCapacity, detail::kOutputs;

namespace {

/// Throws where an array that is there has not the size that the numbers beside it say.
template <class Values>
void check_size(const ArrayInfo& info, const Values& values, const ArrayCounts& counts, std::int64_t environments) {
  const std::int64_t size = counts.size(info, environments);
  if (values.empty() || std::ssize(values) == size) return;
  detail::throw_error("arrays: {} has {} elements; for {} environments it needs {}, or none", info.name, values.size(),
                      environments, size);
}

/// Throws where a view would reach beyond the environments.
void check_range(std::int64_t begin, std::int64_t count, std::int64_t environments) {
  if (begin >= 0 && count >= 0 && begin <= environments && count <= environments - begin) return;
  detail::throw_error("arrays: a view of {} environments from {} on; there are {}", count, begin, environments);
}

/// Lets `array` point to environment `begin` of `values`; null if they are empty.
template <class Array, class Values>
void point_at(Array& array, Values& values, std::int64_t begin, std::int64_t row) {
  if (!values.empty()) array.data = values.data() + begin * row;
}

/// Returns `value`; throws if it is negative.
template <class Integer>
Integer not_negative(const char* name, Integer value) {
  if (value >= 0) return value;
  throw detail::negative_value(std::string("arrays: ") + name, value);
}

ArraySizes sizes_of(const Scene& scene, std::int64_t environments) {
  return {environments,      scene.num_bodies(),     scene.num_parts(),
          scene.num_pairs(), scene.num_part_pairs(), scene.contact_state_size()};
}

/// The buffer of this name.
const ArrayInfo& buffer_named(const std::string& name) {
  const auto is_it = [&](const ArrayInfo& info) { return info.name == name; };
  const auto* const found = std::find_if(kOutputs.begin(), kOutputs.end(), is_it);
  if (found != kOutputs.end() && found->has_capacity()) return *found;
  detail::throw_error("arrays: {} has no capacity; buffers have one, as polygons", detail::in_quotes(name));
}

}  // namespace

ArrayCounts counts_of(const Scene& scene) { return sizes_of(scene, 0).counts(); }

ArrayCounts counts_of(const Scene& scene, const Results& results) {
  ArrayCounts counts = counts_of(scene);
  counts.clusters = results.max_clusters;
  for_each_output(
      [&](const ArrayInfo& info, const auto& array) {
        if constexpr (HasCapacity<decltype(array)>) counts[info.per] = array.capacity;
      },
      results);
  return counts;
}

ArrayCounts ArraySizes::counts() const {
  ArrayCounts counts;
  counts[Per::kBody] = num_bodies;
  counts[Per::kPart] = num_parts;
  counts[Per::kPair] = num_pairs;
  counts[Per::kPartPair] = num_part_pairs;
  counts.contact_state = contact_state_size;
  return counts;
}

StateArrays::StateArrays(const SceneDescription& scene, std::int64_t environments)
    : ArraySizes{.num_environments = not_negative("environments", environments),
                 .num_bodies = std::ssize(scene.bodies),
                 .num_pairs = std::ssize(pairs_of(scene))} {
  for (const Body& body : scene.bodies) num_parts += std::max<std::int64_t>(std::ssize(body.parts), 1);
  contact_state_size = detail::contact_state_size_of(scene);
  if (contact_state_size > 0) num_part_pairs = detail::num_part_pairs_of(scene);
  for (std::int64_t e = 0; e < environments; ++e) {
    for (const Body& body : scene.bodies) {
      poses.insert(poses.end(), body.pose.begin(), body.pose.end());
      velocities.insert(velocities.end(), body.velocity.begin(), body.velocity.end());
    }
  }
}

State StateArrays::view(std::int64_t begin, std::int64_t count) const {
  State state;
  state.num_environments = count;
  check_range(begin, count, num_environments);
  for_each_input(
      [&](const ArrayInfo& info, auto& array, const auto& values) {
        check_size(info, values, counts(), num_environments);
        point_at(array, values, begin, counts().row(info));
      },
      state, *this);
  return state;
}

ResultArrays::ResultArrays(const Scene& scene, std::int64_t environments, const ResultSelection& selection)
    : ArraySizes(sizes_of(scene, not_negative("environments", environments))) {
  max_clusters = std::max(not_negative("max_clusters", selection.max_clusters), 1);
  ArrayCounts counts = this->counts();
  std::array<bool, kOutputGroups.size()> selected = {};
  const auto is_selected = [&](OutputGroup group) -> bool& { return selected[static_cast<std::size_t>(group)]; };
  is_selected(OutputGroup::kWrench) = true;
  is_selected(OutputGroup::kPartPair) = selection.part_pairs;
  is_selected(OutputGroup::kPatch) = selection.patch;
  is_selected(OutputGroup::kEnergy) = selection.energy;
  is_selected(OutputGroup::kPatchContacts) = selection.max_clusters > 0;
  is_selected(OutputGroup::kContactState) = contact_state_size > 0;
  is_selected(OutputGroup::kSingleContact) = selection.single_contact;
  is_selected(OutputGroup::kDistances) = selection.distances;
  is_selected(OutputGroup::kDerivatives) = selection.derivatives;
  for (const auto& [name, capacity] : selection.capacity) {
    const ArrayInfo& info = buffer_named(name);
    counts[info.per] = not_negative(("capacity of " + name).c_str(), capacity);
    is_selected(info.group) = is_selected(info.group) || capacity > 0;
  }
  for_each_output(
      [&](const ArrayInfo& info, auto& values) {
        if (is_selected(info.group)) values.resize(static_cast<std::size_t>(counts.size(info, environments)));
      },
      *this);
}

ArrayCounts ResultArrays::counts() const {
  ArrayCounts counts = ArraySizes::counts();
  counts.clusters = max_clusters;
  for_each_output(
      [&](const ArrayInfo& info, const auto& values) {
        if (!info.has_capacity()) return;
        const std::int64_t rows = info.is_packed() ? 1 : std::max<std::int64_t>(num_environments, 1);
        counts[info.per] = std::max(counts[info.per], std::ssize(values) / rows);
      },
      *this);
  return counts;
}

Results ResultArrays::view(std::int64_t begin) {
  Results results;
  results.max_clusters = max_clusters;
  check_range(begin, 0, num_environments);
  const ArrayCounts counts = this->counts();
  for_each_output(
      [&](const ArrayInfo& info, auto& array, auto& values) {
        check_size(info, values, counts, num_environments);
        if constexpr (HasCapacity<decltype(array)>) {
          array.capacity = static_cast<decltype(array.capacity)>(counts[info.per]);
        }
        if (!info.is_packed()) return point_at(array, values, begin, counts.row(info));
        if (begin > 0 && !values.empty()) {
          detail::throw_error("arrays: {} has the rows of the whole batch; a view from environment {} on has none",
                              info.name, begin);
        }
        point_at(array, values, 0, 0);
      },
      results, *this);
  return results;
}

}  // namespace isopatch

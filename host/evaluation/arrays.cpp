// SPDX-License-Identifier: Apache-2.0
#include "isopatch/arrays.h"

#include <algorithm>
#include <iterator>

#include "host/scene/contact_models.h"
#include "host/scene/scene_data.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/scene/environment.h"

namespace isopatch {
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
  if (!values.empty()) array = Array(values.data() + begin * row);
}

/// Returns `value`; throws if it is negative.
template <class Integer>
Integer not_negative(const char* name, Integer value) {
  if (value >= 0) return value;
  throw detail::negative_value(std::string("arrays: ") + name, value);
}

}  // namespace

ArrayCounts counts_of(const Scene& scene) {
  const detail::SceneView& view = scene.data().view;
  ArrayCounts counts = {view.num_bodies, view.num_pairs, view.num_parts, detail::num_part_pair_rows(view)};
  counts.contact_state = view.contact.state_size;
  return counts;
}

ArrayCounts counts_of(const Scene& scene, const Results& results) {
  ArrayCounts counts = counts_of(scene);
  counts.polygon_capacity = results.polygon_capacity;
  counts.contact_capacity = results.contact_capacity;
  counts.packed_polygon_capacity = results.packed_polygon_capacity;
  counts.packed_contact_capacity = results.packed_contact_capacity;
  counts.clusters = results.max_clusters;
  counts.potential_contact_capacity = results.potential_contact_capacity;
  counts.relation_capacity = results.relation_capacity;
  counts.member_capacity = results.member_capacity;
  return counts;
}

StateArrays::StateArrays(const SceneDescription& scene, std::int64_t environments)
    : num_environments(not_negative("environments", environments)),
      num_bodies(std::ssize(scene.bodies)),
      num_pairs(std::ssize(pairs_of(scene))) {
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
    : num_environments(not_negative("environments", environments)),
      num_bodies(scene.num_bodies()),
      num_parts(scene.num_parts()),
      num_pairs(scene.num_pairs()),
      num_part_pairs(scene.num_part_pairs()),
      contact_state_size(scene.contact_state_size()) {
  polygon_capacity = not_negative("polygon_capacity", selection.polygon_capacity);
  contact_capacity = not_negative("contact_capacity", selection.contact_capacity);
  packed_polygon_capacity = not_negative("packed_polygon_capacity", selection.packed_polygon_capacity);
  packed_contact_capacity = not_negative("packed_contact_capacity", selection.packed_contact_capacity);
  max_clusters = not_negative("max_clusters", selection.max_clusters);
  potential_contact_capacity = not_negative("potential_contact_capacity", selection.potential_contact_capacity);
  relation_capacity = not_negative("relation_capacity", selection.relation_capacity);
  member_capacity = not_negative("member_capacity", selection.member_capacity);
  const bool selected[] = {true,  // in the order of OutputGroup
                           selection.part_pairs,
                           selection.patch,
                           selection.energy,
                           polygon_capacity > 0,
                           contact_capacity > 0,
                           packed_polygon_capacity > 0,
                           packed_contact_capacity > 0,
                           max_clusters > 0,
                           contact_state_size > 0,
                           selection.single_contact,
                           selection.polytopes,
                           potential_contact_capacity > 0 || relation_capacity > 0 || member_capacity > 0};
  static_assert(std::size(selected) == static_cast<std::size_t>(OutputGroup::kRelations) + 1);
  for_each_output(
      [&](const ArrayInfo& info, auto& values) {
        if (!selected[static_cast<std::size_t>(info.group)]) return;
        values.resize(static_cast<std::size_t>(counts().size(info, environments)));
      },
      *this);
}

Results ResultArrays::view(std::int64_t begin) {
  Results results;
  results.polygon_capacity = polygon_capacity;
  results.contact_capacity = contact_capacity;
  results.packed_polygon_capacity = packed_polygon_capacity;
  results.packed_contact_capacity = packed_contact_capacity;
  results.max_clusters = std::max(max_clusters, 1);
  results.potential_contact_capacity = potential_contact_capacity;
  results.relation_capacity = relation_capacity;
  results.member_capacity = member_capacity;
  check_range(begin, 0, num_environments);
  for_each_output(
      [&](const ArrayInfo& info, auto& array, auto& values) {
        check_size(info, values, counts(), num_environments);
        if (!info.is_packed()) return point_at(array, values, begin, counts().row(info));
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

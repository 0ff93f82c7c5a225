// SPDX-License-Identifier: Apache-2.0
//
// Values that several parts of a scene file have.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/scene/scene_rules.h"
#include "host/scene_file/json_value.h"

namespace isopatch::detail {

using Names = std::vector<std::string>;

template <typename Named>
Names names_of(const std::vector<Named>& things) {
  Names names;
  for (const Named& thing : things) names.push_back(thing.name);
  return names;
}

/// The index of the name that `reference` is, among the names of things of a kind.
int index_of(const JsonValue& reference, const Names& names, const std::string& kind);

/// The rules are those of Scene, which throws them with the object's name instead of the location in the file.
double in_range(const JsonValue& value, const Range& range);

/// Three numbers.
void read_vector(const JsonValue& value, const Range& range, double* to);

/// One number, which holds at any time, or rows [time, value].
std::vector<TimedValue> parse_rows(const JsonValue& value, const Range& range);

/// The name of a contact model, or a list of names.
ContactModels parse_models(const JsonValue& value);

/// The keys `position` and `orientation` of an object, if it has them.
void read_pose(const JsonValue& object, std::array<double, 7>& pose);

}  // namespace isopatch::detail

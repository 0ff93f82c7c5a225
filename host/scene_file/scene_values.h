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

/// The value of a key of an object, if it has the key: a number in a range, a whole one, or the enumerator of a name.
template <class T>
void read_number(const JsonValue& object, const char* key, const Range& range, T& to) {
  if (const auto field = object.optional(key)) to = in_range(*field, range);
}
void read_integer(const JsonValue& object, const char* key, int lowest, int highest, int& to);
template <class Enumerator>
void read_name(const JsonValue& object, const char* key, const std::vector<std::string>& names, Enumerator& to) {
  if (const auto field = object.optional(key)) to = static_cast<Enumerator>(field->one_of(names));
}

/// The keys `position` and `orientation` of an object, if it has them.
void read_pose(const JsonValue& object, std::array<double, 7>& pose);

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// Checks the values of the keys of scene_keys.h, where no file was read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/scene/scene_check.h"
#include "host/scene/scene_keys.h"

namespace isopatch::detail {

template <class Owner>
void check_keys(const std::string& location, const Owner& owner);

inline void check_value(const std::string& name, double value, const Range& range) {
  check_rule(name + " ", check_range, value, range);
}
inline void check_value(const std::string& name, const Point3& values, const Range& range) {
  for (const double value : values) check_value(name, value, range);
}
inline void check_value(const std::string& name, int value, const WholeNumbers& range) {
  check_value(name, value, Range{static_cast<double>(range.low), static_cast<double>(range.high), ""});
}
template <IsEnumerator Enumerator>
void check_value(const std::string& name, Enumerator value, const Enumerators& known) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= known.names.size) fail_scene("{} is {}; it must be one of {}", name, index, known.type);
}
inline void check_value(const std::string& name, const std::vector<TimedValue>& values, const Rows& rows) {
  check_rule(name + " ", check_rows, values, rows.range);
}
template <class Value, class Of>
requires(!IsOptional<Value>) void check_value(const std::string& name, const Value& value, const Checked<Of>& rule) {
  check_rule(name + " ", rule.check, value);
}
template <class Owner>
requires(!IsOptional<Owner>) void check_value(const std::string& name, const Owner& owner, Object /*of keys*/) {
  check_keys(name + ": ", owner);
}
template <class T, class Rule>
void check_value(const std::string& name, const std::optional<T>& value, const Rule& rule) {
  if (value) check_value(name, *value, rule);
}

/// What another rule checks: flags are right, and check_law() and check_models() know the others.
template <class Rule>
concept IsCheckedElsewhere = Is<Rule, Flag> || Is<Rule, Least> || Is<Rule, ModelNames> || Is<Rule, ByHand>;

/// A visitor of keys. Throws Error for the first value that is out of range; `location` is "rollout: ".
inline auto checker_at(const std::string& location) {
  return [&location]<class Rule>(const Key& key, const auto& member, const Rule& rule) {
    if constexpr (!IsCheckedElsewhere<Rule>) check_value(location + key.name, member, rule);
  };
}

template <class Owner>
void check_keys(const std::string& location, const Owner& owner) {
  for_each_key(owner, checker_at(location));
}

}  // namespace isopatch::detail

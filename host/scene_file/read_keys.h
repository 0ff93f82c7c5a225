// SPDX-License-Identifier: Apache-2.0
//
// Reads the keys of scene_keys.h. What an object does not have stays as it is.
#pragma once

#include <optional>
#include <vector>

#include "host/scene/scene_keys.h"
#include "host/scene_file/scene_geometries.h"
#include "host/scene_file/scene_values.h"

namespace isopatch::detail {

template <class Owner>
void read_keys(const JsonValue& object, Owner& owner);

inline void read_value(const JsonValue& value, double& to, const Range& range) { to = in_range(value, range); }
inline void read_value(const JsonValue& value, Point3& to, const Range& range) { read_vector(value, range, to.data()); }
inline void read_value(const JsonValue& value, bool& to, Flag /*any*/) { to = value.boolean(); }
inline void read_value(const JsonValue& value, double& to, Least least) {
  to = least == Least::kPositive ? value.positive() : least == Least::kZero ? value.not_negative() : value.number();
  if (least == Least::kOne && to < 1) value.fail("must be at least 1, found {}", to);
}
inline void read_value(const JsonValue& value, int& to, const WholeNumbers& range) {
  to = value.integer(range.low, range.high);
}
template <IsEnumerator Enumerator>
void read_value(const JsonValue& value, Enumerator& to, const Enumerators& known) {
  to = static_cast<Enumerator>(value.one_of(known.names));
}
inline void read_value(const JsonValue& value, std::vector<TimedValue>& to, const Rows& rows) {
  to = parse_rows(value, rows.range);
}
inline void read_value(const JsonValue& value, ContactModels& to, ModelNames /*known*/) { to = parse_models(value); }
inline void read_value(const JsonValue& value, double& to, const Checked<double>& rule) {
  to = value.number();
  with_location(value, [&] { rule.check(to); });
}
template <std::size_t N>
void read_value(const JsonValue& value, std::array<double, N>& to, const Checked<const std::array<double, N>&>& rule) {
  to = value.numbers<N>();
  with_location(value, [&] { rule.check(to); });
}
template <class Owner>
requires(!IsOptional<Owner>) void read_value(const JsonValue& value, Owner& to, Object /*of keys*/) {
  value.allow(key_names(to));
  read_keys(value, to);
}
template <class T, class Rule>
void read_value(const JsonValue& value, std::optional<T>& to, const Rule& rule) {
  if (!to) to.emplace();
  read_value(value, *to, rule);
}

/// A visitor of keys, which reads the values in `object`.
inline auto reader_of(const JsonValue& object) {
  return [&object](const Key& key, auto& member, const auto& rule) {
    if constexpr (!std::same_as<decltype(rule), const ByHand&>) {
      if (key.old_name != nullptr) {
        refuse_both(object, key.old_name, key.name);
        if (const auto value = object.optional(key.old_name)) read_value(*value, member, rule);
      }
      if (const auto value = object.optional(key.name)) read_value(*value, member, rule);
    }
  };
}

template <class Owner>
void read_keys(const JsonValue& object, Owner& owner) {
  for_each_key(owner, reader_of(object));
}

}  // namespace isopatch::detail

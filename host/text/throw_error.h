// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "isopatch/error.h"

namespace isopatch::detail {

/// Throws an Error about bad input, whose message fmt makes of `message` and `values`.
template <class... Values>
[[noreturn]] void throw_error(fmt::format_string<Values...> message, Values&&... values) {
  throw Error(fmt::format(message, std::forward<Values>(values)...));
}

/// The same error with `location`, such as "scene: body 'ball': friction ", before its message and its location. An
/// error about a file keeps the file's path as its location.
Error with_location(const std::string& location, const Error& error);

/// "LOCATION is FOUND; WANTED", as in "evaluate: state.num_environments is -1; it must not be negative".
Error wrong_value(const std::string& location, const std::string& found, const std::string& wanted);

inline Error negative_value(const std::string& location, long long found) {
  return wrong_value(location, std::to_string(found), "it must not be negative");
}

}  // namespace isopatch::detail

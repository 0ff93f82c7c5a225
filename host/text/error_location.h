// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isopatch/error.h"

namespace isopatch::detail {

/// The same error with `place`, such as "scene: body 'ball': friction ", before its message and before where it is. An
/// error about a file keeps the file's path as where it is.
Error with_place(const std::string& place, const Error& error);

/// "WHERE is FOUND; WANTED", as in "evaluate: state.num_environments is -1; it must not be negative".
Error wrong_value(const std::string& where, const std::string& found, const std::string& wanted);

inline Error negative_value(const std::string& where, long long found) {
  return wrong_value(where, std::to_string(found), "it must not be negative");
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <utility>

#include "isopatch/error.h"

namespace isopatch::detail {

/// Throws an Error about bad input, whose message fmt makes of `message` and `values`.
template <class... Values>
[[noreturn]] void throw_error(fmt::format_string<Values...> message, Values&&... values) {
  throw Error(fmt::format(message, std::forward<Values>(values)...));
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace isopatch {

/// The one exception type for bad input. The message names the file or object, the field, the value found, and what
/// would be right. It is one line of printable, valid UTF-8 of at most 300 characters: other characters in names and
/// bytes that it repeats are escaped as in C source, and a longer message loses its middle.
class Error : public std::runtime_error {
 public:
  /// Escapes and shortens `message` where needed.
  explicit Error(const std::string& message);
};

}  // namespace isopatch

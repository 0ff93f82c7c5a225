// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace isopatch {

/// The one exception type for bad input. The message names the file or object, the field, the value
/// found, and what would be right. It is one line of printable, valid UTF-8 of at most 300 characters, whatever names
/// and bytes it repeats: others are escaped, as \n or \x1b, and a longer message loses its middle.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message);
};

}  // namespace isopatch

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace isopatch {

/// The one exception type for bad input. The message names the file or object, the field, the value
/// found, and what would be right.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace isopatch

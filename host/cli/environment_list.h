// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isopatch::cli {

/// The environments that a text such as "3", "0,3,5" or "0-7,9" names, in its order.
struct EnvironmentList {
  struct Range {
    std::int64_t first, last;
  };
  std::vector<Range> ranges;

  std::int64_t count() const;
};

/// None if the text is no such list.
std::optional<EnvironmentList> parsed_environments(std::string_view text);

/// The numbers that the value of --env names. Throws Error, naming `source` if it is not empty, for one of `count`
/// environments or more, for one that is named twice, and for more than a picture has frames.
std::vector<std::int64_t> named_environments(const std::string& text, std::optional<std::int64_t> count,
                                             const std::string& source);

}  // namespace isopatch::cli

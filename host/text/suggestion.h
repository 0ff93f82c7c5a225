// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace isopatch::detail {

/// `; did you mean "friction"?` if one of `known` is close to `name`, else `; known: "a", "b", "c"`.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

/// `"a", "b", "c"`: the first twelve.
std::string list_of(const std::vector<std::string>& known);

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// What an unknown name was meant to be: a key, a value, an option, an array, or the name of a thing.
#pragma once

#include <string>
#include <vector>

namespace isopatch::detail {

/// `; did you mean "friction"?` with one of `known`: the one that another tool calls `name`, then with a note where it
/// means something else (foreign_words.h), or the one that is spelled nearly so. Else `; known: "a", "b", "c"`.
std::string suggestion(const std::string& name, const std::vector<std::string>& known);

/// The same for a key of an object, of which it also says where else it stands, or why there is none.
std::string key_suggestion(const std::string& key, const std::vector<std::string>& known);

/// `"a", "b", "c"`.
std::string list_of(const std::vector<std::string>& known);

}  // namespace isopatch::detail

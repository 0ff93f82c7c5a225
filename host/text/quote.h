// SPDX-License-Identifier: Apache-2.0
//
// Text from outside (bytes of files, names, arguments) made fit for a message: printable, valid UTF-8, not too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace isopatch::detail {

/// The most characters that an Error's message has.
constexpr std::size_t kMaxMessage = 1000;

/// `text` with everything that is not a printable character of valid UTF-8 written as \n, \x1b or \u202e. Characters
/// that change the direction of text or take no room count as not printable: with them a line could look like another.
std::string escaped(std::string_view text);

/// Text from outside, quoted for a message: `text` between two of `quote`, escaped (backslashes and `quote` too) and
/// cut after 60 characters. Names and values of JSON get double quotes.
std::string in_quotes(std::string_view text, char quote = '\'');

/// A whole message: escaped, and without its middle if it is longer than kMaxMessage characters, since its beginning
/// says what is at fault and its end what would be right.
std::string message_text(std::string_view message);

}  // namespace isopatch::detail

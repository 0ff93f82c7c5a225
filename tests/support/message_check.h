// SPDX-License-Identifier: Apache-2.0
//
// What every message of an Error must be, checked without the library's own functions: one line of printable, valid
// UTF-8 of at most 1000 characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace isopatch::testing {

/// What is wrong with a message; empty for nothing.
inline std::string message_problem(std::string_view message) {
  if (message.empty()) return "the message is empty";
  std::size_t characters = 0;
  for (std::size_t at = 0; at < message.size(); ++characters) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(message[i])); };
    const std::string where = " at byte " + std::to_string(at);
    const std::uint32_t lead = byte(at);
    std::size_t length = 1;
    std::uint32_t code = lead, least = 0;
    if (lead >= 0x80) {
      if (lead >= 0xc0 && lead < 0xe0) length = 2, code = lead & 0x1f, least = 0x80;
      if (lead >= 0xe0 && lead < 0xf0) length = 3, code = lead & 0x0f, least = 0x800;
      if (lead >= 0xf0 && lead < 0xf8) length = 4, code = lead & 0x07, least = 0x10000;
      if (length == 1 || at + length > message.size()) return "invalid UTF-8" + where;
      for (std::size_t i = 1; i < length; ++i) {
        if (byte(at + i) >> 6 != 2) return "invalid UTF-8" + where;
        code = code << 6 | (byte(at + i) & 0x3f);
      }
      if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return "invalid UTF-8" + where;
    }
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return "a control character" + where;
    if (code >= 0x2028 && code <= 0x202e) return "a line separator or a change of direction" + where;
    at += length;
  }
  if (characters > 1000) return std::to_string(characters) + " characters; 1000 are the limit";
  return "";
}

}  // namespace isopatch::testing

// SPDX-License-Identifier: Apache-2.0
#include "host/text/quote.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace isopatch::detail {
namespace {

constexpr std::size_t kMaxQuoted = 60;
constexpr std::size_t kKeptBeginning = 120;
constexpr std::string_view kLeftOut = "...";

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The first character of a text that is not empty; if that is not valid UTF-8, its first byte.
Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 1, false};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (overlong || surrogate || code > 0x10ffff) return {lead, 1, false};
  return {code, bytes, true};
}

/// Whether a code is a visible character that does not change how the text around it is shown.
bool is_printable(std::uint32_t code) {
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  constexpr std::array<Range, 9> kHidden = {{{0, 0x1f},
                                             {0x7f, 0x9f},
                                             {0x061c, 0x061c},
                                             {0x200b, 0x200f},
                                             {0x2028, 0x202e},
                                             {0x2060, 0x206f},
                                             {0xfeff, 0xfeff},
                                             {0xfff9, 0xfffb},
                                             {0xe0000, 0xe0fff}}};
  if ((code & 0xfffeU) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) return false;
  return std::none_of(kHidden.begin(), kHidden.end(),
                      [code](const Range& range) { return code >= range.first && code <= range.second; });
}

std::string escape(const Character& c) {
  if (c.code == '\n') return "\\n";
  if (c.code == '\r') return "\\r";
  if (c.code == '\t') return "\\t";
  if (!c.valid || c.code < 0x80) return fmt::format("\\x{:02x}", c.code);
  return c.code < 0x10000 ? fmt::format("\\u{:04x}", c.code) : fmt::format("\\U{:08x}", c.code);
}

/// Appends up to `most` characters of `text`, escaped if they are not printable or among `special`; returns how many
/// bytes of `text` they are.
std::size_t append_escaped(std::string& out, std::string_view text, std::size_t most, std::string_view special) {
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size() && count < most; ++count) {
    const Character c = first_character(text.substr(at));
    if (!c.valid || !is_printable(c.code)) {
      out += escape(c);
    } else {
      if (c.bytes == 1 && special.find(text[at]) != std::string_view::npos) out += '\\';
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return at;
}

/// Where character `n` of valid UTF-8 begins, or the end.
std::size_t nth_character(std::string_view text, std::size_t n) {
  std::size_t at = 0;
  for (; n > 0 && at < text.size(); --n) at += first_character(text.substr(at)).bytes;
  return at;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  append_escaped(out, text, std::numeric_limits<std::size_t>::max(), "");
  return out;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string out(1, quote);
  const std::array<char, 2> special = {'\\', quote};
  const std::size_t shown = append_escaped(out, text, kMaxQuoted, {special.data(), special.size()});
  if (shown < text.size()) out += kLeftOut;
  return out + quote;
}

std::string message_text(std::string_view message) {
  std::string text = escaped(message);
  const std::size_t count = count_characters(text);
  if (count <= kMaxMessage) return text;
  const std::size_t kept_end = kMaxMessage - kKeptBeginning - kLeftOut.size();
  const std::size_t begin = nth_character(text, kKeptBeginning), end = nth_character(text, count - kept_end);
  return text.replace(begin, end - begin, kLeftOut);
}

}  // namespace isopatch::detail

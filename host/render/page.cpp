// SPDX-License-Identifier: Apache-2.0
#include "host/render/page.h"

#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "host/render/frames.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;

/// The page without a picture.
std::string inflated_page() {
  std::string page(kPageSize, '\0');
  z_stream stream = {};
  stream.next_in = const_cast<Bytef*>(kPageBytes);
  stream.avail_in = static_cast<uInt>(kPageByteCount);
  stream.next_out = reinterpret_cast<Bytef*>(page.data());
  stream.avail_out = static_cast<uInt>(page.size());
  const bool begun = inflateInit2(&stream, kGzip) == Z_OK;
  const bool done = begun && inflate(&stream, Z_FINISH) == Z_STREAM_END;
  if (begun) inflateEnd(&stream);
  if (!done || stream.total_out != kPageSize) throw std::logic_error("the page in this build is damaged");
  return page;
}

std::string compressed(std::string_view bytes) {
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void append_base64(std::string& text, std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    const std::size_t digits = std::min<std::size_t>(bytes.size() - i, 3) + 1;
    for (std::size_t k = 0; k < 4; ++k) text += k < digits ? kDigits[group >> (18 - 6 * k) & 63] : '=';
  }
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string page_of(const std::vector<std::string_view>& glbs, const std::vector<std::int64_t>& environments,
                    std::string_view title) {
  const std::string_view fewer = glbs.size() > 1 ? ", or fewer environments" : "";
  double size = 0;
  for (const std::string_view glb : glbs) size += static_cast<double>(glb.size());
  if (size > 2 * kMaxPictureBytes) {
    throw_error("render: a picture of {:.0f} MB; take fewer frames by --every (every= in Python){}", size / 1e6, fewer);
  }
  const std::string page = inflated_page(), escaped_title = escaped_html(title);
  std::string pictures;
  for (const std::string_view glb : glbs) {
    if (!pictures.empty()) pictures += ' ';
    append_base64(pictures, compressed(pictures.empty() ? glb : without_shared(glb, glbs[0])));
  }
  const double bytes = static_cast<double>(page.size() + pictures.size());
  if (bytes > kMaxPictureBytes) {
    throw_error(
        "render: the page would take {:.0f} MB; the most are {:.0f} MB: take fewer frames by --every (every= in "
        "Python){}, or write a .glb",
        bytes / 1e6, kMaxPictureBytes / 1e6, fewer);
  }
  std::string text;
  text.reserve(static_cast<std::size_t>(bytes) + title.size() + 16);
  std::string_view rest = page;
  const std::string numbers = fmt::format("{}", fmt::join(environments, " "));
  for (const auto& [mark, value] : {std::pair<std::string_view, std::string_view>{"@TITLE@", escaped_title},
                                    {"@ENVIRONMENTS@", numbers},
                                    {"@GLB@", pictures}}) {
    const std::size_t at = rest.find(mark);
    text += rest.substr(0, at);
    text += value;
    rest.remove_prefix(at + mark.size());
  }
  text += rest;
  return text;
}

}  // namespace isopatch::detail

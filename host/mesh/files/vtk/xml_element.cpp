// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/vtk/xml_element.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace isopatch::detail {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxName = 60;
/// The most elements and attributes. VTK's files have tens of elements with a few attributes each; in memory each takes
/// about 100 bytes.
constexpr int kMaxParts = 20'000;
constexpr std::string_view kSpace = " \t\r\n";
/// VTK reads this element's text as bytes, which may have any value.
constexpr std::string_view kRawElement = "AppendedData";

class XmlParser {
 public:
  XmlParser(std::string_view bytes, const FileCursor& in) : bytes_(bytes), in_(in) {}

  XmlElement read_root() {
    if (!starts_with("<")) fail(fmt::format("the file begins with {}; an XML file begins with '<'", next_text()));
    skip_misc();
    if (at_ >= bytes_.size()) fail("the file has no element");
    XmlElement root = read_element(0);
    skip_misc();
    if (at_ < bytes_.size()) fail(fmt::format("{} after the end of <{}>", next_text(), root.name));
    return root;
  }

 private:
  XmlElement read_element(int depth);
  bool read_attributes(XmlElement& element);
  void read_content(XmlElement& element, int depth);
  void read_end(const XmlElement& element);
  void skip_raw_text(XmlElement& element);
  void skip_misc();
  void skip_space() { at_ = std::min(bytes_.find_first_not_of(kSpace, at_), bytes_.size()); }
  void skip_past(std::string_view text);
  void count_part();
  std::string read_name();
  std::string decode(std::string_view text) const;

  bool starts_with(std::string_view text) const { return bytes_.substr(at_, text.size()) == text; }
  std::string next_text() const { return in_quotes(bytes_.substr(at_, 60)); }
  [[noreturn]] void fail(const std::string& message) const { in_.fail_at(at_, message); }

  std::string_view bytes_;
  const FileCursor& in_;
  std::size_t at_ = 0;
  int parts_ = 0;  // elements and attributes so far
};

void XmlParser::skip_past(std::string_view text) {
  const std::size_t found = bytes_.find(text, at_);
  if (found == std::string_view::npos) fail(fmt::format("{} without '{}'", next_text(), text));
  at_ = found + text.size();
}

void XmlParser::count_part() {
  if (++parts_ > kMaxParts) fail(fmt::format("more than {} elements and attributes", kMaxParts));
}

/// Space, comments and the XML declaration.
void XmlParser::skip_misc() {
  for (skip_space(); at_ < bytes_.size(); skip_space()) {
    if (starts_with("<!--")) {
      skip_past("-->");
    } else if (starts_with("<?")) {
      skip_past("?>");
    } else {
      return;
    }
  }
}

std::string XmlParser::read_name() {
  const std::size_t end = std::min(bytes_.find_first_of(" \t\r\n=/><\"'", at_), bytes_.size());
  if (end == at_) fail(fmt::format("{} where a name is expected", next_text()));
  const std::string_view name = bytes_.substr(at_, end - at_);
  if (name.size() > kMaxName) fail(fmt::format("the name {} is longer than {} bytes", in_quotes(name), kMaxName));
  at_ = end;
  return std::string(name);
}

std::string XmlParser::decode(std::string_view text) const {
  constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string decoded;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    char c = text[i];
    for (const auto& [entity, character] : kEntities) {
      if (text.substr(i, entity.size()) == entity) length = entity.size(), c = character;
    }
    decoded += c;
    i += length;
  }
  return decoded;
}

/// Reads up to the end of the tag; returns whether the element has content.
bool XmlParser::read_attributes(XmlElement& element) {
  while (true) {
    skip_space();
    if (starts_with("/>")) {
      at_ += 2;
      return false;
    }
    if (starts_with(">")) {
      at_ += 1;
      return true;
    }
    if (at_ >= bytes_.size()) fail(fmt::format("the file ends within the tag <{}", element.name));
    count_part();
    const std::string key = read_name();
    skip_space();
    if (!starts_with("=")) fail(fmt::format("attribute {} of <{}> has no value", in_quotes(key), element.name));
    ++at_;
    skip_space();
    if (!starts_with("\"") && !starts_with("'")) {
      fail(fmt::format("the value of attribute {} of <{}> is not in quotes", in_quotes(key), element.name));
    }
    const std::size_t begin = at_ + 1, end = bytes_.find(bytes_[at_], begin);
    if (end == std::string_view::npos) {
      fail(fmt::format("the value of attribute {} of <{}> has no end", in_quotes(key), element.name));
    }
    if (!element.attributes.emplace(key, decode(bytes_.substr(begin, end - begin))).second) {
      fail(fmt::format("<{}> has the attribute {} twice", element.name, in_quotes(key)));
    }
    at_ = end + 1;
  }
}

void XmlParser::skip_raw_text(XmlElement& element) {
  const std::string close = fmt::format("</{}>", element.name);
  const std::size_t end = bytes_.rfind(close);
  if (end == std::string_view::npos || end < at_) fail(fmt::format("<{}> without {}", element.name, close));
  element.text_begin = at_;
  element.text_end = end;
  at_ = end + close.size();
}

void XmlParser::read_content(XmlElement& element, int depth) {
  if (element.name == kRawElement) return skip_raw_text(element);
  while (true) {
    const std::size_t begin = at_;
    at_ = std::min(bytes_.find('<', at_), bytes_.size());
    if (at_ >= bytes_.size()) in_.fail_at(element.offset, fmt::format("<{0}> without </{0}>", element.name));
    if (element.text_end == 0 && bytes_.find_first_not_of(kSpace, begin) < at_) {
      element.text_begin = begin;
      element.text_end = at_;
    }
    if (starts_with("<!--")) {
      skip_past("-->");
    } else if (starts_with("</")) {
      return read_end(element);
    } else {
      element.children.push_back(read_element(depth + 1));
    }
  }
}

void XmlParser::read_end(const XmlElement& element) {
  const std::size_t begin = at_;
  at_ += 2;
  const std::string name = read_name();
  skip_space();
  if (name != element.name || !starts_with(">")) {
    in_.fail_at(begin, fmt::format("</{} where </{}> is expected", name, element.name));
  }
  ++at_;
}

XmlElement XmlParser::read_element(int depth) {
  count_part();
  XmlElement element;
  element.offset = at_;
  if (depth > kMaxDepth) fail(fmt::format("elements nested more than {} levels deep", kMaxDepth));
  if (!starts_with("<") || starts_with("<!") || starts_with("<?")) {
    fail(fmt::format("{} where an element is expected", next_text()));
  }
  ++at_;
  element.name = read_name();
  if (read_attributes(element)) read_content(element, depth);
  return element;
}

}  // namespace

std::string XmlElement::attribute(const std::string& key, const std::string& without) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? without : found->second;
}

const XmlElement* XmlElement::child(const FileCursor& in, std::string_view child_name) const {
  const XmlElement* only = nullptr;
  for (const XmlElement& candidate : children) {
    if (candidate.name != child_name) continue;
    if (only != nullptr) in.fail_at(candidate.offset, fmt::format("a second <{}>; there must be one", child_name));
    only = &candidate;
  }
  return only;
}

XmlElement parse_xml(std::string_view bytes, const FileCursor& in) { return XmlParser(bytes, in).read_root(); }

}  // namespace isopatch::detail

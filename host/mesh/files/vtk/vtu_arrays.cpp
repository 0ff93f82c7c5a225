// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/vtk/vtu_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/mesh/files/mesh_files.h"
#include "host/mesh/files/vtk/vtk_cells.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

/// How many values may be read besides one for each byte of the file; each takes up to eight bytes of memory.
constexpr std::uint64_t kFreeValues = 6'000'000;

/// The most characters that can begin an element or an attribute; each takes at most 128 bytes of memory. VTK's
/// files have tens of elements with a few attributes each.
constexpr std::ptrdiff_t kMaxMarks = 40'000;

std::string described(const char* tag, const char* name) {
  return name == nullptr ? fmt::format("<{}>", tag) : fmt::format("array {}", in_quotes(name));
}

}  // namespace

VtuArrays::VtuArrays(std::string_view bytes, const std::string& source)
    : bytes_(bytes), source_(source), in_(bytes, source), xml_(bytes) {
  parse();
  read_header();
}

void VtuArrays::parse() {
  const auto quote = [this](std::size_t offset) { return in_quotes(bytes_.substr(offset, 60)); };
  if (!bytes_.starts_with('<')) in_.fail("the file begins with {}; an XML file begins with '<'", quote(0));
  blank_raw_text();
  if (const std::size_t zero = xml_.find('\0'); zero != std::string::npos) in_.fail_at(zero, "a zero byte in XML");
  const std::ptrdiff_t marks = std::ranges::count_if(xml_, [](char c) { return c == '<' || c == '"' || c == '\''; });
  if (marks > kMaxMarks) {
    in_.fail("too many elements and attributes: {} of the characters < \" ' around them; the limit is {}", marks,
             kMaxMarks);
  }

  constexpr unsigned kOptions = pugi::parse_default | pugi::parse_doctype | pugi::parse_fragment;
  const pugi::xml_parse_result result =
      document_.load_buffer_inplace(xml_.data(), xml_.size(), kOptions, pugi::encoding_utf8);
  const auto offset = static_cast<std::size_t>(result.offset);
  if (!result) in_.fail_at(offset, "{} at {}", result.description(), quote(offset));
  if (!root()) in_.fail("the file has no element");
  for (const pugi::xml_node node : document_) {
    if (node != root()) fail(node, "a DOCTYPE, text or an element beside <{}>", root().name());
  }
}

/// VTK reads the text of this element as bytes, which may have any value. XML has spaces in their place.
void VtuArrays::blank_raw_text() {
  const std::size_t begin = bytes_.find('>', bytes_.find("<AppendedData"));
  if (begin == std::string_view::npos || bytes_[begin - 1] == '/') return;
  const std::size_t end = bytes_.rfind("</AppendedData>");
  if (end == std::string_view::npos || end < begin) in_.fail_at(begin, "<AppendedData> without </AppendedData>");
  raw_text_ = bytes_.substr(begin + 1, end - begin - 1);
  xml_.replace(begin + 1, raw_text_.size(), raw_text_.size(), ' ');
}

pugi::xml_node VtuArrays::find(pugi::xml_node parent, const char* tag, const char* name) const {
  pugi::xml_node only;
  for (const pugi::xml_node candidate : parent.children(tag)) {
    if (name != nullptr && attribute(candidate, "Name") != name) continue;
    if (only) fail(candidate, "a second {}; there must be one", described(tag, name));
    only = candidate;
  }
  return only;
}

pugi::xml_node VtuArrays::child(pugi::xml_node parent, const char* tag, const char* name) const {
  const pugi::xml_node found = find(parent, tag, name);
  if (!found) fail(parent, "<{}> without {}{}", parent.name(), name == nullptr ? "" : "the ", described(tag, name));
  return found;
}

std::string VtuArrays::attribute(pugi::xml_node element, const char* name, const char* without) const {
  const auto attributes = element.attributes();
  const auto named = [name](pugi::xml_attribute attribute) { return attribute.name() == std::string_view(name); };
  if (std::count_if(attributes.begin(), attributes.end(), named) > 1) {
    fail(element, "<{}> has the attribute {} twice", element.name(), in_quotes(name));
  }
  return element.attribute(name).as_string(without);
}

void VtuArrays::read_header() {
  if (root().name() != std::string_view("VTKFile")) {
    fail(root(), "the file is a <{}>; a <VTKFile> is needed", root().name());
  }
  if (const std::string type = attribute(root(), "type"); type != "UnstructuredGrid") {
    fail(root(), "the type is {}; 'UnstructuredGrid' is needed{}", in_quotes(type),
         type == "PolyData" ? "; " + how_to_make_a_surface(".vtp") : "");
  }

  const std::string order = attribute(root(), "byte_order", "LittleEndian");
  if (order != "LittleEndian" && order != "BigEndian") {
    fail(root(), "byte_order is {}; it must be LittleEndian or BigEndian", in_quotes(order));
  }
  encoding_.order = order == "BigEndian" ? std::endian::big : std::endian::little;

  const std::string header = attribute(root(), "header_type", "UInt32");
  if (header != "UInt32" && header != "UInt64") {
    fail(root(), "header_type is {}; it must be UInt32 or UInt64", in_quotes(header));
  }
  encoding_.header = header == "UInt64" ? ValueType::kU64 : ValueType::kU32;

  encoding_.compressor = read_compressor();
  if (const pugi::xml_node appended = find(root(), "AppendedData")) find_appended(appended);
}

VtuCompressor VtuArrays::read_compressor() const {
  const std::string name = attribute(root(), "compressor");
  if (name.empty()) return VtuCompressor::kNone;
  if (name == "vtkZLibDataCompressor") return VtuCompressor::kZlib;
  if (name == "vtkLZ4DataCompressor") return VtuCompressor::kLz4;
  if (name == "vtkLZMADataCompressor") return VtuCompressor::kLzma;
  fail(root(),
       "the compressor is {}; vtkZLibDataCompressor, vtkLZ4DataCompressor, vtkLZMADataCompressor or none can be read",
       in_quotes(name));
}

/// The data begins after an underscore.
void VtuArrays::find_appended(pugi::xml_node element) {
  const std::string encoding = attribute(element, "encoding", "base64");
  if (encoding != "raw" && encoding != "base64") {
    fail(element, "the encoding is {}; it must be raw or base64", in_quotes(encoding));
  }
  const std::size_t begin = raw_text_.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || raw_text_[begin] != '_') {
    fail(element, "the appended data does not begin with '_'");
  }
  appended_ = raw_text_.substr(begin + 1);
  appended_base64_ = encoding == "base64";
  has_appended_ = true;
}

std::int64_t VtuArrays::count_of(pugi::xml_node element, const char* name) const {
  const std::string text = attribute(element, name);
  std::int64_t count = 0;
  if (!parse_integer(text, count) || count < 0 || count > limits::kMaxElements) {
    fail(element, "{} of <{}> is {}; a whole number from 0 to {} is needed", name, element.name(), in_quotes(text),
         limits::kMaxElements);
  }
  return count;
}

std::string VtuArrays::label(pugi::xml_node array) const {
  return described("DataArray", attribute(array, "Name").c_str());
}

std::int64_t VtuArrays::components_of(pugi::xml_node array) const {
  return array.attribute("NumberOfComponents") ? count_of(array, "NumberOfComponents") : 1;
}

/// The first text of an array that is not space, in the file; empty, and at the array, without one.
std::string_view VtuArrays::text_of(pugi::xml_node array) const {
  const pugi::xml_node text = array.text().data();
  const auto begin = static_cast<std::size_t>((text ? text : array).offset_debug());
  return bytes_.substr(begin, text ? bytes_.find('<', begin) - begin : 0);
}

VtuBytes VtuArrays::data_of(pugi::xml_node array) const {
  const auto at = static_cast<std::size_t>(array.offset_debug());
  if (attribute(array, "format") != "appended") return {text_of(array), true, in_, at};
  if (!has_appended_) fail(array, "{} is appended; the file has no <AppendedData>", label(array));
  const std::int64_t offset = count_of(array, "offset");
  if (static_cast<std::uint64_t>(offset) > appended_.size()) {
    fail(array, "the offset of {} is {}; the appended data has {} bytes", label(array), offset, appended_.size());
  }
  return {appended_.substr(static_cast<std::size_t>(offset)), appended_base64_, in_, at};
}

void VtuArrays::read_values(pugi::xml_node array, std::int64_t count, std::int64_t components, const Visit& visit) {
  const std::string_view text = text_of(array);
  const auto at = static_cast<std::size_t>(text.data() - bytes_.data());
  FileCursor cursor(bytes_.substr(0, at + text.size()), source_, at);
  const ValueType type = xml_type(cursor, attribute(array, "type"));
  const std::string what = label(array), format = attribute(array, "format", "ascii");
  announce(array, count, components);
  const std::uint64_t values = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(components);
  if (format == "ascii") {
    cursor.expect_values(type, count, components, what.c_str());
    visit(cursor, type, 0, static_cast<std::size_t>(values));
    if (const std::string_view more = cursor.word(); !more.empty()) {
      cursor.fail("{} has more than its {} x {} values", what, count, components);
    }
    return;
  }
  if (format != "binary" && format != "appended") {
    fail(array, "the format of {} is {}; it must be ascii, binary or appended", what, in_quotes(format));
  }
  VtuBytes bytes = data_of(array);
  const std::size_t width = bytes_per_value(type);
  const std::string decoded_name = fmt::format("{}: {}, decoded", source_, what);
  std::size_t done = 0;  // values
  std::string rest;      // the end of a piece, which may be within a value
  read_vtu_array(bytes, encoding_, values * width, [&](std::string_view piece) {
    rest += piece;
    const std::size_t here = rest.size() / width;
    FileCursor decoded(rest, decoded_name);
    decoded.set_binary(true);
    decoded.set_byte_order(encoding_.order);
    visit(decoded, type, done, done + here);
    done += here;
    rest.erase(0, here * width);
  });
}

/// Refuses an array before memory is allocated for it: many arrays may share the same appended data, and compressed
/// data may be far smaller than its content.
void VtuArrays::announce(pugi::xml_node array, std::int64_t count, std::int64_t components) {
  const std::uint64_t most = kFreeValues + bytes_.size();
  const auto values = static_cast<std::uint64_t>(count);
  if (components == 0 || values <= (most - announced_) / static_cast<std::uint64_t>(components)) {
    announced_ += values * static_cast<std::uint64_t>(components);
    return;
  }
  fail(array,
       "{} needs {} x {} values; with those before, {} million and one a byte of the file can be read; store it "
       "without compression, or as .vtk",
       label(array), count, components, kFreeValues / 1'000'000);
}

std::vector<std::int64_t> VtuArrays::read_integers(pugi::xml_node array, std::int64_t count) {
  std::vector<std::int64_t> values;
  read_values(array, count, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
    values.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = begin; i < end; ++i) values.push_back(in.integer(type));
  });
  return values;
}

}  // namespace isopatch::detail

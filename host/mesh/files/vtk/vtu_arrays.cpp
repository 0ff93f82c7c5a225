// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/vtk/vtu_arrays.h"

#include <fmt/format.h>

#include "host/mesh/files/vtk/vtk_types.h"
#include "isopatch/limits.h"

namespace isopatch::detail {
namespace {

/// How many values may be read besides one for each byte of the file; each takes up to eight bytes of memory.
constexpr std::uint64_t kFreeValues = 6'000'000;

}  // namespace

void VtuArrays::read_header(const XmlElement& root) {
  if (root.name != "VTKFile") fail(root, fmt::format("the file is a <{}>; a <VTKFile> is needed", root.name));
  if (const std::string type = root.attribute("type"); type != "UnstructuredGrid") {
    fail(root, fmt::format("the type is {}; 'UnstructuredGrid' is needed", in_quotes(type)));
  }

  const std::string order = root.attribute("byte_order", "LittleEndian");
  if (order != "LittleEndian" && order != "BigEndian") {
    fail(root, fmt::format("byte_order is {}; it must be LittleEndian or BigEndian", in_quotes(order)));
  }
  encoding_.order = order == "BigEndian" ? std::endian::big : std::endian::little;

  const std::string header = root.attribute("header_type", "UInt32");
  if (header != "UInt32" && header != "UInt64") {
    fail(root, fmt::format("header_type is {}; it must be UInt32 or UInt64", in_quotes(header)));
  }
  encoding_.header = header == "UInt64" ? ValueType::kU64 : ValueType::kU32;

  const std::string compressor = root.attribute("compressor");
  if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
    fail(root,
         fmt::format("the compressor is {}; only vtkZLibDataCompressor, or none, can be read", in_quotes(compressor)));
  }
  encoding_.compressed = !compressor.empty();
  if (const XmlElement* appended = root.child(in_, "AppendedData")) find_appended(*appended);
}

/// The data begins after an underscore.
void VtuArrays::find_appended(const XmlElement& element) {
  const std::string encoding = element.attribute("encoding", "base64");
  if (encoding != "raw" && encoding != "base64") {
    fail(element, fmt::format("the encoding is {}; it must be raw or base64", in_quotes(encoding)));
  }
  const std::string_view text = bytes_.substr(element.text_begin, element.text_end - element.text_begin);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '_') fail(element, "the appended data does not begin with '_'");
  appended_ = text.substr(begin + 1);
  appended_base64_ = encoding == "base64";
  has_appended_ = true;
}

std::int64_t VtuArrays::count_of(const XmlElement& element, const char* attribute) const {
  const std::string text = element.attribute(attribute);
  std::int64_t count = 0;
  if (!parse_integer(text, count) || count < 0 || count > limits::kMaxElements) {
    fail(element, fmt::format("{} of <{}> is {}; a whole number from 0 to {} is needed", attribute, element.name,
                              in_quotes(text), limits::kMaxElements));
  }
  return count;
}

std::string VtuArrays::label(const XmlElement& array) const {
  return fmt::format("array {}", in_quotes(array.attribute("Name")));
}

ValueType VtuArrays::type_of(const XmlElement& array) const {
  return xml_type(FileCursor(bytes_, source_, array.offset), array.attribute("type"));
}

std::int64_t VtuArrays::components_of(const XmlElement& array) const {
  return array.attributes.count("NumberOfComponents") == 0 ? 1 : count_of(array, "NumberOfComponents");
}

VtuBytes VtuArrays::data_of(const XmlElement& array) const {
  if (array.attribute("format") != "appended") {
    return {bytes_.substr(array.text_begin, array.text_end - array.text_begin), true, in_, array.offset};
  }
  if (!has_appended_) fail(array, label(array) + " is appended; the file has no <AppendedData>");
  const std::int64_t offset = count_of(array, "offset");
  if (static_cast<std::uint64_t>(offset) > appended_.size()) {
    fail(array,
         fmt::format("the offset of {} is {}; the appended data has {} bytes", label(array), offset, appended_.size()));
  }
  return {appended_.substr(static_cast<std::size_t>(offset)), appended_base64_, in_, array.offset};
}

void VtuArrays::read_values(const XmlElement& array, std::int64_t count, std::int64_t components, const Visit& visit) {
  const ValueType type = type_of(array);
  const std::string what = label(array), format = array.attribute("format", "ascii");
  announce(array, count, components);
  const std::uint64_t values = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(components);
  if (format == "ascii") {
    FileCursor text(bytes_.substr(0, array.text_end), source_, array.text_begin);
    text.expect_values(type, count, components, what.c_str());
    visit(text, type, 0, static_cast<std::size_t>(values));
    if (const std::string_view more = text.word(); !more.empty()) {
      text.fail(fmt::format("{} has more than its {} x {} values", what, count, components));
    }
    return;
  }
  if (format != "binary" && format != "appended") {
    fail(array, fmt::format("the format of {} is {}; it must be ascii, binary or appended", what, in_quotes(format)));
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
void VtuArrays::announce(const XmlElement& array, std::int64_t count, std::int64_t components) {
  const std::uint64_t most = kFreeValues + bytes_.size();
  const auto values = static_cast<std::uint64_t>(count);
  if (components == 0 || values <= (most - announced_) / static_cast<std::uint64_t>(components)) {
    announced_ += values * static_cast<std::uint64_t>(components);
    return;
  }
  fail(array, fmt::format("{} needs {} x {} values; with those before, {} million and one a byte of the file can be "
                          "read; store it without compression, or as .vtk",
                          label(array), count, components, kFreeValues / 1'000'000));
}

std::vector<std::int64_t> VtuArrays::read_integers(const XmlElement& array, std::int64_t count) {
  std::vector<std::int64_t> values;
  read_values(array, count, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
    values.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = begin; i < end; ++i) values.push_back(in.integer(type));
  });
  return values;
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// VTK's XML files (.vtu) of one unstructured grid: points, tets and scalar point data. Cells of other types are left
// out.
#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "host/mesh/files/vtk_types.h"
#include "host/mesh/files/vtu_data.h"
#include "host/mesh/files/xml_element.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/limits.h"
#include "isopatch/mesh.h"

namespace isopatch {

using namespace detail;

namespace {

/// Values that may be read besides one for each byte of the file; each has up to eight bytes in memory.
constexpr std::uint64_t kFreeValues = 6'000'000;
constexpr std::size_t kMaxTypes = 256;

class VtuReader {
 public:
  VtuReader(const std::string& bytes, const std::string& source) : bytes_(bytes), source_(source), in_(bytes, source) {}

  TetMesh read() {
    const XmlElement root = parse_xml(bytes_, in_);
    read_header(root);
    const XmlElement& grid = required(root, "UnstructuredGrid");
    const XmlElement& piece = required(grid, "Piece");
    points_ = count_of(piece, "NumberOfPoints");
    cells_ = count_of(piece, "NumberOfCells");
    read_points(required(piece, "Points"));
    read_cells(required(piece, "Cells"));
    if (const XmlElement* data = piece.child(in_, "PointData")) read_point_data(*data);
    return std::move(mesh_);
  }

 private:
  void read_header(const XmlElement& root);
  void find_appended(const XmlElement& element);
  const XmlElement& required(const XmlElement& parent, const char* name) const;
  std::int64_t count_of(const XmlElement& element, const char* attribute) const;
  const XmlElement& array_named(const XmlElement& parent, const char* name) const;
  ValueType type_of(const XmlElement& array) const;
  std::int64_t components_of(const XmlElement& array) const;
  void read_points(const XmlElement& element);
  void read_cells(const XmlElement& element);
  std::size_t count_tets(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                         std::size_t offset);
  void read_tets(const XmlElement& array, const std::vector<std::int64_t>& offsets,
                 const std::vector<std::int64_t>& types, std::size_t offset);
  void announce(const XmlElement& array, std::int64_t count, std::int64_t components);
  void read_point_data(const XmlElement& element);
  std::vector<std::int64_t> read_integers(const XmlElement& array, std::int64_t count);
  std::string label(const XmlElement& array) const;

  /// Calls visit(cursor, type, begin, end) for one part after another of `count` x `components` values: the cursor
  /// stands at value `begin`, and the part ends before `end`.
  template <typename Visit>
  void read_values(const XmlElement& array, std::int64_t count, std::int64_t components, const Visit& visit);
  VtuBytes data_of(const XmlElement& array) const;

  [[noreturn]] void fail(const XmlElement& element, const std::string& message) const {
    in_.fail_at(element.offset, message);
  }

  std::string_view bytes_;
  std::string source_;
  FileCursor in_;
  TetMesh mesh_;
  std::int64_t points_ = 0, cells_ = 0;
  VtuEncoding encoding_;
  std::string_view appended_;
  bool has_appended_ = false, appended_base64_ = false;
  std::uint64_t announced_ = 0;  // values so far
};

void VtuReader::read_header(const XmlElement& root) {
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
void VtuReader::find_appended(const XmlElement& element) {
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

const XmlElement& VtuReader::required(const XmlElement& parent, const char* name) const {
  const XmlElement* found = parent.child(in_, name);
  if (found == nullptr) fail(parent, fmt::format("<{}> without <{}>", parent.name, name));
  return *found;
}

std::int64_t VtuReader::count_of(const XmlElement& element, const char* attribute) const {
  const std::string text = element.attribute(attribute);
  std::int64_t count = 0;
  if (!parse_integer(text, count) || count < 0 || count > limits::kMaxElements) {
    fail(element, fmt::format("{} of <{}> is {}; a whole number from 0 to {} is needed", attribute, element.name,
                              in_quotes(text), limits::kMaxElements));
  }
  return count;
}

const XmlElement& VtuReader::array_named(const XmlElement& parent, const char* name) const {
  const XmlElement* only = nullptr;
  for (const XmlElement& array : parent.children) {
    if (array.name != "DataArray" || array.attribute("Name") != name) continue;
    if (only != nullptr) fail(array, fmt::format("a second array '{}'; there must be one", name));
    only = &array;
  }
  if (only == nullptr) fail(parent, fmt::format("<{}> without the array '{}'", parent.name, name));
  return *only;
}

std::string VtuReader::label(const XmlElement& array) const {
  return fmt::format("array {}", in_quotes(array.attribute("Name")));
}

ValueType VtuReader::type_of(const XmlElement& array) const {
  return xml_type(FileCursor(bytes_, source_, array.offset), array.attribute("type"));
}

std::int64_t VtuReader::components_of(const XmlElement& array) const {
  return array.attributes.count("NumberOfComponents") == 0 ? 1 : count_of(array, "NumberOfComponents");
}

VtuBytes VtuReader::data_of(const XmlElement& array) const {
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

template <typename Visit>
void VtuReader::read_values(const XmlElement& array, std::int64_t count, std::int64_t components, const Visit& visit) {
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
  std::string rest;      // of pieces, which may end within a value
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
void VtuReader::announce(const XmlElement& array, std::int64_t count, std::int64_t components) {
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

std::vector<std::int64_t> VtuReader::read_integers(const XmlElement& array, std::int64_t count) {
  std::vector<std::int64_t> values;
  read_values(array, count, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
    values.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = begin; i < end; ++i) values.push_back(in.integer(type));
  });
  return values;
}

void VtuReader::read_points(const XmlElement& element) {
  const XmlElement& array = required(element, "DataArray");
  if (const std::int64_t components = components_of(array); components != 3) {
    fail(array, fmt::format("the points have {} components; 3 are needed", components));
  }
  read_values(array, points_, 3, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
    mesh_.points.resize(static_cast<std::size_t>(points_));
    for (std::size_t i = begin; i < end; ++i) mesh_.points[i / 3][i % 3] = in.coordinate(type, i / 3);
  });
}

void VtuReader::read_cells(const XmlElement& element) {
  const std::vector<std::int64_t> offsets = read_integers(array_named(element, "offsets"), cells_);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::int64_t before = i == 0 ? 0 : offsets[i - 1];
    if (offsets[i] < before || offsets[i] > limits::kMaxElements * 4) {
      fail(element,
           fmt::format("offset {} is {}; it must be from {} on, and rise by 4 for a tet", i, offsets[i], before));
    }
  }
  const std::vector<std::int64_t> types = read_integers(array_named(element, "types"), cells_);
  mesh_.tets.reserve(count_tets(offsets, types, element.offset));
  read_tets(array_named(element, "connectivity"), offsets, types, element.offset);
}

/// The count of tets, at least one. Notes the other cells.
std::size_t VtuReader::count_tets(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                                  std::size_t offset) {
  std::size_t tets = 0;
  std::map<std::int64_t, std::int64_t> left_out;  // how many cells of each type
  for (std::size_t c = 0; c < types.size(); ++c) {
    if (types[c] != kVtkTetra) {
      if (left_out.size() < kMaxTypes) ++left_out[types[c]];
      continue;
    }
    const std::int64_t points = offsets[c] - (c == 0 ? 0 : offsets[c - 1]);
    if (points != 4) in_.fail_at(offset, fmt::format("cell {} is a tet of {} points; 4 are needed", c, points));
    ++tets;
  }
  std::string text;
  for (const auto& [type, count] : left_out) {
    text += fmt::format("{}{} cells of type {}", text.empty() ? "" : ", ", count, type);
  }
  if (tets == 0) {
    in_.fail_at(offset, fmt::format("the mesh has no tets, cells of type {}; at least one is needed{}{}", kVtkTetra,
                                    text.empty() ? "" : ", the file has ", text));
  }
  if (!text.empty()) mesh_.notes.push_back("left out of the file: " + text);
  return tets;
}

void VtuReader::read_tets(const XmlElement& array, const std::vector<std::int64_t>& offsets,
                          const std::vector<std::int64_t>& types, std::size_t offset) {
  std::size_t cell = 0;
  Tet tet;
  read_values(array, offsets.back(), 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t v = in.integer(type);
      while (offsets[cell] <= static_cast<std::int64_t>(i)) ++cell;
      if (types[cell] != kVtkTetra) continue;
      if (v < 0 || v >= points_) {
        in_.fail_at(offset,
                    fmt::format("cell {} has the point index {}; it must lie in [0, {}]", cell, v, points_ - 1));
      }
      const std::size_t left = static_cast<std::size_t>(offsets[cell]) - i;  // 4 to 1
      tet[4 - left] = static_cast<std::int32_t>(v);
      if (left == 1) mesh_.tets.push_back(tet);
    }
  });
}

void VtuReader::read_point_data(const XmlElement& element) {
  for (const XmlElement& array : element.children) {
    if (array.name != "DataArray" || components_of(array) != 1) continue;  // a vector, or an array of strings
    const std::string name = array.attribute("Name");
    if (mesh_.point_data.count(name) > 0) {
      fail(array, fmt::format("a second point data array {}; names must differ", in_quotes(name)));
    }
    std::vector<double> values;
    read_values(array, points_, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
      values.reserve(static_cast<std::size_t>(points_));
      for (std::size_t i = begin; i < end; ++i) values.push_back(in.real(type));
    });
    mesh_.point_data.emplace(name, std::move(values));
  }
}

}  // namespace

TetMesh parse_vtu(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return VtuReader(bytes, source).read();
}

}  // namespace isopatch

// SPDX-License-Identifier: Apache-2.0
//
// VTK's XML files (.vtu) of one unstructured grid: points, tets and scalar point data. Cells of other types are left
// out.
#include <fmt/format.h>

#include <array>
#include <map>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "host/mesh/files/vtk/vtk_types.h"
#include "host/mesh/files/vtk/vtu_arrays.h"
#include "host/mesh/files/vtk/xml_element.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kMaxTypes = 256;

class VtuReader {
 public:
  VtuReader(const std::string& bytes, const std::string& source)
      : bytes_(bytes), in_(bytes, source), arrays_(bytes, source, in_) {}

  TetMesh read() {
    const XmlElement root = parse_xml(bytes_, in_);
    arrays_.read_header(root);
    const XmlElement& grid = required(root, "UnstructuredGrid");
    const XmlElement& piece = required(grid, "Piece");
    points_ = arrays_.count_of(piece, "NumberOfPoints");
    cells_ = arrays_.count_of(piece, "NumberOfCells");
    read_points(required(piece, "Points"));
    read_cells(required(piece, "Cells"));
    if (const XmlElement* data = piece.child(in_, "PointData")) read_point_data(*data);
    return std::move(mesh_);
  }

 private:
  const XmlElement& required(const XmlElement& parent, const char* name) const;
  const XmlElement& array_named(const XmlElement& parent, const char* name) const;
  void read_points(const XmlElement& element);
  void read_cells(const XmlElement& element);
  std::size_t count_tets(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                         std::size_t offset);
  void read_tets(const XmlElement& array, const std::vector<std::int64_t>& offsets,
                 const std::vector<std::int64_t>& types, std::size_t offset);
  void read_point_data(const XmlElement& element);

  [[noreturn]] void fail(const XmlElement& element, const std::string& message) const {
    in_.fail_at(element.offset, message);
  }

  std::string_view bytes_;
  FileCursor in_;
  VtuArrays arrays_;
  TetMesh mesh_;
  std::int64_t points_ = 0, cells_ = 0;
};

const XmlElement& VtuReader::required(const XmlElement& parent, const char* name) const {
  const XmlElement* found = parent.child(in_, name);
  if (found == nullptr) fail(parent, fmt::format("<{}> without <{}>", parent.name, name));
  return *found;
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

void VtuReader::read_points(const XmlElement& element) {
  const XmlElement& array = required(element, "DataArray");
  if (const std::int64_t components = arrays_.components_of(array); components != 3) {
    fail(array, fmt::format("the points have {} components; 3 are needed", components));
  }
  arrays_.read_values(array, points_, 3, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
    mesh_.points.resize(static_cast<std::size_t>(points_));
    for (std::size_t i = begin; i < end; ++i) mesh_.points[i / 3][i % 3] = in.coordinate(type, i / 3);
  });
}

void VtuReader::read_cells(const XmlElement& element) {
  const std::vector<std::int64_t> offsets = arrays_.read_integers(array_named(element, "offsets"), cells_);
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const std::int64_t before = i == 0 ? 0 : offsets[i - 1];
    if (offsets[i] < before || offsets[i] > limits::kMaxElements * 4) {
      fail(element,
           fmt::format("offset {} is {}; it must be from {} on, and rise by 4 for a tet", i, offsets[i], before));
    }
  }
  const std::vector<std::int64_t> types = arrays_.read_integers(array_named(element, "types"), cells_);
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
  arrays_.read_values(
      array, offsets.back(), 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
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
    if (array.name != "DataArray" || arrays_.components_of(array) != 1) continue;  // a vector, or an array of strings
    const std::string name = array.attribute("Name");
    if (mesh_.point_data.count(name) > 0) {
      fail(array, fmt::format("a second point data array {}; names must differ", in_quotes(name)));
    }
    std::vector<double> values;
    arrays_.read_values(array, points_, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
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

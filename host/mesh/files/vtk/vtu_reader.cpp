// SPDX-License-Identifier: Apache-2.0
//
// VTK's XML files (.vtu) of one unstructured grid: points, tets and scalar point data. Cells of other types are left
// out.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "host/mesh/files/vtk/vtk_types.h"
#include "host/mesh/files/vtk/vtu_arrays.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kMaxTypes = 256;

class VtuReader {
 public:
  VtuReader(const std::string& bytes, const std::string& source) : arrays_(bytes, source) {}

  TetMesh read() {
    const pugi::xml_node grid = arrays_.child(arrays_.root(), "UnstructuredGrid");
    const pugi::xml_node piece = arrays_.child(grid, "Piece");
    points_ = arrays_.count_of(piece, "NumberOfPoints");
    cells_ = arrays_.count_of(piece, "NumberOfCells");
    read_points(arrays_.child(piece, "Points"));
    read_cells(arrays_.child(piece, "Cells"));
    if (const pugi::xml_node data = arrays_.find(piece, "PointData")) read_point_data(data);
    return std::move(mesh_);
  }

 private:
  void read_points(pugi::xml_node element) {
    const pugi::xml_node array = arrays_.child(element, "DataArray");
    if (const std::int64_t components = arrays_.components_of(array); components != 3) {
      arrays_.fail(array, "the points have {} components; 3 are needed", components);
    }
    arrays_.read_values(array, points_, 3, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
      mesh_.points.resize(static_cast<std::size_t>(points_));
      for (std::size_t i = begin; i < end; ++i) mesh_.points[i / 3][i % 3] = in.coordinate(type, i / 3);
    });
  }

  void read_cells(pugi::xml_node element) {
    const std::vector<std::int64_t> offsets =
        arrays_.read_integers(arrays_.child(element, "DataArray", "offsets"), cells_);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::int64_t before = i == 0 ? 0 : offsets[i - 1];
      if (offsets[i] < before || offsets[i] > limits::kMaxElements * 4) {
        arrays_.fail(element, "offset {} is {}; it must be from {} on, and rise by 4 for a tet", i, offsets[i], before);
      }
    }
    const std::vector<std::int64_t> types = arrays_.read_integers(arrays_.child(element, "DataArray", "types"), cells_);
    mesh_.tets.reserve(count_tets(offsets, types, element));
    read_tets(arrays_.child(element, "DataArray", "connectivity"), offsets, types, element);
  }

  /// The count of tets, at least one. Notes the other cells.
  std::size_t count_tets(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                         pugi::xml_node cells) {
    std::size_t tets = 0;
    std::map<std::int64_t, std::int64_t> left_out;  // how many cells of each type
    for (std::size_t c = 0; c < types.size(); ++c) {
      if (types[c] != kVtkTetra) {
        if (left_out.size() < kMaxTypes) ++left_out[types[c]];
        continue;
      }
      const std::int64_t points = offsets[c] - (c == 0 ? 0 : offsets[c - 1]);
      if (points != 4) arrays_.fail(cells, "cell {} is a tet of {} points; 4 are needed", c, points);
      ++tets;
    }
    std::string text;
    for (const auto& [type, count] : left_out) {
      text += fmt::format("{}{} cells of type {}", text.empty() ? "" : ", ", count, type);
    }
    if (tets == 0) {
      arrays_.fail(cells, "the mesh has no tets, cells of type {}; at least one is needed{}{}", kVtkTetra,
                   text.empty() ? "" : ", the file has ", text);
    }
    if (!text.empty()) mesh_.notes.push_back("left out of the file: " + text);
    return tets;
  }

  void read_tets(pugi::xml_node array, const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                 pugi::xml_node cells) {
    std::size_t cell = 0;
    Tet tet;
    arrays_.read_values(
        array, offsets.back(), 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t v = in.integer(type);
            while (offsets[cell] <= static_cast<std::int64_t>(i)) ++cell;
            if (types[cell] != kVtkTetra) continue;
            if (v < 0 || v >= points_) {
              arrays_.fail(cells, "cell {} has the point index {}; it must lie in [0, {}]", cell, v, points_ - 1);
            }
            const std::size_t left = static_cast<std::size_t>(offsets[cell]) - i;  // 4 to 1
            tet[4 - left] = static_cast<std::int32_t>(v);
            if (left == 1) mesh_.tets.push_back(tet);
          }
        });
  }

  void read_point_data(pugi::xml_node element) {
    for (const pugi::xml_node array : element.children("DataArray")) {
      if (arrays_.components_of(array) != 1) continue;  // a vector, or an array of strings
      const std::string name = arrays_.attribute(array, "Name");
      if (mesh_.point_data.count(name) > 0) {
        arrays_.fail(array, "a second point data array {}; names must differ", in_quotes(name));
      }
      std::vector<double> values;
      arrays_.read_values(array, points_, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
        values.reserve(static_cast<std::size_t>(points_));
        for (std::size_t i = begin; i < end; ++i) values.push_back(in.real(type));
      });
      mesh_.point_data.emplace(name, std::move(values));
    }
  }

  VtuArrays arrays_;
  TetMesh mesh_;
  std::int64_t points_ = 0, cells_ = 0;
};

}  // namespace

TetMesh parse_vtu(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return VtuReader(bytes, source).read();
}

}  // namespace isopatch

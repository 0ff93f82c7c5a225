// SPDX-License-Identifier: Apache-2.0
//
// VTK's XML files (.vtu) of one unstructured grid in one or several pieces: points, tets and scalar point data. Cells
// of fewer dimensions are left out.
#include <fmt/format.h>

#include <set>
#include <utility>

#include "host/mesh/files/mesh_elements.h"
#include "host/mesh/files/mesh_files.h"
#include "host/mesh/files/vtk/vtk_cells.h"
#include "host/mesh/files/vtk/vtu_arrays.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// The bit of the cell data "vtkGhostType" by which a cell is a copy of one in another piece.
constexpr std::int64_t kDuplicateCell = 1;

class VtuReader {
 public:
  VtuReader(const std::string& bytes, const std::string& source) : arrays_(bytes, source) {}

  TetMesh read() {
    const pugi::xml_node grid = arrays_.child(arrays_.root(), "UnstructuredGrid");
    pugi::xml_node cells = grid;  // where the last ones are
    for (const pugi::xml_node piece : grid.children("Piece")) {
      if (const pugi::xml_node found = read_piece(piece)) cells = found;
    }
    if (pieces_ == 0) arrays_.child(grid, "Piece");
    if (mesh_.tets.empty()) arrays_.fail(cells, "{}", counts_.no_tets(".vtu"));
    check_volumes(cells);
    counts_.note(mesh_);
    if (ghosts_ > 0)
      mesh_.notes.push_back(fmt::format("{} cells are copies of others, by vtkGhostType, and left out", ghosts_));
    keep_whole_fields();
    if (pieces_ > 1) {
      if (const std::int64_t merged = merge_equal_points(mesh_); merged > 0) {
        mesh_.notes.push_back(
            fmt::format("{} points were merged with those at the same place, as of the {} pieces", merged, pieces_));
      }
    }
    if (counts_.count(VtkCellUse::kTetByCorners) > 0) drop_unused_points(mesh_);
    return std::move(mesh_);
  }

 private:
  /// The element with the cells.
  pugi::xml_node read_piece(pugi::xml_node piece) {
    ++pieces_;
    begin_ = mesh_.points.size();
    points_ = arrays_.count_of(piece, "NumberOfPoints");
    cells_ = arrays_.count_of(piece, "NumberOfCells");
    if (points_ + static_cast<std::int64_t>(begin_) > limits::kMaxElements) {
      arrays_.fail(piece, "more than {} points cannot be indexed", limits::kMaxElements);
    }
    if (pieces_ > 1 && points_ == 0 && cells_ == 0) return {};
    read_points(arrays_.child(piece, "Points"));
    const pugi::xml_node cells = arrays_.child(piece, "Cells");
    read_cells(cells, arrays_.find(piece, "CellData"));
    if (const pugi::xml_node data = arrays_.find(piece, "PointData")) read_point_data(data);
    return cells;
  }

  void read_points(pugi::xml_node element) {
    const pugi::xml_node array = arrays_.child(element, "DataArray");
    if (const std::int64_t components = arrays_.components_of(array); components != 3) {
      arrays_.fail(array, "the points have {} components; 3 are needed", components);
    }
    arrays_.read_values(array, points_, 3, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
      mesh_.points.resize(begin_ + static_cast<std::size_t>(points_));
      for (std::size_t i = begin; i < end; ++i) mesh_.points[begin_ + i / 3][i % 3] = in.coordinate(type, i / 3);
    });
  }

  void read_cells(pugi::xml_node element, pugi::xml_node data) {
    const std::vector<std::int64_t> offsets =
        arrays_.read_integers(arrays_.child(element, "DataArray", "offsets"), cells_);
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      const std::int64_t before = i == 0 ? 0 : offsets[i - 1];
      if (offsets[i] < before || offsets[i] > limits::kMaxElements * 4) {
        arrays_.fail(element, "offset {} is {}; it must be from {} on, and rise by 4 for a tet", i, offsets[i], before);
      }
    }
    std::vector<std::int64_t> types = arrays_.read_integers(arrays_.child(element, "DataArray", "types"), cells_);
    leave_out_ghosts(data, types);
    mesh_.tets.reserve(mesh_.tets.size() + count_tets(offsets, types, element));
    read_tets(arrays_.child(element, "DataArray", "connectivity"), offsets, types, element);
  }

  void leave_out_ghosts(pugi::xml_node data, std::vector<std::int64_t>& types) {
    const pugi::xml_node array = data ? arrays_.find(data, "DataArray", "vtkGhostType") : data;
    if (!array || arrays_.components_of(array) != 1) return;
    const std::vector<std::int64_t> ghosts = arrays_.read_integers(array, cells_);
    for (std::size_t c = 0; c < types.size(); ++c) {
      if ((ghosts[c] & kDuplicateCell) == 0) continue;
      types[c] = kVtkEmptyCell;
      ++ghosts_;
    }
  }

  /// The count of tets. Counts the other cells too.
  std::size_t count_tets(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                         pugi::xml_node cells) {
    std::size_t tets = 0;
    for (std::size_t c = 0; c < types.size(); ++c) {
      const VtkCellUse use = vtk_cell_use(types[c]);
      const std::int64_t points = offsets[c] - (c == 0 ? 0 : offsets[c - 1]);
      if (use == VtkCellUse::kUnknown) {
        arrays_.fail(cells, "cell {} has type {}, which is unknown; a tet has type {}", c, types[c], kVtkTetra);
      }
      if (types[c] == kVtkTetra && points != 4) {
        arrays_.fail(cells, "cell {} is a tet of {} points; 4 are needed", c, points);
      }
      if (use == VtkCellUse::kTetByCorners && points < 4) {
        arrays_.fail(cells, "cell {} of type {} has {} points; at least 4 are needed", c, types[c], points);
      }
      if (types[c] != kVtkEmptyCell) counts_.add(types[c]);
      tets += is_tet(types[c]) ? 1 : 0;
    }
    return tets;
  }

  static bool is_tet(std::int64_t type) {
    const VtkCellUse use = vtk_cell_use(type);
    return use == VtkCellUse::kTet || use == VtkCellUse::kTetByCorners;
  }

  void check_volumes(pugi::xml_node cells) const {
    if (counts_.count(VtkCellUse::kVolume) == 0) return;
    arrays_.fail(cells, "beside its tets the mesh has {}; of volumes only tets can be read: {}", counts_.others(),
                 how_to_make_tets(".vtu"));
  }

  void read_tets(pugi::xml_node array, const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& types,
                 pugi::xml_node cells) {
    if (cells_ == 0) return;
    std::size_t cell = 0, corner = 0;
    Tet tet;
    const auto first = static_cast<std::int64_t>(begin_);
    arrays_.read_values(
        array, offsets.back(), 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t v = in.integer(type);
            while (offsets[cell] <= static_cast<std::int64_t>(i)) ++cell, corner = 0;
            if (types[cell] != kVtkTetra && !is_tet(types[cell])) continue;
            if (v < 0 || v >= points_) {
              arrays_.fail(cells, "cell {} has the point index {}; it must lie in [0, {}]", cell, v, points_ - 1);
            }
            if (corner < 4) tet[corner] = static_cast<std::int32_t>(first + v);
            if (++corner == 4) mesh_.tets.push_back(tet);
          }
        });
  }

  /// The values of a piece are appended to those of the pieces before, if each has them.
  void read_point_data(pugi::xml_node element) {
    std::set<std::string> names;
    for (const pugi::xml_node array : element.children("DataArray")) {
      const std::string kind = arrays_.attribute(array, "type");
      if (arrays_.components_of(array) != 1 || kind == "String" || kind == "Bit") continue;
      const std::string name = arrays_.attribute(array, "Name");
      if (!names.insert(name).second) {
        arrays_.fail(array, "a second point data array {}; names must differ", in_quotes(name));
      }
      std::vector<double>& values = mesh_.point_data[name];
      if (values.size() != begin_) continue;
      arrays_.read_values(array, points_, 1, [&](FileCursor& in, ValueType type, std::size_t begin, std::size_t end) {
        values.reserve(begin_ + static_cast<std::size_t>(points_));
        for (std::size_t i = begin; i < end; ++i) values.push_back(in.real(type));
      });
    }
  }

  void keep_whole_fields() {
    std::erase_if(mesh_.point_data, [&](const auto& field) {
      if (field.second.size() == mesh_.points.size()) return false;
      mesh_.notes.push_back(
          fmt::format("the point data {} are not in every piece and were left out", in_quotes(field.first)));
      return true;
    });
  }

  VtuArrays arrays_;
  TetMesh mesh_;
  VtkCellCounts counts_;
  std::int64_t pieces_ = 0, ghosts_ = 0;
  std::size_t begin_ = 0;  // the first point of the piece
  std::int64_t points_ = 0, cells_ = 0;
};

}  // namespace

TetMesh parse_vtu(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return VtuReader(bytes, source).read();
}

}  // namespace isopatch

// SPDX-License-Identifier: Apache-2.0
//
// The types of data and of cells in VTK's legacy and XML files. Tets are taken, tets of higher order by their corners;
// vertices, lines and surfaces are left out with a note; other volumes are not, since a body without them would be
// another one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/mesh/files/file_cursor.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

constexpr std::int64_t kVtkEmptyCell = 0, kVtkQuad = 9, kVtkTetra = 10;

enum class VtkCellUse : std::uint8_t { kTet, kTetByCorners, kLeftOut, kVolume, kUnknown };

VtkCellUse vtk_cell_use(std::int64_t type);

/// In the plural, for messages: "hexahedra".
const char* vtk_cell_name(std::int64_t type);

/// How many cells of each type a file has.
class VtkCellCounts {
 public:
  /// `type` is a known one.
  void add(std::int64_t type) { ++of_type_[static_cast<std::size_t>(type)]; }

  std::int64_t count(VtkCellUse use) const;
  /// "2 cells of type 5 (triangles), 1 cells of type 12 (hexahedra)": all but tets.
  std::string others() const;
  /// Why a file without tets has none: "the mesh has no tets, cells of type 10; ...".
  std::string no_tets(const char* extension) const;
  /// Adds what the reader left out, and what it read by its corners.
  void note(TetMesh& mesh) const;

 private:
  static constexpr std::size_t kTypes = 82;
  std::array<std::int64_t, kTypes> of_type_ = {};
};

/// Whether the corners of a quadrilateral lie so far out of a plane that it is folded by more than a right angle along
/// both diagonals. No surface has such cells; a tet under a wrong type is one.
bool is_folded(const std::vector<Point3>& points, const Tet& quad);

/// The type with a name of legacy files, such as "float", or of XML files, such as "Float32". A name that is unknown or
/// not numeric is an error at the last line that `in` has read.
ValueType legacy_type(const FileCursor& in, std::string_view word);
ValueType xml_type(const FileCursor& in, std::string_view word);

}  // namespace isopatch::detail

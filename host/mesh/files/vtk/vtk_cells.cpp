// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/files/vtk/vtk_cells.h"

#include <fmt/format.h>

#include <initializer_list>

#include "host/mesh/files/mesh_files.h"
#include "host/mesh/math/point_math.h"

namespace isopatch::detail {
namespace {

struct CellKind {
  VtkCellUse use = VtkCellUse::kUnknown;
  const char* name = "";
};

using Kinds = std::array<CellKind, 82>;

/// By type, from VTK's vtkCellType.h.
constexpr Kinds make_kinds() {
  Kinds kinds = {};
  const auto set = [&](VtkCellUse use, const char* name, std::initializer_list<std::size_t> types) {
    for (const std::size_t type : types) kinds[type] = {use, name};
  };
  constexpr auto kOut = VtkCellUse::kLeftOut, kVolume = VtkCellUse::kVolume;
  set(VtkCellUse::kTet, "tets", {10});
  set(VtkCellUse::kTetByCorners, "tets of higher order", {24, 64, 71, 78});
  set(kOut, "empty", {0});
  set(kOut, "vertices", {1, 2});
  set(kOut, "lines", {3, 4});
  set(kOut, "triangles", {5});
  set(kOut, "triangle strips", {6});
  set(kOut, "polygons", {7});
  set(kOut, "quadrilaterals", {8, 9});
  set(kOut, "lines of higher order", {21, 35, 51, 60, 68, 75});
  set(kOut, "triangles of higher order", {22, 34, 53, 61, 69, 76});
  set(kOut, "quadrilaterals of higher order", {23, 28, 30, 52, 54, 62, 70, 77});
  set(kOut, "polygons of higher order", {36, 63});
  set(kVolume, "voxels", {11});
  set(kVolume, "hexahedra", {12});
  set(kVolume, "wedges", {13});
  set(kVolume, "pyramids", {14});
  set(kVolume, "prisms", {15, 16});
  set(kVolume, "hexahedra of higher order", {25, 29, 33, 67, 72, 79});
  set(kVolume, "wedges of higher order", {26, 31, 32, 65, 73, 80});
  set(kVolume, "pyramids of higher order", {27, 37, 66, 74, 81});
  set(kVolume, "polyhedra", {41, 42, 55, 56});
  return kinds;
}

constexpr Kinds kKinds = make_kinds();

CellKind kind_of(std::int64_t type) {
  return type >= 0 && type < std::ssize(kKinds) ? kKinds[static_cast<std::size_t>(type)] : CellKind{};
}

struct TypeName {
  const char* name;
  ValueType type;
};

/// Legacy files store vtkIdType as a 32-bit int.
constexpr TypeName kLegacyTypes[] = {{"bit", ValueType::kBit},
                                     {"unsigned_char", ValueType::kU8},
                                     {"char", ValueType::kI8},
                                     {"signed_char", ValueType::kI8},
                                     {"unsigned_short", ValueType::kU16},
                                     {"short", ValueType::kI16},
                                     {"unsigned_int", ValueType::kU32},
                                     {"int", ValueType::kI32},
                                     {"vtkidtype", ValueType::kI32},
                                     {"unsigned_long", ValueType::kU64},
                                     {"long", ValueType::kI64},
                                     {"vtktypeuint64", ValueType::kU64},
                                     {"vtktypeint64", ValueType::kI64},
                                     {"float", ValueType::kF32},
                                     {"double", ValueType::kF64}};

constexpr TypeName kXmlTypes[] = {
    {"uint8", ValueType::kU8},    {"int8", ValueType::kI8},    {"uint16", ValueType::kU16}, {"int16", ValueType::kI16},
    {"uint32", ValueType::kU32},  {"int32", ValueType::kI32},  {"uint64", ValueType::kU64}, {"int64", ValueType::kI64},
    {"float32", ValueType::kF32}, {"float64", ValueType::kF64}};

template <typename Names>
ValueType find(const FileCursor& in, std::string_view word, const Names& names, const char* examples) {
  const std::string lower = lower_case(word);
  for (const TypeName& known : names) {
    if (lower == known.name) return known.type;
  }
  in.fail("unsupported data type {}; a numeric type such as {} is needed", in_quotes(word), examples);
}

}  // namespace

VtkCellUse vtk_cell_use(std::int64_t type) { return kind_of(type).use; }
const char* vtk_cell_name(std::int64_t type) { return kind_of(type).name; }

std::int64_t VtkCellCounts::count(VtkCellUse use) const {
  std::int64_t sum = 0;
  for (std::size_t type = 0; type < kTypes; ++type) {
    if (of_type_[type] > 0 && vtk_cell_use(static_cast<std::int64_t>(type)) == use) sum += of_type_[type];
  }
  return sum;
}

std::string VtkCellCounts::others() const {
  std::string text;
  for (std::size_t i = 0; i < kTypes; ++i) {
    const auto type = static_cast<std::int64_t>(i);
    const VtkCellUse use = vtk_cell_use(type);
    if (of_type_[i] == 0 || use == VtkCellUse::kTet || use == VtkCellUse::kTetByCorners) continue;
    text += fmt::format("{}{} cells of type {} ({})", text.empty() ? "" : ", ", of_type_[i], type, vtk_cell_name(type));
  }
  return text;
}

std::string VtkCellCounts::no_tets(const char* extension) const {
  std::string text = fmt::format("the mesh has no tets, cells of type {}; at least one is needed", kVtkTetra);
  const std::string found = others();
  if (found.empty()) return text;
  const bool volumes = count(VtkCellUse::kVolume) > 0;
  return text + fmt::format(", the file has {}; {}", found,
                            volumes ? how_to_make_tets(extension) : how_to_make_a_surface(extension));
}

void VtkCellCounts::note(TetMesh& mesh) const {
  if (const std::string found = others(); !found.empty()) mesh.notes.push_back("left out of the file: " + found);
  if (const std::int64_t tets = count(VtkCellUse::kTetByCorners); tets > 0) {
    mesh.notes.push_back(fmt::format("{} tets of higher order were read by their corners", tets));
  }
}

bool is_folded(const std::vector<Point3>& points, const Tet& quad) {
  const auto edge = [&](std::size_t from, std::size_t to) { return points[quad[to % 4]] - points[quad[from % 4]]; };
  const auto along = [&](std::size_t a) {  // the diagonal from corner a
    const Point3 first = cross(edge(a, a + 1), edge(a, a + 2)), second = cross(edge(a, a + 2), edge(a, a + 3));
    return dot(first, second) < 0;
  };
  return along(0) && along(1);
}

ValueType legacy_type(const FileCursor& in, std::string_view word) {
  return find(in, word, kLegacyTypes, "float, double or int");
}

ValueType xml_type(const FileCursor& in, std::string_view word) {
  return find(in, word, kXmlTypes, "Float32, Float64 or Int64");
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// Reads legacy VTK files, versions 2.0 to 5.1: unstructured grids of tets with scalar point data. Cells of fewer
// dimensions are left out. Sections without use for a pressure field (cell data, vectors, text, metadata) are skipped;
// anything unknown is an error.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/files/input_file.h"
#include "host/mesh/files/file_cursor.h"
#include "host/mesh/files/mesh_elements.h"
#include "host/mesh/files/mesh_files.h"
#include "host/mesh/files/vtk/vtk_cells.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// Array names are percent-encoded: "%20" is a space.
std::string decode_name(std::string_view encoded) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
  };
  std::string name;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] == '%' && i + 2 < encoded.size() && digit(encoded[i + 1]) >= 0 && digit(encoded[i + 2]) >= 0) {
      name += static_cast<char>(16 * digit(encoded[i + 1]) + digit(encoded[i + 2]));
      i += 2;
    } else {
      name += encoded[i];
    }
  }
  return name;
}

class VtkReader {
 public:
  VtkReader(const std::string& bytes, const std::string& source) : in_(bytes, source, text_begin(bytes)) {}

  TetMesh read() {
    read_header();
    while (true) {
      const Words words = in_.words();
      if (words.empty()) break;
      read_section(words);
    }
    check_complete();
    if (cells_.count(VtkCellUse::kTetByCorners) > 0) drop_unused_points(mesh_);
    return std::move(mesh_);
  }

 private:
  using Words = std::vector<std::string_view>;
  enum class Attributes { kNone, kPoints, kCells };

  void read_header() {
    read_version();
    in_.line();  // the title, free text

    const Words format = in_.words();
    const std::string name = format.empty() ? "" : lower_case(format[0]);
    if (format.size() != 1 || (name != "ascii" && name != "binary")) {
      in_.fail("the format is {}; it must be ASCII or BINARY", in_quotes(name));
    }

    read_dataset();
    in_.set_binary(name == "binary");
  }

  void read_dataset() {
    const Words dataset = in_.words();
    const bool named = dataset.size() == 2 && lower_case(dataset[0]) == "dataset";
    const std::string kind = named ? lower_case(dataset[1]) : "";
    if (kind == "unstructured_grid") return;
    std::string advice;
    if (kind == "polydata") advice = "; " + how_to_make_a_surface(".vtk");
    if (kind == "structured_points" || kind == "structured_grid" || kind == "rectilinear_grid") {
      advice =
          ": in Python, pyvista.read('in.vtk').cast_to_unstructured_grid().triangulate().save('out.vtk') writes one";
    }
    in_.fail("the dataset is {}; 'DATASET UNSTRUCTURED_GRID' is needed{}",
             in_quotes(dataset.empty() ? "" : dataset.back()), advice);
  }

  void read_version() {
    constexpr std::string_view kMagic = "# vtk datafile version ";
    const std::string first = lower_case(in_.line());
    if (first.rfind(kMagic, 0) != 0) {
      in_.fail("the first line is {}; a legacy VTK file begins with '# vtk DataFile Version 3.0'", in_quotes(first));
    }
    const std::string version = first.substr(kMagic.size());
    const std::size_t end = version.find_last_not_of(" \t");
    const bool well_formed = end == 2 && version[1] == '.' && version[2] >= '0' && version[2] <= '9';
    const char major = well_formed ? version[0] : '?';
    if (!(major >= '2' && major <= '4') && !(major == '5' && version[2] <= '1')) {
      in_.fail("version {}; 2.0 to 5.1 can be read", in_quotes(version));
    }
    has_offsets_ = major == '5';
  }

  void read_section(const Words& words) {
    const std::string keyword = lower_case(words[0]);
    if (keyword == "points") return read_points(words);
    if (keyword == "cells") return read_cells(words);
    if (keyword == "cell_types") return read_cell_types(words);
    if (keyword == "point_data") return begin_attributes(words, Attributes::kPoints, num_points(), has_points_);
    if (keyword == "cell_data") return begin_attributes(words, Attributes::kCells, num_cells(), has_cells_);
    if (keyword == "metadata") return skip_metadata();
    if (keyword == "field") return read_field(words);
    if (owner_ != Attributes::kNone && read_attribute(keyword, words)) return;
    in_.fail("{} is not a section that can stand here", in_quotes(words[0]));
  }

  void read_points(const Words& words) {
    need_words(words, 3, 3, "POINTS count type");
    if (has_points_) in_.fail("a second POINTS section; there must be one");
    const std::int64_t count = in_.count(words[1], "the number of points");
    const ValueType type = legacy_type(in_, words[2]);
    if (count > limits::kMaxElements) in_.fail("{} points; at most {} can be indexed", count, limits::kMaxElements);
    if (type == ValueType::kBit) in_.fail("coordinates of type bit; float or double is needed");
    in_.expect_values(type, count, 3, "POINTS");

    mesh_.points.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < mesh_.points.size(); ++i) {
      for (double& coordinate : mesh_.points[i]) coordinate = in_.coordinate(type, i);
    }
    has_points_ = true;
  }

  void read_cells(const Words& words) {
    need_words(words, 3, 3, "CELLS count size");
    if (has_cells_) in_.fail("a second CELLS section; there must be one");
    if (!has_points_) in_.fail("CELLS before POINTS; the points must come first");
    const std::int64_t count = in_.count(words[1], "the first number of CELLS");
    const std::int64_t size = in_.count(words[2], "the second number of CELLS");
    if (count > limits::kMaxElements) in_.fail("{} cells; at most {} can be indexed", count, limits::kMaxElements);
    cells_begin_ = in_;
    if (has_offsets_) {
      read_offset_cells(count, size);
    } else {
      read_counted_cells(count, size);
    }
    has_cells_ = true;
  }

  /// Up to version 4.2: every cell is its number of points followed by their indices.
  void read_counted_cells(std::int64_t cells, std::int64_t size) {
    const auto fail = [&](std::int64_t found) {
      if (found != 5 * cells) in_.fail("CELLS {} {}: its cells take {} numbers in all", cells, size, found);
      in_.fail("CELLS {} {}: {} tets take 5 numbers each, {} in all", cells, size, cells, 5 * cells);
    };
    if (size < cells) fail(5 * cells);
    in_.expect_values(ValueType::kI32, size, 1, "CELLS");
    offsets_.reserve(static_cast<std::size_t>(cells) + 1);
    vertices_.reserve(static_cast<std::size_t>(size - cells));
    for (std::int64_t c = 0; c < cells; ++c) {
      const std::int64_t count = in_.integer(ValueType::kI32);
      if (count < 0) in_.fail("cell {} has {} points; it must not be negative", c, count);
      in_.expect_values(ValueType::kI32, count, 1, "a cell");
      for (std::int64_t i = 0; i < count; ++i) vertices_.push_back(read_vertex(ValueType::kI32, c));
      offsets_.push_back(static_cast<std::int32_t>(vertices_.size()));
    }
    const std::int64_t found = std::ssize(vertices_) + cells;
    if (size != found) fail(found);
  }

  /// From version 5.0: OFFSETS, one more than there are cells, into CONNECTIVITY.
  void read_offset_cells(std::int64_t offsets, std::int64_t size) {
    if (offsets == 0 && size == 0) return;
    const ValueType offset_type = read_array_header("OFFSETS");
    in_.expect_values(ValueType::kU8, size, 1, "CONNECTIVITY");
    in_.expect_values(offset_type, offsets, 1, "OFFSETS");
    for (std::int64_t i = 0; i < offsets; ++i) {
      const std::int64_t offset = in_.integer(offset_type), before = offsets_.back();
      if (i == 0 ? offset != 0 : offset < before || offset > size) {
        in_.fail("offset {} is {}; it must lie in [{}, {}]", i, offset, before, i == 0 ? 0 : size);
      }
      if (i > 0) offsets_.push_back(static_cast<std::int32_t>(offset));
    }
    if (offsets_.back() != size) {
      in_.fail("CELLS {} {}: the last offset is {}; it must be the number of indices", offsets, size, offsets_.back());
    }

    const ValueType type = read_array_header("CONNECTIVITY");
    in_.expect_values(type, size, 1, "CONNECTIVITY");
    vertices_.reserve(static_cast<std::size_t>(size));
    for (std::size_t c = 0; c + 1 < offsets_.size(); ++c) {
      while (std::ssize(vertices_) < offsets_[c + 1]) {
        vertices_.push_back(read_vertex(type, static_cast<std::int64_t>(c)));
      }
    }
  }

  ValueType read_array_header(const char* keyword) {
    const Words words = in_.words();
    if (words.size() != 2 || lower_case(words[0]) != lower_case(keyword)) {
      in_.fail("{} where '{} vtktypeint64' is expected", in_quotes(words.empty() ? "" : words[0]), keyword);
    }
    return legacy_type(in_, words[1]);
  }

  std::int32_t read_vertex(ValueType type, std::int64_t cell) {
    const std::int64_t vertex = in_.integer(type);
    if (vertex < 0 || vertex >= num_points()) {
      in_.fail("cell {} has the point index {}; it must lie in [0, {}]", cell, vertex, num_points() - 1);
    }
    return static_cast<std::int32_t>(vertex);
  }

  void read_cell_types(const Words& words) {
    need_words(words, 2, 2, "CELL_TYPES count");
    if (has_types_) in_.fail("a second CELL_TYPES section; there must be one");
    if (!has_cells_) in_.fail("CELL_TYPES before CELLS; the cells must come first");
    const std::int64_t count = in_.count(words[1], "the number of cell types");
    if (count != num_cells()) in_.fail("{} cell types; there are {} cells", count, num_cells());
    in_.expect_values(ValueType::kI32, count, 1, "CELL_TYPES");
    mesh_.tets.reserve(vertices_.size() / 4);
    for (std::int64_t c = 0; c < count; ++c) sort_cell(c, in_.integer(ValueType::kI32));
    has_types_ = true;
    vertices_ = {};
    if (count > 0 && mesh_.tets.empty()) in_.fail("{}", cells_.no_tets(".vtk"));
    mesh_.tets.shrink_to_fit();
    cells_.note(mesh_);
  }

  void sort_cell(std::int64_t cell, std::int64_t type) {
    const VtkCellUse use = vtk_cell_use(type);
    const std::int64_t begin = offsets_[cell], points = offsets_[cell + 1] - begin;
    if (use == VtkCellUse::kUnknown) in_.fail("cell {} has type {}, which is unknown; a tet has type 10", cell, type);
    if (use == VtkCellUse::kVolume) {
      fail_in_cell(cell, fmt::format("cell {} has {} points; only tets, with 4, can be read, not {}, type {}: {}", cell,
                                     points, vtk_cell_name(type), type, how_to_make_tets(".vtk")));
    }
    cells_.add(type);
    if (use == VtkCellUse::kLeftOut && !(type == kVtkQuad && points == 4)) return;
    if (type == kVtkTetra && points != 4) fail_of_tet(cell, begin, points);
    if (points < 4) in_.fail("cell {} of type {} has {} points; at least 4 are needed", cell, type, points);
    Tet tet;
    std::copy_n(vertices_.begin() + begin, 4, tet.begin());
    if (use != VtkCellUse::kLeftOut) {
      mesh_.tets.push_back(tet);
    } else if (is_folded(mesh_.points, tet)) {
      in_.fail("cell {} has type {}; only tets, type 10, can be read, and this quadrilateral has the corners of one",
               cell, type);
    }
  }

  [[noreturn]] void fail_of_tet(std::int64_t cell, std::int64_t begin, std::int64_t points) const {
    if (!has_offsets_) fail_in_cell(cell, fmt::format("cell {} is a tet of {} points; 4 are needed", cell, points));
    fail_in_cell(cell, fmt::format("offset {} is {}; cell {} is a tet, with 4 points, so it must be {}", cell + 1,
                                   begin + points, cell, begin + 4));
  }

  /// The error at the place of a cell in CELLS, or of its offset.
  [[noreturn]] void fail_in_cell(std::int64_t cell, const std::string& message) const {
    FileCursor at = cells_begin_;
    if (has_offsets_) {
      const Words header = at.words();
      const ValueType type = legacy_type(at, header[1]);
      at.skip_values(type, cell + 1, 1, "OFFSETS");
      at.integer(type);
    } else {
      for (std::int64_t c = 0; c < cell; ++c) {
        at.skip_values(ValueType::kI32, at.integer(ValueType::kI32), 1, "a cell");
      }
      at.integer(ValueType::kI32);
    }
    at.fail("{}", message);
  }

  void begin_attributes(const Words& words, Attributes owner, std::int64_t count, bool known) {
    need_words(words, 2, 2, owner == Attributes::kPoints ? "POINT_DATA count" : "CELL_DATA count");
    const std::int64_t given = in_.count(words[1], "the number of values");
    if (!known) in_.fail("{} before what it belongs to; POINTS and CELLS must come first", in_quotes(words[0]));
    if (given != count) in_.fail("{} for {} values; the mesh has {}", in_quotes(words[0]), given, count);
    owner_ = owner;
    owner_count_ = count;
  }

  bool read_attribute(const std::string& keyword, const Words& words) {
    if (keyword == "scalars") {
      read_scalars(words);
    } else if (keyword == "vectors" || keyword == "normals") {
      need_words(words, 3, 3, "VECTORS name type");
      skip_array(words, legacy_type(in_, words[2]), 3);
    } else if (keyword == "tensors" || keyword == "tensors6") {
      need_words(words, 3, 3, "TENSORS name type");
      skip_array(words, legacy_type(in_, words[2]), keyword == "tensors" ? 9 : 6);
    } else if (keyword == "global_ids" || keyword == "pedigree_ids" || keyword == "edge_flags") {
      need_words(words, 3, 3, "GLOBAL_IDS name type");
      if (!skip_text(lower_case(words[2]), owner_count_, 1)) skip_array(words, legacy_type(in_, words[2]), 1);
    } else if (keyword == "texture_coordinates") {
      need_words(words, 4, 4, "TEXTURE_COORDINATES name dimension type");
      skip_array(words, legacy_type(in_, words[3]), in_.count(words[2], "the dimension"));
    } else if (keyword == "color_scalars") {
      need_words(words, 3, 3, "COLOR_SCALARS name components");
      skip_array(words, ValueType::kU8, in_.count(words[2], "the number of components"));
    } else if (keyword == "lookup_table") {
      need_words(words, 3, 3, "LOOKUP_TABLE name size");
      in_.skip_values(ValueType::kU8, in_.count(words[2], "the size of the table"), 4, "LOOKUP_TABLE");
    } else {
      return false;
    }
    return true;
  }

  void read_scalars(const Words& words) {
    need_words(words, 3, 4, "SCALARS name type components");
    const std::string name = decode_name(words[1]);
    const ValueType type = legacy_type(in_, words[2]);
    const std::int64_t components = words.size() == 4 ? in_.count(words[3], "the number of components") : 1;

    const Words table = in_.words();
    if (table.size() != 2 || lower_case(table[0]) != "lookup_table") {
      in_.fail("{} after SCALARS; 'LOOKUP_TABLE default' is needed", in_quotes(table.empty() ? "" : table[0]));
    }
    if (owner_ == Attributes::kPoints && components == 1 && type != ValueType::kBit) {
      read_point_field(name, type);
    } else {
      in_.skip_values(type, owner_count_, components, "SCALARS");
    }
  }

  void read_field(const Words& words) {
    need_words(words, 3, 3, "FIELD name count");
    const std::int64_t arrays = in_.count(words[2], "the number of field arrays");
    for (std::int64_t i = 0; i < arrays; ++i) read_field_array();
  }

  void read_field_array() {
    Words words = in_.words();
    if (!words.empty() && lower_case(words[0]) == "metadata" && words.size() == 1) {
      skip_metadata();
      words = in_.words();
    }
    if (words.empty()) in_.fail("the file ends where a field array is expected");
    need_words(words, 4, 4, "name components tuples type");
    const std::int64_t components = in_.count(words[1], "the number of components");
    const std::int64_t tuples = in_.count(words[2], "the number of tuples");
    if (owner_ != Attributes::kNone && tuples != owner_count_) {
      in_.fail("field array {} has {} tuples; {} are needed", in_quotes(words[0]), tuples, owner_count_);
    }
    if (skip_text(lower_case(words[3]), tuples, components)) return;
    const ValueType type = legacy_type(in_, words[3]);
    if (owner_ == Attributes::kPoints && components == 1 && type != ValueType::kBit) {
      read_point_field(decode_name(words[0]), type);
    } else {
      in_.skip_values(type, tuples, components, "FIELD");
    }
  }

  /// Skips an array of strings; false if `type` is of numbers. A string is a line, or in binary files a length and
  /// bytes; a variant, the number of a type and a string, is a line in both.
  bool skip_text(const std::string& type, std::int64_t tuples, std::int64_t components) {
    const bool variant = type == "variant";
    if (!variant && type != "string" && type != "utf8_string") return false;
    const std::size_t left = in_.bytes_left();
    if (components > 0 && static_cast<std::uint64_t>(tuples) > left / static_cast<std::uint64_t>(components)) {
      in_.fail("{} x {} strings, but only {} bytes are left in the file", tuples, components, left);
    }
    const bool lines = variant || !in_.binary();
    for (std::int64_t i = 0; i < tuples * components; ++i) {
      if (in_.at_end()) in_.fail("the file ends within a field array of type {}", type);
      if (lines) {
        in_.line();
      } else {
        in_.skip_values(ValueType::kU8, read_string_length(), 1, "a string");
      }
    }
    return true;
  }

  /// The two highest bits say of how many bytes the length is.
  std::int64_t read_string_length() {
    std::int64_t length = in_.integer(ValueType::kU8);
    const int more = (8 >> (length >> 6)) - 1;
    length &= 63;
    for (int i = 0; i < more; ++i) length = length << 8 | in_.integer(ValueType::kU8);
    return length;
  }

  void read_point_field(const std::string& name, ValueType type) {
    if (mesh_.point_data.count(name) > 0) in_.fail("a second point data array {}; names must differ", in_quotes(name));
    in_.expect_values(type, owner_count_, 1, "point data");
    std::vector<double> values(static_cast<std::size_t>(owner_count_));
    for (double& value : values) value = in_.real(type);
    mesh_.point_data.emplace(name, std::move(values));
  }

  void skip_array(const Words& words, ValueType type, std::int64_t components) {
    in_.skip_values(type, owner_count_, components, std::string(words[0]).c_str());
  }

  /// Metadata ends at an empty line.
  void skip_metadata() {
    while (!in_.at_end()) {
      if (in_.line().find_first_not_of(" \t") == std::string_view::npos) return;
    }
  }

  void check_complete() const {
    if (!has_points_) in_.fail("the file has no POINTS");
    if (!has_cells_) in_.fail("the file has no CELLS");
    if (!has_types_) in_.fail("the file has no CELL_TYPES");
  }

  void need_words(const Words& words, std::size_t least, std::size_t most, const char* form) const {
    if (words.size() >= least && words.size() <= most) return;
    in_.fail("{} has {} words; it must read '{}'", in_quotes(words[0]), words.size(), form);
  }

  std::int64_t num_points() const { return std::ssize(mesh_.points); }
  std::int64_t num_cells() const { return std::ssize(offsets_) - 1; }

  FileCursor in_, cells_begin_ = in_;
  TetMesh mesh_;
  bool has_offsets_ = false;  // from version 5.0 on cells are stored as OFFSETS and CONNECTIVITY
  bool has_points_ = false;
  bool has_cells_ = false;
  bool has_types_ = false;
  Attributes owner_ = Attributes::kNone;
  std::int64_t owner_count_ = 0;
  std::vector<std::int32_t> offsets_ = {0}, vertices_;  // of the cells, until their types are known
  VtkCellCounts cells_;
};

}  // namespace

TetMesh parse_vtk(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return VtkReader(bytes, source).read();
}

TetMesh read_vtk(const std::string& path) { return parse_vtk(read_input_file(path, limits::kMaxMeshBytes), path); }

}  // namespace isopatch

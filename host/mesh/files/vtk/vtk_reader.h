// SPDX-License-Identifier: Apache-2.0
//
// Reads legacy VTK files, versions 2.0 to 5.1: unstructured grids of tets with scalar point data. Sections without use
// for a pressure field (cell data, vectors, metadata) are skipped; anything unknown is an error.
#pragma once

#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

class VtkReader {
 public:
  VtkReader(const std::string& bytes, const std::string& source) : in_(bytes, source) {}

  TetMesh read() {
    read_header();
    while (true) {
      const Words words = in_.words();
      if (words.empty()) break;
      read_section(words);
    }
    check_complete();
    return std::move(mesh_);
  }

 private:
  using Words = std::vector<std::string_view>;
  enum class Attributes { kNone, kPoints, kCells };

  void read_header();
  void read_version();
  void read_section(const Words& words);
  void read_points(const Words& words);
  void read_cells(const Words& words);
  void read_counted_cells(std::int64_t cells, std::int64_t size);
  void read_offset_cells(std::int64_t offsets, std::int64_t size);
  ValueType read_array_header(const char* keyword);
  std::int32_t read_vertex(ValueType type, std::int64_t cell);
  void read_cell_types(const Words& words);
  void begin_attributes(const Words& words, Attributes owner, std::int64_t count, bool known);
  bool read_attribute(const std::string& keyword, const Words& words);
  void read_scalars(const Words& words);
  void read_field(const Words& words);
  void read_field_array();
  void read_point_field(const std::string& name, ValueType type);
  void skip_array(const Words& words, ValueType type, std::int64_t components);
  void skip_metadata();
  void check_complete() const;

  void need_words(const Words& words, std::size_t least, std::size_t most, const char* form) const;
  std::int64_t num_points() const { return std::ssize(mesh_.points); }
  std::int64_t num_cells() const { return std::ssize(mesh_.tets); }

  FileCursor in_;
  TetMesh mesh_;
  bool has_offsets_ = false;  // from version 5.0 on cells are stored as OFFSETS and CONNECTIVITY
  bool has_points_ = false;
  bool has_cells_ = false;
  bool has_types_ = false;
  Attributes owner_ = Attributes::kNone;
  std::int64_t owner_count_ = 0;
};

}  // namespace isopatch::detail

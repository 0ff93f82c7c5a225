// SPDX-License-Identifier: Apache-2.0
//
// Reads Gmsh MSH files of version 2.2 and 4.1, ASCII or binary: nodes, tets, and node data with one value for each
// node. Other elements are left out, other sections skipped.
#pragma once

#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "isopatch/geometry/mesh.h"

namespace isopatch::detail {

class MshReader {
 public:
  MshReader(const std::string& bytes, const std::string& source) : in_(bytes, source) {}

  TetMesh read() {
    read_format();
    while (read_section()) {
    }
    if (!has_nodes_) in_.fail("the file has no $Nodes");
    if (!has_elements_) in_.fail("the file has no $Elements");
    if (mesh_.tets.empty()) {
      in_.fail("the mesh has no tets, elements of type 4; at least one is needed{}{}",
               left_out_.empty() ? "" : ", the file has ", skipped_elements());
    }
    if (!left_out_.empty()) mesh_.notes.push_back("left out of the file: " + skipped_elements());
    take_fields();
    return std::move(mesh_);
  }

 private:
  using Words = std::vector<std::string_view>;

  struct Field {
    std::string name;
    std::vector<std::pair<std::int32_t, double>> values;  // of the nodes that the file has a value for
  };

  void read_format();
  bool read_section();
  void end_section(std::string_view name);
  std::int64_t announced(ValueType type, const char* what);
  void read_nodes_2();
  void read_nodes_4();
  void add_node(std::int64_t tag);
  void read_coordinates(std::size_t node);
  void read_elements_2();
  void read_elements_4();
  void read_elements(std::int64_t type, std::int64_t count, std::int64_t tags, ValueType tag_type);
  int nodes_of(std::int64_t type) const;
  std::int32_t read_node_of(const char* what, std::int64_t number, ValueType tag_type);
  void read_node_data();
  void read_strings(std::string& first);
  void take_fields();
  bool take_field(const Field& field, std::size_t number);
  std::string skipped_elements() const;

  std::int64_t integer(ValueType type = ValueType::kI32) { return in_.integer(type); }

  FileCursor in_;
  TetMesh mesh_;
  bool version_4_ = false;
  bool binary_ = false;
  bool has_nodes_ = false, has_elements_ = false;
  std::unordered_map<std::int64_t, std::int32_t> index_;  // of a node, by its tag
  std::map<std::int64_t, std::int64_t> left_out_;         // how many elements of each type
  std::vector<Field> fields_;
  std::set<std::string> field_names_;
  static constexpr std::size_t kNoTet = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last_field_;  // of each node: the last field with a value for it, counted from 1, or kNoTet
  std::size_t tet_nodes_ = 0;
};

}  // namespace isopatch::detail

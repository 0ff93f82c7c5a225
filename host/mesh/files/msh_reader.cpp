// SPDX-License-Identifier: Apache-2.0
//
// Reads Gmsh MSH files of version 2.2 and 4.1, ASCII or binary: nodes, tets, and node data with one value for each
// node. Tets of higher order are read by their corners. Elements of fewer dimensions are left out, other sections
// skipped.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "host/mesh/files/mesh_elements.h"
#include "host/mesh/files/mesh_files.h"
#include "host/mesh/files/msh_elements.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

/// A field may have values for a few nodes only, but takes memory for every node. All fields together may have one
/// value for each byte of the file, and this many besides.
constexpr std::size_t kMaxSparse = 4'000'000;

/// Whether it is a mesh of MuJoCo: the numbers of vertices, normals, texture coordinates and faces as int32, and these
/// as float32, the faces as int32.
bool is_of_mujoco(const std::string& bytes, const std::string& source) {
  if (bytes.size() < 16) return false;
  FileCursor in(bytes, source);
  in.set_binary(true);
  in.set_byte_order(std::endian::little);
  std::uint64_t expected = 16;
  for (const unsigned size : {12U, 12U, 8U, 12U}) {
    const std::int64_t count = in.integer(ValueType::kI32);
    if (count < 0) return false;
    expected += std::uint64_t{size} * static_cast<std::uint64_t>(count);
  }
  return bytes.size() == expected;
}

class MshReader {
 public:
  MshReader(const std::string& bytes, const std::string& source) : in_(bytes, source, text_begin(bytes)) {
    if (!is_of_mujoco(bytes, source)) return;
    in_.fail(
        "a surface mesh of MuJoCo, which is not Gmsh's format of that extension: in Python, "
        "i = numpy.fromfile('in.msh', 'i4'); trimesh.Trimesh(i[4:4 + 3 * i[0]].view('f4').reshape(-1, 3), "
        "i[-3 * i[3]:].reshape(-1, 3)).export('out.stl') converts it");
  }

  TetMesh read() {
    read_format();
    while (read_section()) {
    }
    if (!has_nodes_) in_.fail("the file has no $Nodes");
    if (!has_elements_) in_.fail("the file has no $Elements");
    check_elements();
    if (groups_.size() > 1) {
      const std::int64_t dropped = drop_tets_of_other_groups(mesh_, groups_);
      if (dropped > 0) mesh_.notes.push_back(fmt::format("{} tets are in several groups and count once", dropped));
    }
    groups_ = {};
    take_fields();
    if (!by_corners_.empty()) {
      mesh_.notes.push_back(msh_names(by_corners_) + " were read by their corners");
      drop_unused_points(mesh_);
    }
    return std::move(mesh_);
  }

 private:
  using Words = std::vector<std::string_view>;

  struct Field {
    std::string name;
    std::vector<std::pair<std::int32_t, double>> values;  // of the nodes that the file has a value for
  };

  void read_format() {
    const Words first = in_.words();
    constexpr const char* kConvert = "gmsh in.msh -save -format msh41 -o out.msh converts it";
    if (!first.empty() && first[0] == "$NOD") in_.fail("a file of Gmsh 1; 2.2 and 4.1 can be read: {}", kConvert);
    if (!first.empty() && first[0].starts_with('(')) {
      in_.fail(
          "a mesh of ANSYS Fluent, which is not Gmsh's format of that extension: in Python, "
          "pyvista.FluentReader('in.msh').read()[0].save('out.vtu') converts its first zone");
    }
    if (first.size() != 1 || first[0] != "$MeshFormat") {
      in_.fail("the first line is {}; a Gmsh file begins with '$MeshFormat'", in_quotes(first.empty() ? "" : first[0]));
    }
    const Words format = in_.words();
    if (format.size() != 3) in_.fail("the format has {} words; it must read '4.1 0 8'", format.size());
    constexpr std::array<std::string_view, 5> kVersions = {"2", "2.0", "2.1", "2.2", "4.1"};  // up to 2.2 as 2.2
    if (std::find(kVersions.begin(), kVersions.end(), format[0]) == kVersions.end()) {
      in_.fail("version {}; 2.2 and 4.1 can be read: {}", in_quotes(format[0]), kConvert);
    }
    if (format[1] != "0" && format[1] != "1") {
      in_.fail("the file type is {}; it must be 0, ASCII, or 1, binary", in_quotes(format[1]));
    }
    if (format[2] != "8") in_.fail("the data size is {}; 8 bytes are needed", in_quotes(format[2]));
    version_4_ = format[0] == "4.1";
    binary_ = format[1] == "1";

    if (binary_) {  // the integer 1 shows the byte order
      in_.set_binary(true);
      in_.set_byte_order(std::endian::little);
      const std::int64_t one = in_.integer(ValueType::kI32);
      if (one != 1 && one != 1 << 24) in_.fail("the number that shows the byte order is {}; it must be 1", one);
      if (one != 1) in_.set_byte_order(std::endian::big);
    }
    end_section("MeshFormat");
  }

  bool read_section() {
    const Words words = in_.words();
    if (words.empty()) return false;
    const std::string_view name = words[0].substr(1);
    if (words.size() != 1 || words[0][0] != '$' || name.empty() || name.substr(0, 3) == "End") {
      in_.fail("{} where a section such as '$Nodes' is expected", in_quotes(words[0]));
    }
    if (name == "Nodes" || name == "ParametricNodes") {
      if (has_nodes_)
        in_.fail("a second ${}; there must be one", name == "Nodes" ? "Nodes" : "Nodes or $ParametricNodes");
      in_.set_binary(binary_);
      version_4_ ? read_nodes_4() : read_nodes_2(name == "ParametricNodes");
      has_nodes_ = true;
    } else if (name == "Elements") {
      if (has_elements_) in_.fail("a second $Elements; there must be one");
      if (!has_nodes_) in_.fail("$Elements before $Nodes; the nodes must come first");
      in_.set_binary(binary_);
      version_4_ ? read_elements_4() : read_elements_2();
      has_elements_ = true;
    } else if (name == "NodeData") {
      if (!has_nodes_) in_.fail("$NodeData before $Nodes; the nodes must come first");
      read_node_data();
    } else {
      const std::string end = "$End" + std::string(name);
      in_.skip_past(end, end.c_str());
      in_.line();
      return true;
    }
    end_section(name);
    return true;
  }

  /// Checks that a section ends after its values.
  void end_section(std::string_view name) {
    in_.set_binary(false);
    const std::string_view found = in_.word();
    const std::string expected = "$End" + std::string(name);
    if (found != expected) {
      in_.fail("{} where '{}' is expected", found.empty() ? "the end of the file" : in_quotes(found), expected);
    }
    in_.line();
  }

  /// A count of elements or nodes, which must fit the file and an index.
  std::int64_t announced(ValueType type, const char* what) {
    const std::int64_t count = in_.count(type, what);
    if (count > limits::kMaxElements)
      in_.fail("{} is {}; at most {} can be indexed", what, count, limits::kMaxElements);
    in_.expect_values(ValueType::kU8, count, 1, what);
    return count;
  }

  /// A count, then a tag and three coordinates for each node; `parametric` ones have the dimension and tag of a
  /// geometric entity besides, and their parameters on a curve or a surface. In ASCII the count has a line of its own,
  /// as any value may.
  void read_nodes_2(bool parametric) {
    // the count is text in binary files too
    in_.set_binary(false);
    const std::int64_t count = announced(ValueType::kI64, "the number of nodes");
    if (binary_) in_.line();
    in_.set_binary(binary_);
    in_.expect_values(binary_ ? ValueType::kF32 : ValueType::kF64, count, binary_ ? 7 : 4, "$Nodes");
    for (std::int64_t i = 0; i < count; ++i) {
      add_node(integer());
      read_coordinates(static_cast<std::size_t>(i));
      if (!parametric) continue;
      const std::int64_t dimension = integer();
      integer();  // the entity's tag
      if (dimension < 0 || dimension > 3) in_.fail("node {} is of dimension {}; it must be 0 to 3", i, dimension);
      if (dimension == 1 || dimension == 2) in_.skip_values(ValueType::kF64, dimension, 1, "the parameters of a node");
    }
  }

  /// Blocks by geometric entity: all tags of a block, then all its coordinates.
  void read_nodes_4() {
    const std::int64_t blocks = announced(ValueType::kU64, "the number of node blocks");
    const std::int64_t count = announced(ValueType::kU64, "the number of nodes");
    in_.skip_values(ValueType::kU64, 2, 1, "the smallest and largest tag");
    for (std::int64_t b = 0; b < blocks; ++b) {
      const std::int64_t dimension = integer();
      integer();  // the entity's tag
      const std::int64_t parametric = integer();
      if (dimension < 0 || dimension > 3) in_.fail("node block {} is of dimension {}; it must be 0 to 3", b, dimension);
      if (parametric != 0 && parametric != 1) {
        in_.fail("node block {} has the parametric flag {}; it must be 0 or 1", b, parametric);
      }
      const std::int64_t nodes = announced(ValueType::kU64, "the number of nodes of a block");
      in_.expect_values(ValueType::kF64, nodes, 4, "$Nodes");
      for (std::int64_t i = 0; i < nodes; ++i) add_node(integer(ValueType::kU64));
      for (std::int64_t i = 0; i < nodes; ++i) {
        read_coordinates(mesh_.points.size());
        if (parametric == 1) in_.skip_values(ValueType::kF64, dimension, 1, "the parameters of a node");
      }
    }
    const auto found = std::ssize(mesh_.points);
    if (found != count) in_.fail("$Nodes announces {} nodes; its blocks have {}", count, found);
  }

  void add_node(std::int64_t tag) {
    if (!index_.emplace(tag, static_cast<std::int32_t>(index_.size())).second) {
      in_.fail("a second node {}; tags must differ", tag);
    }
    if (std::ssize(index_) > limits::kMaxElements)
      in_.fail("more than {} nodes cannot be indexed", limits::kMaxElements);
  }

  void read_coordinates(std::size_t node) {
    Point3 point;
    for (double& coordinate : point) coordinate = in_.coordinate(ValueType::kF64, node);
    mesh_.points.push_back(point);
  }

  void read_elements_2() {
    in_.set_binary(false);
    const std::int64_t count = announced(ValueType::kI64, "the number of elements");
    if (binary_) in_.line();
    in_.set_binary(binary_);
    for (std::int64_t done = 0; done < count;) {
      if (binary_) {  // blocks of elements of one type
        const std::int64_t type = integer();
        const std::int64_t here = in_.count(ValueType::kI32, "the number of elements of a block");
        const std::int64_t tags = in_.count(ValueType::kI32, "the number of tags");
        if (here == 0 || here > count - done) {
          in_.fail("a block of {} elements, where {} of {} are left", here, count - done, count);
        }
        read_elements(type, here, tags, ValueType::kI32);
        done += here;
      } else {  // tag, type, number of tags, tags, nodes
        const std::int64_t element = integer(), type = integer();
        const std::int64_t tags = in_.count(ValueType::kI32, "the number of tags");
        const int nodes = nodes_of(type);
        const std::int64_t group = read_group(tags);
        if (is_msh_tet(type)) {
          if (type != kMshTet) ++by_corners_[type];
          read_tet(element, nodes, ValueType::kI32);
          add_group(group);
        } else {
          ++left_out_[type];
          in_.skip_values(ValueType::kI32, nodes, 1, "the nodes of an element");
        }
        ++done;
      }
    }
  }

  void read_elements_4() {
    const std::int64_t blocks = announced(ValueType::kU64, "the number of element blocks");
    const std::int64_t count = announced(ValueType::kU64, "the number of elements");
    in_.skip_values(ValueType::kU64, 2, 1, "the smallest and largest tag");
    std::int64_t done = 0;
    for (std::int64_t b = 0; b < blocks; ++b) {
      integer();  // dimension
      integer();  // entity
      const std::int64_t type = integer();
      const std::int64_t here = announced(ValueType::kU64, "the number of elements of a block");
      read_elements(type, here, 0, ValueType::kU64);
      done += here;
    }
    if (done != count) in_.fail("$Elements announces {} elements; its blocks have {}", count, done);
  }

  /// `count` elements of one type: a tag, further tags, and nodes.
  void read_elements(std::int64_t type, std::int64_t count, std::int64_t tags, ValueType tag_type) {
    const int nodes = nodes_of(type);
    in_.expect_values(tag_type, count, 1 + tags + nodes, "$Elements");
    const bool tets = is_msh_tet(type);
    if (type != kMshTet && count > 0) (tets ? by_corners_ : left_out_)[type] += count;
    if (!tets) return in_.skip_values(tag_type, count, 1 + tags + nodes, "$Elements");
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t element = integer(tag_type);
      const std::int64_t group = read_group(tags);
      read_tet(element, nodes, tag_type);
      if (!version_4_) add_group(group);
    }
  }

  /// The first tag of an element of version 2 is its physical group.
  std::int64_t read_group(std::int64_t tags) {
    if (tags == 0) return 0;
    const std::int64_t group = integer(ValueType::kI32);
    if (tags > 1) in_.skip_values(ValueType::kI32, tags - 1, 1, "the tags of an element");
    return group;
  }

  /// A volume in several groups has its elements once for each.
  void add_group(std::int64_t group) {
    if (groups_.empty() || groups_.back().group != group) groups_.push_back({mesh_.tets.size() - 1, group});
  }

  void read_tet(std::int64_t element, int nodes, ValueType tag_type) {
    Tet tet;
    for (std::int32_t& v : tet) v = read_node_of("element", element, tag_type);
    mesh_.tets.push_back(tet);
    if (nodes > 4) in_.skip_values(tag_type, nodes - 4, 1, "the nodes of an element");
  }

  void check_elements() {
    const std::string found = msh_names(left_out_);
    const bool volumes = std::any_of(left_out_.begin(), left_out_.end(),
                                     [](const auto& elements) { return is_msh_volume(elements.first); });
    if (mesh_.tets.empty()) {
      const std::string advice = volumes ? how_to_make_tets(".msh") : how_to_make_a_surface(".msh");
      in_.fail("the mesh has no tets, elements of type 4; at least one is needed{}",
               found.empty() ? "" : fmt::format(", the file has {}; {}", found, advice));
    }
    if (volumes) {
      in_.fail("beside its tets the mesh has {}; of volumes only tets can be read: {}", found,
               how_to_make_tets(".msh"));
    }
    if (!found.empty()) mesh_.notes.push_back("left out of the file: " + found);
  }

  int nodes_of(std::int64_t type) const {
    const int nodes = msh_nodes(type);
    if (nodes == 0) in_.fail("the element type {} is unknown; a tet has type {}", type, kMshTet);
    return nodes;
  }

  /// The node whose tag comes next; it belongs to element or value `number`.
  std::int32_t read_node_of(const char* what, std::int64_t number, ValueType tag_type) {
    const std::int64_t tag = integer(tag_type);
    const auto found = index_.find(tag);
    if (found == index_.end()) in_.fail("{} {} has the node {}; $Nodes has no such tag", what, number, tag);
    return found->second;
  }

  /// Names, times and sizes, which are text in binary files too; then for each node its tag and its values.
  void read_node_data() {
    Field field;
    read_strings(field.name);
    const std::int64_t times = in_.count(ValueType::kI64, "the number of real tags");
    in_.skip_values(ValueType::kF64, times, 1, "the real tags");
    const std::int64_t tags = in_.count(ValueType::kI64, "the number of integer tags");
    if (tags < 3) in_.fail("{} integer tags; time step, components and number of nodes are needed", tags);
    integer(ValueType::kI64);  // the time step
    const std::int64_t components = in_.count(ValueType::kI64, "the number of components");
    const std::int64_t count = announced(ValueType::kI64, "the number of nodes with data");
    in_.skip_values(ValueType::kI64, tags - 3, 1, "the integer tags");
    if (binary_) in_.line();
    in_.set_binary(binary_);

    const bool scalar = components == 1;
    if (scalar && !field_names_.insert(field.name).second) {
      in_.fail("a second $NodeData {}; names must differ", in_quotes(field.name));
    }
    in_.expect_values(ValueType::kI32, count, 1, "$NodeData");
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t node = read_node_of("value", i, ValueType::kI32);
      if (!scalar) {
        in_.skip_values(ValueType::kF64, components, 1, "$NodeData");
        continue;
      }
      field.values.emplace_back(node, in_.real(ValueType::kF64));
    }
    if (scalar) fields_.push_back(std::move(field));
  }

  /// A count, then that many strings, one on each line; keeps the first one without its quotes.
  void read_strings(std::string& first) {
    const Words words = in_.words();
    const std::int64_t count = in_.count(words.empty() ? "" : words[0], "the number of string tags");
    for (std::int64_t i = 0; i < count; ++i) {
      if (in_.at_end()) in_.fail("the file ends within the string tags of $NodeData");
      std::string_view text = in_.line();
      if (i > 0) continue;
      const std::size_t open = text.find('"'), close = text.rfind('"');
      first = open < close && close != std::string_view::npos ? text.substr(open + 1, close - open - 1) : text;
    }
  }

  void take_fields() {
    if (fields_.empty()) return;
    last_field_.assign(mesh_.points.size(), kNoTet);
    for (const Tet& tet : mesh_.tets) {
      for (const std::int32_t v : tet) tet_nodes_ += std::exchange(last_field_[v], 0) != 0;
    }
    std::size_t expanded = 0, number = 0;
    for (Field& field : fields_) {
      expanded += take_field(field, ++number) ? mesh_.points.size() : 0;
      field.values = {};
      if (expanded > kMaxSparse + in_.position()) {
        in_.fail("the $NodeData of {} nodes take {} values up to {}; {} can be read from a file of {} bytes",
                 mesh_.points.size(), expanded, in_quotes(field.name), kMaxSparse + in_.position(), in_.position());
      }
    }
  }

  /// A field is usable if it has a value for every node of a tet. Other nodes may have none; they get 0.
  bool take_field(const Field& field, std::size_t number) {
    std::size_t missing = tet_nodes_;
    for (const auto& [node, value] : field.values) {
      std::size_t& last = last_field_[node];
      if (last != kNoTet && std::exchange(last, number) != number) --missing;
    }
    if (missing > 0) {
      mesh_.notes.push_back(fmt::format("$NodeData {} has no value for {} nodes of tets and was left out",
                                        in_quotes(field.name), missing));
      return false;
    }
    std::vector<double> values(mesh_.points.size());
    for (const auto& [node, value] : field.values) values[node] = value;
    mesh_.point_data.emplace(field.name, std::move(values));
    return true;
  }

  std::int64_t integer(ValueType type = ValueType::kI32) { return in_.integer(type); }

  FileCursor in_;
  TetMesh mesh_;
  bool version_4_ = false;
  bool binary_ = false;
  bool has_nodes_ = false, has_elements_ = false;
  std::unordered_map<std::int64_t, std::int32_t> index_;  // of a node, by its tag
  std::map<std::int64_t, std::int64_t> left_out_;         // how many elements of each type
  std::map<std::int64_t, std::int64_t> by_corners_;       // the same of tets of higher order
  std::vector<TetGroup> groups_;                          // of the tets of version 2
  std::vector<Field> fields_;
  std::set<std::string> field_names_;
  static constexpr std::size_t kNoTet = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last_field_;  // of each node: the last field with a value for it, counted from 1, or kNoTet
  std::size_t tet_nodes_ = 0;
};

}  // namespace

TetMesh parse_msh(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return MshReader(bytes, source).read();
}

}  // namespace isopatch

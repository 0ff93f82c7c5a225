// SPDX-License-Identifier: Apache-2.0
//
// PLY files, ASCII or binary of either byte order: the positions of "vertex", the polygons of "face" and the strips of
// "tristrips". Other elements and properties are skipped.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "host/mesh/files/mesh_elements.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

struct Property {
  std::string name;
  ValueType type;
  std::optional<ValueType> count;  // of a list
};

struct Element {
  std::string name;
  std::int64_t count;
  std::vector<Property> properties;
};

std::optional<ValueType> type_named(std::string_view word) {
  constexpr std::pair<std::string_view, ValueType> kTypes[] = {
      {"char", ValueType::kI8},     {"int8", ValueType::kI8},    {"uchar", ValueType::kU8},
      {"uint8", ValueType::kU8},    {"short", ValueType::kI16},  {"int16", ValueType::kI16},
      {"ushort", ValueType::kU16},  {"uint16", ValueType::kU16}, {"int", ValueType::kI32},
      {"int32", ValueType::kI32},   {"uint", ValueType::kU32},   {"uint32", ValueType::kU32},
      {"int64", ValueType::kI64},   {"uint64", ValueType::kU64}, {"float", ValueType::kF32},
      {"float32", ValueType::kF32}, {"double", ValueType::kF64}, {"float64", ValueType::kF64}};
  for (const auto& [name, type] : kTypes) {
    if (word == name) return type;
  }
  return {};
}

class PlyReader {
 public:
  PlyReader(const std::string& bytes, const std::string& source) : in_(bytes, source, text_begin(bytes)) {}

  TriangleMesh read() {
    read_header();
    for (const Element& element : elements_) {
      if (element.properties.empty()) continue;
      if (&element != vertices_ && mesh_.points.empty() && (&element == faces_ || &element == strips_)) {
        in_.fail("{} before 'vertex'; the vertices must come first", in_quotes(element.name));
      }
      in_.expect_values(ValueType::kU8, element.count, std::ssize(element.properties), element.name.c_str());
      for (std::int64_t i = 0; i < element.count; ++i) {
        if (&element == vertices_) {
          read_vertex(element);
        } else if (&element == faces_ || &element == strips_) {
          read_corners(element);
        } else {
          for (const Property& property : element.properties) skip(property);
        }
      }
    }
    return std::move(mesh_);
  }

 private:
  void read_header() {
    const std::vector<std::string_view> first = in_.words();
    if (first.size() != 1 || first[0] != "ply") in_.fail("the first line of a PLY file is 'ply'");
    std::optional<std::endian> order;
    bool has_format = false;
    while (true) {
      const std::vector<std::string_view> words = in_.words();
      if (words.empty()) in_.fail("the file ends without 'end_header'");
      if (words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format" && words.size() > 1) {
        has_format = true;
        if (words[1] == "binary_little_endian") order = std::endian::little;
        if (words[1] == "binary_big_endian") order = std::endian::big;
        if (!order && words[1] != "ascii") {
          in_.fail("the format is {}; it must be ascii, binary_little_endian or binary_big_endian",
                   in_quotes(words[1]));
        }
      } else if (words[0] == "element" && words.size() == 3) {
        elements_.push_back({std::string(words[1]), in_.count(words[2], "the number of elements"), {}});
      } else if (words[0] == "property" && !elements_.empty()) {
        read_property(words);
      } else {
        in_.fail("{} is not a line of a PLY header", in_quotes(words[0]));
      }
    }
    if (!has_format) in_.fail("the header has no 'format'");
    find_elements();
    if (!order) return;
    in_.set_binary(true);
    in_.set_byte_order(*order);
  }

  void read_property(const std::vector<std::string_view>& words) {
    const bool list = words.size() == 5 && words[1] == "list";
    if (!list && words.size() != 3) in_.fail("a property must read 'TYPE NAME' or 'list TYPE TYPE NAME'");
    const std::optional<ValueType> count = list ? known_type(words[2]) : std::optional<ValueType>{};
    elements_.back().properties.push_back({std::string(words.back()), known_type(words[words.size() - 2]), count});
  }

  ValueType known_type(std::string_view word) const {
    const std::optional<ValueType> type = type_named(word);
    if (!type)
      in_.fail("the type {} is unknown; char, uchar, short, ushort, int, uint, float or double is needed",
               in_quotes(word));
    return *type;
  }

  void find_elements() {
    for (const Element& element : elements_) {
      const Element*& found = element.name == "vertex" ? vertices_ : element.name == "face" ? faces_ : strips_;
      if (element.name != "vertex" && element.name != "face" && element.name != "tristrips") continue;
      if (found != nullptr) in_.fail("a second element {}; there must be one", in_quotes(element.name));
      found = &element;
      if (&element == vertices_) {
        for (std::size_t k = 0; k < 3; ++k) find_coordinate(element, k);
      } else if (corners_of(element) == nullptr) {
        in_.fail("{} has no list 'vertex_indices'", in_quotes(element.name));
      }
    }
    if (vertices_ == nullptr) in_.fail("the header has no element 'vertex'");
    if (vertices_->count > limits::kMaxElements) {
      in_.fail("more than {} vertices cannot be indexed", limits::kMaxElements);
    }
  }

  void find_coordinate(const Element& element, std::size_t k) {
    const char name = "xyz"[k];
    for (const Property& property : element.properties) {
      if (property.name.size() == 1 && property.name[0] == name && !property.count) return;
    }
    in_.fail("'vertex' has no property '{}'", name);
  }

  static const Property* corners_of(const Element& element) {
    for (const Property& property : element.properties) {
      if (property.count && (property.name == "vertex_indices" || property.name == "vertex_index")) return &property;
    }
    return nullptr;
  }

  void read_vertex(const Element& element) {
    Point3 point = {};
    for (const Property& property : element.properties) {
      const bool coordinate = property.name.size() == 1 && property.name[0] >= 'x' && property.name[0] <= 'z';
      if (coordinate && !property.count) {
        point[static_cast<std::size_t>(property.name[0] - 'x')] = in_.coordinate(property.type, mesh_.points.size());
      } else {
        skip(property);
      }
    }
    mesh_.points.push_back(point);
  }

  /// Of a face or of strips.
  void read_corners(const Element& element) {
    const Property* const list = corners_of(element);
    for (const Property& property : element.properties) {
      if (&property != list) {
        skip(property);
        continue;
      }
      const std::int64_t count = in_.count(*property.count, "the number of corners");
      in_.expect_values(property.type, count, 1, "the list of corners");
      corners_.clear();
      for (std::int64_t i = 0; i < count; ++i) corners_.push_back(read_corner(property.type, &element == strips_));
      if (&element == strips_) {
        append_strips();
      } else {
        append_face(mesh_, corners_, face_, in_, in_.position());
      }
    }
    ++face_;
  }

  std::int32_t read_corner(ValueType type, bool may_end) {
    const std::int64_t index = in_.integer(type);
    if (index >= 0 && index < std::ssize(mesh_.points)) return static_cast<std::int32_t>(index);
    if (index == -1 && may_end) return -1;
    in_.fail("face {} has the vertex {}; it must lie in [0, {}]", face_, index, std::ssize(mesh_.points) - 1);
  }

  /// -1 ends a strip.
  void append_strips() {
    for (auto begin = corners_.begin(); begin != corners_.end();) {
      const auto end = std::find(begin, corners_.end(), -1);
      append_strip(mesh_, std::span(begin, end));
      begin = end == corners_.end() ? end : end + 1;
    }
  }

  void skip(const Property& property) {
    const std::int64_t count = property.count ? in_.count(*property.count, property.name.c_str()) : 1;
    in_.skip_values(property.type, count, 1, property.name.c_str());
  }

  FileCursor in_;
  TriangleMesh mesh_;
  std::vector<Element> elements_;
  const Element* vertices_ = nullptr;
  const Element* faces_ = nullptr;
  const Element* strips_ = nullptr;
  std::int64_t face_ = 0;
  std::vector<std::int32_t> corners_;
};

}  // namespace

TriangleMesh parse_ply(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return PlyReader(bytes, source).read();
}

}  // namespace isopatch

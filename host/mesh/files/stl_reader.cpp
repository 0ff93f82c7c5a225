// SPDX-License-Identifier: Apache-2.0
//
// STL files, ASCII or binary. Each triangle has its own points: points with the same coordinates become one. The
// normals are not used, since they follow from the order of the corners.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "host/mesh/topology/point_index.h"
#include "host/mesh/topology/point_merging.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

constexpr std::size_t kHeaderBytes = 80;
constexpr std::uint64_t kTriangleBytes = 50;

class StlReader {
 public:
  StlReader(const std::string& bytes, const std::string& source)
      : bytes_(bytes), ascii_(is_ascii()), in_(bytes, source, ascii_ ? text_begin(bytes) : 0) {
    in_.set_byte_order(std::endian::little);
  }

  TriangleMesh read() {
    if (ascii_) {
      read_ascii();
    } else {
      read_binary();
    }
    if (collapsed_ > 0) {
      mesh_.notes.push_back(fmt::format("{} triangles with two corners at the same point were left out", collapsed_));
    }
    return std::move(mesh_);
  }

 private:
  /// A binary file may begin with "solid" too: it has the length that it announces, or a byte of zeros near its
  /// beginning, as in the number of its triangles, which no text has.
  bool is_ascii() const {
    const std::string_view all = bytes_;
    const std::size_t begin = all.find_first_not_of(" \t\r\n\v\f", text_begin(all));
    if (begin == std::string_view::npos || lower_case(all.substr(begin, 5)) != "solid") return false;
    return !(has_count() && bytes_.size() == announced_bytes()) &&
           all.substr(0, kHeaderBytes + 4 + kTriangleBytes).find('\0') == std::string_view::npos;
  }

  bool has_count() const { return bytes_.size() >= kHeaderBytes + 4; }

  std::uint64_t announced_bytes() const {
    std::uint64_t count = 0;
    for (std::size_t i = 4; i-- > 0;) count = count << 8 | static_cast<unsigned char>(bytes_[kHeaderBytes + i]);
    return kHeaderBytes + 4 + kTriangleBytes * count;
  }

  void read_binary() {
    in_.set_binary(true);
    if (!has_count()) {
      in_.fail("{} bytes; an STL file begins with 'solid', or with {} bytes and a number of triangles", bytes_.size(),
               kHeaderBytes);
    }
    in_.skip_values(ValueType::kU8, kHeaderBytes, 1, "the header");
    const std::int64_t count = in_.integer(ValueType::kU32);
    const FileCursor at_count = in_;
    const auto refuse_length = [&] {
      at_count.fail(
          "{} triangles take {} bytes in a binary STL file; this one has {}, and does not begin with 'solid' as an "
          "ASCII "
          "one must",
          count, announced_bytes(), bytes_.size());
    };
    if (bytes_.size() < announced_bytes()) refuse_length();
    for (; facets_ < count; ++facets_) {
      in_.skip_values(ValueType::kF32, 3, 1, "the normal");
      std::array<Point3, 3> corners;
      for (std::size_t i = 0; i < 3; ++i) corners[i] = read_point(i);
      in_.skip_values(ValueType::kU8, 2, 1, "the attribute");
      add(corners);
    }
    if (in_.at_end()) return;
    // more triangles than announced may have been written, or something else that is none
    if (!is_whole()) refuse_length();
    mesh_.notes.push_back(fmt::format("{} bytes after the last triangle were not read", in_.bytes_left()));
  }

  /// One or several solids, each with a name that is free text.
  void read_ascii() {
    while (true) {
      const std::vector<std::string_view> solid = in_.words();
      if (solid.empty()) return;
      if (lower_case(solid[0]) != "solid") {
        in_.fail("{} where 'solid' or the end of the file is expected", in_quotes(solid[0]));
      }
      while (true) {
        const std::string_view word = in_.word();
        const std::string keyword = lower_case(word);
        if (keyword == "endsolid") break;
        if (word.empty() && facets_ > 0 && is_whole()) return;
        if (keyword != "facet") {
          in_.fail("{} after facet {}, where 'facet' or 'endsolid' is expected",
                   word.empty() ? "the end of the file" : in_quotes(word), facets_ - 1);
        }
        read_facet();
      }
      in_.line();  // the name once more
    }
  }

  /// Whether the facets so far are a closed surface, of which none is missing.
  bool is_whole() const {
    if (is_closed(mesh_.triangles)) return true;
    TriangleMesh merged = mesh_;
    return close_within_rounding(merged).has_value();
  }

  void read_facet() {
    expect("normal");
    for (int i = 0; i < 3; ++i) in_.word();  // some programs write "nan" for a normal they do not know
    expect("outer");
    expect("loop");
    std::array<Point3, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      expect("vertex");
      corners[i] = read_point(i);
    }
    expect("endloop");
    expect("endfacet");
    add(corners);
    ++facets_;
  }

  void expect(const char* word) {
    const std::string_view found = in_.word();
    if (lower_case(found) == word) return;
    in_.fail("{} in facet {}, where '{}' is expected", found.empty() ? "the end of the file" : in_quotes(found),
             facets_, word);
  }

  Point3 read_point(std::size_t corner) {
    Point3 point;
    for (double& coordinate : point) {
      coordinate = in_.real(in_.binary() ? ValueType::kF32 : ValueType::kF64);
      if (!std::isfinite(coordinate)) {
        in_.fail("corner {} of facet {} has the coordinate {}; coordinates must be finite", corner, facets_,
                 coordinate);
      }
    }
    return point;
  }

  std::int32_t weld(const Point3& point) {
    if (std::ssize(mesh_.points) == limits::kMaxElements) {
      in_.fail("more than {} points cannot be indexed", limits::kMaxElements);
    }
    return index_.add(point);
  }

  void add(const std::array<Point3, 3>& corners) {
    const Triangle triangle = {weld(corners[0]), weld(corners[1]), weld(corners[2])};
    if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
      ++collapsed_;
    } else {
      mesh_.triangles.push_back(triangle);
    }
  }

  const std::string& bytes_;
  const bool ascii_;
  FileCursor in_;
  TriangleMesh mesh_;
  PointIndex index_{mesh_.points};
  std::int64_t facets_ = 0;
  std::int64_t collapsed_ = 0;
};

}  // namespace

TriangleMesh parse_stl(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return StlReader(bytes, source).read();
}

}  // namespace isopatch

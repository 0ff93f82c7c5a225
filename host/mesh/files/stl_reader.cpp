// SPDX-License-Identifier: Apache-2.0
//
// STL files, ASCII or binary. Each triangle has its own points: points with the same coordinates become one. The
// normals are not used, since they follow from the order of the corners.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "host/mesh/files/file_cursor.h"
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
  StlReader(const std::string& bytes, const std::string& source) : bytes_(bytes), in_(bytes, source) {
    in_.set_byte_order(std::endian::little);
  }

  TriangleMesh read() {
    // a binary file may begin with "solid" too, but an ASCII file hardly ever has the length of a binary one
    const bool solid = lower_case(bytes_.substr(0, 5)) == "solid";
    if (solid && !has_binary_length()) {
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
  bool has_binary_length() {
    if (bytes_.size() < kHeaderBytes + 4) return false;
    std::uint64_t count = 0;
    for (std::size_t i = 4; i-- > 0;) count = count << 8 | static_cast<unsigned char>(bytes_[kHeaderBytes + i]);
    return bytes_.size() == kHeaderBytes + 4 + kTriangleBytes * count;
  }

  void read_binary() {
    in_.set_binary(true);
    if (bytes_.size() < kHeaderBytes + 4) {
      in_.fail("{} bytes; an STL file begins with 'solid', or with {} bytes and a number of triangles", bytes_.size(),
               kHeaderBytes);
    }
    in_.skip_values(ValueType::kU8, kHeaderBytes, 1, "the header");
    const std::int64_t count = in_.integer(ValueType::kU32);
    if (!has_binary_length()) {
      in_.fail(
          "{} triangles take {} bytes in a binary STL file; this one has {}, and does not begin with 'solid' as an "
          "ASCII "
          "one must",
          count, kHeaderBytes + 4 + kTriangleBytes * static_cast<std::uint64_t>(count), bytes_.size());
    }
    for (; facets_ < count; ++facets_) {
      in_.skip_values(ValueType::kF32, 3, 1, "the normal");
      std::array<Point3, 3> corners;
      for (std::size_t i = 0; i < 3; ++i) corners[i] = read_point(i);
      in_.skip_values(ValueType::kU8, 2, 1, "the attribute");
      add(corners);
    }
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
        if (keyword != "facet") {
          in_.fail("{} after facet {}, where 'facet' or 'endsolid' is expected",
                   word.empty() ? "the end of the file" : in_quotes(word), facets_ - 1);
        }
        read_facet();
      }
      in_.line();  // the name once more
    }
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
      coordinate += 0.0;  // makes -0 the same number as 0
    }
    return point;
  }

  std::int32_t weld(const Point3& point) {
    const auto [entry, is_new] = index_.try_emplace(point, static_cast<std::int32_t>(mesh_.points.size()));
    if (is_new) {
      if (std::ssize(mesh_.points) == limits::kMaxElements) {
        in_.fail("more than {} points cannot be indexed", limits::kMaxElements);
      }
      mesh_.points.push_back(point);
    }
    return entry->second;
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
  FileCursor in_;
  TriangleMesh mesh_;
  std::map<Point3, std::int32_t> index_;
  std::int64_t facets_ = 0;
  std::int64_t collapsed_ = 0;
};

}  // namespace

TriangleMesh parse_stl(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return StlReader(bytes, source).read();
}

}  // namespace isopatch

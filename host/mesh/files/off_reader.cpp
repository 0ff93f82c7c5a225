// SPDX-License-Identifier: Apache-2.0
//
// OFF files of Geomview, ASCII: vertices, one a line, and faces, one a line. Normals, colours and texture coordinates
// are skipped.
#include <cmath>
#include <utility>

#include "host/mesh/files/file_cursor.h"
#include "host/mesh/files/mesh_elements.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/geometry/triangle_mesh.h"
#include "isopatch/limits.h"

namespace isopatch {

using namespace detail;

namespace {

class OffReader {
 public:
  OffReader(const std::string& bytes, const std::string& source) : in_(bytes, source, text_begin(bytes)) {}

  TriangleMesh read() {
    read_header();
    for (std::int64_t i = 0; i < vertices_; ++i) read_vertex();
    for (std::int64_t i = 0; i < faces_; ++i) read_face(i);
    if (read_words()) mesh_.notes.push_back("lines after the last face were not read");
    return std::move(mesh_);
  }

 private:
  /// The words of the next line that has any before its comment; false at the end of the file.
  bool read_words() {
    words_.clear();
    while (words_.empty() && !in_.at_end()) {
      line_ = in_.position();
      const std::string_view line = in_.line();
      if (!split_words(line.substr(0, line.find('#')), words_)) in_.fail("more than {} words in one line", kMaxWords);
    }
    return !words_.empty();
  }

  /// "OFF" with prefixes for what vertices have besides their place; the counts may stand behind it, even without
  /// space.
  void read_header() {
    if (!read_words()) in_.fail("the file is empty; an OFF file begins with 'OFF'");
    std::string_view keyword = words_[0];
    const std::size_t end = keyword.find("OFF");
    std::int64_t count = 0;
    if (end != std::string_view::npos) {
      const std::string_view prefix = keyword.substr(0, end);
      if (prefix.find_first_not_of("STCN") != std::string_view::npos) {
        in_.fail("{} files have vertices of other dimensions; OFF, with ST, C or N before it, can be read",
                 in_quotes(keyword));
      }
      keyword.remove_prefix(end + 3);
      if (keyword.empty()) {
        words_.erase(words_.begin());
      } else {
        words_[0] = keyword;
      }
    } else if (!parse_integer(keyword, count)) {
      in_.fail("the first word is {}; an OFF file begins with 'OFF'", in_quotes(keyword));
    }
    if (!words_.empty() && words_[0] == "BINARY") in_.fail("the file is binary; OFF files in ASCII can be read");
    if (words_.empty() && !read_words()) in_.fail("the file ends before the numbers of vertices and faces");
    if (words_.size() < 2) in_.fail("the numbers of vertices and faces are needed in one line");
    vertices_ = in_.count(words_[0], "the number of vertices");
    faces_ = in_.count(words_[1], "the number of faces");
    if (vertices_ > limits::kMaxElements) in_.fail("more than {} vertices cannot be indexed", limits::kMaxElements);
    in_.expect_values(ValueType::kF64, vertices_, 3, "the list of vertices");
    in_.expect_values(ValueType::kI64, faces_, 2, "the list of faces");
  }

  void read_vertex() {
    const std::size_t index = mesh_.points.size();
    if (!read_words()) in_.fail("the file ends before vertex {} of {}", index, vertices_);
    if (words_.size() < 3) in_.fail("vertex {} has {} coordinates; 3 are needed", index, words_.size());
    Point3 point;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!parse_real(words_[k], point[k])) {
        in_.fail("{} is not a number that a double can hold", in_quotes(words_[k]));
      }
      if (!std::isfinite(point[k])) {
        in_.fail("vertex {} has the coordinate {}; coordinates must be finite", index, point[k]);
      }
    }
    mesh_.points.push_back(point);
  }

  void read_face(std::int64_t index) {
    if (!read_words()) in_.fail("the file ends before face {} of {}", index, faces_);
    const std::int64_t corners = in_.count(words_[0], "the number of corners");
    if (corners > std::ssize(words_) - 1) {
      in_.fail("face {} has {} corners; the line has {}", index, corners, words_.size() - 1);
    }
    corners_.clear();
    for (std::int64_t i = 1; i <= corners; ++i) {
      std::int64_t corner = 0;
      if (!parse_integer(words_[static_cast<std::size_t>(i)], corner) || corner < 0 || corner >= vertices_) {
        in_.fail("face {} has the vertex {}; it must lie in [0, {}]", index,
                 in_quotes(words_[static_cast<std::size_t>(i)]), vertices_ - 1);
      }
      corners_.push_back(static_cast<std::int32_t>(corner));
    }
    append_face(mesh_, corners_, index, in_, line_);
  }

  FileCursor in_;
  TriangleMesh mesh_;
  std::int64_t vertices_ = 0, faces_ = 0;
  std::size_t line_ = 0;  // where the words begin
  std::vector<std::string_view> words_;
  std::vector<std::int32_t> corners_;
};

}  // namespace

TriangleMesh parse_off(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return OffReader(bytes, source).read();
}

}  // namespace isopatch

// SPDX-License-Identifier: Apache-2.0
//
// Wavefront OBJ files: vertices and faces. Texture coordinates, normals, groups and materials are skipped; curved
// surfaces are an error.
#include <algorithm>
#include <array>
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

/// Texture, normals, names, lines, points, and how to display all of it.
constexpr std::array<std::string_view, 21> kSkipped = {
    "vt",  "vn",    "vp",       "g",        "o",      "s",      "mg",         "l",         "p",     "usemtl", "mtllib",
    "lod", "bevel", "c_interp", "d_interp", "usemap", "maplib", "shadow_obj", "trace_obj", "ctech", "stech"};

class ObjReader {
 public:
  ObjReader(const std::string& bytes, const std::string& source) : in_(bytes, source, text_begin(bytes)) {}

  TriangleMesh read() {
    // a face may name vertices that follow it; reading twice takes less memory than keeping the faces
    const FileCursor beginning = in_;
    while (read_statement()) {
    }
    in_ = beginning;
    faces_pass_ = true;
    vertices_ = 0;
    while (read_statement()) {
    }
    return std::move(mesh_);
  }

 private:
  /// A statement is a line; a backslash at its end joins it to the next, a '#' begins a comment.
  bool read_statement() {
    if (in_.at_end()) return false;
    const std::size_t offset = in_.position();
    words_.clear();
    for (bool more = true; more && !in_.at_end();) {
      std::string_view text = in_.line();
      text = text.substr(0, text.find('#'));
      text = text.substr(0, text.find_last_not_of(" \t") + 1);
      more = !text.empty() && text.back() == '\\';
      if (more) text.remove_suffix(1);
      if (!split_words(text, words_)) {
        const bool face = words_[0] == "f" || words_[0] == "fo";
        const bool skipped = std::find(kSkipped.begin(), kSkipped.end(), words_[0]) != kSkipped.end();
        if (face) in_.fail_at(offset, "a face of more than {} corners", kMaxWords - 1);
        if (!skipped) in_.fail_at(offset, "a statement of more than {} words", kMaxWords);
      }
    }
    if (words_.empty()) return true;

    if (words_[0] == "v") {
      if (!faces_pass_) read_vertex();
      ++vertices_;
    } else if (words_[0] == "f" || words_[0] == "fo") {
      if (faces_pass_) read_face(offset);
    } else if (std::find(kSkipped.begin(), kSkipped.end(), words_[0]) == kSkipped.end()) {
      in_.fail("{} is not an OBJ statement that can be read; vertices 'v' and faces 'f' are needed",
               in_quotes(words_[0]));
    }
    return true;
  }

  void read_vertex() {
    // x y z, then perhaps a weight, a colour, or both
    if (words_.size() < 4 || words_.size() > 8) {
      in_.fail("vertex {} has {} numbers; it must read 'v x y z'", mesh_.points.size() + 1, words_.size() - 1);
    }
    if (std::ssize(mesh_.points) == limits::kMaxElements) {
      in_.fail("more than {} vertices cannot be indexed", limits::kMaxElements);
    }
    Point3 point;
    for (std::size_t k = 0; k < 3; ++k) {
      if (!parse_real(words_[k + 1], point[k])) {
        in_.fail("{} is not a number that a double can hold", in_quotes(words_[k + 1]));
      }
      if (!std::isfinite(point[k])) {
        in_.fail("vertex {} has the coordinate {}; coordinates must be finite", mesh_.points.size() + 1, point[k]);
      }
    }
    mesh_.points.push_back(point);
  }

  void read_face(std::size_t offset) {
    ++faces_;
    corners_.clear();
    for (std::size_t i = 1; i < words_.size(); ++i) {
      const std::int64_t corner = read_corner(words_[i]);
      if (corner >= std::ssize(mesh_.points)) {
        in_.fail_at(offset, "face {} has the vertex {}; the file has {}", faces_, corner + 1, mesh_.points.size());
      }
      corners_.push_back(static_cast<std::int32_t>(corner));
    }
    append_face(mesh_, corners_, faces_, in_, offset);
  }

  /// The vertex of 'v', 'v/vt', 'v//vn' or 'v/vt/vn', which counts from 1, or back from the last vertex so far. Returns
  /// an index from 0.
  std::int64_t read_corner(std::string_view word) const {
    const std::string_view index = word.substr(0, word.find('/'));
    std::int64_t value = 0;
    if (!parse_integer(index, value)) {
      in_.fail(
          "face {} has the corner {}; it must read 'vertex', 'vertex/texture', 'vertex//normal' or "
          "'vertex/texture/normal'",
          faces_, in_quotes(word));
    }
    const auto before = static_cast<std::int64_t>(vertices_);
    if (value == 0 || value < -before) {
      in_.fail("face {} has the vertex {}; it must be from 1, or from {} to -1", faces_, value, -before);
    }
    return value > 0 ? value - 1 : before + value;
  }

  FileCursor in_;
  TriangleMesh mesh_;
  bool faces_pass_ = false;
  std::size_t vertices_ = 0;  // so far
  std::int64_t faces_ = 0;
  std::vector<std::int32_t> corners_;
  std::vector<std::string_view> words_;
};

}  // namespace

TriangleMesh parse_obj(const std::string& bytes, const std::string& source) {
  const StandardArithmetic standard;
  return ObjReader(bytes, source).read();
}

}  // namespace isopatch

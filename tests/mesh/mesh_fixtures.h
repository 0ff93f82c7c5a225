// SPDX-License-Identifier: Apache-2.0
//
// Common code of the mesh tests: small meshes, the real meshes, and errors caught as text.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "host/mesh/math/point_math.h"
#include "isopatch/error.h"
#include "isopatch/geometry/mesh.h"
#include "tests/support/data_folder.h"

namespace isopatch::testing {

/// The message of the Error that `function` throws; empty, with a failure, if it throws none.
template <typename Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// `read` takes a text, and an Error of it must name its source "m": every beginning of `good`, and `good` with each
/// `step`th byte changed to each of `characters`, are read or refused.
template <typename Read>
void expect_survival(const std::string& good, const std::string& characters, std::size_t step, const Read& read) {
  std::size_t refused = 0;
  const auto try_one = [&](const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      ++refused;
      ASSERT_EQ(std::string(error.what()).rfind("m:", 0), 0U) << error.what();
    }
  };
  for (std::size_t i = 0; i < good.size(); i += step) {
    try_one(good.substr(0, i));
    for (const char c : characters) {
      std::string changed = good;
      changed[i] = c;
      try_one(changed);
    }
  }
  EXPECT_GT(refused, good.size() / step / 2);  // of the beginnings alone
}

/// Reads a real mesh into `mesh`, or skips the test.
#define ISOPATCH_READ_OR_SKIP(mesh, name)                                                 \
  if (!isopatch::have_data_file(name)) GTEST_SKIP() << isopatch::missing_data_file(name); \
  (mesh) = isopatch::read_vtk(isopatch::data_file(name))

inline TetMesh one_tet() { return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}, {}}; }

inline TetMesh two_tets() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 2, 3, 4}}, {}};
}

/// The volume inside outward triangles, by the divergence theorem.
inline double enclosed_volume(const TetMesh& mesh, const std::vector<Triangle>& surface) {
  using namespace detail;
  double six_v = 0;
  for (const auto& [a, b, c] : surface) six_v += dot(cross(point_at(mesh, a), point_at(mesh, b)), point_at(mesh, c));
  return six_v / 6;
}

/// Barycentric coordinates of `p` in the tet.
inline std::array<double, 4> barycentric(const TetMesh& mesh, const Tet& tet, const Point3& p) {
  using namespace detail;
  std::array<double, 4> weights{};
  for (std::size_t i = 0; i < 4; ++i) {
    std::array<Point3, 4> corner{point_at(mesh, tet[0]), point_at(mesh, tet[1]), point_at(mesh, tet[2]),
                                 point_at(mesh, tet[3])};
    corner[i] = p;
    weights[i] = six_volumes(corner[0], corner[1], corner[2], corner[3]) / six_volumes(mesh, tet);
  }
  return weights;
}

}  // namespace isopatch::testing

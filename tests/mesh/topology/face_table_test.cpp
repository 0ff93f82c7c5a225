// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/connectivity.h"

#include <algorithm>
#include <random>
#include <tuple>

#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

// A fan about its first point and one about its last: rows of all lengths, up to nearly all faces in one.
TEST(FaceTable, IsSortedByVerticesThenByTet) {
  std::mt19937_64 random(3);
  for (const std::int32_t hub : {0, 1000}) {
    std::vector<Tet> tets;
    for (int t = 0; t < 6000; ++t) {
      Tet tet = {hub, hub, hub, hub};
      for (std::size_t i = 1; i < 4; ++i) {
        while (std::count(tet.begin(), tet.end(), tet[i]) > 1) tet[i] = static_cast<std::int32_t>(random() % 1001);
      }
      tets.push_back(tet);
    }
    const std::vector<FaceUse> faces = sorted_faces(tets);
    ASSERT_EQ(faces.size(), 4 * tets.size());
    const auto key = [](const FaceUse& use) { return std::tie(use.sorted, use.tet, use.face); };
    for (std::size_t i = 0; i < faces.size(); ++i) {
      Triangle vertices = tet_face(tets[static_cast<std::size_t>(faces[i].tet)], faces[i].face);
      std::sort(vertices.begin(), vertices.end());
      ASSERT_EQ(faces[i].sorted, vertices) << "face " << i;
      ASSERT_TRUE(i == 0 || key(faces[i - 1]) < key(faces[i])) << "face " << i;
    }
  }
}

TEST(FaceTable, OfNoTetsIsEmpty) { EXPECT_TRUE(sorted_faces({}).empty()); }

}  // namespace
}  // namespace isopatch

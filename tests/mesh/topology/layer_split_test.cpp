// SPDX-License-Identifier: Apache-2.0
#include "host/mesh/topology/cuts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <ostream>
#include <random>
#include <set>
#include <utility>

#include "host/mesh/topology/connectivity.h"
#include "tests/mesh/grid_meshes.h"
#include "tests/mesh/mesh_fixtures.h"

namespace isopatch {

using namespace detail;

namespace {

using testing::error_of;

TetMesh plate() { return testing::block_mesh({0.2, 0.2, 0.004}, {4, 4, 2}); }
TetMesh thin_plate() { return testing::block_mesh({0.2, 0.2, 0.004}, {4, 4, 1}); }
TetMesh ring() { return testing::ring_mesh(0.04, 0.004, 0.03, {48, 6, 1}); }

/// Three tets around the edge from point 0 to point 1, the only one that is not on the surface.
TetMesh bipyramid() {
  return {{{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {-1, 2, 0}, {-1, -2, 0}}, {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 2}}, {}};
}

/// A plate whose layers are shifted by half a cell, so that in each face across it two crossing edges are equally long,
/// to the bit.
TetMesh sheared_plate() {
  return testing::grid_mesh({3, 3, 1}, false, [](std::int32_t i, std::int32_t j, std::int32_t k) -> Point3 {
    return {0.25 * i - 0.125 * k, 0.25 * j, 0.125 * k};
  });
}

/// A tet with one on each of its faces: all edges are on the surface, four faces are not.
TetMesh stellated_tet() {
  return {{{.1, .2, .3},
           {1.1, .3, .2},
           {.2, 1.3, .1},
           {.3, .1, 1.2},
           {1, 1.1, .9},
           {-.7, .8, .9},
           {.7, -.6, .8},
           {.6, .7, -.5}},
          {{0, 1, 2, 3}, {1, 2, 3, 4}, {0, 2, 3, 5}, {0, 1, 3, 6}, {0, 1, 2, 7}},
          {}};
}

/// What the mesh is without the numbering of its tets and of their corners.
std::set<Tet> tets_of(const TetMesh& mesh) {
  std::set<Tet> tets;
  for (Tet tet : mesh.tets) {
    std::sort(tet.begin(), tet.end());
    tets.insert(tet);
  }
  return tets;
}

/// The same without the numbering of its points.
std::set<std::array<Point3, 4>> tets_in_space(const TetMesh& mesh) {
  std::set<std::array<Point3, 4>> tets;
  for (const Tet& tet : mesh.tets) {
    std::array<Point3, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = point_at(mesh, tet[i]);
    std::sort(corners.begin(), corners.end());
    tets.insert(corners);
  }
  return tets;
}

std::set<Triangle> surface_of(const TetMesh& mesh) {
  std::set<Triangle> surface;
  for (Triangle t : boundary_triangles(mesh)) {
    std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    surface.insert(t);
  }
  return surface;
}

std::vector<Simplex> crossing_simplices_of(const TetMesh& mesh) {
  return crossing_simplices(mesh, boundary_triangles(mesh));
}

TetMesh with_tets_shuffled(TetMesh mesh, unsigned seed) {
  std::mt19937_64 random(seed);
  std::shuffle(mesh.tets.begin(), mesh.tets.end(), random);
  for (Tet& tet : mesh.tets) {
    std::rotate(tet.begin(), tet.begin() + static_cast<std::ptrdiff_t>(random() % 3), tet.begin() + 3);
  }
  return mesh;
}

TetMesh with_points_shuffled(const TetMesh& mesh, unsigned seed) {
  std::vector<std::int32_t> image(mesh.points.size());
  std::iota(image.begin(), image.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(image.begin(), image.end(), random);
  TetMesh shuffled = mesh;
  for (std::size_t i = 0; i < image.size(); ++i) shuffled.points[static_cast<std::size_t>(image[i])] = mesh.points[i];
  for (Tet& tet : shuffled.tets) {
    for (std::int32_t& v : tet) v = image[static_cast<std::size_t>(v)];
  }
  return shuffled;
}

struct Case {
  const char* name;
  TetMesh (*make)();  // or a file of the data folder
  std::int64_t crossing_edges, all_boundary_tets, split_tets, tets, points;
  bool has_uneven_faces = false;  // with several crossing edges, one of them the longest
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class LayerSplit : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Case& own = GetParam();
    if (own.make != nullptr) {
      before_ = own.make();
    } else {
      ISOPATCH_READ_OR_SKIP(before_, own.name);
    }
    check_and_repair(before_, "m", AllBoundaryTets::kKeep);
    after_ = before_;
    report_ = check_and_repair(after_, "m", AllBoundaryTets::kSplit);
  }

  TetMesh before_, after_;
  MeshReport report_;
};

TEST_P(LayerSplit, ReportsWhatItFoundAndCut) {
  const Case& own = GetParam();
  EXPECT_EQ(report_.crossing_edges, own.crossing_edges);
  EXPECT_EQ(report_.all_boundary_tets, own.all_boundary_tets);
  EXPECT_EQ(report_.split_tets, own.split_tets);
  EXPECT_EQ(report_.tets, own.tets);
  EXPECT_EQ(report_.points, own.points);
}

TEST_P(LayerSplit, LeavesNothingThatCrosses) {
  EXPECT_EQ(crossing_simplices_of(before_).empty(), GetParam().split_tets == 0);
  EXPECT_TRUE(crossing_simplices_of(after_).empty());
  TetMesh again = after_;
  const MeshReport report = check_and_repair(again, "m", AllBoundaryTets::kSplit);
  EXPECT_EQ(report.crossing_edges + report.all_boundary_tets + report.split_tets, 0);
  EXPECT_EQ(again.points, after_.points);
  EXPECT_EQ(again.tets, after_.tets);
}

// A face that is not the same from both sides would be on the surface; one with both tets on one side is refused.
TEST_P(LayerSplit, IsConformingAndKeepsTheSurface) {
  EXPECT_EQ(surface_of(after_), surface_of(before_));
  TetMesh again = after_;
  EXPECT_EQ(check_and_repair(again, "m", AllBoundaryTets::kRefuse).inverted_tets, 0);
  EXPECT_TRUE(std::equal(before_.points.begin(), before_.points.end(), after_.points.begin()));
}

TEST_P(LayerSplit, KeepsTheVolumeToRounding) {
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(after_.tets.size());  // of a sum
  EXPECT_NEAR(volume_of(after_), volume_of(before_), rounding * volume_of(before_));
}

TEST_P(LayerSplit, IsTheSameForAnyOrderOfTets) {
  for (const unsigned seed : {1U, 2U}) {
    TetMesh shuffled = with_tets_shuffled(before_, seed);
    ASSERT_TRUE(before_.tets.size() == 1 || shuffled.tets != before_.tets);
    check_and_repair(shuffled, "m", AllBoundaryTets::kSplit);
    EXPECT_EQ(shuffled.points, after_.points);
    EXPECT_EQ(tets_of(shuffled), tets_of(after_));
  }
}

TEST_P(LayerSplit, IsTheSameForAnyOrderOfPoints) {
  for (const unsigned seed : {1U, 2U}) {
    TetMesh shuffled = with_points_shuffled(before_, seed);
    ASSERT_NE(shuffled.points, before_.points);
    check_and_repair(shuffled, "m", AllBoundaryTets::kSplit);
    EXPECT_EQ(tets_in_space(shuffled), tets_in_space(after_));
  }
}

// In a face with several crossing edges, the middle of the longest is joined to the opposite corner, and later cuts
// leave that edge whole. After a cut of another edge it would be joined to that one's middle.
TEST_P(LayerSplit, BisectsTheLongestEdgeFirst) {
  const std::vector<Simplex> crossing = crossing_simplices_of(before_);
  const auto crosses = [&](std::int32_t i, std::int32_t k) {
    return std::binary_search(crossing.begin(), crossing.end(), Simplex{kNoVertex, kNoVertex, i, k});
  };
  const auto length = [&](std::int32_t i, std::int32_t k) { return norm(point_at(before_, i) - point_at(before_, k)); };
  std::map<Point3, std::int32_t> index;
  for (std::size_t i = 0; i < after_.points.size(); ++i) index[after_.points[i]] = static_cast<std::int32_t>(i);
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Tet& tet : tets_of(after_)) {
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < i; ++k) edges.insert({tet[k], tet[i]});
    }
  }

  bool is_clear = false;
  for (const FaceUse& face : sorted_faces(before_.tets)) {
    const auto [a, b, c] = face.sorted;
    std::vector<std::pair<double, Triangle>> longest;  // with the edge's ends first
    for (const Triangle& t : {Triangle{a, b, c}, Triangle{a, c, b}, Triangle{b, c, a}}) {
      if (crosses(t[0], t[1])) longest.emplace_back(length(t[0], t[1]), t);
    }
    std::sort(longest.rbegin(), longest.rend());
    if (longest.size() < 2 || longest[0].first - longest[1].first < 1e-9) continue;
    is_clear = true;
    const Triangle& t = longest[0].second;
    const std::int32_t middle = index.at(0.5 * (point_at(before_, t[0]) + point_at(before_, t[1])));
    EXPECT_EQ(edges.count({t[2], middle}), 1U) << t[0] << " " << t[1] << " " << t[2];
  }
  EXPECT_EQ(is_clear, GetParam().has_uneven_faces);
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, LayerSplit,
    ::testing::Values(Case{"tet", testing::one_tet, 0, 1, 1, 4, 5}, Case{"two tets", testing::two_tets, 0, 2, 2, 6, 6},
                      Case{"bipyramid", bipyramid, 1, 3, 3, 6, 6}, Case{"plate", plate, 28, 48, 84, 332, 103, true},
                      Case{"thin plate", thin_plate, 49, 96, 96, 360, 99, true},
                      Case{"sheared plate", sheared_plate, 25, 54, 54, 188, 57, true},
                      Case{"stellated tet", stellated_tet, 0, 5, 5, 21, 12},
                      Case{"ring", ring, 1056, 1728, 1728, 7488, 1728, true},
                      Case{"yellow_bell_pepper_no_stem_low.vtk", nullptr, 138, 171, 323, 3164, 805, true},
                      Case{"torus.vtk", nullptr, 24, 25, 67, 399, 139, true},
                      Case{"bubble.vtk", nullptr, 0, 0, 0, 212, 67},
                      Case{"evo_bowl_coarse3k.vtk", nullptr, 0, 0, 0, 3374, 744}));

TEST(LayerSplit, BisectsAnEdgeAndAllTetsAroundIt) {
  TetMesh mesh = bipyramid();
  mesh.point_data["x"] = {1, 2, 0, 0, 0};
  check_and_repair(mesh, "m", AllBoundaryTets::kSplit);
  EXPECT_EQ(mesh.points[5], (Point3{0, 0, 0}));
  EXPECT_EQ(mesh.point_data["x"][5], 1.5);
  EXPECT_EQ(tets_of(mesh),
            (std::set<Tet>{{0, 2, 3, 5}, {1, 2, 3, 5}, {0, 3, 4, 5}, {1, 3, 4, 5}, {0, 2, 4, 5}, {1, 2, 4, 5}}));
}

TEST(LayerSplit, CutsBothTetsOfAFaceInThree) {
  TetMesh mesh = testing::two_tets();
  mesh.point_data["x"] = {100, 1, 2, 3, 200};
  check_and_repair(mesh, "m", AllBoundaryTets::kSplit);
  EXPECT_EQ(mesh.points[5], (Point3{1. / 3, 1. / 3, 1. / 3}));
  EXPECT_EQ(mesh.point_data["x"][5], 2);
  EXPECT_EQ(tets_of(mesh),
            (std::set<Tet>{{0, 1, 2, 5}, {0, 1, 3, 5}, {0, 2, 3, 5}, {1, 2, 4, 5}, {1, 3, 4, 5}, {2, 3, 4, 5}}));
}

// Tets that meet in edges and vertices alone, pockets, and tets on their own.
TEST(LayerSplit, WorksOnAnyPartOfAGrid) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    TetMesh mesh = testing::block_mesh({1, 2, 3}, {3, 3, 3});
    std::erase_if(mesh.tets, [&](const Tet&) { return random() % 10 < static_cast<unsigned>(i % 10); });
    if (mesh.tets.empty()) continue;
    check_and_repair(mesh, "m", AllBoundaryTets::kKeep);
    const std::set<Triangle> surface = surface_of(mesh);
    const double volume = volume_of(mesh);

    check_and_repair(mesh, "m", AllBoundaryTets::kSplit);
    ASSERT_TRUE(crossing_simplices_of(mesh).empty());
    ASSERT_EQ(surface_of(mesh), surface);
    ASSERT_NEAR(volume_of(mesh), volume, 1e-12);
    ASSERT_NO_THROW(check_and_repair(mesh, "m", AllBoundaryTets::kRefuse));
  }
}

TEST(LayerSplit, RefusesATetThatIsTooFlat) {
  TetMesh mesh = testing::one_tet();
  mesh.points[3] = {0.3, 0.3, 2e-15};
  EXPECT_EQ(error_of([&] { check_and_repair(mesh, "m", AllBoundaryTets::kSplit); }),
            "m: tet 0 (vertices 0 1 2 3) is too flat to be split; remove it");
}

/// Every tet with a vertex at its centroid.
TetMesh split_at_centroids(const TetMesh& mesh) {
  TetMesh result = {mesh.points, {}, {}};
  for (const Tet& tet : mesh.tets) {
    Point3 sum = {};
    for (const std::int32_t v : tet) sum = sum + point_at(mesh, v);
    for (std::size_t i = 0; i < 4; ++i) {
      result.tets.push_back(tet);
      result.tets.back()[i] = static_cast<std::int32_t>(result.points.size());
    }
    result.points.push_back(0.25 * sum);
  }
  return result;
}

// A vertex inside every tet is not enough: the extent would be 0 along the edge.
TEST(LayerSplit, BisectsCrossingEdgesOfTetsWithAVertexInside) {
  TetMesh mesh = split_at_centroids(bipyramid());
  const MeshReport report = check_and_repair(mesh, "m", AllBoundaryTets::kSplit);
  EXPECT_EQ(report.all_boundary_tets, 0);
  EXPECT_EQ(report.crossing_edges, 1);
  EXPECT_EQ(report.split_tets, 6);
  EXPECT_EQ(report.tets, 18);
  EXPECT_TRUE(crossing_simplices_of(mesh).empty());
}

TEST(LayerSplit, IsLeftOutOnRequestAndCrossingEdgesCounted) {
  const TetMesh mesh = split_at_centroids(bipyramid());
  for (const AllBoundaryTets policy : {AllBoundaryTets::kKeep, AllBoundaryTets::kRefuse}) {
    TetMesh checked = mesh;
    const MeshReport report = check_and_repair(checked, "m", policy);
    EXPECT_EQ(report.crossing_edges, 1);
    EXPECT_EQ(report.split_tets, 0);
    EXPECT_EQ(checked.tets, mesh.tets);
  }
}

}  // namespace
}  // namespace isopatch

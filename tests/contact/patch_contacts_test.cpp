// SPDX-License-Identifier: Apache-2.0
//
// Patch contacts of polygons that were made up: the same bits by one thread and by 32, and in windows of any size.
#include "isopatch/detail/contact/patch_contacts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/evaluator/patch_results.h"
#include "tests/support/fiber_warp.h"

namespace isopatch::test {
namespace {

using namespace detail;

/// Polygons around a few directions. In pairs they have the same force and normal, so seeds are a matter of order.
std::vector<ElasticPolygon> some_polygons(int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) { return std::uniform_real_distribution<>(low, high)(random); };
  std::vector<ElasticPolygon> polygons;
  for (int i = 0; i < count; ++i) {
    ElasticPolygon p = {};
    const int face = static_cast<int>(random() % 3);
    const Vec3d n = {face == 0 ? 1.0 : number(-.2, .2), face == 1 ? 1.0 : number(-.2, .2), face == 2 ? 1.0 : .1};
    p.normal = (1 / norm(n)) * n;
    const Basis<double> axes = make_basis(p.normal);
    p.u = axes.u, p.v = axes.v;
    p.centroid = {number(-1, 1), number(-1, 1), number(-1, 1)};
    p.force = number(.1, 2);
    p.stiffness = i % 7 == 0 ? 0 : number(10, 20);
    p.xx = number(.01, .02), p.yy = number(.01, .02), p.xy = number(-.005, .005);
    p.x = number(-.1, .1), p.y = number(-.1, .1);
    if (i % 2 == 1) p.normal = polygons.back().normal, p.force = polygons.back().force;
    polygons.push_back(p);
  }
  return polygons;
}

const Scene& scene_of_a_pair() {
  static const Scene scene(boxes_on_ground());
  return scene;
}

/// In windows of so many polygons.
template <int lanes, class Warp>
void write_in_windows(Warp& warp, PatchContacts& contacts, const Results& results,
                      const std::vector<ElasticPolygon>& polygons, int window) {
  const auto count = static_cast<int>(polygons.size());
  if (warp.lane() == 0) contacts.begin(results.max_clusters);
  warp.sync();
  SweepSums<lanes> own;
  do {
    for (int first = 0; first < count; first += window) {
      contacts.add(
          warp, own,
          [&](int i) -> const ElasticPolygon& {
            return polygons[static_cast<std::size_t>(first) + static_cast<std::size_t>(i)];
          },
          first, std::min(window, count - first));
    }
  } while (contacts.finish_sweep(warp, own, results, 0, 0, {.1, .2, .3}));
}

ResultArrays by_one_thread(const std::vector<ElasticPolygon>& polygons, int max_clusters) {
  ResultArrays results = patch_results(scene_of_a_pair(), 1, max_clusters);
  Results to = results.view();
  SerialWarp warp;
  PatchContacts contacts = {};
  write_patch_contacts<kSumLanes>(
      warp, contacts, to, 0, 0, {.1, .2, .3},
      [&](int i) -> const ElasticPolygon& { return polygons[static_cast<std::size_t>(i)]; },
      static_cast<int>(polygons.size()));
  return results;
}

constexpr std::array kCounts = {0, 1, 2, 31, 32, 33, 64, 100};

TEST(PatchContactsOfPolygons, HaveTheSameBitsInWindowsOfAnySize) {
  for (const int count : kCounts) {
    const auto polygons = some_polygons(count, 40 + static_cast<unsigned>(count));
    for (const int clusters : {1, 2, 4}) {
      const ResultArrays expected = by_one_thread(polygons, clusters);
      EXPECT_EQ(expected.patch_count[0] > 0, count > 1);  // of the first polygon the stiffness is 0
      for (const int window : {1, 3, 32, 45}) {
        SCOPED_TRACE(testing::Message() << count << " polygons by " << window << ", " << clusters << " clusters");
        ResultArrays found = patch_results(scene_of_a_pair(), 1, clusters);
        SerialWarp warp;
        PatchContacts contacts = {};
        write_in_windows<kSumLanes>(warp, contacts, found.view(), polygons, window);
        expect_same_patches(found, expected);
      }
    }
  }
}

TEST(PatchContactsOfPolygons, HaveTheSameBitsBy32Threads) {
  FiberGroup<kSumLanes> group;
  for (const int count : kCounts) {
    const auto polygons = some_polygons(count, 50 + static_cast<unsigned>(count));
    for (const int clusters : {1, 3}) {
      const ResultArrays expected = by_one_thread(polygons, clusters);
      for (const int window : {5, 1000}) {
        SCOPED_TRACE(testing::Message() << count << " polygons by " << window << ", " << clusters << " clusters");
        ResultArrays found = patch_results(scene_of_a_pair(), 1, clusters);
        PatchContacts contacts = {};
        group.run(
            [&](FiberWarp<kSumLanes>& warp) { write_in_windows<1>(warp, contacts, found.view(), polygons, window); });
        expect_same_patches(found, expected);
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test

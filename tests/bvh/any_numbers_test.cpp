// SPDX-License-Identifier: Apache-2.0
//
// Whatever values the boxes of a hierarchy have, a traversal ends, stays within its arrays and finds no pair of cells
// twice. A scene refuses meshes that would give such boxes; the traversals do not rely on that.
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "host/cpu/isa/kernels.h"
#include "host/scene/scene_data.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using namespace detail;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();
constexpr float kNumbers[] = {
    std::numeric_limits<float>::quiet_NaN(),  kInfinity, -kInfinity, kMax, -kMax, 1e30f, -1e30f, 0.0f, -0.0f,
    std::numeric_limits<float>::denorm_min(), 1.0f};

/// Replaces about one in `every` values of a node's box.
template <class Numbers>
void spoil(Numbers& numbers, Random& random, int every, float value) {
  for (float& number : numbers) {
    if (random.below(every) == 0) number = value;
  }
}

void spoil(Hierarchy& h, Random& random, int every) {
  const auto any = [&] { return kNumbers[random.below(static_cast<int>(std::size(kNumbers)))]; };
  const float all_the_same = any();
  const bool mixed = random.below(2) == 0;
  const auto value = [&] { return mixed ? any() : all_the_same; };
  for (Node& n : h.nodes) {
    for (auto* numbers : {&n.center, &n.half, &n.velocity, &n.expansion}) spoil(*numbers, random, every, value());
    for (float* number : {&n.low, &n.high, &n.size}) {
      if (random.below(every) == 0) *number = value();
    }
  }
  for (WideNode& n : h.wide_nodes) {
    for (auto* rows : {&n.center, &n.half, &n.velocity, &n.expansion}) {
      for (auto& row : *rows) spoil(row, random, every, value());
    }
    for (auto* row : {&n.low, &n.high, &n.size}) spoil(*row, random, every, value());
  }
}

/// A scene of two bodies with hierarchies that can be spoilt.
struct SpoiltScene {
  Scene scene;
  std::vector<Hierarchy> solids, surfaces;
  std::vector<FieldGeometry> fields;
  std::vector<GeometryView> geometries;
  SceneView view;

  SpoiltScene(const SceneDescription& description, Random& random, int every)
      : scene(description),
        solids(scene.data().geometries.solids),
        surfaces(scene.data().geometries.surfaces),
        fields(scene.data().geometries.fields.begin(), scene.data().geometries.fields.end()),
        geometries(scene.data().geometries.views),
        view(scene.data().view) {
    for (auto* hierarchies : {&solids, &surfaces}) {
      for (Hierarchy& h : *hierarchies) {
        if (!h.cells.empty()) spoil(h, random, every);
      }
    }
    for (std::size_t i = 0; i < geometries.size(); ++i) {
      geometries[i].field = &fields[i];
      if (geometries[i].half_space) continue;
      fields[i].solid = solids[i].view();
      fields[i].surface = surfaces[i].view();
    }
    view.geometries = geometries.data();
  }

  std::int32_t most_wide_nodes() const {
    std::size_t most = 0;
    for (const auto* hierarchies : {&solids, &surfaces}) {
      for (const Hierarchy& h : *hierarchies) most = std::max(most, h.wide_nodes.size());
    }
    return static_cast<std::int32_t>(most);
  }
};

/// Finds every pair of cells that it is handed, and accepts none.
struct Recorder {
  using Accepted = AcceptedCells;

  const PairContext& context;
  std::vector<std::uint8_t>& seen;
  bool twice = false;

  bool wants(const Node& m, const Node& s) const {
    return may_meet(context, box_of(m), box_of(s)) || may_overlap(context, box_of(m), box_of(s));
  }
  bool accepts(const AcceptedCells& cells) {
    const std::int64_t cells_S = context.S.half_space ? 1 : context.S.hierarchy.num_cells;
    std::uint8_t& here = seen.at(static_cast<std::size_t>(cells.m * cells_S + (cells.s < 0 ? 0 : cells.s)));
    twice = twice || here != 0;
    here = 1;
    return false;
  }
  void visit(bool, const AcceptedCells&) const {}
};

void traverse_all_ways(const SpoiltScene& spoilt, unsigned seed) {
  const std::vector<double> poses = {0, 0, 0.07, 1, 0.1, 0, 0, 0, 0, 0, 1, 0, 0, 0.3};
  State state;
  state.num_environments = 1;
  state.poses = {poses.data(), 14};
  SerialWarp warp;
  PairMemory<PairContext> memory;
  begin_pair(warp, memory, spoilt.view, state, 0, 0);
  const PairContext& context = memory.context;
  const std::int64_t cells_S = context.S.half_space ? 1 : context.S.hierarchy.num_cells;
  const std::int64_t pairs = context.M.hierarchy.num_cells * cells_S;

  std::vector<std::uint8_t> seen(static_cast<std::size_t>(pairs));
  Recorder recorder = {context, seen};
  const auto work = std::make_unique<Workspace<1>>();
  traverse(warp, work->traversal, hierarchies_of(context), recorder);
  EXPECT_FALSE(recorder.twice) << "seed " << seed;

  is_enclosed(warp, context);  // ends

  for (const Vectors vectors : {Vectors::kBaseline, Vectors::kBest}) {
    const IsaKernels* kernels = select_kernels(vectors);
    if (kernels == nullptr) continue;
    SimdWorkspace simd_work(spoilt.most_wide_nodes());
    const PartPairWork only[] = {{&context, 0, {}}};
    const auto sum = [&]<class T, bool with_patch>(WrenchSums<T, with_patch>& sums) {
      std::get<SumPartPairs<T, with_patch>>(kernels->pressure_field)({only, 1}, simd_work, &sums, nullptr);
    };
    WrenchSums<float, false> in_float;
    sum(in_float);
    EXPECT_LE(in_float.polygons(), pairs) << "seed " << seed;
    WrenchSums<double, true> in_double;
    sum(in_double);
    EXPECT_LE(in_double.polygons(), pairs) << "seed " << seed;
  }
}

SceneDescription scene_of(const Geometry& a, bool rigid_a, const Geometry& b, bool rigid_b) {
  SceneDescription scene = two_bodies(a, b);
  scene.bodies[0].rigid = rigid_a;
  scene.bodies[1].rigid = rigid_b;
  return scene;
}

TEST(AnyNumbers, LeaveATraversalWithinItsArrays) {
  const Geometry ball = make_sphere("ball", 0.05, 1), box = make_box("box", {0.1, 0.08, 0.2});
  const Geometry ground = make_half_space("ground", 0.1);
  const SceneDescription scenes[] = {scene_of(ball, false, box, false),  scene_of(ball, false, box, true),
                                     scene_of(ball, true, box, false),   scene_of(ball, false, ground, false),
                                     scene_of(box, true, ground, false), scene_of(ball, false, ground, true)};
  for (const SceneDescription& scene : scenes) {
    for (unsigned seed = 0; seed < 100; ++seed) {
      Random random(seed);
      const int every = 1 << random.below(5);
      traverse_all_ways(SpoiltScene(scene, random, every), seed);
    }
  }
}

/// A ball's mesh with any numbers for some of its coordinates and extents.
Geometry any_mesh(Random& random) {
  constexpr double kExtremes[] = {std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::max(),
                                  std::numeric_limits<double>::denorm_min(),
                                  1e50,
                                  -1e39,
                                  1e20,
                                  0.0,
                                  1.0};
  const auto any = [&] { return kExtremes[random.below(static_cast<int>(std::size(kExtremes)))]; };
  Geometry out = make_sphere("ball", 0.05, 1);
  const int every = 1 << random.below(8);
  for (Point3& point : out.mesh.points) {
    for (double& x : point) {
      if (random.below(every) == 0) x = any();
    }
  }
  for (double& extent : out.extent) {
    if (random.below(every) == 0) extent = any();
  }
  return out;
}

TEST(AnyNumbers, MakeAHierarchyOfLimitedDepth) {
  const Geometry box = make_box("box", {0.1, 0.08, 0.2}), ball = make_sphere("ball", 0.05, 1);
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Geometry any = any_mesh(random);
    SpoiltScene spoilt(scene_of(ball, false, box, seed % 3 == 0), random, 1 << 30);
    spoilt.solids[0] = build_hierarchy(tet_cells(any));
    spoilt.surfaces[0] = build_hierarchy(triangle_cells(any));
    for (const Hierarchy* h : {&spoilt.solids[0], &spoilt.surfaces[0]}) {
      EXPECT_LE(h->depth, kMaxDepth);
      std::vector<int> leaves(h->cells.size());
      for (const Node& node : h->nodes) {
        if (node.is_leaf()) ++leaves.at(static_cast<std::size_t>(node.cell()));
      }
      for (const int count : leaves) ASSERT_EQ(count, 1);
    }
    spoilt.fields[0].solid = spoilt.solids[0].view();
    spoilt.fields[0].surface = spoilt.surfaces[0].view();
    traverse_all_ways(spoilt, seed);
  }
}

}  // namespace
}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
//
// The status bit far_side: a wall has been pressed so deep into something soft that its far side has pressure too.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "host/cpu/isa/kernels.h"
#include "host/rollout/simulator_backend.h"
#include "isopatch/scene/scene_file.h"
#include "tests/support/data_folder.h"
#include "tests/support/fiber_evaluator.h"
#include "tests/support/paths/paths.h"
#include "tests/thin_walls/thin_scenes.h"

namespace isopatch::test {
namespace {

using detail::CpuOptions;
using detail::Outputs;
using detail::Vectors;

/// On the cpu backend with any vectors, and on the reference.
std::vector<CpuOptions> all_ways() {
  std::vector<CpuOptions> ways;
  for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
    for (const Vectors vectors : {Vectors::kNone, Vectors::kBaseline, Vectors::kAvx512}) {
      CpuOptions options = {{Backend::kCpu, precision, 1}};
      options.vectors = vectors;
      try {
        detail::select_kernels(vectors);
        ways.push_back(options);
      } catch (const Error&) {  // not on this machine
      }
    }
  }
  ways.push_back({{Backend::kReference, Precision::kDouble, 1}});
  return ways;
}

template <class T>
std::uint32_t status_of_warps(const Scene& scene, int shares) {
  UnwrittenResults results(scene, 1, Outputs::kWrench);
  Results view = results.view();
  view.energy = {};
  const Batch batch(scene.description(), 1);
  FiberEvaluator<T, 32>(shares).evaluate(scene, batch.state(), view);
  return results.status[0];
}

/// The status, which is the same with every backend, in float and double, with any outputs and the bodies swapped.
std::string status_in_all_ways(SceneDescription description) {
  std::string first;
  for (const bool swapped : {false, true}) {
    if (swapped) std::swap((*description.pairs)[0].a, (*description.pairs)[0].b);
    const Scene scene(description);
    const Batch batch(description, 1);
    for (const CpuOptions& options : all_ways()) {
      for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch, Outputs::kPolygons}) {
        const std::string found =
            status_text(evaluate_with(detail::make_evaluator(scene, options), batch, outputs, 1 << 15).status[0]);
        if (first.empty()) first = found;
        EXPECT_EQ(found, first) << "backend " << static_cast<int>(options.backend) << ", outputs "
                                << static_cast<int>(outputs) << ", swapped " << swapped;
        if (options.backend == Backend::kReference) break;
      }
    }
    EXPECT_EQ(status_text(status_of_warps<float>(scene, swapped ? 1 : 4)), first);
    EXPECT_EQ(status_text(status_of_warps<double>(scene, swapped ? 4 : 1)), first);
  }
  return first;
}

// The wall is 4 mm thick. 0.4 % of the pressure is on its far side at 4.2 mm, and 2 % at 4.5 mm.
TEST(FarSide, IsReportedOfARingThatAPadReachesThrough) {
  const Geometry ring = thin_ring({24, 3, 1});
  for (const bool rigid : {false, true}) {
    for (const bool one_sided : {false, true}) {
      SCOPED_TRACE(::testing::Message() << "rigid " << rigid << ", one-sided " << one_sided);
      for (const double depth : {0.004, 0.0042}) {
        EXPECT_EQ(status_in_all_ways(in_pad(ring, rigid, one_sided, depth)), "ok") << depth;
      }
      for (const double depth : {0.0045, 0.005}) {
        EXPECT_EQ(status_in_all_ways(in_pad(ring, rigid, one_sided, depth)), "far_side") << depth;
      }
    }
  }
}

TEST(FarSide, IsReportedOfTwoOneSidedBodies) {
  for (const double depth : {0.004, 0.005}) {
    SceneDescription scene = in_pad(thin_ring({24, 3, 1}), false, true, depth);
    scene.bodies[1].one_sided = true;
    EXPECT_EQ(status_in_all_ways(scene), depth < 0.0045 ? "ok" : "far_side");
  }
}

// There the gradients of tets point up to 120 degrees away from the normal.
TEST(FarSide, IsNotReportedOfABallThatBulgesOverTheRimOfAPad) {
  for (const bool one_sided : {false, true}) {
    for (const double depth : {0.004, 0.006, 0.008}) {
      EXPECT_EQ(status_in_all_ways(in_pad(make_sphere("ball", kRing, 2), true, one_sided, depth)), "ok") << depth;
    }
  }
}

// From 20 mm on it presses against a rim of 10 mm from the inside.
TEST(FarSide, IsReportedOfAStiffBoxDeepInASoftOneBesideIt) {
  for (const double depth : {0.01, 0.02}) {
    const Geometry box = make_box("box", {0.1, 0.1, 0.1});
    SceneDescription scene = two_bodies(box, box);
    scene.bodies[0].modulus = 10 * scene.bodies[1].modulus;
    scene.bodies[0].pose = {0.01, 0, 0.1 - depth, 1, 0, 0, 0};
    EXPECT_EQ(status_in_all_ways(scene), depth < 0.015 ? "ok" : "far_side");
  }
}

// Beside a rigid body nothing is weighed, whichever body is one-sided.
TEST(FarSide, IsReportedOfARigidRingInAOneSidedPad) {
  for (const double depth : {0.004, 0.005}) {
    SceneDescription scene = in_pad(thin_ring({24, 3, 1}), true, false, depth);
    scene.bodies[1].one_sided = true;
    EXPECT_EQ(status_in_all_ways(scene), depth < 0.0045 ? "ok" : "far_side");
  }
}

TEST(FarSide, IsReportedOfAPlateUnderTheSurfaceOfAHalfSpace) {
  for (const double depth : {0.003, 0.005}) {
    for (const bool rigid : {false, true}) {
      for (const bool one_sided : {false, true}) {
        SceneDescription scene = plate_in_ground(depth, 1e9);
        scene.bodies[0].rigid = rigid;
        scene.bodies[0].one_sided = one_sided;
        EXPECT_EQ(status_in_all_ways(scene), depth < 0.004 ? "ok" : "far_side") << rigid << one_sided;
      }
    }
  }
}

TEST(FarSide, IsNotReportedOfPolygonsThatTheGradientFilterDrops) {
  SceneDescription scene = in_pad(thin_ring({24, 3, 1}), false, false, 0.005);
  scene.contact.gradient_filter = true;
  EXPECT_EQ(status_in_all_ways(scene), "ok");
}

/// A ring and a rigid ball on one body; the other has a pad for each of them, the second one stiffer and 1 m away.
SceneDescription ring_and_ball(double depth_of_ring, double depth_of_ball) {
  SceneDescription scene = in_pad(thin_ring({24, 3, 1}), false, false, depth_of_ring);
  scene.geometries.push_back(make_sphere("ball", 0.015, 2));
  const auto at = [](double x, double y) { return std::array<double, 7>{x, y, 0, 1, 0, 0, 0}; };
  const double gap = kRing + 0.01 - depth_of_ring - (0.015 + 0.01 - depth_of_ball);
  scene.bodies[0].parts = {{.geometry = 0}, {.geometry = 2, .pose = at(gap, 1), .rigid = true}};
  scene.bodies[1].parts = {{.geometry = 1}, {.geometry = 1, .pose = at(0, 1), .modulus = 1e6}};
  return scene;
}

// 2 % or 7 % of the pressure on the ring is on its far side. The ball has four times as much pressure, all on its near
// side, and is computed in the other body's frame.
TEST(FarSide, IsOfThePressureOfAllPartPairs) {
  EXPECT_EQ(status_in_all_ways(ring_and_ball(0.0045, -0.001)), "far_side");
  EXPECT_EQ(status_in_all_ways(ring_and_ball(0.0045, 0.006)), "ok");
  EXPECT_EQ(status_in_all_ways(ring_and_ball(0.005, 0.006)), "far_side");
}

/// The names of the bits of one state in float and double.
std::string status_of(const SceneDescription& description) {
  const Scene scene(description);
  const Batch batch(description, 1);
  std::string found =
      status_text(evaluate(scene, batch, {Backend::kCpu, Precision::kDouble, 1}, Outputs::kWrench).status[0]);
  EXPECT_EQ(status_text(evaluate(scene, batch, {Backend::kCpu, Precision::kFloat, 1}, Outputs::kWrench).status[0]),
            found);
  return found;
}

TEST(FarSide, IsNotReportedOfThickBodies) {
  const double turn = std::atan(std::sqrt(2)) / 2;  // a cube on its corner
  SceneDescription corner = two_bodies(make_box("cube", {0.1, 0.1, 0.1}), make_box("slab", {0.4, 0.4, 0.1}));
  SceneDescription balls = two_bodies(make_sphere("a", 0.05, 2), make_sphere("b", 0.05, 2));
  for (const double ratio : {0.1, 1.0, 100.0}) {
    corner.bodies[0].modulus = balls.bodies[0].modulus = ratio * balls.bodies[1].modulus;
    for (const double depth : {0.005, 0.01, 0.02, 0.04}) {
      const double height = 0.05 + 0.05 * std::sqrt(3) - depth, s = std::sin(turn) / std::sqrt(2);
      corner.bodies[0].pose = {0.003, 0.002, height, std::cos(turn), s, -s, 0};
      EXPECT_EQ(status_of(corner), "ok") << "corner, " << ratio << ", " << depth;
      balls.bodies[0].pose = {0, 0.003, 0.1 - depth, 1, 0.1, 0.2, 0};
      EXPECT_EQ(status_of(balls), "ok") << "balls, " << ratio << ", " << depth;
    }
  }
}

TEST(FarSide, IsNotReportedOfAPepper) {
  const std::string file = "yellow_bell_pepper_no_stem_low.vtk";
  if (!have_data_file(file)) GTEST_SKIP() << missing_data_file(file);
  const Geometry pepper = make_tet_mesh("pepper", read_vtk(data_file(file)));
  double lowest = 0;
  for (const Point3& x : pepper.mesh.points) lowest = std::min(lowest, x[2]);
  for (const double depth : {0.002, 0.005, 0.01}) {
    SceneDescription on_slab = two_bodies(pepper, make_box("slab", {0.4, 0.4, 0.1}));
    on_slab.bodies[0].pose[2] = 0.05 - lowest - depth;
    EXPECT_EQ(status_of(on_slab), "ok") << depth;
    SceneDescription on_ball = two_bodies(pepper, make_sphere("ball", 0.1, 2));
    on_ball.bodies[0].pose[2] = 0.1 - lowest - depth;
    EXPECT_EQ(status_of(on_ball), "ok") << depth;
  }
}

TEST(FarSide, IsNotReportedOfTheScenesOfTheBenchmarks) {
  for (const auto& file : std::filesystem::directory_iterator(source_path("bench/scenes"))) {
    if (file.path().extension() != ".json" || file.path().stem() == "pepper_drop") continue;
    EXPECT_EQ(status_of(read_scene(file.path().string())), "ok") << file.path();
  }
}

/// The status of calls of 10 steps.
std::vector<std::string> statuses_of_calls(const Simulator& simulator) {
  RolloutStateArrays state(simulator.scene(), 1);
  std::vector<std::string> found;
  for (int i = 0; i < 3; ++i) {
    simulator.step(state.view(), {}, {}, 10);
    found.push_back(status_text(state.status[0]));
  }
  return found;
}

TEST(FarSide, IsReportedInRollouts) {
  for (const bool one_sided : {false, true}) {
    for (const ContactPoints points : {ContactPoints::kMatched, ContactPoints::kCentroid, ContactPoints::kFan6}) {
      SceneDescription scene = ring_on_path(thin_ring({24, 3, 1}), one_sided);
      scene.rollout.points = points;
      for (const Precision precision : {Precision::kFloat, Precision::kDouble}) {
        for (const Vectors vectors : {Vectors::kNone, Vectors::kBaseline, Vectors::kBest}) {
          CpuOptions options = {{Backend::kCpu, precision, 1}};
          options.vectors = vectors;
          EXPECT_EQ(statuses_of_calls(detail::make_simulator(Scene(scene), options)),
                    (std::vector<std::string>{"ok", "far_side", "far_side"}));
        }
      }
    }
  }
}

}  // namespace
}  // namespace isopatch::test

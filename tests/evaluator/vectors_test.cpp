// SPDX-License-Identifier: Apache-2.0
//
// SimdVectors of any width have the bits of plain arithmetic, and what they leave out contributes nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "host/cpu/isa/kernels.h"
#include "tests/support/hash.h"
#include "tests/support/paths/paths.h"
#include "tests/support/vector_widths.h"

namespace isopatch::test {
namespace {

using detail::Outputs;

struct VectorWidth : ::testing::TestWithParam<Precision> {
  void SetUp() override {
    if (widths().empty()) GTEST_SKIP() << "no SIMD in this build, or none that this machine has";
  }

  UnwrittenResults evaluated(const Scene& scene, const Batch& batch, detail::Vectors vectors, Outputs outputs,
                             bool brute_force = false) const {
    detail::CpuOptions options;
    options.precision = GetParam();
    options.num_threads = 2;
    options.vectors = vectors;
    options.brute_force = brute_force;
    return evaluate_with(detail::make_evaluator(scene, options), batch, outputs);
  }

  /// Expects the bits of plain arithmetic, and of all pairs of cells; returns how many pairs touch.
  int expect_same_bits(const Scene& scene, const Batch& batch) const {
    int touching = 0;
    for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch}) {
      const UnwrittenResults plain = evaluated(scene, batch, detail::Vectors::kNone, outputs);
      const UnwrittenResults all = evaluated(scene, batch, detail::Vectors::kNone, outputs, true);
      for (const detail::Vectors v : widths()) {
        const UnwrittenResults simd = evaluated(scene, batch, v, outputs);
        for (std::size_t e = 0; e < plain.status.size(); ++e) {
          EXPECT_EQ(environment_hash(simd, e), environment_hash(plain, e))
              << name_of(v) << ", environment " << e << ", outputs " << static_cast<int>(outputs);
          EXPECT_EQ(environment_hash(simd, e), environment_hash(all, e))
              << name_of(v) << " against all cells, environment " << e;
        }
      }
      for (const double area : plain.area) touching += area > 0 ? 1 : 0;
    }
    return touching / 2;
  }
};

TEST_P(VectorWidth, DoesNotChangeABitForAnyKindOfPairAndLaw) {
  int touching = 0;
  unsigned seed = 60;
  for (const Quadrature quadrature :
       {Quadrature::kExact, Quadrature::kCentroid, Quadrature::kFan3, Quadrature::kFan6}) {
    for (const DissipationModel model : {DissipationModel::kHuntCrossley, DissipationModel::kPfc}) {
      ContactOptions contact;
      contact.quadrature = quadrature;
      contact.dissipation_model = model;
      contact.gradient_filter = model == DissipationModel::kPfc;
      const Scene scene(mixed_scene(contact));
      touching += expect_same_bits(scene, random_batch(scene, 6, ++seed, 0.16, true));
    }
  }
  EXPECT_GT(touching, 100);
}

TEST_P(VectorWidth, DoesNotChangeABitOfHalfSpacesWithLayers) {
  for (const DissipationModel model : {DissipationModel::kHuntCrossley, DissipationModel::kPfc}) {
    ContactOptions contact;
    contact.dissipation_model = model;
    const Scene scene(with_layers(mixed_scene(contact)));
    EXPECT_GT(expect_same_bits(scene, random_batch(scene, 8, 71, 0.16, true)), 20);
  }
}

TEST_P(VectorWidth, DoesNotChangeABitAtRest) {
  const Scene scene(mixed_scene());
  Batch batch = random_batch(scene, 8, 70);
  batch.velocities.clear();
  EXPECT_GT(expect_same_bits(scene, batch), 20);
}

// Fields with a constant far above their variation, and moduli far apart, are where a margin in float could be missed.
TEST_P(VectorWidth, LeavesNothingOutWhereExtentsHaveALargeConstantAndModuliAreFarApart) {
  for (const double ratio : {1.0, 1e-4, 1e6, 1e12}) {
    SceneDescription description;
    for (const char* name : {"a", "b"}) {
      Geometry ball = make_sphere(name, 0.05, 2);
      TetMesh mesh = ball.mesh;
      mesh.point_data["extent"] = ball.extent;
      for (double& extent : mesh.point_data["extent"]) extent = 1000 + extent;
      FieldOptions given;
      given.kind = FieldOptions::Kind::kPointData;
      description.geometries.push_back(make_tet_mesh(name, mesh, given));
    }
    description.bodies.resize(2);
    for (std::size_t i = 0; i < 2; ++i) {
      description.bodies[i].name = description.geometries[i].name;
      description.bodies[i].geometry = static_cast<int>(i);
      description.bodies[i].modulus = i == 0 ? 1e5 : 1e5 * ratio;
    }
    description.pairs = {{0, 1, {}, {}}};
    const Scene scene(description);
    const int touching = expect_same_bits(scene, random_batch(scene, 4, 71, 0.12));
    EXPECT_TRUE(touching >= 2 || ratio != 1.0) << touching << " of 4 environments touch";
  }
}

TEST_P(VectorWidth, LeavesNothingOutOfSmallAndFarMeshes) {
  for (const double size : {1e-4, 1.0, 1e3}) {
    TetMesh mesh = make_sphere("ball", 0.05 * size, 2).mesh;
    for (auto& point : mesh.points) point[0] += 3 * size;  // far from its own origin
    const Scene scene(two_bodies(make_tet_mesh("a", mesh), make_tet_mesh("b", mesh)));
    Batch batch = random_batch(scene, 6, 72);
    for (std::size_t e = 0; e < 6; ++e) {
      for (int b = 0; b < 2; ++b) {
        double* pose = batch.poses.data() + e * 14 + static_cast<std::size_t>(7 * b);
        const double depth = size * 0.05 * std::pow(0.5, static_cast<double>(e));
        pose[0] = pose[2] = 0;
        pose[1] = b == 0 ? 0 : size * 0.1 - depth;
        pose[3] = 1;
        pose[4] = b == 0 ? 0 : 0.3;  // about the x axis, on which the balls lie
        pose[5] = pose[6] = 0;
      }
    }
    EXPECT_GE(expect_same_bits(scene, batch), 5) << "size " << size;
  }
}

// The ground's surface just touches the mesh, so that the largest pressure at a polygon's corner is -0.
TEST_P(VectorWidth, DoesNotChangeTheSignOfAPressureOfZero) {
  const std::string file = source_path("tests/fuzz/corpus/vtk/pressure_of_minus_zero.vtk");
  const Scene scene(two_bodies(make_half_space("ground", 1), make_tet_mesh("mesh", read_vtk(file))));
  Batch batch = Batch::of_two_bodies(1);
  batch.poses = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  expect_same_bits(scene, batch);
  EXPECT_FALSE(std::signbit(evaluated(scene, batch, detail::Vectors::kNone, Outputs::kPatch).max_pressure[0]));
}

TEST(VectorWidthChoice, OfAMachineWithoutItIsAnError) {
  detail::CpuOptions options;
  options.vectors = detail::Vectors::kAvx512;
  const Scene scene(boxes_on_ground());
  try {
    const Evaluator evaluator = detail::make_evaluator(scene, options);
    EXPECT_NE(detail::select_kernels(detail::Vectors::kAvx512), nullptr);
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("avx512"), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, VectorWidth, ::testing::Values(Precision::kFloat, Precision::kDouble),
                         [](const auto& instance) { return instance.param == Precision::kFloat ? "Float" : "Double"; });

}  // namespace
}  // namespace isopatch::test

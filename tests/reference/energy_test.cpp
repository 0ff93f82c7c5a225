// SPDX-License-Identifier: Apache-2.0
//
// The static wrench is minus the derivative of the elastic energy by the pose.
#include "tests/reference/oracle_helpers.h"

namespace isopatch::oracle {
namespace {

struct Energy : Oracle {};

TEST_P(Energy, ItsDerivativeIsTheWrench) {
  constexpr double kTolerance = 1e-6;
  constexpr double kStep = 1e-7;  // m, 1e-6 of the size; the truncation error is about (step/depth)^2
  constexpr unsigned kSeeds = 10;
  for (PairKind kind : kAllPairKinds) {
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const SceneDescription scene = random_scene(kind, seed);
      std::vector<Eigen::Matrix<double, 6, 1>> motions;
      for (Eigen::Index i = 0; i < 6; ++i) {
        const double step = i < 3 ? kStep : kStep / kLever;
        motions.push_back(step * Eigen::Matrix<double, 6, 1>::Unit(i));
        motions.push_back(-step * Eigen::Matrix<double, 6, 1>::Unit(i));
      }

      const std::vector<double> energy = energies(scene, motions, GetParam());
      Vector3d force, torque;
      for (Eigen::Index i = 0; i < 3; ++i) {
        const auto k = static_cast<std::size_t>(2 * i);
        force[i] = -(energy[k] - energy[k + 1]) / (2 * kStep);
        torque[i] = -(energy[k + 6] - energy[k + 7]) / (2 * kStep / kLever);
      }
      const Outcome outcome = evaluate(scene, GetParam());
      ASSERT_GT(outcome.force.norm(), 0);
      EXPECT_LT(relative_error(force, torque, outcome.force, outcome.torque), kTolerance)
          << name_of(kind) << ", seed " << seed << "\nfrom energy " << force.transpose() << ", " << torque.transpose()
          << "\nevaluated   " << outcome.force.transpose() << ", " << outcome.torque.transpose();
    }
  }
}

ISOPATCH_INSTANTIATE_ORACLE(Energy);

}  // namespace
}  // namespace isopatch::oracle

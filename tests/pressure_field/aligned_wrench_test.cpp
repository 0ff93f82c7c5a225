// SPDX-License-Identifier: Apache-2.0
//
// The wrench where cells, faces or whole bodies coincide. Where the pressures of the two bodies are equal throughout a
// volume, the energy has a kink: the wrench jumps as the bodies pass that pose, and at the pose it is one of those
// beside it. Elsewhere it is that of the poses beside it.
#include <algorithm>
#include <cmath>

#include "tests/pressure_field/aligned.h"

namespace isopatch::test {
namespace {

struct AlignedWrench : Degenerate {};

constexpr double kModulus = 1e5;
constexpr double kStep = 1e-8;  // m

bool is_float(const BackendCase& backend) { return backend.precision == Precision::kFloat; }

/// What is beside a pose, on all sides.
struct Beside {
  std::vector<std::vector<Outcome>> sides;  // by direction, then pose

  Beside(const Meeting& meeting, const std::vector<Pose>& poses, unsigned seed) {
    constexpr int kLines = 3;
    Random random(seed);
    for (int line = 0; line < kLines; ++line) {
      const Vector3d step = kStep * generic_direction(random);
      for (const double sign : {1.0, -1.0}) {
        std::vector<Pose> nudged;
        for (const Pose& pose : poses) nudged.push_back(moved(pose, sign * step));
        sides.push_back(evaluate(meeting.scene, nudged, reference()));
      }
    }
  }

  /// The largest difference of a result between `at` and the sides.
  double distance(std::size_t pose, const Vector3d& at, Vector3d Outcome::*result) const {
    double largest = 0;
    for (const auto& side : sides) largest = std::max(largest, (side[pose].*result - at).norm());
    return largest;
  }

  double area_distance(std::size_t pose, double at) const {
    double largest = 0;
    for (const auto& side : sides) largest = std::max(largest, std::fabs(side[pose].area - at));
    return largest;
  }

  /// Whether each component of the force is between those of the sides.
  bool encloses(std::size_t pose, const Vector3d& force, double tolerance) const {
    Vector3d least = sides[0][pose].force, greatest = least;
    for (const auto& side : sides) {
      least = least.cwiseMin(side[pose].force);
      greatest = greatest.cwiseMax(side[pose].force);
    }
    return ((force - least).array() >= -tolerance).all() && ((greatest - force).array() >= -tolerance).all();
  }
};

void expect_as_nudged(const Meeting& meeting, int count, unsigned seed, const BackendCase& backend) {
  constexpr double kSlope = 100;           // of every result, over modulus and size: sizes are 1, gradients 2 to 7
  constexpr double kAreaTolerance = 1e-5;  // polygons' areas, up to 10 in all, are float
  // with equal moduli there can be surfaces where the pressures are equal and do not cross
  const Body& other = meeting.scene.bodies[1];
  const bool with_area = other.rigid || other.modulus != meeting.scene.bodies[0].modulus;
  const std::vector<Pose> poses = aligned_poses(meeting, count, seed);
  const std::vector<Outcome> at = evaluate(meeting.scene, poses, backend);
  const Beside beside(meeting, poses, seed);
  int smooth = 0, wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Outcome& one = beside.sides[0][i];
    const double slope = kSlope * kModulus * kStep;
    const double tolerance = is_float(backend) ? 1e-4 * (one.force.norm() + 1e-2 * kModulus) : slope;
    const bool kink = beside.distance(i, one.force, &Outcome::force) > slope ||
                      beside.distance(i, one.torque, &Outcome::torque) > slope;
    smooth += kink ? 0 : 1;
    bool good = beside.encloses(i, at[i].force, tolerance);
    if (!kink) {
      good = good && beside.distance(i, at[i].force, &Outcome::force) <= tolerance &&
             beside.distance(i, at[i].torque, &Outcome::torque) <= tolerance &&
             beside.distance(i, at[i].directed_area, &Outcome::directed_area) <= kAreaTolerance &&
             (!with_area || beside.area_distance(i, at[i].area) <= kAreaTolerance);
    }
    if (!good && wrong++ == 0) first = i;
  }
  EXPECT_EQ(wrong, 0) << meeting.name << ", of " << count << "; the first: force " << at[first].force.transpose()
                      << ", beside it " << beside.sides[0][first].force.transpose() << " and "
                      << beside.sides[1][first].force.transpose() << "; area " << at[first].area << ", beside it "
                      << beside.sides[0][first].area << "; at" << text_of(poses[first]);
  EXPECT_GT(smooth, count / 5) << meeting.name;
}

TEST_P(AlignedWrench, OfEqualBodiesIsThatOfTheNudgedPose) {
  unsigned seed = 40;
  for (const Geometry& shape : aligned_shapes()) expect_as_nudged(on_itself(shape), 200, seed++, GetParam());
}

TEST_P(AlignedWrench, OfOtherPairsIsThatOfTheNudgedPose) {
  unsigned seed = 50;
  for (const Geometry& shape : aligned_shapes()) {
    for (const Meeting& meeting : other_meetings(shape)) expect_as_nudged(meeting, 50, seed++, GetParam());
  }
}

/// Slopes of the energy to both sides of a pose along one of six directions, without the term that is linear in the
/// step: the energy is a polynomial of degree four to either side of it.
struct Slopes {
  static constexpr double kHalfStep = 1e-5;  // m and rad
  static constexpr std::size_t kPoses = 4;   // forward by one and two steps, backward by one and two

  static void add_poses(const Pose& pose, Eigen::Index direction, std::vector<Pose>& poses) {
    for (const double steps : {1.0, 2.0, -1.0, -2.0}) {
      const Vector3d by = steps * kHalfStep * Vector3d::Unit(direction % 3);
      poses.push_back(direction < 3 ? moved(pose, by) : turned(pose, by));
    }
  }

  double forward, backward;
  Slopes(double at, const double* beside) {
    const auto slope = [&](double one, double two) { return (2 * (one - at) - (two - at) / 2) / kHalfStep; };
    forward = slope(beside[0], beside[1]);
    backward = -slope(beside[2], beside[3]);
  }
};

/// A pose and its slopes along the first three or all six directions.
struct SlopesOfPoses {
  int smooth = 0, kinks = 0, wrong = 0;
  double largest = 0;
  std::string worst;

  void add(const Meeting& meeting, const std::vector<Pose>& candidates, Eigen::Index directions,
           const BackendCase& backend) {
    constexpr double kKink = 1e-7;  // of the force: rounding of the energy over the step is below 1e-9
    const double tolerance = is_float(backend) ? 1e-4 : 1e-6;
    std::vector<Pose> poses, beside;
    std::vector<Outcome> at;
    const std::vector<Outcome> outcomes = evaluate(meeting.scene, candidates, backend);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (outcomes[i].force.norm() < 1e-3 * kModulus) continue;  // nothing to compare with
      poses.push_back(candidates[i]);
      at.push_back(outcomes[i]);
      for (Eigen::Index k = 0; k < directions; ++k) Slopes::add_poses(candidates[i], k, beside);
    }
    const std::vector<double> energy = energies(meeting.scene, poses, backend);
    const std::vector<double> energy_beside = energies(meeting.scene, beside, backend);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const double force = at[i].force.norm();
      bool kink = false;
      double error = 0;
      for (Eigen::Index k = 0; k < directions; ++k) {
        const auto index = i * static_cast<std::size_t>(directions) + static_cast<std::size_t>(k);
        const Slopes slopes(energy[i], energy_beside.data() + index * Slopes::kPoses);
        const double component = k < 3 ? at[i].force[k] : at[i].torque[k - 3];
        kink = kink || std::fabs(slopes.forward - slopes.backward) > kKink * force;
        error = std::max(error, std::fabs((slopes.forward + slopes.backward) / 2 + component) / force);
      }
      ++(kink ? kinks : smooth);
      if (kink) continue;
      wrong += error <= tolerance ? 0 : 1;
      if (!(error <= largest)) largest = error, worst = meeting.name + " at" + text_of(poses[i]);
    }
  }
};

void expect_slopes(Eigen::Index directions, int wanted, unsigned seed, const BackendCase& backend) {
  SlopesOfPoses slopes;
  while (slopes.smooth < wanted && seed < 1000) {
    for (const Geometry& shape : aligned_shapes()) {
      std::vector<Meeting> meetings = other_meetings(shape);
      meetings.push_back(on_itself(shape));
      for (const Meeting& meeting : meetings) {
        if (slopes.smooth < wanted) slopes.add(meeting, aligned_poses(meeting, 12, seed++), directions, backend);
      }
    }
  }
  EXPECT_GE(slopes.smooth, wanted) << slopes.kinks << " kinks";
  EXPECT_EQ(slopes.wrong, 0) << "of " << slopes.smooth << "; the worst: " << slopes.largest << ", " << slopes.worst;
}

// A pose has no kink where the slopes to both sides agree in every direction.
TEST_P(AlignedWrench, ForceIsTheSlopeOfTheEnergyAwayFromKinks) {
  expect_slopes(3, is_float(GetParam()) ? 100 : 500, 60, GetParam());
}

TEST_P(AlignedWrench, TorqueIsTheSlopeOfTheEnergyAwayFromKinks) { expect_slopes(6, 50, 600, GetParam()); }

ISOPATCH_INSTANTIATE_DEGENERATE(AlignedWrench);

}  // namespace
}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
//
// The energy where cells, faces or whole bodies coincide: each volume counts once, with the smaller of two pressures
// that may be equal throughout.
#include <algorithm>
#include <cmath>

#include "tests/pressure_field/aligned.h"

namespace isopatch::test {
namespace {

struct AlignedEnergy : Degenerate {};

constexpr double kModulus = 1e5;
constexpr double kRounding = 1e-12;

/// The integral of a body's extent.
double extent_integral(const Geometry& geometry) {
  const auto point = [&](std::int32_t i) {
    const Point3& p = geometry.mesh.points[static_cast<std::size_t>(i)];
    return Vector3d(p[0], p[1], p[2]);
  };
  double sum = 0;
  for (const Tet& t : geometry.mesh.tets) {
    const Vector3d x = point(t[0]);
    const double volume = (point(t[1]) - x).cross(point(t[2]) - x).dot(point(t[3]) - x) / 6;
    for (const std::int32_t i : t) sum += volume / 4 * geometry.extent[static_cast<std::size_t>(i)];
  }
  return sum;
}

// Wherever two such bodies are together, the overlap is one of them and the smaller pressure that of the softer.
TEST_P(AlignedEnergy, OfABodyInItsTwinsPlaceIsTheIntegralOfItsPressure) {
  Random random(11);
  const std::vector<Geometry> shapes = {make_box("cube", {1, 1, 1}),        make_box("box", {1, 0.5, 1.5}),
                                        make_sphere("icosphere", 0.5, 1),   make_cylinder("cylinder", 0.5, 1, 4),
                                        make_capsule("capsule", 0.3, 1, 8), corner_tet()};
  for (const Geometry& shape : shapes) {
    for (const double ratio : {1.0, 2.0, 1e6, 0.0}) {  // of the second modulus to the first; 0 for rigid
      SceneDescription scene = two_bodies(shape, shape);
      scene.bodies[0].modulus = kModulus;
      scene.bodies[1].modulus = ratio > 0 ? ratio * kModulus : kModulus;
      scene.bodies[1].rigid = ratio == 0;
      for (const Vector3d& position : {Vector3d(0, 0, 0), Vector3d(0.25, -1.5, 0.7)}) {
        scene.bodies[1].pose = aligned_pose(position, any_turn(random), random);
        const double energy = energies(scene, {scene.bodies[1].pose}, GetParam())[0];
        const double expected = kModulus * extent_integral(shape);
        EXPECT_NEAR(energy, expected, kRounding * expected)
            << shape.name << ", ratio " << ratio << ", at" << text_of(scene.bodies[1].pose);
        if (!scene.bodies[1].rigid) continue;
        scene.geometries[1] = surface_of(shape);
        EXPECT_NEAR(energies(scene, {scene.bodies[1].pose}, GetParam())[0], expected, kRounding * expected)
            << shape.name << " on its rigid surface, at" << text_of(scene.bodies[1].pose);
      }
    }
  }
}

/// The integral over a box of the distance to its surface: boxes inside it, at every distance t, of volume
/// (a - 2t)(b - 2t)(c - 2t). With sides u = a - 2t, u + B and u + C it is one of a polynomial.
double distance_integral(double a, double b, double c) {
  double side[] = {a, b, c};
  std::sort(side, side + 3);
  if (side[0] <= 0) return 0;
  const double u = side[0], B = side[1] - u, C = side[2] - u;
  return (u * u * u * u / 4 + (B + C) * u * u * u / 3 + B * C * u * u / 2) / 2;
}

// The pressure of a cube of side 1 is 2 E times the distance to its surface. The least distance to the faces of two
// such cubes is that to the surface of their overlap, a box. Half of the overlap may have one pressure.
TEST_P(AlignedEnergy, OfTwoEqualCubesIsThatOfTheBoxInWhichTheyOverlap) {
  constexpr int kPoses = 400;
  SceneDescription scene = on_itself(make_box("cube", {1, 1, 1})).scene;
  Random random(12);
  std::vector<Pose> poses;
  std::vector<double> expected;
  for (int i = 0; i < kPoses; ++i) {
    Vector3d offset;
    for (Eigen::Index k = 0; k < 3; ++k) offset[k] = 0.25 * (random.below(9) - 4);
    poses.push_back(aligned_pose(offset, quarter_turns()[static_cast<std::size_t>(random.below(24))], random));
    expected.push_back(2 * kModulus *
                       distance_integral(1 - std::fabs(offset[0]), 1 - std::fabs(offset[1]), 1 - std::fabs(offset[2])));
  }
  const std::vector<double> energy = energies(scene, poses, GetParam());
  int wrong = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const auto error = [&](std::size_t k) { return std::fabs(energy[k] - expected[k]); };
    wrong += error(i) > kRounding * kModulus ? 1 : 0;
    if (error(i) > error(worst)) worst = i;
  }
  EXPECT_EQ(wrong, 0) << "of " << kPoses << "; the worst: " << energy[worst] << " instead of " << expected[worst]
                      << " at" << text_of(poses[worst]);
}

/// The energies at aligned poses are those of poses moved a little in no special direction, from which the energy goes
/// on by the force, times the way, and terms of the second order.
void expect_as_nudged(const Meeting& meeting, int count, unsigned seed, const BackendCase& backend) {
  constexpr double kStep = 1e-7;  // m
  constexpr double kRelative = 1e-9;
  constexpr double kSecondOrder = 1e-12;  // of modulus x size^3: (step / size)^2, and rounding
  Random random(seed);
  const std::vector<Pose> poses = aligned_poses(meeting, count, seed);
  std::vector<Pose> nudged;
  std::vector<Vector3d> steps;
  for (const Pose& pose : poses) {
    steps.emplace_back(kStep * generic_direction(random));
    nudged.push_back(moved(pose, steps.back()));
  }
  const std::vector<double> energy = energies(meeting.scene, poses, backend);
  const std::vector<double> beside = energies(meeting.scene, nudged, reference());
  const std::vector<Outcome> force = evaluate(meeting.scene, nudged, reference());

  int wrong = 0, overlapping = 0;
  std::size_t worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double expected = beside[i] + force[i].force.dot(steps[i]);
    const double error = std::fabs(energy[i] - expected) / (kRelative * std::fabs(expected) + kSecondOrder * kModulus);
    overlapping += expected > 1e-6 * kModulus ? 1 : 0;
    wrong += error <= 1 ? 0 : 1;
    if (!(error <= largest)) worst = i, largest = error;
  }
  EXPECT_EQ(wrong, 0) << meeting.name << ", of " << count << "; the worst: " << energy[worst] << ", beside it "
                      << beside[worst] << ", at" << text_of(poses[worst]);
  EXPECT_GT(overlapping, count / 4) << meeting.name;
}

TEST_P(AlignedEnergy, OfEqualBodiesIsThatOfTheNudgedPose) {
  const int poses = GetParam().precision == Precision::kFloat ? 40 : 200;  // the energy is computed in double in both
  unsigned seed = 20;
  for (const Geometry& shape : aligned_shapes()) expect_as_nudged(on_itself(shape), poses, seed++, GetParam());
}

TEST_P(AlignedEnergy, OfOtherPairsIsThatOfTheNudgedPose) {
  unsigned seed = 30;
  for (const Geometry& shape : aligned_shapes()) {
    for (const Meeting& meeting : other_meetings(shape)) expect_as_nudged(meeting, 50, seed++, GetParam());
  }
}

ISOPATCH_INSTANTIATE_DEGENERATE(AlignedEnergy);

}  // namespace
}  // namespace isopatch::test

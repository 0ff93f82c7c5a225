// SPDX-License-Identifier: Apache-2.0
//
// The derivatives of a pair's wrench are the differences of the wrench.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/random_contacts.h"
#include "tests/support/scenes.h"

namespace isopatch::test {
namespace {

using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
using Vector = Eigen::Matrix<double, 6, 1>;
using random_contacts::ContactStates;

constexpr double kSize = 0.05;  // m

struct Shapes {
  const char* name;
  Geometry a, b;
  bool rigid_a, rigid_b;
};

std::vector<Shapes> shapes() {
  const Geometry sphere = make_sphere("sphere", 0.05, 2);
  const Geometry box = make_box("box", {0.08, 0.1, 0.12}), plane = make_half_space("plane", 0.1);
  const Geometry cylinder = make_cylinder("cylinder", 0.04, 0.1, 12);
  return {
      {"sphere on box", sphere, box, false, false},       {"box on box", box, box, false, false},
      {"sphere on sphere", sphere, sphere, false, false}, {"rigid sphere on box", sphere, box, true, false},
      {"sphere on rigid box", sphere, box, false, true},  {"sphere on plane", sphere, plane, false, false},
      {"box on rigid plane", box, plane, false, true},    {"plane under cylinder", plane, cylinder, false, false},
      {"rigid plane under box", plane, box, true, false}, {"rigid cylinder on plane", cylinder, plane, true, false}};
}

Scene scene_of(const Shapes& s, const ContactOptions& contact) {
  SceneDescription description = random_contacts::two_bodies(s.a, s.b, contact);
  description.bodies[0].rigid = s.rigid_a;
  description.bodies[1].rigid = s.rigid_b;
  return Scene(description);
}

/// Contacts of it: a half space is b for those who make them.
ContactStates contacts_of(const Scene& scene, const Shapes& s, std::int64_t count, std::uint64_t seed) {
  if (s.a.kind != GeometryKind::kHalfSpace) return random_contacts::make_contacts(scene, count, seed);
  const Shapes other = {s.name, s.b, s.a, s.rigid_b, s.rigid_a};
  ContactStates c = random_contacts::make_contacts(scene_of(other, scene.description().contact), count, seed);
  for (std::int64_t e = 0; e < count; ++e) {
    const auto swap = [&](std::vector<double>& rows, std::int64_t width) {
      const auto first = rows.begin() + 2 * e * width;
      std::swap_ranges(first, first + width, first + width);
    };
    swap(c.poses, 7), swap(c.velocities, 6), swap(c.modulus, 1), swap(c.dissipation, 1), swap(c.friction, 1);
  }
  return c;
}

Matrix matrix_of(const std::vector<double>& values, std::size_t environment) {
  return Eigen::Map<const Matrix>(values.data() + 36 * environment);
}

Vector wrench_of(const Evaluator& evaluator, const StateArrays& states) {
  ResultArrays found(evaluator.scene(), states.num_environments);
  evaluator.evaluate(states.view(), found.view());
  return Eigen::Map<const Vector>(found.pair_wrench.data());
}

StateArrays environment_of(const StateArrays& all, std::size_t e) {
  StateArrays one = all;
  one.num_environments = 1;
  const auto cut = [&](std::vector<double>& rows, std::size_t width) {
    if (!rows.empty())
      rows = std::vector<double>(rows.begin() + static_cast<std::ptrdiff_t>(e * width),
                                 rows.begin() + static_cast<std::ptrdiff_t>((e + 1) * width));
  };
  cut(one.poses, 14), cut(one.velocities, 12), cut(one.modulus, 2), cut(one.dissipation, 2), cut(one.friction, 2);
  return one;
}

/// Minus the derivative of the wrench by the velocity of a body, by central differences.
Matrix damping_by_differences(const Evaluator& evaluator, const StateArrays& states, std::size_t body) {
  constexpr double kStep = 1e-6;
  Matrix d;
  for (int k = 0; k < 6; ++k) {
    const auto moved = [&](double by) {
      StateArrays at = states;
      at.velocities[6 * body + static_cast<std::size_t>(k)] += by;
      return wrench_of(evaluator, at);
    };
    d.col(k) = (moved(-kStep) - moved(kStep)) / (2 * kStep);
  }
  return d;
}

/// The largest difference over the largest entry, torques and rotations over the size.
double error(const Matrix& found, const Matrix& expected, double size) {
  Vector unit;
  unit << 1, 1, 1, 1 / size, 1 / size, 1 / size;
  const auto scaled = [&](const Matrix& m) { return Matrix(unit.asDiagonal() * m * unit.asDiagonal()); };
  return scaled(found - expected).cwiseAbs().maxCoeff() / std::max(scaled(expected).cwiseAbs().maxCoeff(), 1e-300);
}

/// Errors of several contacts.
struct Errors {
  std::vector<double> all;

  void add(const Matrix& found, const Matrix& expected) { all.push_back(error(found, expected, kSize)); }
  double at(double share) {
    std::sort(all.begin(), all.end());
    return all[std::min(all.size() - 1, static_cast<std::size_t>(share * static_cast<double>(all.size())))];
  }
};

struct Found {
  Evaluator evaluator;
  ResultArrays results;

  Found(const Scene& scene, const StateArrays& states, Precision precision, Backend backend = Backend::kCpu)
      : evaluator(scene, {.backend = backend, .precision = precision}),
        results(scene, states.num_environments, {.derivatives = true}) {
    evaluator.evaluate(states.view(), results.view());
  }
};

constexpr std::int64_t kContacts = 40;

TEST(Derivatives, StiffnessIsThatOfTheReference) {
  Errors in_double, in_float;
  std::uint64_t seed = 1;
  for (const Shapes& s : shapes()) {
    const Scene scene = scene_of(s, {});
    const ContactStates states = contacts_of(scene, s, kContacts, ++seed);
    const Found found(scene, states, Precision::kDouble), single(scene, states, Precision::kFloat);
    ResultArrays expected(scene, kContacts, {.derivatives = true});
    expected.pair_damping_secant.clear();  // which it has not
    Evaluator(scene, {.backend = Backend::kReference}).evaluate(states.view(), expected.view());
    for (std::size_t e = 0; e < kContacts; ++e) {
      ASSERT_EQ(but_far_side(found.results.status[e] | single.results.status[e] | expected.status[e]), kOk) << s.name;
      for (const auto member : {&ResultArrays::pair_stiffness, &ResultArrays::pair_stiffness_b}) {
        in_double.add(matrix_of(found.results.*member, e), matrix_of(expected.*member, e));
        in_float.add(matrix_of(single.results.*member, e), matrix_of(expected.*member, e));
      }
    }
  }
  EXPECT_LT(in_double.at(0.5), 1e-9);
  EXPECT_LT(in_double.at(1), 1e-6);
  EXPECT_LT(in_float.at(0.5), 1e-6);
  EXPECT_LT(in_float.at(0.99), 1e-3);
}

/// Differences have some eight digits, and where a polygon begins to slide or to part fewer.
TEST(Derivatives, DampingIsTheDifferenceOfTheWrenchByEachRule) {
  for (const Quadrature quadrature :
       {Quadrature::kExact, Quadrature::kFan3, Quadrature::kFan6, Quadrature::kCentroid}) {
    for (const DissipationModel model : {DissipationModel::kHuntCrossley, DissipationModel::kPfc}) {
      Errors errors;
      std::uint64_t seed = 1;
      for (const Shapes& s : shapes()) {
        const Scene scene = scene_of(s, {.dissipation_model = model, .quadrature = quadrature});
        const ContactStates states = contacts_of(scene, s, kContacts, ++seed);
        const Found found(scene, states, Precision::kDouble);
        for (std::size_t e = 0; e < kContacts; ++e) {
          const StateArrays one = environment_of(states, e);
          errors.add(matrix_of(found.results.pair_damping, e), damping_by_differences(found.evaluator, one, 0));
          errors.add(matrix_of(found.results.pair_damping_b, e), damping_by_differences(found.evaluator, one, 1));
        }
      }
      EXPECT_LT(errors.at(0.5), 1e-8);
      EXPECT_LT(errors.at(0.9), 1e-6);
      EXPECT_LT(errors.at(1), 1e-4);
    }
  }
}

TEST(Derivatives, SecantIsSymmetricAndPositiveAndThatOfDampingAtRest) {
  std::uint64_t seed = 1;
  for (const Shapes& s : shapes()) {
    const Scene scene = scene_of(s, {.quadrature = Quadrature::kFan6});
    ContactStates states = contacts_of(scene, s, kContacts, ++seed);
    const Found moving(scene, states, Precision::kDouble);
    states.velocities.clear();
    const Found resting(scene, states, Precision::kDouble);
    for (std::size_t e = 0; e < kContacts; ++e) {
      const Matrix secant = matrix_of(moving.results.pair_damping_secant, e);
      EXPECT_TRUE(secant == secant.transpose()) << s.name;
      const auto values = Eigen::SelfAdjointEigenSolver<Matrix>(secant).eigenvalues();
      EXPECT_GE(values[0], -1e-12 * values[5]) << s.name;
      EXPECT_LT(
          error(matrix_of(resting.results.pair_damping_secant, e), matrix_of(resting.results.pair_damping, e), kSize),
          1e-12)
          << s.name;
    }
  }
}

TEST(Derivatives, OfParts) {
  // a body of two boxes is a box
  const Geometry half = make_box("half", {0.05, 0.1, 0.1}), whole = make_box("whole", {0.1, 0.1, 0.1});
  const auto found = [&](bool is_divided) {
    SceneDescription scene = random_contacts::two_bodies(is_divided ? half : whole, make_half_space("ground", 0.1), {});
    if (is_divided) {
      scene.bodies[0].parts = {{.geometry = 0, .pose = {-0.025, 0, 0, 1, 0, 0, 0}},
                               {.geometry = 0, .pose = {0.025, 0, 0, 1, 0, 0, 0}}};
    }
    scene.bodies[0].rigid = true;
    scene.bodies[0].pose = {0.3, 0.2, 0.049, 0.999, 0.01, -0.02, 0.03};
    scene.bodies[0].velocity = {0.1, 0.2, -0.1, 1, 2, 3};
    scene.bodies[0].friction = scene.bodies[1].friction = 0.5;
    return Found(Scene(scene), StateArrays(scene, 1), Precision::kDouble).results;
  };
  const ResultArrays one = found(false), two = found(true);
  for (const auto member : {&ResultArrays::pair_stiffness, &ResultArrays::pair_stiffness_b}) {
    EXPECT_LT(error(matrix_of(two.*member, 0), matrix_of(one.*member, 0), kSize), 1e-9);
  }
}

TEST(Derivatives, ArePartOfTheBatchesBits) {
  const Scene scene(mixed_scene());
  const Batch batch = random_batch(scene, 40, 7);
  const auto bits = [&](int threads, std::int64_t first) {
    ResultArrays found(scene, 40 - first, {.derivatives = true});
    Evaluator(scene, {.backend = Backend::kCpu, .num_threads = threads})
        .evaluate(batch.view(first, 40 - first), found.view());
    return std::vector<double>(found.pair_damping.end() - 36, found.pair_damping.end());
  };
  EXPECT_EQ(bits(1, 0), bits(3, 0));
  EXPECT_EQ(bits(1, 0), bits(1, 39));
}

TEST(Derivatives, AFaultIsItsEnvironmentsAlone) {
  const Shapes s = shapes()[0];
  const Scene scene = scene_of(s, {});
  ContactStates states = contacts_of(scene, s, 3, 5);
  const ResultArrays whole = Found(scene, states, Precision::kDouble).results;
  states.poses[14] = std::nan("");
  const ResultArrays found = Found(scene, states, Precision::kDouble).results;
  EXPECT_EQ(found.status[1], kBadPose);
  EXPECT_TRUE(matrix_of(found.pair_stiffness, 1).isZero(0));
  for (const std::size_t e : {0, 2}) {
    EXPECT_TRUE(matrix_of(found.pair_stiffness, e) == matrix_of(whole.pair_stiffness, e));
    EXPECT_TRUE(matrix_of(found.pair_damping, e) == matrix_of(whole.pair_damping, e));
  }
}

}  // namespace
}  // namespace isopatch::test

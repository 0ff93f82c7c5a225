// SPDX-License-Identifier: Apache-2.0
//
// Evaluations of contacts with state against the reference: wrenches and the next contact states in random states.
#include "tests/reference/remembering_pairs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/contact_errors.h"

namespace isopatch::oracle {
namespace {

constexpr double kTolerance = 1e-9;  // relative: coordinates of .5 m are rounded to 1e-16, depths are 2e-5 m or more

constexpr std::array<double, 6> kTimeSteps = {1e-3, 0, 1e-5, 1e-4, 1e-2, 0.1};  // s, of some environments each

/// Evaluates the first environments with the first of the time steps, and so on.
ResultArrays evaluated(const RememberingPairs& pairs, EvaluatorOptions options) {
  const StateArrays& states = pairs.states;
  const Scene scene(pairs.scene);
  const Evaluator evaluator(scene, options);
  const bool has_volumes = pairs.scene.pairs->front().model == ContactModels{ContactModel::kVolumetric};
  ResultArrays results(scene, states.num_environments, {.part_pairs = true, .single_contact = has_volumes});
  const auto slices = static_cast<std::int64_t>(kTimeSteps.size());
  for (std::int64_t i = 0; i < slices; ++i) {
    const std::int64_t begin = i * states.num_environments / slices, end = (i + 1) * states.num_environments / slices;
    State state = states.view(begin, end - begin);
    state.time_step = kTimeSteps[static_cast<std::size_t>(i)];
    evaluator.evaluate(state, results.view(begin));
  }
  return results;
}

EvaluatorOptions reference() { return {Backend::kReference, Precision::kDouble}; }

EvaluatorOptions cpu(Precision precision) { return {Backend::kCpu, precision}; }

/// Of all part pairs, the size of the force where nothing moves and nothing is remembered.
std::vector<double> elastic_forces(RememberingPairs pairs) {
  pairs.scene.contact.force_law.relaxation_time = 0;
  pairs.states.velocities.clear();
  pairs.states.contact_state.clear();
  const ResultArrays results = evaluated(pairs, cpu(Precision::kDouble));
  std::vector<double> forces;
  for (std::size_t row = 0; row < results.part_pair_wrench.size() / 6; ++row) {
    const double* wrench = results.part_pair_wrench.data() + 6 * row;
    forces.push_back(std::hypot(wrench[0], wrench[1], wrench[2]));
  }
  return forces;
}

/// The distance of some numbers; infinite where one of them is not a number.
double distance(const double* found, const double* expected, std::size_t count) {
  double square = 0;
  for (std::size_t k = 0; k < count; ++k) square += (found[k] - expected[k]) * (found[k] - expected[k]);
  return std::isfinite(square) ? std::sqrt(square) : HUGE_VAL;
}

double length(const double* x, std::size_t count) {
  double square = 0;
  for (std::size_t k = 0; k < count; ++k) square += x[k] * x[k];
  return std::sqrt(square);
}

/// Errors relative to what they belong to, of all part pairs that touch.
class Deviations {
 public:
  /// Counts an error. Where the scale is 0 there must be none.
  void add(const std::string& quantity, double error, double scale, const std::string& where) {
    const double relative = error == 0 ? 0 : scale > 0 ? error / scale : HUGE_VAL;
    Of& of = of_[quantity];
    if (relative >= of.worst) {
      of.worst = relative;
      of.where = fmt::format("{}: {:.3g} of {:.3g}", where, error, scale);
    }
    of.all.push_back(relative);
  }

  void expect_below(double tolerance) const {
    for (const auto& [quantity, of] : of_) EXPECT_LE(of.worst, tolerance) << quantity << " of " << of.where;
  }

  void expect_within(const random_contacts::Bounds& bounds) const {
    for (auto [quantity, of] : of_) {
      std::sort(of.all.begin(), of.all.end());
      EXPECT_TRUE(random_contacts::within(of.all, bounds))
          << quantity << ": " << random_contacts::quantile(of.all, 0.5) << ' '
          << random_contacts::quantile(of.all, bounds.most_share) << ' ' << of.worst << " of " << of.where;
    }
  }

  void print(const std::string& name) const {
    std::cout << "  " << name << ", " << touching << " contacts, errors of at most";
    for (const auto& [quantity, of] : of_) std::cout << ", " << quantity << ' ' << of.worst;
    std::cout << '\n';
  }

  int touching = 0;

 private:
  struct Of {
    double worst = 0;
    std::string where;
    std::vector<double> all;
  };
  std::map<std::string, Of> of_;
};

/// What errors of a part pair are relative to.
struct Scales {
  double force, reach, speed, bend;  // N, m, m/s, m
};

/// Adds the differences of two contact states of a part pair; `before` is the state before the step.
void compare_states(const double* found, const double* expected, const double* before, const Scales& scales,
                    const std::string& where, Deviations& to) {
  to.add("impact speed", distance(found, expected, 1), std::max(scales.speed, expected[0]), where);
  to.add("offset", distance(found + 1, expected + 1, 1), expected[1], where);
  to.add("bend", distance(found + 2, expected + 2, 3), std::max({scales.bend, length(before + 2, 3)}), where);
  to.add("twist", distance(found + 5, expected + 5, 1), std::max(scales.bend / scales.reach, std::fabs(before[5])),
         where);
  to.add("dwell", distance(found + 6, expected + 6, 1), 1, where);
  to.add("age", distance(found + 7, expected + 7, 1), expected[7], where);
}

/// Adds the differences of two wrenches.
void compare_wrenches(const double* found, const double* expected, double force, double reach, const std::string& where,
                      Deviations& to) {
  to.add("force", distance(found, expected, 3), force, where);
  to.add("torque", distance(found + 3, expected + 3, 3), std::max(force * reach, length(expected + 3, 3)), where);
}

/// The largest speed of a body's surface in an environment, about, m/s.
double speed_of(const RememberingPairs& pairs, std::size_t environment) {
  const auto bodies = static_cast<std::size_t>(pairs.states.num_bodies);
  double speed = 0;
  for (std::size_t body = environment * bodies; body < (environment + 1) * bodies; ++body) {
    const double* twist = &pairs.states.velocities[6 * body];
    speed = std::max(speed, length(twist, 3) + pairs.reach * length(twist + 3, 3));
  }
  return speed;
}

/// Compares what was found with what was expected, of part pairs and of bodies.
void compare(const RememberingPairs& pairs, const ResultArrays& found, const ResultArrays& expected, Deviations& to) {
  const std::vector<double> elastic = elastic_forces(pairs);
  const std::size_t rows = pairs.bends.size(), bodies = pairs.scene.bodies.size();
  for (std::size_t e = 0; e < static_cast<std::size_t>(found.num_environments); ++e) {
    const std::string environment = pairs.name + ", environment " + std::to_string(e);
    EXPECT_EQ(found.status[e], expected.status[e]) << environment;
    double all = 0;
    // bristles feel the direction of a patch that hardly begins, which is no more exact than its overlap
    const auto own = elastic.begin() + static_cast<std::ptrdiff_t>(e * rows);
    const double least = 1e-5 * *std::max_element(own, own + static_cast<std::ptrdiff_t>(rows));
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = e * rows + row;
      const double *wrench = &expected.part_pair_wrench[6 * at], *state = &expected.contact_state[8 * at];
      const Scales scales = {std::max({elastic[at], length(wrench, 3), least}), pairs.reach, speed_of(pairs, e),
                             pairs.bends[row]};
      const std::string where = environment + ", part pair " + std::to_string(row);
      all += scales.force;
      if (!expected.volume.empty()) {
        const double volume = expected.volume[at], *second = &expected.second_moments[6 * at];
        to.add("volume", std::fabs(found.volume[at] - volume), volume, where);
        to.add("second moments", distance(&found.second_moments[6 * at], second, 6), length(second, 6), where);
      }
      to.touching += state[0] > 0 ? 1 : 0;
      compare_wrenches(&found.part_pair_wrench[6 * at], wrench, scales.force, pairs.reach, where, to);
      compare_states(&found.contact_state[8 * at], state, &pairs.states.contact_state[8 * at], scales, where, to);
    }
    for (std::size_t body = 0; body < bodies; ++body) {
      const std::size_t at = 6 * (e * bodies + body);
      compare_wrenches(&found.body_wrench[at], &expected.body_wrench[at], all, pairs.reach,
                       environment + ", body " + std::to_string(body), to);
    }
  }
}

std::vector<RememberingPairs> all_balls() {
  std::vector<RememberingPairs> all;
  for (unsigned seed = 0; seed < 5; ++seed) {
    for (RememberingPairs& pairs : remembering_balls(150, seed)) all.push_back(std::move(pairs));
  }
  return all;
}

/// Says which meshes are left out.
std::vector<RememberingPairs> all_fields() {
  for (const std::string& missing : missing_meshes()) std::cout << "  left out: " << missing << '\n';
  std::vector<RememberingPairs> all;
  for (unsigned seed = 10; seed < 14; ++seed) {
    for (RememberingPairs& pairs : remembering_fields(90, seed)) all.push_back(std::move(pairs));
  }
  return all;
}

// Points and exact balls are computed in double with either precision.
TEST(RememberingPairsTest, BallsAgreeWithTheReferenceInBothPrecisions) {
  Deviations of_float, of_double;
  for (const RememberingPairs& pairs : all_balls()) {
    const ResultArrays expected = evaluated(pairs, reference());
    compare(pairs, evaluated(pairs, cpu(Precision::kFloat)), expected, of_float);
    compare(pairs, evaluated(pairs, cpu(Precision::kDouble)), expected, of_double);
  }
  of_float.print("float");
  of_double.print("double");
  of_float.expect_below(kTolerance);
  of_double.expect_below(kTolerance);
  EXPECT_GT(of_double.touching, 15000);
}

TEST(RememberingPairsTest, FieldsWithBristlesAgreeWithTheReference) {
  Deviations of_float, of_double;
  for (const RememberingPairs& pairs : all_fields()) {
    const ResultArrays expected = evaluated(pairs, reference());
    compare(pairs, evaluated(pairs, cpu(Precision::kFloat)), expected, of_float);
    compare(pairs, evaluated(pairs, cpu(Precision::kDouble)), expected, of_double);
  }
  of_float.print("float");
  of_double.print("double");
  of_float.expect_within(random_contacts::kFloatBounds);
  of_double.expect_below(kTolerance);
  EXPECT_GT(of_double.touching, 2000);
}

/// The patches of these contacts are as small as 30 um.
constexpr random_contacts::Bounds kVolumeBounds = {1e-12, 0.999, 2e-8, 1e-6};

// Overlaps are computed in double with either precision.
TEST(RememberingPairsTest, VolumesAgreeWithTheReferenceInBothPrecisions) {
  Deviations of_float, of_double;
  std::vector<RememberingPairs> all;
  for (unsigned seed = 70; seed < 73; ++seed) {
    for (RememberingPairs& pairs : remembering_fields(60, seed, true)) all.push_back(std::move(pairs));
  }
  for (RememberingPairs& pairs : remembering_compounds(40, 6, 74, true)) all.push_back(std::move(pairs));
  for (const RememberingPairs& pairs : all) {
    const ResultArrays expected = evaluated(pairs, reference());
    compare(pairs, evaluated(pairs, cpu(Precision::kFloat)), expected, of_float);
    compare(pairs, evaluated(pairs, cpu(Precision::kDouble)), expected, of_double);
  }
  of_float.print("float");
  of_double.print("double");
  of_float.expect_within(kVolumeBounds);
  of_double.expect_within(kVolumeBounds);
  EXPECT_GT(of_double.touching, 1500);
}

TEST(RememberingPairsTest, CompoundsWithBristlesAgreeWithTheReference) {
  Deviations deviations;
  for (const RememberingPairs& pairs : remembering_compounds(100, 6, 40)) {
    compare(pairs, evaluated(pairs, cpu(Precision::kDouble)), evaluated(pairs, reference()), deviations);
  }
  deviations.print("double");
  deviations.expect_below(kTolerance);
  EXPECT_GT(deviations.touching, 1500);
}

/// Everything moved by so much that coordinates have 2^-32 m left; all have no more digits before.
RememberingPairs far_away(RememberingPairs pairs) {
  constexpr double kFar = 0x1p20;  // m
  for (std::size_t i = 0; i < pairs.states.poses.size(); i += 7) {
    for (std::size_t k = 0; k < 3; ++k) pairs.states.poses[i + k] += kFar;
  }
  return pairs;
}

TEST(RememberingPairsTest, AreTheSameFarFromTheOriginOfTheWorld) {
  std::vector<RememberingPairs> all = remembering_balls(100, 50);
  for (auto more : {remembering_fields(50, 51), remembering_compounds(10, 6, 52)}) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  Deviations of_float, of_double;
  for (const RememberingPairs& pairs : all) {
    const RememberingPairs moved = far_away(pairs);
    for (const auto& [precision, deviations] :
         {std::pair{Precision::kFloat, &of_float}, {Precision::kDouble, &of_double}}) {
      compare(pairs, evaluated(moved, cpu(precision)), evaluated(pairs, cpu(precision)), *deviations);
    }
  }
  of_float.print("float");
  of_double.print("double");
  of_float.expect_below(kTolerance);
  of_double.expect_below(kTolerance);
}

/// For each row of part pairs the row in a scene with exchanged bodies.
std::vector<std::size_t> rows_exchanged(const Scene& scene, const Scene& exchanged) {
  std::vector<std::size_t> rows;
  const std::vector<PartPair> others = exchanged.part_pairs();
  for (const PartPair& own : scene.part_pairs()) {
    const auto same = std::find_if(others.begin(), others.end(), [&](const PartPair& other) {
      return own.pair == other.pair && own.part_a == other.part_b && own.part_b == other.part_a;
    });
    rows.push_back(static_cast<std::size_t>(same - others.begin()));
  }
  return rows;
}

void negate_bend(double* state) {
  for (std::size_t k = 2; k < 5; ++k) state[k] = -state[k];
}

/// Copies numbers of part pairs to their rows in the scene with exchanged bodies, or back.
void move_rows(const std::vector<double>& from, const std::vector<std::size_t>& rows, std::size_t size, bool back,
               std::vector<double>& to) {
  to.resize(from.size());
  for (std::size_t i = 0; i < from.size() / size; ++i) {
    const std::size_t other = i / rows.size() * rows.size() + rows[i % rows.size()];
    const std::size_t source = back ? other : i, target = back ? i : other;
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(source * size), size,
                to.begin() + static_cast<std::ptrdiff_t>(target * size));
  }
}

/// What the pairs have with their bodies exchanged, in the words of the pairs as they are.
ResultArrays evaluated_exchanged(const RememberingPairs& pairs, EvaluatorOptions options) {
  RememberingPairs other = pairs;
  for (Pair& pair : *other.scene.pairs) std::swap(pair.a, pair.b);
  const Scene scene(pairs.scene), exchanged(other.scene);
  const std::vector<std::size_t> rows = rows_exchanged(scene, exchanged);
  move_rows(pairs.states.contact_state, rows, 8, false, other.states.contact_state);
  for (std::size_t i = 0; i < other.states.contact_state.size(); i += 8) negate_bend(&other.states.contact_state[i]);

  ResultArrays results = evaluated(other, options);
  const ResultArrays found = results;
  move_rows(found.part_pair_wrench, rows, 6, true, results.part_pair_wrench);
  move_rows(found.contact_state, rows, 8, true, results.contact_state);
  move_rows(found.volume, rows, 1, true, results.volume);
  move_rows(found.second_moments, rows, 6, true, results.second_moments);
  const std::vector<PartPair> part_pairs = scene.part_pairs();
  for (std::size_t i = 0; i < results.contact_state.size() / 8; ++i) {
    negate_bend(&results.contact_state[8 * i]);
    const PartPair& parts = part_pairs[i % rows.size()];
    const Pair& pair = scene.pairs()[static_cast<std::size_t>(parts.pair)];
    const std::size_t first = i / rows.size() * static_cast<std::size_t>(scene.num_bodies());
    const auto position = [&](int body) { return &pairs.states.poses[7 * (first + static_cast<std::size_t>(body))]; };
    const double *a = position(pair.a), *b = position(pair.b);
    double* wrench = &results.part_pair_wrench[6 * i];
    const detail::Vec3d arm = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, force = {-wrench[0], -wrench[1], -wrench[2]};
    const detail::Vec3d moved = cross(arm, force);
    const double torque[3] = {moved.x - wrench[3], moved.y - wrench[4], moved.z - wrench[5]};
    for (std::size_t k = 0; k < 3; ++k) wrench[k] = -wrench[k];
    std::copy_n(torque, 3, wrench + 3);
  }
  return results;
}

// Of two spheres either one may be the ball, and the force acts in the other one's surface.
TEST(RememberingPairsTest, HaveTheOppositeWrenchIfTheirBodiesAreExchanged) {
  std::vector<RememberingPairs> all = remembering_balls(100, 60);
  std::erase_if(all, [](const RememberingPairs& pairs) { return pairs.name.find("sphere") != std::string::npos; });
  for (auto more : {remembering_fields(50, 61), remembering_compounds(10, 6, 62)}) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  Deviations deviations;
  for (const RememberingPairs& pairs : all) {
    const EvaluatorOptions options = cpu(Precision::kDouble);
    compare(pairs, evaluated_exchanged(pairs, options), evaluated(pairs, options), deviations);
  }
  deviations.print("double");
  deviations.expect_below(kTolerance);
}

}  // namespace
}  // namespace isopatch::oracle

// SPDX-License-Identifier: Apache-2.0
//
// A body of several parts is the sum of bodies of one part each, in every output, on random scenes.
#include <gtest/gtest.h>

#include <iostream>
#include <optional>

#include "tests/support/compounds.h"

namespace isopatch::test {
namespace {

using detail::Outputs;
using detail::Vec3d;

constexpr double kReach = 0.1;  // m: of a part's surface from its origin

Vec3d vec(const std::vector<double>& values, std::size_t row, std::size_t at = 0, std::size_t width = 3) {
  const double* v = values.data() + width * row + at;
  return {v[0], v[1], v[2]};
}

/// The largest deviation of one output, and where it was.
struct Deviation {
  double worst = 0;
  std::string where;

  void add(double difference, double scale, const std::string& at) {
    const double relative = difference == 0 ? 0 : std::fabs(difference) / scale;
    if (relative <= worst) return;
    worst = relative;
    where = at;
  }
};

/// The deviations of the outputs, in units of the sum of the magnitudes of their terms: a force is at least the largest
/// pressure times the area, a torque or an energy that times the lever arm.
struct Deviations {
  Deviation force, torque, of_part_pairs, on_bodies, area, energy, friction, max_pressure, normal, center;
  std::int64_t touching = 0, wrong_counts = 0;
};

struct Sum {
  Vec3d force = {0, 0, 0}, torque = {0, 0, 0}, friction = {0, 0, 0}, normal = {0, 0, 0}, center = {0, 0, 0};
  double area = 0, energy = 0, max_pressure = 0, pressure = 0;
  double force_scale = 0, torque_scale = 0;
  std::int32_t polygons = 0;
};

struct Evaluated {
  Scene scene;
  Batch batch;
  UnwrittenResults results;
};

Evaluated evaluated(Scene scene, Batch batch, const EvaluatorOptions& options, std::int32_t capacity = 0) {
  UnwrittenResults results(scene, batch.num_environments, capacity > 0 ? Outputs::kPolygons : Outputs::kPatch,
                           capacity);
  results.give_part_pairs();
  Evaluator(scene, options).evaluate(batch.state(), results.view());
  return {std::move(scene), std::move(batch), std::move(results)};
}

/// The integral of the pressure over each pair's polygons, which are in float.
std::vector<double> pressure_integrals(const UnwrittenResults& r, std::size_t environment) {
  std::vector<double> of_pairs(static_cast<std::size_t>(r.num_pairs));
  const std::int64_t capacity = r.counts()[Per::kPolygonCapacity];
  for (std::int64_t i = 0; i < std::min<std::int64_t>(r.polygons_needed[environment], capacity); ++i) {
    const Polygon& p = r.polygons[environment * static_cast<std::size_t>(capacity) + static_cast<std::size_t>(i)];
    Vec3d first = {p.vertices[0][0], p.vertices[0][1], p.vertices[0][2]};
    for (int k = 2; k < p.num_vertices; ++k) {
      const auto at = [&](int v) { return Vec3d{p.vertices[v][0], p.vertices[v][1], p.vertices[v][2]} - first; };
      const double mean = (double{p.pressures[0]} + p.pressures[k - 1] + p.pressures[k]) / 3;
      of_pairs[static_cast<std::size_t>(p.pair)] += 0.5 * norm(cross(at(k - 1), at(k))) * mean;
    }
  }
  return of_pairs;
}

/// Adds the pair q of the simple bodies of environment e to the sum of its pair; returns its wrench about `origin`.
std::array<Vec3d, 2> add_part_pair(const Evaluated& apart, std::size_t e, std::size_t q, double pressure, Vec3d origin,
                                   Sum& sum) {
  const UnwrittenResults& r = apart.results;
  const std::size_t at = e * static_cast<std::size_t>(r.num_pairs) + q;
  const auto a = static_cast<std::size_t>(apart.scene.pairs()[q].a);
  const Vec3d lever = vec(apart.batch.poses, e * r.num_bodies + a, 0, 7) - origin;
  const Vec3d force = vec(r.pair_wrench, at, 0, 6);
  const Vec3d torque = vec(r.pair_wrench, at, 3, 6) + cross(lever, force);
  const double magnitude = std::max(norm(force), r.max_pressure[at] * r.area[at]);
  sum.force = sum.force + force;
  sum.torque = sum.torque + torque;
  sum.force_scale += magnitude;
  sum.torque_scale += magnitude * (norm(lever) + kReach);
  sum.friction = sum.friction + vec(r.friction_force, at);
  sum.normal = sum.normal + r.area[at] * vec(r.mean_normal, at);
  sum.center = sum.center + pressure * vec(r.center_of_pressure, at);
  sum.pressure += pressure;
  sum.area += r.area[at];
  sum.energy += r.energy[at];
  sum.max_pressure = std::max(sum.max_pressure, r.max_pressure[at]);
  sum.polygons += r.polygon_count[at];
  return {force, torque};
}

/// Compares a scene of compounds with the sum of its parts, both evaluated with `options`.
void compare(const Scene& scene, const Batch& batch, const EvaluatorOptions& options, const std::string& name,
             Deviations& d) {
  constexpr std::int32_t kCapacity = 16384;
  constexpr double kEnergyGap = 1e3;  // times the tolerance: 1e-9 of an energy, as is promised
  const Evaluated whole = evaluated(scene, batch, options);
  const Evaluated apart = evaluated(Scene(taken_apart(scene)), taken_apart(scene, batch), options, kCapacity);
  const UnwrittenResults& r = whole.results;
  const std::vector<PartPair> part_pairs = scene.part_pairs();
  for (std::size_t e = 0; e < static_cast<std::size_t>(batch.num_environments); ++e) {
    ASSERT_LE(apart.results.polygons_needed[e], kCapacity);
    const std::vector<double> pressure = pressure_integrals(apart.results, e);
    std::vector<std::array<Vec3d, 2>> on_bodies(scene.num_bodies(), {Vec3d{0, 0, 0}, Vec3d{0, 0, 0}});
    double body_scale = 0;
    for (int p = 0; p < scene.num_pairs(); ++p) {
      const std::size_t at = e * scene.num_pairs() + p;
      const std::string where = name + ", environment " + std::to_string(e) + ", pair " + std::to_string(p);
      const Pair& pair = scene.pairs()[p];
      const Vec3d origin = vec(batch.poses, e * scene.num_bodies() + pair.a, 0, 7);
      Sum sum;
      std::vector<std::array<Vec3d, 2>> wrenches;
      for (std::size_t q = 0; q < part_pairs.size(); ++q) {
        if (part_pairs[q].pair == p) wrenches.push_back(add_part_pair(apart, e, q, pressure[q], origin, sum));
      }
      const Vec3d force = vec(r.pair_wrench, at, 0, 6), torque = vec(r.pair_wrench, at, 3, 6);
      d.force.add(norm(force - sum.force), sum.force_scale, where);
      d.torque.add(norm(torque - sum.torque), sum.torque_scale, where);
      std::size_t next = 0;
      for (std::size_t q = 0; q < part_pairs.size(); ++q) {
        if (part_pairs[q].pair != p) continue;
        const std::size_t row = e * part_pairs.size() + q;
        const auto& [f, t] = wrenches[next++];
        d.of_part_pairs.add(norm(vec(r.part_pair_wrench, row, 0, 6) - f), sum.force_scale, where);
        d.of_part_pairs.add(norm(vec(r.part_pair_wrench, row, 3, 6) - t), sum.torque_scale, where);
      }
      d.area.add(r.area[at] - sum.area, sum.area, where);
      d.energy.add(r.energy[at] - sum.energy, kEnergyGap * sum.energy + sum.torque_scale, where);
      d.friction.add(norm(vec(r.friction_force, at) - sum.friction), sum.force_scale, where);
      d.max_pressure.add(r.max_pressure[at] - sum.max_pressure, sum.max_pressure, where);
      if (sum.area > 0) d.normal.add(norm(r.area[at] * vec(r.mean_normal, at) - sum.normal), sum.area, where);
      if (sum.pressure > 0) {
        d.center.add(norm(vec(r.center_of_pressure, at) - (1 / sum.pressure) * sum.center), kReach, where);
      }
      d.touching += sum.polygons > 0 ? 1 : 0;
      d.wrong_counts += r.polygon_count[at] != sum.polygons ? 1 : 0;

      auto& [force_a, torque_a] = on_bodies[pair.a];
      auto& [force_b, torque_b] = on_bodies[pair.b];
      const Vec3d from_b = origin - vec(batch.poses, e * scene.num_bodies() + pair.b, 0, 7);
      force_a = force_a + sum.force, torque_a = torque_a + sum.torque;
      force_b = force_b - sum.force, torque_b = torque_b - sum.torque - cross(from_b, sum.force);
      body_scale += sum.torque_scale / kReach;
    }
    for (int b = 0; b < scene.num_bodies(); ++b) {
      const std::size_t at = e * scene.num_bodies() + b;
      d.on_bodies.add(norm(vec(r.body_wrench, at, 0, 6) - on_bodies[b][0]), body_scale, name);
      d.on_bodies.add(norm(vec(r.body_wrench, at, 3, 6) - on_bodies[b][1]), body_scale * kReach, name);
    }
  }
}

void expect_below(const char* name, const Deviation& deviation, double tolerance) {
  std::cout << "  " << name << ": at most " << deviation.worst << "\n";
  EXPECT_LE(deviation.worst, tolerance) << name << ": " << deviation.where;
}

struct Tolerances {
  double sums, max_pressure, center;
};

void expect_sums(const Deviations& d, const Tolerances& tolerances) {
  std::cout << "  " << d.touching << " pairs touch\n";
  expect_below("force", d.force, tolerances.sums);
  expect_below("torque", d.torque, tolerances.sums);
  expect_below("part pairs", d.of_part_pairs, tolerances.sums);
  expect_below("bodies", d.on_bodies, tolerances.sums);
  expect_below("area", d.area, tolerances.sums);
  expect_below("energy", d.energy, 1e-12);  // always in double
  expect_below("friction", d.friction, tolerances.sums);
  expect_below("max pressure", d.max_pressure, tolerances.max_pressure);
  expect_below("normal", d.normal, tolerances.sums);
  expect_below("center", d.center, tolerances.center);
}

Deviations compare_random(unsigned begin, unsigned end, Precision precision,
                          std::optional<DissipationModel> model = {}) {
  Deviations d;
  for (unsigned seed = begin; seed < end && !::testing::Test::HasFatalFailure(); ++seed) {
    SceneDescription description = random_compounds(seed);
    description.contact.dissipation_model = model.value_or(description.contact.dissipation_model);
    const Scene scene(description);
    const Batch batch = compound_states(scene, 1, 5000 + seed, seed % 3 == 0);
    compare(scene, batch, {Backend::kCpu, precision, 1}, "scene " + std::to_string(seed), d);
  }
  return d;
}

// A pressure is a modulus times an extent, which is rounded however light the contact is. Weights of the centres are
// from polygons in float; MovingCompounds compares the centre more closely.
constexpr Tolerances kInDouble = {1e-12, 1e-11, 1e-5};

TEST(SumOfParts, IsTheCompoundInDouble) {
  const Deviations d = compare_random(0, 1000, Precision::kDouble);
  EXPECT_GT(d.touching, 1000);
  EXPECT_EQ(d.wrong_counts, 0);
  expect_sums(d, kInDouble);
}

// In float a sliver may have a polygon in one and not in the other.
TEST(SumOfParts, IsTheCompoundInFloat) {
  const Deviations d = compare_random(0, 200, Precision::kFloat, DissipationModel::kHuntCrossley);
  EXPECT_GT(d.touching, 200);
  expect_sums(d, {1e-5, 1e-5, 1e-4});
}

// The quantum has room for the damping of the steepest extents at the speed of the farthest part, so light contacts
// keep fewer digits. Measured: 3e-5, and 2e-4 of the centre.
TEST(SumOfParts, IsTheCompoundInFloatWithFewerDigitsUnderThePfcLaw) {
  const Deviations d = compare_random(200, 400, Precision::kFloat, DissipationModel::kPfc);
  EXPECT_GT(d.touching, 200);
  expect_sums(d, {1e-4, 1e-5, 1e-3});
}

}  // namespace
}  // namespace isopatch::test

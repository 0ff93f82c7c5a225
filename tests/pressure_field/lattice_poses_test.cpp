// SPDX-License-Identifier: Apache-2.0
//
// 24 000 positions on a lattice: whatever coincides, every result is a number that makes sense.
#include <cmath>
#include <map>
#include <sstream>
#include <utility>

#include "tests/pressure_field/aligned.h"

namespace isopatch::test {
namespace {

constexpr int kPoses = 24000;

struct Shape {
  Geometry geometry;
  bool rigid;
};

std::vector<Shape> compliant_meshes() {
  return {{make_box("cube", {1, 1, 1}), false},
          {make_box("box", {1, 0.5, 1.5}), false},
          {make_sphere("icosphere", 0.5, 0), false},
          {make_cylinder("cylinder", 0.5, 1, 4), false},
          {corner_tet(), false}};
}

std::vector<Shape> other_shapes() {
  return {{make_half_space("half space", 0.5), false},
          {make_half_space("rigid half space", 0.5), true},
          {make_box("rigid cube", {1, 1, 1}), true},
          {surface_of(make_box("rigid box", {1, 0.5, 1.5})), true}};
}

std::vector<SceneDescription> all_scenes() {
  std::vector<SceneDescription> scenes;
  const auto add = [&](const Shape& a, const Shape& b) {
    // either can be the first: bodies are treated differently
    const bool swapped = scenes.size() % 2 == 1;
    const Shape &first = swapped ? b : a, &second = swapped ? a : b;
    SceneDescription scene = two_bodies(first.geometry, second.geometry);
    scene.bodies[0].rigid = first.rigid;
    scene.bodies[1].rigid = second.rigid;
    for (Body& body : scene.bodies) body.friction = 0.5, body.dissipation = 0.25;
    scenes.push_back(scene);
  };
  const std::vector<Shape> meshes = compliant_meshes(), others = other_shapes();
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) add(meshes[i], meshes[j]);
    for (const Shape& other : others) add(meshes[i], other);
  }
  add(others[2], others[0]);
  add(others[3], others[0]);
  return scenes;
}

/// Offsets and velocities in quarters, quarter turns, and moduli of which two in three are equal.
Batch lattice_batch(int environments, unsigned seed) {
  Random random(seed);
  const auto quarters = [&](int reach) {
    Vector3d v;
    for (Eigen::Index i = 0; i < 3; ++i) v[i] = 0.25 * (random.below(2 * reach + 1) - reach);
    return v;
  };
  const auto turn = [&] { return quarter_turns()[static_cast<std::size_t>(random.below(24))]; };
  Batch batch = Batch::of_two_bodies(environments);
  for (int e = 0; e < environments; ++e) {
    const Vector3d base = random.below(2) == 0 ? Vector3d(0, 0, 0) : quarters(8);
    const Vector3d offset = quarters(4);
    for (const Vector3d& position : {Vector3d(base + offset), base}) {
      const Pose pose = aligned_pose(position, turn(), random);
      batch.poses.insert(batch.poses.end(), pose.begin(), pose.end());
      const Pose velocity = aligned_pose(quarters(2), {0, 0, 0, 0}, random);
      batch.velocities.insert(batch.velocities.end(), velocity.begin(), velocity.begin() + 6);
    }
    batch.modulus.push_back(1e5);
    batch.modulus.push_back(random.below(3) < 2 ? 1e5 : 2e5);
  }
  return batch;
}

bool all_finite(const std::vector<double>& values, std::size_t e) {
  const std::size_t row = 3;
  bool finite = true;
  for (std::size_t i = 0; i < row; ++i) finite = finite && std::isfinite(values[row * e + i]);
  return finite;
}

bool all_zero(const std::vector<double>& values, std::size_t row, std::size_t e) {
  bool zero = true;
  for (std::size_t i = 0; i < row; ++i) zero = zero && values[row * e + i] == 0;
  return zero;
}

bool is_finite(const Polygon& p) {
  bool finite = std::isfinite(p.area);
  for (int k = 0; k < p.num_vertices; ++k) {
    finite = finite && std::isfinite(p.pressures[k]);
    for (const float x : p.vertices[k]) finite = finite && std::isfinite(x);
  }
  for (const float x : p.normal) finite = finite && std::isfinite(x);
  return finite;
}

bool is_finite(const DiscreteContact& c) {
  bool finite = true;
  for (const float x : {c.area, c.pressure, c.stiffness, c.distance, c.dissipation, c.friction, c.point[0], c.point[1],
                        c.point[2], c.normal[0], c.normal[1], c.normal[2]}) {
    finite = finite && std::isfinite(x);
  }
  return finite;
}

/// Empty where the results of an environment make sense.
std::string fault(const UnwrittenResults& r, std::size_t e) {
  if ((r.status[e] & ~std::uint32_t{kNoContactSurface | kFarSide}) != 0) return status_text(r.status[e]);
  for (std::size_t half = 0; half < 2; ++half) {
    if (!all_finite(r.pair_wrench, 2 * e + half)) return "a wrench is not finite";
  }
  for (std::size_t part = 0; part < 4; ++part) {
    if (!all_finite(r.body_wrench, 4 * e + part)) return "a body's wrench is not finite";
  }
  if (!all_finite(r.center_of_pressure, e)) return "the centre of pressure is not finite";
  if (!all_finite(r.mean_normal, e)) return "the mean normal is not finite";
  if (!all_finite(r.friction_force, e)) return "the friction force is not finite";
  if (!(std::isfinite(r.area[e]) && r.area[e] >= 0)) return "an area is negative or not finite";
  if (!(std::isfinite(r.energy[e]) && r.energy[e] >= 0)) return "an energy is negative or not finite";
  if (!(std::isfinite(r.max_pressure[e]) && r.max_pressure[e] >= 0)) return "a pressure is negative or not finite";
  if (r.polygon_count[e] == 0 && r.area[e] != 0) return "an area without polygons";
  if (r.polygon_count[e] != 0 && r.area[e] == 0) return "polygons without area";
  if (r.polygons_needed[e] != r.polygon_count[e]) return "polygons needed are not those counted";
  if (r.contacts_needed[e] > r.polygon_count[e]) return "more contacts than polygons";
  if (r.polygon_count[e] == 0 &&
      !(all_zero(r.pair_wrench, 6, e) && all_zero(r.body_wrench, 12, e) && all_zero(r.center_of_pressure, 3, e) &&
        all_zero(r.mean_normal, 3, e) && all_zero(r.friction_force, 3, e) && r.max_pressure[e] == 0)) {
    return "a result that is not 0 without a polygon";
  }
  for (std::int32_t i = 0; i < r.polygons_needed[e]; ++i) {
    const std::size_t at =
        e * static_cast<std::size_t>(r.counts()[Per::kPolygonCapacity]) + static_cast<std::size_t>(i);
    const Polygon& polygon = r.polygons[at];
    if (polygon.num_vertices < 3 || polygon.num_vertices > 8) {
      return "a polygon of " + std::to_string(polygon.num_vertices) + " vertices";
    }
    if (!is_finite(polygon)) return "a polygon is not finite";
    if (polygon.area < 0) return "a polygon of negative area";
  }
  for (std::int32_t i = 0; i < r.contacts_needed[e]; ++i) {
    const std::size_t at =
        e * static_cast<std::size_t>(r.counts()[Per::kContactCapacity]) + static_cast<std::size_t>(i);
    if (!is_finite(r.contacts[at])) return "a discrete contact is not finite";
    if (r.contacts[at].area < 0) return "a discrete contact of negative area";
  }
  return "";
}

struct LatticePoses : Degenerate {};

TEST_P(LatticePoses, EveryResultIsANumberThatMakesSense) {
  std::vector<SceneDescription> scenes = all_scenes();
  if (GetParam().backend == Backend::kReference) {  // whose exact rule takes a millisecond a polygon
    for (SceneDescription& scene : scenes) scene.contact.quadrature = Quadrature::kFan3;
  }
  const int environments = kPoses / static_cast<int>(scenes.size()) + 1;
  constexpr std::int32_t kCapacity = 192;  // an environment that needs more has a status, which is a fault
  int touching = 0, all = 0;
  std::map<std::string, std::pair<int, std::string>> faults;  // how often, and where first
  for (std::size_t s = 0; s < scenes.size(); ++s) {
    const Scene scene(scenes[s]);
    const Batch batch = lattice_batch(environments, 1000 + static_cast<unsigned>(s));
    UnwrittenResults r(scene, batch.num_environments, detail::Outputs::kPolygons, kCapacity);
    r.give_contacts(kCapacity);
    Evaluator(scene, GetParam().options()).evaluate(batch.state(), r.view());
    for (std::size_t e = 0; e < r.status.size(); ++e) {
      ++all;
      touching += r.polygon_count[e] > 0 ? 1 : 0;
      const std::string text = fault(r, e);
      if (text.empty() || faults[text].first++ > 0) continue;
      std::ostringstream where;
      where << scenes[s].geometries[0].name << " on " << scenes[s].geometries[1].name << ", poses";
      for (std::size_t i = 0; i < 14; ++i) where << (i == 7 ? " |" : "") << ' ' << batch.poses[14 * e + i];
      faults[text].second = where.str();
    }
  }
  for (const auto& [text, found] : faults) {
    ADD_FAILURE() << text << ", " << found.first << " times in " << all << " poses; the first: " << found.second;
  }
  EXPECT_GT(touching, all / 3);
}

// The two cubes have edges in common where their pressures are equal, but no face.
TEST_P(LatticePoses, CubesThatShareEdgesOnlyHaveNoPatch) {
  const SceneDescription scene = two_bodies(make_box("a", {1, 1, 1}), make_box("b", {1, 1, 1}));
  Batch batch = Batch::of_two_bodies(1);
  batch.poses = {1, 0.75, -0.5, 0, 0, 0, 1, 0, 0, 0, 1, 0, -1, 0};
  const UnwrittenResults r = evaluate(Scene(scene), batch, GetParam().options());
  EXPECT_EQ(r.status[0], kOk);
  EXPECT_EQ(r.polygon_count[0], 0);
  EXPECT_EQ(r.area[0], 0);
  for (const double n : r.mean_normal) EXPECT_EQ(n, 0);
}

ISOPATCH_INSTANTIATE_DEGENERATE(LatticePoses);

}  // namespace
}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
//
// Contacts, relations, separation and overlap of polytopes against the reference, which shares no code with them.
// ISOPATCH_POLYTOPE_STATES says how many random states; more than the default are for runs by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <sstream>

#include "host/reference/polytope/pair.h"
#include "host/reference/polytope/separation.h"
#include "isopatch/detail/polytope/overlap.h"
#include "isopatch/detail/polytope/shape.h"
#include "tests/polytope/polytope_fixture.h"
#include "tests/polytope/reference_shapes.h"

namespace isopatch::test {
namespace {

namespace ref = reference::polytope;
using reference::Real;

// of the size: rounding of gaps, separation and overlap
constexpr double kRounding = 1e-12;

// What is nearer than this to a threshold may be decided either way: ten times as much as gaps and distances err.
constexpr double kUndecided = 1e-11;

struct Motion {
  Vec3d velocity, angular_velocity;
};

struct State {
  ConvexShape shapes[2];
  Transform<double> X[2];
  Motion motion[2];
  double time_step, margin, tolerance;
};

ConvexShape box_of(PolytopeRandom& random, bool planar) {
  const auto side = [&] { return 0.1 * random.integer(1, 10); };
  const double x = side(), y = side(), z = side();
  if (planar) return ConvexShape::polygon({{-x, -y}, {x, -y}, {x, y}, {-x, y}});
  return ConvexShape::box({x, y, z});
}

ConvexShape prism_of(PolytopeRandom& random) {
  const int sides = random.integer(3, 14);
  const double radius = random.uniform(0.3, 1), half = random.uniform(0.1, 1);
  std::vector<Point3> points;
  for (int i = 0; i < 2 * sides; ++i) {
    const int corner = i / 2;
    const double angle = 2 * std::numbers::pi * corner / sides;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), i % 2 == 0 ? half : -half});
  }
  return ConvexShape::hull(points);
}

ConvexShape shape_of(PolytopeRandom& random, bool planar) {
  switch (random.integer(planar ? 1 : 0, 5)) {
    case 0:
      return prism_of(random);
    case 1:
      return box_of(random, planar);
    case 2:
      return random.thin_shape(planar, random.integer(4, 10));
    default:
      return random.shape(planar, random.integer(4, 8));
  }
}

/// Touching but for rounding, near touch, or from far apart to deep in each other; a quarter with axes parallel to each
/// other.
State random_state(PolytopeRandom& random) {
  const int kind = random.integer(0, 9);
  const bool planar = kind < 3, on_ground = kind == 3, parallel = random.integer(0, 3) == 0;
  State state{{shape_of(random, planar), on_ground ? ConvexShape::half_space() : shape_of(random, planar)},
              {at({0, 0, 0}), at({0, 0, 0})},
              {},
              random.integer(0, 1) * random.uniform(0, 0.05),
              random.uniform(0.005, 0.2),
              1e-6};
  for (std::size_t body = 0; body < 2; ++body) {
    if (!parallel) state.X[body] = random.rotation(planar);
    const bool turns = !(on_ground && body == 1);  // it would reach everywhere
    const Vec3d axis = planar ? Vec3d{0, 0, 1} : random.direction(false);
    state.motion[body] = {random.uniform(0, 2) * random.direction(planar),
                          turns ? random.uniform(0, 3) * axis : Vec3d{0, 0, 0}};
  }
  state.X[1].translation = random.uniform(0, 3) * random.direction(planar);
  const int place = random.integer(0, 9);
  const double gap = place == 0  ? 0
                     : place < 6 ? random.uniform(0, 0.5 * state.margin)
                     : place < 8 ? -random.uniform(0, 0.05)
                                 : random.uniform(-0.5, 0.5);
  const Vec3d up{state.X[1].row[0].z, state.X[1].row[1].z, state.X[1].row[2].z};
  const Vec3d along = on_ground ? up : parallel ? Vec3d{0, 1, 0} : random.direction(planar);
  const double aside_x = random.uniform(-0.5, 0.5), aside_z = planar ? 0 : random.uniform(-0.5, 0.5);
  const Vec3d start = state.X[1].translation + (parallel ? Vec3d{aside_x, 0, aside_z} : Vec3d{0, 0, 0});
  double low = 0, high = 6;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (low + high);
    state.X[0].translation = start + middle * along;
    const bool is_less = separation_of({&state.shapes[0], state.X[0]}, {&state.shapes[1], state.X[1]}) < gap;
    (is_less ? low : high) = middle;
  }
  state.X[0].translation = start + high * along;
  return state;
}

ref::PolytopeBody body_of(const State& state, std::size_t body) {
  ref::PolytopeBody result;
  result.parts = {copy_of(state.shapes[body])};
  result.pose = transform_of(state.X[body]);
  result.velocity = vector_of(state.motion[body].velocity);
  result.angular_velocity = vector_of(state.motion[body].angular_velocity);
  return result;
}

detail::RelationOptions options_of(const State& state, RelationMode mode) {
  double speed[2];
  for (std::size_t body = 0; body < 2; ++body) {
    const double spin = norm(state.motion[body].angular_velocity);
    speed[body] = norm(state.motion[body].velocity) +
                  (spin > 0 ? spin * detail::radius_about(state.shapes[body].view(), {0, 0, 0}) : 0);
  }
  return {detail::relation_reach(state.margin, state.time_step, speed[0], speed[1]),
          detail::relation_angle(state.time_step, norm(state.motion[0].angular_velocity),
                                 norm(state.motion[1].angular_velocity)),
          state.tolerance, mode};
}

/// Kind and members of a relation.
using Named = std::pair<int, std::set<ref::FeaturePair>>;

struct Everything {
  std::vector<ref::FeaturePair> contacts;
  std::vector<Named> relations;

  bool operator==(const Everything&) const = default;
};

ref::FeaturePair name_of(const PotentialContact& c) {
  return {static_cast<ref::ContactKind>(c.kind), c.feature_a, c.feature_b};
}

Everything names_of(const Found& found) {
  Everything names;
  for (const PotentialContact& c : found.contacts) names.contacts.push_back(name_of(c));
  for (const Relation& relation : found.relations) {
    Named named{relation.kind, {}};
    for (std::int32_t k = relation.first; k < relation.first + relation.count; ++k) {
      named.second.insert(names.contacts[static_cast<std::size_t>(found.members[static_cast<std::size_t>(k)])]);
    }
    EXPECT_EQ(static_cast<std::int32_t>(named.second.size()), relation.count) << "a member twice";
    names.relations.push_back(named);
  }
  return names;
}

Everything names_of(const ref::RelationSet& set) {
  Everything names;
  for (const ref::Contact& contact : set.contacts) names.contacts.push_back(contact.features);
  for (const ref::Relation& relation : set.relations) {
    Named named{static_cast<int>(relation.kind), {}};
    for (const int member : relation.members) named.second.insert(names.contacts[static_cast<std::size_t>(member)]);
    names.relations.push_back(named);
  }
  return names;
}

std::string text_of(const Everything& names) {
  std::ostringstream text;
  for (const auto& [kind, members] : names.relations) {
    text << "\n "
         << "UIX"[kind];
    for (const ref::FeaturePair& m : members) {
      text << " (" << static_cast<int>(m.kind) << " " << m.feature_a << " " << m.feature_b << ")";
    }
  }
  return text.str();
}

/// A shape whose vertices and planes are a little elsewhere, each by itself.
ref::ConvexShape changed(ref::ConvexShape shape, bool planar, PolytopeRandom& random) {
  for (reference::Vector3& vertex : shape.vertices) vertex += kUndecided * vector_of(random.direction(planar));
  for (ref::ConvexFace& face : shape.faces) face.point += kUndecided * vector_of(random.direction(planar));
  return shape;
}

/// Whether the reference finds these relations once shapes and thresholds have changed by what is undecided.
bool is_undecided(const Everything& names, const ref::ConvexShape& a, const ref::ConvexShape& b,
                  const ref::RelationRange& range, ref::RelationMode mode, bool planar, PolytopeRandom& random) {
  for (int k = 0; k < 200; ++k) {
    const auto change = [&] { return Real{1} + random.uniform(-kUndecided, kUndecided); };
    const ref::RelationRange other{range.reach * change(), range.turning * change(), range.tolerance * change()};
    if (names_of(find_relations(changed(a, planar, random), changed(b, planar, random), other, mode)) == names)
      return true;
  }
  return false;
}

struct Counts {
  int states = 0, relations = 0, undecided = 0, wrong = 0;
};

TEST(PolytopesAgainstTheReference, HaveTheSameContactsAndRelations) {
  const char* const wanted = std::getenv("ISOPATCH_POLYTOPE_STATES");
  const int num_states = wanted == nullptr ? 5000 : std::atoi(wanted);
  Counts counts[4];
  double worst_gap = 0, worst_applicability = 0, worst_separation = 0, worst_overlap = 0, worst_reach = 0;
  int num_reversed = 0;
  PolytopeRandom random(61), changes(62);
  for (int k = 0; k < num_states; ++k) {
    const State state = random_state(random);
    const bool planar = state.shapes[0].is_planar();
    const double size = 2 * std::min(state.shapes[0].view().ball, state.shapes[1].view().ball);
    const Placed a{&state.shapes[0], state.X[0]}, b{&state.shapes[1], state.X[1]};
    const ref::PolytopeBody body_a = body_of(state, 0), body_b = body_of(state, 1);
    const ref::ConvexShape shape_a = moved(body_a.parts[0], body_a.pose), shape_b = moved(body_b.parts[0], body_b.pose);
    ref::PairSettings settings;
    settings.margin = state.margin;
    settings.tolerance = state.tolerance;
    settings.time_step = state.time_step;
    const ref::RelationRange range = range_of(body_a, 0, body_b, 0, settings);
    for (int mode = 0; mode < 4; ++mode) {
      const detail::RelationOptions options = options_of(state, static_cast<RelationMode>(mode));
      worst_reach = std::max({worst_reach, std::fabs(static_cast<double>(range.reach) - options.reach),
                              std::fabs(static_cast<double>(range.turning) - options.angle)});
      const Found found = find(a, b, options);
      const auto ref_mode = static_cast<ref::RelationMode>(mode);
      const ref::RelationSet expected = find_relations(shape_a, shape_b, range, ref_mode);
      const Everything names = names_of(found), expected_names = names_of(expected);
      Counts& count = counts[mode];
      ++count.states;
      count.relations += static_cast<int>(expected.relations.size());
      if (!(names == expected_names)) {
        if (is_undecided(names, shape_a, shape_b, range, ref_mode, planar, changes)) {
          ++count.undecided;
        } else if (++count.wrong <= 3) {
          ADD_FAILURE() << "state " << k << ", mode " << mode << ", separation " << found.separation.value << ", reach "
                        << options.reach << ", found" << text_of(names) << "\nexpected" << text_of(expected_names);
        }
        continue;
      }
      for (std::size_t c = 0; c < expected.contacts.size(); ++c) {
        const ref::Contact& contact = expected.contacts[c];
        // two edges that are as little applicable either way round have either normal
        const bool is_reversed = vector_of(rotate(a.X, found.geometry[c].normal)).dot(contact.normal) < 0;
        const Real gap = is_reversed ? -contact.gap : contact.gap;
        if (is_reversed) {
          ++num_reversed;
          EXPECT_EQ(contact.features.kind, ref::ContactKind::kEdgeOnEdge);
          EXPECT_LT(contact.applicability, 0);
        }
        worst_gap = std::max(worst_gap, std::fabs(found.geometry[c].gap - static_cast<double>(gap)) / size);
        const double applicability = found.geometry[c].applicability;
        if (std::isfinite(applicability)) {  // of a half space over a vertex it is not
          worst_applicability =
              std::max(worst_applicability, std::fabs(applicability - static_cast<double>(contact.applicability)));
        }
      }
      if (mode > 0) continue;
      const auto separation = static_cast<double>(ref::separation(shape_a, shape_b).gap);
      worst_separation = std::max(worst_separation, std::fabs(found.separation.value - separation) / size);
      std::vector<detail::OverlapMemory> memory(1);
      const double overlap = found.separation.value >= 0 ? 0 : overlap_size(found.pair, memory[0]);
      worst_overlap = std::max(worst_overlap, std::fabs(overlap - static_cast<double>(ref::overlap(shape_a, shape_b))) /
                                                  std::pow(size, planar ? 2 : 3));
    }
  }
  const char* const names[] = {"exact", "lnc", "unilateral", "separating"};
  for (int mode = 0; mode < 4; ++mode) {
    const Counts& count = counts[mode];
    std::printf("%s: %d states, %d relations, %d undecided, %d wrong\n", names[mode], count.states, count.relations,
                count.undecided, count.wrong);
    EXPECT_EQ(count.wrong, 0) << names[mode];
    EXPECT_LE(count.undecided, num_states / 200) << names[mode];
  }
  std::printf("normals of edges reversed: %d\n", num_reversed);
  std::printf("worst: gap %.2g, applicability %.2g, separation %.2g, overlap %.2g\n", worst_gap, worst_applicability,
              worst_separation, worst_overlap);
  EXPECT_LT(worst_reach, kRounding);
  EXPECT_LT(worst_gap, kRounding);
  EXPECT_LT(worst_applicability, kRounding);
  EXPECT_LT(worst_separation, kRounding);
  EXPECT_LT(worst_overlap, kRounding);
}

}  // namespace
}  // namespace isopatch::test

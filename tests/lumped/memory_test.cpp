// SPDX-License-Identifier: Apache-2.0
//
// What a contact remembers, and what it must not depend on.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isopatch/error.h"
#include "isopatch/lumped_contact.h"
#include "tests/lumped/lumped_scenes.h"

namespace isopatch::test {
namespace {

constexpr Depth kDepth = {1e-3, {0.1, 0.2, 0}, {0, 0, 1}};

/// States of a contact that is pushed to and fro.
std::vector<LumpedContact> pushed(const LumpedLaw& law) {
  std::vector<LumpedContact> contacts;
  LumpedState state = {};
  for (int i = 0; i < 300; ++i) {
    const LumpedMotion motion = moving({2e-3 * std::sin(0.05 * i), 1e-4, 0}, {0, 0, 0.1});
    contacts.push_back(lumped_contact(law, kDepth, motion, state, 1e-3));
    state = contacts.back().state;
  }
  return contacts;
}

TEST(ContactMemory, BendsAreTheSameBitsAtAnyLoad) {
  LumpedLaw law = bristle_law(0.5, 1.3);
  const std::vector<LumpedContact> light = pushed(law);
  law.stiffness *= 2;
  const std::vector<LumpedContact> heavy = pushed(law);
  for (std::size_t i = 0; i < light.size(); ++i) {
    EXPECT_EQ(light[i].state, heavy[i].state) << i;
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(2 * light[i].wrench[k], heavy[i].wrench[k]) << i;
  }
  EXPECT_GT(std::fabs(light.back().state[3]), 1e-7);
}

TEST(ContactMemory, EndsWithTheContact) {
  const LumpedLaw law = bristle_law(0.5);
  const LumpedState state = {0.3, 0, 2e-7, -1e-7, 0, 1e-5, 0.4, 0.1};
  for (const double depth : {0.0, -1.0}) {
    const LumpedContact contact = lumped_contact(law, Depth{depth, {}, {}}, {}, state, 1e-3);
    EXPECT_EQ(contact.wrench, (std::array<double, 6>{}));
    EXPECT_EQ(contact.state, LumpedState{});
  }
  EXPECT_EQ(lumped_contact(law, Overlap{}, {}, state, 1e-3).state, LumpedState{});
}

TEST(ContactMemory, StaysWithoutTime) {
  const LumpedState state = {0.3, 0, 2e-7, -1e-7, 0, 0, 0.4, 0.1};
  const LumpedState after = lumped_contact(bristle_law(0.5), kDepth, moving({1e-2, 0, 0}), state, 0).state;
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(after[k], state[k], 1e-22) << k;
}

TEST(ContactMemory, OfCoulombFrictionHasNoBristles) {
  LumpedLaw law = bristle_law(0.5);
  law.friction_model = FrictionModel::kCoulomb;
  const LumpedState after =
      lumped_contact(law, kDepth, moving({1e-2, 0, 0}), {0.3, 0, 2e-7, -1e-7, 0, 1e-5, 0.4, 0.1}, 0.5).state;
  EXPECT_EQ(after, (LumpedState{0.3, 0, 0, 0, 0, 0, 0, 0.6}));
}

TEST(LumpedContact, StiffBristlesSlideAsCoulombFriction) {
  LumpedLaw law = bristle_law(0.5);
  law.bristle = {1e8, 200, 0, 1e-3, 0, 1};
  const Overlap overlap = ball_on_plane({0, 0, 0.0975}, 0.1);
  const LumpedMotion motion = moving({0.3, -0.1, 0.01}, {2, 1, 5});
  const LumpedContact bristles = lumped_contact(law, overlap, motion, {0.1}, 1e-3);
  law.friction_model = FrictionModel::kCoulomb;
  const LumpedContact coulomb = lumped_contact(law, overlap, motion, {0.1}, 1e-3);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(bristles.wrench[k], coulomb.wrench[k], 1e-6) << k;
}

TEST(LumpedContact, SwappedHasTheOppositeForceAndBend) {
  const LumpedLaw law = bristle_law(0.5, 1.3);
  const Overlap overlap = ball_on_plane({0, 0, 0.0975}, 0.1);
  Overlap swapped = overlap;
  for (double& x : swapped.area) x = -x;
  const LumpedMotion motion = {{0, 0, 0.1}, {0.2, 0, 0}, {1e-3, 2e-4, -0.1}, {1e-4, 0, 0}, {0.1, 0.2, 0.3}, {0, 0, 5}};
  const LumpedMotion other = {motion.origin_b,   motion.origin_a,           motion.velocity_b,
                              motion.velocity_a, motion.angular_velocity_b, motion.angular_velocity_a};
  const LumpedContact a = lumped_contact(law, overlap, motion, {0.1, 0, 1e-6, 2e-6, 0, 1e-5, 0.5, 1}, 1e-3);
  const LumpedContact b = lumped_contact(law, swapped, other, {0.1, 0, -1e-6, -2e-6, 0, 1e-5, 0.5, 1}, 1e-3);
  const double size = std::fabs(a.wrench[2]);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.wrench[k], -b.wrench[k], 1e-13 * size) << k;
  for (std::size_t k = 2; k < 5; ++k) EXPECT_NEAR(a.state[k], -b.state[k], 1e-19) << k;
  EXPECT_NEAR(a.state[5], b.state[5], 1e-17);
  EXPECT_EQ(a.state[6], b.state[6]);
}

TEST(LumpedContact, IsTheSameFarAway) {
  const LumpedLaw law = bristle_law(0.5, 1.3);
  const LumpedState state = {0.1, 0, 1e-6, 2e-6, 0, 1e-5, 0.5, 1};
  const Overlap overlap = ball_on_plane({0, 0, 0.0975}, 0.1);
  LumpedMotion motion = moving({1e-3, 2e-4, -0.1}, {0.1, 0.2, 0.3});
  const LumpedContact near = lumped_contact(law, overlap, motion, state, 1e-3);
  Overlap moved = overlap;
  moved.centroid[0] += 1e6;
  motion.origin_a[0] += 1e6;
  motion.origin_b[0] += 1e6;
  const LumpedContact far = lumped_contact(law, moved, motion, state, 1e-3);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(far.wrench[k], near.wrench[k], 1e-9 * near.wrench[2]) << k;
}

/// What lumped_contact() says of bad input.
template <class Change>
std::string message_of(const Change& change) {
  LumpedLaw law = bristle_law(0.5);
  Depth depth = kDepth;
  LumpedMotion motion = {};
  LumpedState state = {};
  double time_step = 1e-3;
  change(law, depth, motion, state, time_step);
  try {
    lumped_contact(law, depth, motion, state, time_step);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(LumpedContact, NamesWhatIsWrong) {
  using Law = LumpedLaw;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto law = [](const auto& change) {
    return message_of([&](Law& l, Depth&, LumpedMotion&, LumpedState&, double&) { change(l); });
  };
  EXPECT_EQ(law([](Law& l) { l.stiffness = 0; }), "lumped_contact: law.stiffness is 0; it must be positive and finite");
  EXPECT_EQ(law([](Law& l) { l.exponent = 0.5; }), "lumped_contact: law.exponent is 0.5; it must be from 1 to 64");
  EXPECT_EQ(law([](Law& l) { l.dissipation = -1; }),
            "lumped_contact: law.dissipation is -1; it must be from 0 to 1e6 s/m");
  for (const double e : {0.0, -0.5, 1.5, kNaN}) {
    EXPECT_NE(law([&](Law& l) { l.restitution = e; }).find("; it must be above 0 and at most 1"), std::string::npos);
  }
  EXPECT_EQ(law([](Law& l) { l.small_speed = 0; }),
            "lumped_contact: law.small_speed is 0; it must be from 1e-12 to 1e6 m/s");
  EXPECT_EQ(law([](Law& l) { l.bristle.stiffness = 0; }),
            "lumped_contact: law.bristle.stiffness is 0; it must be positive and finite");
  EXPECT_EQ(law([](Law& l) { l.bristle.damping = -1; }),
            "lumped_contact: law.bristle.damping is -1; it must be positive and finite");
  EXPECT_EQ(law([](Law& l) { l.bristle.stribeck_velocity = 0; }),
            "lumped_contact: law.bristle.stribeck_velocity is 0; it must be from 1e-12 to 1e6 m/s");
  EXPECT_EQ(law([](Law& l) { l.bristle.static_ratio = 0.5; }),
            "lumped_contact: law.bristle.static_ratio is 0.5; it must be finite and at least 1");
  EXPECT_EQ(law([](Law& l) { l.bristle.dwell_time = -1; }),
            "lumped_contact: law.bristle.dwell_time is -1; it must be finite and not negative");
  EXPECT_EQ(law([](Law& l) { l.spin_radius = -1; }),
            "lumped_contact: law.spin_radius is -1; it must be finite and not negative");

  const auto state = [](std::size_t i, double value) {
    return message_of([&](Law&, Depth&, LumpedMotion&, LumpedState& s, double&) { s[i] = value; });
  };
  EXPECT_EQ(state(0, -1), "lumped_contact: state[0] (impact speed) is -1; it must be finite and not negative");
  EXPECT_EQ(state(6, 1.5), "lumped_contact: state[6] (dwell) is 1.5; it must be from 0 to 1");
  EXPECT_EQ(state(3, kNaN), "lumped_contact: state[3] (bend) is nan; it must be finite");

  EXPECT_EQ(
      state(0, 1e-310),
      "lumped_contact: state[0] (impact speed) is 1e-310; it must be 0, or from 0.001 (small_speed) to 1e+30 m/s");
  EXPECT_EQ(state(4, -2), "lumped_contact: state[4] (bend) is -2; it must be from -1 to 1");
  EXPECT_EQ(state(7, 1e31), "lumped_contact: state[7] (age) is 1e+31; it must be from 0 to 1e+30");

  EXPECT_EQ(message_of([](Law&, Depth& d, LumpedMotion&, LumpedState&, double&) {
              d.normal = {0, 0, 2};
            }),
            "lumped_contact: the length of depth.normal is 2; it must be 1");
  EXPECT_EQ(message_of([](Law&, Depth&, LumpedMotion& m, LumpedState&, double&) { m.velocity_b[1] = kNaN; }),
            "lumped_contact: motion.velocity_b[1] is nan; it must be finite");
  EXPECT_EQ(message_of([](Law&, Depth&, LumpedMotion&, LumpedState&, double& dt) { dt = -1; }),
            "lumped_contact: time_step is -1; it must be finite and not negative");
}

/// Each number at every power of ten, alone: what is not an error is finite.
TEST(LumpedContact, IsFiniteOrAnErrorWhateverIsGiven) {
  using Change = std::function<void(LumpedLaw&, Depth&, LumpedMotion&, double&, double)>;
  const std::pair<const char*, Change> changes[] = {
      {"depth", [](auto&, Depth& d, auto&, double&, double x) { d.depth = x; }},
      {"point", [](auto&, Depth& d, auto&, double&, double x) { d.point[0] = x; }},
      {"velocity", [](auto&, auto&, LumpedMotion& m, double&, double x) { m.velocity_a[2] = -x; }},
      {"slip", [](auto&, auto&, LumpedMotion& m, double&, double x) { m.velocity_b[0] = x; }},
      {"spin", [](auto&, auto&, LumpedMotion& m, double&, double x) { m.angular_velocity_a[1] = x; }},
      {"origin", [](auto&, auto&, LumpedMotion& m, double&, double x) { m.origin_b[0] = x; }},
      {"step", [](auto&, auto&, auto&, double& step, double x) { step = x; }},
      {"stiffness", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.stiffness = x; }},
      {"restitution", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.restitution = x; }},
      {"dissipation", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.dissipation = x; }},
      {"bristles", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.bristle.stiffness = x; }},
      {"damping", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.bristle.damping = x; }},
      {"relaxation", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.relaxation_time = x; }},
      {"static ratio", [](LumpedLaw& l, auto&, auto&, double&, double x) { l.bristle.static_ratio = x; }}};
  for (const auto& [name, change] : changes) {
    int errors = 0, found = 0;
    for (int exponent = -324; exponent <= 308; ++exponent) {
      const double x = exponent < -323 ? std::numeric_limits<double>::denorm_min()
                                       : std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
      LumpedLaw law = bristle_law(0.5);
      Depth depth = kDepth;
      LumpedMotion motion = {};
      motion.velocity_a = {0.1, 0, -0.1};
      double step = 1e-3;
      change(law, depth, motion, step, x);
      try {
        const LumpedContact contact = lumped_contact(law, depth, motion, {0.1, 0, 1e-6, 0, 0, 1e-3, 0.5, 1}, step);
        ++found;
        for (const double f : contact.wrench) ASSERT_TRUE(std::isfinite(f)) << name << " " << x;
        for (const double s : contact.state) ASSERT_TRUE(std::isfinite(s)) << name << " " << x;
        for (const double d : contact.damping_matrix) ASSERT_TRUE(std::isfinite(d)) << name << " " << x;
      } catch (const Error& error) {
        ++errors;
        EXPECT_EQ(std::string(error.what()).find("lumped_contact: "), 0u) << error.what();
      }
    }
    EXPECT_GE(found, 13) << name;  // a restitution is from 1e-12 to 1
    if (std::set<std::string>{"relaxation", "stiffness", "damping"}.count(name) == 0) {  // which have no limit
      EXPECT_GT(errors, 0) << name;
    }
  }
}

}  // namespace
}  // namespace isopatch::test

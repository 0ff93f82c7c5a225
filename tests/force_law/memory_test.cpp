// SPDX-License-Identifier: Apache-2.0
//
// What a contact remembers, and what it must not depend on.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isopatch/error.h"
#include "isopatch/single_contact.h"
#include "tests/force_law/single_contact_scenes.h"

namespace isopatch::test {
namespace {

constexpr Depth kDepth = {1e-3, {0.1, 0.2, 0}, {0, 0, 1}};

/// States of a contact that is pushed to and fro.
std::vector<SingleContact> pushed(const ContactForceLaw& law) {
  std::vector<SingleContact> contacts;
  ContactStateRow state = {};
  for (int i = 0; i < 300; ++i) {
    const ContactMotion motion = moving({2e-3 * std::sin(0.05 * i), 1e-4, 0}, {0, 0, 0.1});
    contacts.push_back(single_contact(law, kDepth, motion, state, 1e-3));
    state = contacts.back().state;
  }
  return contacts;
}

TEST(ContactState, BendsAreTheSameBitsAtAnyLoad) {
  ContactForceLaw law = bristle_law(0.5, 1.3);
  const std::vector<SingleContact> light = pushed(law);
  law.stiffness *= 2;
  const std::vector<SingleContact> heavy = pushed(law);
  for (std::size_t i = 0; i < light.size(); ++i) {
    EXPECT_EQ(light[i].state, heavy[i].state) << i;
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(2 * light[i].wrench[k], heavy[i].wrench[k]) << i;
  }
  EXPECT_GT(std::fabs(light.back().state[3]), 1e-7);
}

TEST(ContactState, EndsWithTheContact) {
  const ContactForceLaw law = bristle_law(0.5);
  const ContactStateRow state = {0.3, 0, 2e-7, -1e-7, 0, 1e-5, 0.4, 0.1};
  for (const double depth : {0.0, -1.0}) {
    const SingleContact contact = single_contact(law, Depth{depth, {}, {}}, {}, state, 1e-3);
    EXPECT_EQ(contact.wrench, (std::array<double, 6>{}));
    EXPECT_EQ(contact.state, ContactStateRow{});
  }
  EXPECT_EQ(single_contact(law, Overlap{}, {}, state, 1e-3).state, ContactStateRow{});
}

TEST(ContactState, StaysWithoutTime) {
  const ContactStateRow state = {0.3, 0, 2e-7, -1e-7, 0, 0, 0.4, 0.1};
  const ContactStateRow after = single_contact(bristle_law(0.5), kDepth, moving({1e-2, 0, 0}), state, 0).state;
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(after[k], state[k], 1e-22) << k;
}

TEST(ContactState, OfCoulombFrictionHasNoBristles) {
  ContactForceLaw law = bristle_law(0.5);
  law.friction_model = FrictionModel::kCoulomb;
  const ContactStateRow after =
      single_contact(law, kDepth, moving({1e-2, 0, 0}), {0.3, 0, 2e-7, -1e-7, 0, 1e-5, 0.4, 0.1}, 0.5).state;
  EXPECT_EQ(after, (ContactStateRow{0.3, 0, 0, 0, 0, 0, 0, 0.6}));
}

TEST(SingleContact, StiffBristlesSlideAsCoulombFriction) {
  ContactForceLaw law = bristle_law(0.5);
  law.bristle = {1e8, 200, 0, 1e-3, 0, 1};
  const Overlap overlap = ball_on_plane({0, 0, 0.0975}, 0.1);
  const ContactMotion motion = moving({0.3, -0.1, 0.01}, {2, 1, 5});
  const SingleContact bristles = single_contact(law, overlap, motion, {0.1}, 1e-3);
  law.friction_model = FrictionModel::kCoulomb;
  const SingleContact coulomb = single_contact(law, overlap, motion, {0.1}, 1e-3);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(bristles.wrench[k], coulomb.wrench[k], 1e-6) << k;
}

TEST(SingleContact, SwappedHasTheOppositeForceAndBend) {
  const ContactForceLaw law = bristle_law(0.5, 1.3);
  const Overlap overlap = ball_on_plane({0, 0, 0.0975}, 0.1);
  Overlap swapped = overlap;
  for (double& x : swapped.area) x = -x;
  const ContactMotion motion = {{0, 0, 0.1}, {0.2, 0, 0}, {1e-3, 2e-4, -0.1}, {1e-4, 0, 0}, {0.1, 0.2, 0.3}, {0, 0, 5}};
  const ContactMotion other = {motion.origin_b,   motion.origin_a,           motion.velocity_b,
                               motion.velocity_a, motion.angular_velocity_b, motion.angular_velocity_a};
  const SingleContact a = single_contact(law, overlap, motion, {0.1, 0, 1e-6, 2e-6, 0, 1e-5, 0.5, 1}, 1e-3);
  const SingleContact b = single_contact(law, swapped, other, {0.1, 0, -1e-6, -2e-6, 0, 1e-5, 0.5, 1}, 1e-3);
  const double size = std::fabs(a.wrench[2]);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.wrench[k], -b.wrench[k], 1e-13 * size) << k;
  for (std::size_t k = 2; k < 5; ++k) EXPECT_NEAR(a.state[k], -b.state[k], 1e-19) << k;
  EXPECT_NEAR(a.state[5], b.state[5], 1e-17);
  EXPECT_EQ(a.state[6], b.state[6]);
}

TEST(SingleContact, IsTheSameFarAway) {
  const ContactForceLaw law = bristle_law(0.5, 1.3);
  const ContactStateRow state = {0.1, 0, 1e-6, 2e-6, 0, 1e-5, 0.5, 1};
  const Overlap overlap = ball_on_plane({0, 0, 0.0975}, 0.1);
  ContactMotion motion = moving({1e-3, 2e-4, -0.1}, {0.1, 0.2, 0.3});
  const SingleContact near = single_contact(law, overlap, motion, state, 1e-3);
  Overlap moved = overlap;
  moved.centroid[0] += 1e6;
  motion.origin_a[0] += 1e6;
  motion.origin_b[0] += 1e6;
  const SingleContact far = single_contact(law, moved, motion, state, 1e-3);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(far.wrench[k], near.wrench[k], 1e-9 * near.wrench[2]) << k;
}

/// What single_contact() says of bad input.
template <class Change>
std::string message_of(const Change& change) {
  ContactForceLaw law = bristle_law(0.5);
  Depth depth = kDepth;
  ContactMotion motion = {};
  ContactStateRow state = {};
  double time_step = 1e-3;
  change(law, depth, motion, state, time_step);
  try {
    single_contact(law, depth, motion, state, time_step);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SingleContact, NamesWhatIsWrong) {
  using Law = ContactForceLaw;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto law = [](const auto& change) {
    return message_of([&](Law& l, Depth&, ContactMotion&, ContactStateRow&, double&) { change(l); });
  };
  EXPECT_EQ(law([](Law& l) { l.stiffness = 0; }), "single_contact: law.stiffness is 0; it must be positive and finite");
  EXPECT_EQ(law([](Law& l) { l.exponent = 0.5; }), "single_contact: law.exponent is 0.5; it must be from 1 to 64");
  EXPECT_EQ(law([](Law& l) { l.dissipation = -1; }),
            "single_contact: law.dissipation is -1; it must be from 0 to 1e6 s/m");
  for (const double e : {0.0, -0.5, 1.5, kNaN}) {
    EXPECT_NE(law([&](Law& l) { l.restitution = e; }).find("; it must be above 0 and at most 1"), std::string::npos);
  }
  EXPECT_EQ(law([](Law& l) { l.small_speed = 0; }),
            "single_contact: law.small_speed is 0; it must be from 1e-12 to 1e6 m/s");
  EXPECT_EQ(law([](Law& l) { l.bristle.stiffness = 0; }),
            "single_contact: law.bristle.stiffness is 0; it must be positive and finite");
  EXPECT_EQ(law([](Law& l) { l.bristle.damping = -1; }),
            "single_contact: law.bristle.damping is -1; it must be positive and finite");
  EXPECT_EQ(law([](Law& l) { l.bristle.stribeck_velocity = 0; }),
            "single_contact: law.bristle.stribeck_velocity is 0; it must be from 1e-12 to 1e6 m/s");
  EXPECT_EQ(law([](Law& l) { l.bristle.static_ratio = 0.5; }),
            "single_contact: law.bristle.static_ratio is 0.5; it must be finite and at least 1");
  EXPECT_EQ(law([](Law& l) { l.bristle.dwell_time = -1; }),
            "single_contact: law.bristle.dwell_time is -1; it must be finite and not negative");
  EXPECT_EQ(law([](Law& l) { l.spin_radius = -1; }),
            "single_contact: law.spin_radius is -1; it must be finite and not negative");

  const auto state = [](std::size_t i, double value) {
    return message_of([&](Law&, Depth&, ContactMotion&, ContactStateRow& s, double&) { s[i] = value; });
  };
  EXPECT_EQ(state(0, -1), "single_contact: state[0] (impact speed) is -1; it must be finite and not negative");
  EXPECT_EQ(state(6, 1.5), "single_contact: state[6] (dwell) is 1.5; it must be from 0 to 1");
  EXPECT_EQ(state(3, kNaN), "single_contact: state[3] (bend) is nan; it must be finite");

  EXPECT_EQ(
      state(0, 1e-310),
      "single_contact: state[0] (impact speed) is 1e-310; it must be 0, or from 0.001 (small_speed) to 1e+30 m/s");
  EXPECT_EQ(state(4, -2), "single_contact: state[4] (bend) is -2; it must be from -1 to 1");
  EXPECT_EQ(state(7, 1e31), "single_contact: state[7] (age) is 1e+31; it must be from 0 to 1e+30");

  EXPECT_EQ(message_of([](Law&, Depth& d, ContactMotion&, ContactStateRow&, double&) {
              d.normal = {0, 0, 2};
            }),
            "single_contact: the length of depth.normal is 2; it must be 1");
  EXPECT_EQ(message_of([](Law&, Depth&, ContactMotion& m, ContactStateRow&, double&) { m.velocity_b[1] = kNaN; }),
            "single_contact: motion.velocity_b[1] is nan; it must be finite");
  EXPECT_EQ(message_of([](Law&, Depth&, ContactMotion&, ContactStateRow&, double& dt) { dt = -1; }),
            "single_contact: time_step is -1; it must be finite and not negative");
}

/// Each number at every power of ten, alone: what is not an error is finite.
TEST(SingleContact, IsFiniteOrAnErrorWhateverIsGiven) {
  using Change = std::function<void(ContactForceLaw&, Depth&, ContactMotion&, double&, double)>;
  const std::pair<const char*, Change> changes[] = {
      {"depth", [](auto&, Depth& d, auto&, double&, double x) { d.depth = x; }},
      {"point", [](auto&, Depth& d, auto&, double&, double x) { d.point[0] = x; }},
      {"velocity", [](auto&, auto&, ContactMotion& m, double&, double x) { m.velocity_a[2] = -x; }},
      {"slip", [](auto&, auto&, ContactMotion& m, double&, double x) { m.velocity_b[0] = x; }},
      {"spin", [](auto&, auto&, ContactMotion& m, double&, double x) { m.angular_velocity_a[1] = x; }},
      {"origin", [](auto&, auto&, ContactMotion& m, double&, double x) { m.origin_b[0] = x; }},
      {"step", [](auto&, auto&, auto&, double& step, double x) { step = x; }},
      {"stiffness", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.stiffness = x; }},
      {"restitution", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.restitution = x; }},
      {"dissipation", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.dissipation = x; }},
      {"bristles", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.bristle.stiffness = x; }},
      {"damping", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.bristle.damping = x; }},
      {"relaxation", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.relaxation_time = x; }},
      {"static ratio", [](ContactForceLaw& l, auto&, auto&, double&, double x) { l.bristle.static_ratio = x; }}};
  for (const auto& [name, change] : changes) {
    int errors = 0, found = 0;
    for (int exponent = -324; exponent <= 308; ++exponent) {
      const double x = exponent < -323 ? std::numeric_limits<double>::denorm_min()
                                       : std::strtod(("1e" + std::to_string(exponent)).c_str(), nullptr);
      ContactForceLaw law = bristle_law(0.5);
      Depth depth = kDepth;
      ContactMotion motion = {};
      motion.velocity_a = {0.1, 0, -0.1};
      double step = 1e-3;
      change(law, depth, motion, step, x);
      try {
        const SingleContact contact = single_contact(law, depth, motion, {0.1, 0, 1e-6, 0, 0, 1e-3, 0.5, 1}, step);
        ++found;
        for (const double f : contact.wrench) ASSERT_TRUE(std::isfinite(f)) << name << " " << x;
        for (const double s : contact.state) ASSERT_TRUE(std::isfinite(s)) << name << " " << x;
        for (const double d : contact.damping_matrix) ASSERT_TRUE(std::isfinite(d)) << name << " " << x;
      } catch (const Error& error) {
        ++errors;
        EXPECT_EQ(std::string(error.what()).find("single_contact: "), 0u) << error.what();
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

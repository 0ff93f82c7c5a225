// SPDX-License-Identifier: Apache-2.0
//
// Scenes of joints on bodies with degrees of freedom, which touch nothing.
#pragma once

#include <vector>

#include "tests/reference/rollout/lagrangian.h"
#include "tests/support/rollouts.h"

namespace isopatch::oracle {

inline constexpr Real kGravity = 9.81L;

/// A box with the inertia of one of the size, about a center of mass in its frame; it touches nothing.
Body& add_box(test::SceneBuilder& scene, const test::Vector& at, double mass, const test::Vector& center,
              const test::Vector& size);

/// A hinge at the body's origin.
void on_hinge(Body& body, int parent, const test::Vector& axis, double rate = 0);

/// An arm of up to six links of any directions, on the last body if there is one.
void add_arm(test::SceneBuilder& scene, int links, test::Vector at, double rate);

SceneDescription finished(test::SceneBuilder& scene, bool with_gravity);

/// Rods that hang on one another by hinges about y, from the horizontal.
SceneDescription rods(int count, double length, double mass);

SceneDescription six_link_arm();

/// The third joint follows the first one; and one on the world follows the second, of another kind.
SceneDescription arm_with_followers();

/// A free box with two arms of two joints each.
SceneDescription two_arms();

/// The two arms, a joint of which moves another one: on the world or on another free body.
SceneDescription connected_arms(bool on_world);

/// A prescribed base with two hinges and a slider. Without a path it goes on with the first of the legs.
SceneDescription arm_on_base(const std::vector<Leg>& legs, bool on_path);

}  // namespace isopatch::oracle

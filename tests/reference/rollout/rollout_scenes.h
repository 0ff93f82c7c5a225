// SPDX-License-Identifier: Apache-2.0
//
// Scenes of few cells in which every kind of motion meets contact, for comparisons of rollouts.
#pragma once

#include "isopatch/scene/scene.h"

namespace isopatch::oracle {

/// A ball that is thrown onto the rigid ground, with a spin.
SceneDescription thrown_ball();

/// A tilted cube that falls on compliant ground; the ground is body a. Dissipation as in PFC.
SceneDescription tilted_cube();

/// A ball on a free box on rigid ground, all of them sliding, the box against a bumper on a spring; with the gradient
/// filter.
SceneDescription ball_on_box();

/// Two fingers on a hand that follows a path pinch a rigid bar away from its middle: first hard, then less.
SceneDescription pinched_bar();

/// A ball hits a flap of two parts, on a hinge with a drive that turns with its base.
SceneDescription driven_flap();

/// A slider on a turning arm, pushed out by a drive, sweeps a rigid box over compliant ground.
SceneDescription sweeping_slider();

/// A plate that falls on a ball faster than it is thick in a step, so that midpoint takes sub-steps.
SceneDescription fast_plate();

/// Two fingers with a rotor, damping and friction, one of which mimics the other, close on a box.
SceneDescription coupled_gripper();

/// Two planar bodies hit each other, a wall on a slope, and a free ball; one slides over compliant ground. Their
/// centers of mass and inertias have no symmetry that a plane needs.
SceneDescription planar_bodies();

}  // namespace isopatch::oracle

// SPDX-License-Identifier: Apache-2.0
#include "host/reference/pair_derivatives.h"

namespace isopatch::reference {
namespace {

using Vector6 = Eigen::Matrix<Real, 6, 1>;

constexpr Real kStep = 1e-9L;  // m, rad, m/s and rad/s

Vector6 wrench_on_a(const PairInput& input, EvaluatePair evaluate, const Environment& environment) {
  const PairInput moved = {input.scene, input.state, input.results,    environment,
                           input.index, input.pair,  input.part_pairs, input.first_row};
  const Wrench wrench = evaluate(moved).on_a;
  Vector6 all;
  all << wrench.force, wrench.torque;
  return all;
}

/// Minus the derivative by what move(body, axis, by) changes.
template <class Move>
PairDerivatives::Matrix6 by_differences(const PairInput& input, EvaluatePair evaluate, const Environment& from,
                                        std::size_t body, const Move& move) {
  PairDerivatives::Matrix6 d;
  for (Eigen::Index k = 0; k < 6; ++k) {
    const auto moved = [&](Real by) {
      Environment environment = from;
      move(environment.bodies[body], k, by);
      return wrench_on_a(input, evaluate, environment);
    };
    d.col(k) = (moved(-kStep) - moved(kStep)) / (2 * kStep);
  }
  return d;
}

void move_pose(BodyState& body, Eigen::Index k, Real by) {
  if (k < 3) {
    body.X_WB.translation[k] += by;
  } else {
    body.X_WB.rotation = Eigen::AngleAxis<Real>(by, Vector3::Unit(k - 3)).toRotationMatrix() * body.X_WB.rotation;
  }
}

void move_velocity(BodyState& body, Eigen::Index k, Real by) {
  (k < 3 ? body.velocity : body.angular_velocity)[k % 3] += by;
}

}  // namespace

PairDerivatives derivatives_of(const PairInput& input, EvaluatePair evaluate) {
  const Pair& pair = (*input.scene.pairs)[input.pair];
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  Environment at_rest = input.environment;
  for (BodyState& body : at_rest.bodies) body.velocity = body.angular_velocity = Vector3::Zero();
  return {by_differences(input, evaluate, at_rest, a, move_pose),
          by_differences(input, evaluate, at_rest, b, move_pose),
          by_differences(input, evaluate, input.environment, a, move_velocity),
          by_differences(input, evaluate, input.environment, b, move_velocity)};
}

}  // namespace isopatch::reference

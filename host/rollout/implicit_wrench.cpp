// SPDX-License-Identifier: Apache-2.0
#include "isopatch/implicit_wrench.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"

namespace isopatch {

using namespace detail;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

void check_array(const char* name, std::span<const double> array, std::size_t size) {
  if (array.size() != size) {
    throw wrong_value(fmt::format("implicit_wrench: {}", name), fmt::format("{} numbers", array.size()),
                      fmt::format("it must have {}", size));
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::isfinite(array[i])) {
      throw wrong_value(fmt::format("implicit_wrench: {}[{}]", name, i), fmt::to_string(array[i]), "it must be finite");
    }
  }
}

Eigen::Map<const Matrix> matrix(std::span<const double> array, std::size_t n) {
  const auto size = static_cast<Eigen::Index>(n);
  return {array.data(), size, size};
}

Eigen::Map<const Eigen::VectorXd> vector(std::span<const double> array) {
  return {array.data(), static_cast<Eigen::Index>(array.size())};
}

/// The symmetric part without negative eigenvalues.
Matrix clamped(const Matrix& k) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver((k + k.transpose()) / 2);
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

ContactMatrices contact_matrices(std::span<const DiscreteContact> contacts, const Point3& origin,
                                 const std::array<double, 6>& velocity, double slip_tolerance) {
  const StandardArithmetic standard;
  if (!(slip_tolerance > 0) || std::isinf(slip_tolerance)) {
    throw wrong_value("contact_matrices: slip_tolerance", fmt::to_string(slip_tolerance),
                      "it must be finite and greater than 0, in m/s");
  }
  const Eigen::Vector3d linear(velocity[0], velocity[1], velocity[2]), angular(velocity[3], velocity[4], velocity[5]);
  Matrix6 stiffness = Matrix6::Zero(), damping = Matrix6::Zero();
  for (const DiscreteContact& c : contacts) {
    const Eigen::Vector3d normal(c.normal[0], c.normal[1], c.normal[2]);
    const Eigen::Vector3d arm(c.point[0] - origin[0], c.point[1] - origin[1], c.point[2] - origin[2]);
    const Eigen::Vector3d v = linear + angular.cross(arm);
    const double v_n = normal.dot(v), elastic = static_cast<double>(c.area) * c.pressure;
    const double damped = std::max(0.0, 1 - c.dissipation * v_n);
    const double across = c.friction * elastic * damped / std::hypot((v - v_n * normal).norm(), slip_tolerance);
    const double along = damped > 0 ? c.dissipation * elastic : 0;
    Eigen::Matrix<double, 3, 6> jacobian;  // from the body's velocity to that of the contact
    jacobian << Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
    for (int k = 0; k < 3; ++k) jacobian.col(3 + k) = Eigen::Vector3d::Unit(k).cross(arm);
    const Eigen::Matrix3d outer = normal * normal.transpose();
    stiffness += c.stiffness * damped * (jacobian.transpose() * outer * jacobian);
    damping += jacobian.transpose() * ((along - across) * outer + across * Eigen::Matrix3d::Identity()) * jacobian;
  }
  ContactMatrices matrices;
  std::copy_n(stiffness.data(), 36, matrices.stiffness.data());
  std::copy_n(damping.data(), 36, matrices.damping.data());
  return matrices;
}

std::vector<double> implicit_wrench(const ImplicitStep& step) {
  const StandardArithmetic standard;
  const double h = step.time_step;
  if (!(h > 0) || std::isinf(h)) {
    throw wrong_value("implicit_wrench: time_step", fmt::to_string(h), "it must be finite and greater than 0, in s");
  }
  const std::size_t n = step.wrench.size();
  check_array("wrench", step.wrench, n);
  check_array("inertia", step.inertia, n * n);
  check_array("stiffness", step.stiffness, n * n);
  check_array("damping", step.damping, n * n);
  check_array("velocity", step.velocity, n);
  check_array("other", step.other, step.other.empty() ? 0 : n);

  const Matrix inertia = matrix(step.inertia, n);
  Matrix stiffness = matrix(step.stiffness, n);
  if (step.clamp) stiffness = clamped(stiffness);
  const Matrix stiff = h * (h * stiffness + matrix(step.damping, n));
  Eigen::VectorXd right = vector(step.wrench) - h * (stiffness * vector(step.velocity));
  if (!step.other.empty()) right -= stiff * inertia.partialPivLu().solve(vector(step.other));
  // (M + stiff) M^-1 W' = ..., so M is not inverted
  const Eigen::VectorXd found = inertia * (inertia + stiff).partialPivLu().solve(right);
  return {found.data(), found.data() + found.size()};
}

}  // namespace isopatch

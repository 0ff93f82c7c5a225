// SPDX-License-Identifier: Apache-2.0
//
// How far one backend's wrenches are from the reference's on random contacts.
//
// Where the bodies separate so fast that damping cancels more than 99.9 % of the force (|F| under 1e-3 of area x
// largest pressure), |F| is not a useful scale: such contacts are counted as detached, and their error is relative to
// area x largest pressure.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/random_contacts.h"
#include "tests/support/scenes.h"

namespace isopatch::random_contacts {

/// Relative errors of one backend against the reference, largest last.
struct Errors {
  std::vector<double> force, torque;
  std::int64_t contacts = 0;     // with a force in both
  std::int64_t detached = 0;     // where damping cancels nearly all of it
  std::int64_t only_in_one = 0;  // contact in one of the two only
  double worst_detached = 0;
  std::int64_t worst = -1;   // environment x pairs + pair of the largest force error
  std::uint32_t status = 0;  // bits seen in any environment, both backends

  void append(const Errors& other) {
    force.insert(force.end(), other.force.begin(), other.force.end());
    torque.insert(torque.end(), other.torque.begin(), other.torque.end());
    contacts += other.contacts;
    detached += other.detached;
    only_in_one += other.only_in_one;
    worst_detached = std::max(worst_detached, other.worst_detached);
    status |= other.status;
  }
  void sort() {
    std::sort(force.begin(), force.end());
    std::sort(torque.begin(), torque.end());
  }
};

inline double quantile(const std::vector<double>& sorted, double fraction) {
  if (sorted.empty()) return 0;
  const auto at = static_cast<std::size_t>(fraction * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

/// Wrenches, and area x largest pressure, of every pair of every environment.
struct Wrenches {
  std::vector<double> wrench, scale;
};

inline Wrenches wrenches(const Scene& scene, EvaluatorOptions options, const State& state, std::uint32_t& status) {
  const auto environments = static_cast<std::size_t>(state.num_environments);
  const std::size_t count = environments * static_cast<std::size_t>(scene.num_pairs());
  std::vector<double> wrench(6 * count), area(count), pressure(count);
  std::vector<std::uint32_t> bits(environments);
  Results results;
  results.pair_wrench = wrench.data();
  results.area = area.data();
  results.max_pressure = pressure.data();
  results.status = bits.data();
  Evaluator(scene, options).evaluate(state, results);
  for (const std::uint32_t b : bits) status |= b;
  for (std::size_t i = 0; i < count; ++i) area[i] *= pressure[i];
  return {std::move(wrench), std::move(area)};
}

/// Force error over |F|, torque error over max(|torque|, |F| size).
inline Errors compare(const Scene& scene, const ContactStates& contacts, EvaluatorOptions options) {
  Errors errors;
  const State state = contacts.view();
  const auto truth =
      wrenches(scene, {Backend::kReference, Precision::kDouble, options.num_threads}, state, errors.status);
  const auto found = wrenches(scene, options, state, errors.status);

  double largest = 0;
  for (std::int64_t i = 0; i < contacts.num_environments * scene.num_pairs(); ++i) {
    const double* t = &truth.wrench[static_cast<std::size_t>(6 * i)];
    const double* f = &found.wrench[static_cast<std::size_t>(6 * i)];
    const double scale = truth.scale[static_cast<std::size_t>(i)];
    const double force = std::hypot(t[0], t[1], t[2]), torque = std::hypot(t[3], t[4], t[5]);
    const double error = std::hypot(f[0] - t[0], f[1] - t[1], f[2] - t[2]);
    if (scale == 0 || found.scale[static_cast<std::size_t>(i)] == 0) {
      errors.only_in_one += scale != found.scale[static_cast<std::size_t>(i)] ? 1 : 0;
      continue;
    }
    if (force < 1e-3 * scale) {
      ++errors.detached;
      errors.worst_detached = std::max(errors.worst_detached, error / scale);
      continue;
    }
    ++errors.contacts;
    errors.force.push_back(error / force);
    errors.torque.push_back(std::hypot(f[3] - t[3], f[4] - t[4], f[5] - t[5]) /
                            std::max(torque, force * contacts.size));
    if (errors.force.back() > largest) largest = errors.force.back(), errors.worst = i;
  }
  errors.sort();
  return errors;
}

struct Bounds {
  double median, most_share, most, worst;
};

/// float: rounding over depth, from the shallowest contacts; double: 99.9 % within 1e-10.
inline constexpr Bounds kFloatBounds = {5e-6, 0.99, 5e-4, 1e-2};
inline constexpr Bounds kDoubleBounds = {1e-10, 0.999, 1e-10, 1e-2};

inline bool within(const std::vector<double>& sorted, const Bounds& b) {
  return !sorted.empty() && quantile(sorted, 0.5) <= b.median && quantile(sorted, b.most_share) <= b.most &&
         sorted.back() <= b.worst;
}

inline bool within(const Errors& e, const Bounds& b) {
  return within(e.force, b) && within(e.torque, b) && e.worst_detached <= b.most &&
         test::but_far_side(e.status) == kOk && e.only_in_one == 0;
}

inline std::string row(const std::string& name, const Errors& e) {
  const auto part = [](const std::vector<double>& v) {
    return fmt::format("{:9.1e} {:9.1e} {:9.1e} {:9.1e}", quantile(v, 0.5), quantile(v, 0.99), quantile(v, 0.999),
                       v.empty() ? 0.0 : v.back());
  };
  return fmt::format("{:<24} {:>8} {:>8} {:>4}  {}  {}", name, e.contacts, e.detached, e.only_in_one, part(e.force),
                     part(e.torque));
}

}  // namespace isopatch::random_contacts

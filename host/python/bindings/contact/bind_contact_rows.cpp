// SPDX-License-Identifier: Apache-2.0
//
// The law of a single contact, and implicit steps, for rows of numbers, which isopatch/_src/single_contact.py and
// isopatch/_src/implicit.py make.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/mesh_arrays.h"
#include "host/text/throw_error.h"
#include "isopatch/implicit_wrench.h"
#include "isopatch/single_contact.h"

namespace isopatch::python {
namespace {

using OverlapRow = std::array<double, 13>;  // volume, centroid, second moments, vector area
using DepthRow = std::array<double, 7>;     // depth, point, normal
using LawRow = std::array<double, 15>;
using MotionRow = std::array<double, 18>;  // origins; velocity and angular velocity of A, then of B
using ContactRow = std::array<double, 60>;

/// Which of the enumerators hold for all rows: has restitution, latches the largest speed, has its normal by area, has
/// bristles, and these always flow.
using Choices = std::array<bool, 5>;

template <std::size_t count, class Row>
std::array<double, count> taken(const Row& row, std::size_t first) {
  std::array<double, count> values;
  std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(first), count, values.begin());
  return values;
}

ContactForceLaw law_of(const LawRow& row, const Choices& choices) {
  const auto& [has_restitution, latches_largest, by_area, has_bristles, flows_always] = choices;
  ContactForceLaw law;
  law.stiffness = row[0];
  law.exponent = row[1];
  law.dissipation = row[2];
  if (has_restitution) law.restitution = row[3];
  law.small_speed = row[4];
  law.latch = latches_largest ? ImpactLatch::kLargest : ImpactLatch::kFirst;
  law.relaxation_time = row[5];
  law.normal = by_area ? OverlapNormal::kArea : OverlapNormal::kInertia;
  law.friction = row[6];
  law.friction_model = has_bristles ? FrictionModel::kBristle : FrictionModel::kCoulomb;
  law.bristle_flow = flows_always ? BristleFlow::kAlways : BristleFlow::kNearLimit;
  law.slip_tolerance = row[7];
  law.spin_radius = row[8];
  law.bristle = {row[9], row[10], row[11], row[12], row[13], row[14]};
  return law;
}

Overlap contact_of(const OverlapRow& row) { return {row[0], taken<3>(row, 1), taken<6>(row, 4), taken<3>(row, 10)}; }
Depth contact_of(const DepthRow& row) { return {row[0], taken<3>(row, 1), taken<3>(row, 4)}; }

ContactMotion motion_of(const MotionRow& row) {
  return {taken<3>(row, 0), taken<3>(row, 3), taken<3>(row, 6), taken<3>(row, 12), taken<3>(row, 9), taken<3>(row, 15)};
}

ContactRow row_of(const SingleContact& contact) {
  ContactRow row;
  auto next = row.begin();
  const auto put = [&](const auto& values) { next = std::copy(values.begin(), values.end(), next); };
  put(contact.wrench);
  put(contact.friction_force);
  put(contact.state);
  put(contact.point);
  put(contact.normal);
  *next++ = contact.radius;
  put(contact.damping_matrix);
  return row;
}

template <class GivenRow>
nb::bytes contacts(nb::handle given, nb::handle laws, nb::handle motions, nb::handle states, const Choices& choices,
                   double time_step) {
  const auto rows = [](const char* name, nb::handle array, auto row) {
    using Row = decltype(row);
    return Rows({"single_contact", name}, array, dlpack::kFloat64, static_cast<int>(row.size())).copied<Row>();
  };
  const std::vector<GivenRow> contact = rows("contact", given, GivenRow{});
  const std::vector<LawRow> law = rows("law", laws, LawRow{});
  const std::vector<MotionRow> motion = rows("velocities", motions, MotionRow{});
  const std::vector<ContactStateRow> state = rows("contact_state", states, ContactStateRow{});
  std::vector<ContactRow> found(contact.size());
  if (law.size() != found.size() || motion.size() != found.size() || state.size() != found.size()) {
    isopatch::detail::throw_error("single_contact: {} contacts, {} laws, {} motions and {} states; expected as many",
                                  found.size(), law.size(), motion.size(), state.size());
  }
  {
    const nb::gil_scoped_release released;
    for (std::size_t i = 0; i < found.size(); ++i) {
      try {
        found[i] = row_of(
            single_contact(law_of(law[i], choices), contact_of(contact[i]), motion_of(motion[i]), state[i], time_step));
      } catch (const Error& error) {
        if (found.size() == 1) throw;
        throw Error(fmt::format("{} (contact {})", error.what(), i), error.kind(), error.parts());
      }
    }
  }
  return bytes_of(found);
}

/// Of `count` steps with n coordinates each, [count, n].
nb::bytes wrenches(const nb::bytes& stiffness, const nb::bytes& damping, const nb::bytes& inertia,
                   const nb::bytes& wrench, const nb::bytes& velocity, const nb::bytes& other, std::size_t count,
                   std::size_t n, double time_step, bool clamp) {
  const auto k = elements_of<double>(stiffness), c = elements_of<double>(damping), m = elements_of<double>(inertia);
  const auto w = elements_of<double>(wrench), v = elements_of<double>(velocity), f = elements_of<double>(other);
  std::vector<double> found;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = [i](const std::vector<double>& all, std::size_t size) {
      return std::span(all).subspan(i * size, size);
    };
    const std::vector<double> one = implicit_wrench({.time_step = time_step,
                                                     .inertia = row(m, n * n),
                                                     .stiffness = row(k, n * n),
                                                     .damping = row(c, n * n),
                                                     .wrench = row(w, n),
                                                     .velocity = row(v, n),
                                                     .other = row(f, n),
                                                     .clamp = clamp});
    found.insert(found.end(), one.begin(), one.end());
  }
  return bytes_of(found);
}

/// Stiffness and damping, [2, 6, 6].
nb::bytes matrices(const nb::bytes& contacts, const nb::bytes& origin, const nb::bytes& velocity,
                   double slip_tolerance) {
  const std::vector<double> point = elements_of<double>(origin), twist = elements_of<double>(velocity);
  std::array<double, 6> v = {};
  std::copy_n(twist.begin(), 6, v.begin());
  const ContactMatrices found = contact_matrices(elements_of<DiscreteContact>(contacts),
                                                 {point.at(0), point.at(1), point.at(2)}, v, slip_tolerance);
  std::vector<double> both(found.stiffness.begin(), found.stiffness.end());
  both.insert(both.end(), found.damping.begin(), found.damping.end());
  return bytes_of(both);
}

}  // namespace

void bind_contact_rows(nb::module_& module) {
  module.def("_single_contact", [](bool is_overlap, nb::handle given, nb::handle laws, nb::handle motions,
                                   nb::handle states, const Choices& choices, double time_step) {
    const auto evaluate = is_overlap ? &contacts<OverlapRow> : &contacts<DepthRow>;
    return evaluate(given, laws, motions, states, choices, time_step);
  });
  module.def("_implicit_wrench", &wrenches);
  module.def("_contact_matrices", &matrices);
}

}  // namespace isopatch::python

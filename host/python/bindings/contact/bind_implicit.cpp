// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps for rows of numbers, which isopatch/_src/implicit.py makes.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/mesh_arrays.h"
#include "isopatch/implicit_wrench.h"

namespace isopatch::python {
namespace {

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

void bind_implicit(nb::module_& module) {
  module.def("_implicit_wrench", &wrenches, nb::arg("stiffness"), nb::arg("damping"), nb::arg("inertia"),
             nb::arg("wrench"), nb::arg("velocity"), nb::arg("other"), nb::arg("count"), nb::arg("n"),
             nb::arg("time_step"), nb::arg("clamp"));
  module.def("_contact_matrices", &matrices, nb::arg("contacts"), nb::arg("origin"), nb::arg("velocity"),
             nb::arg("slip_tolerance"));
}

}  // namespace isopatch::python

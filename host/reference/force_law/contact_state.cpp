// SPDX-License-Identifier: Apache-2.0
#include "host/reference/force_law/contact_state.h"

#include <algorithm>
#include <cmath>

namespace isopatch::reference {

Memory touched(const ContactForceLaw& law, const Memory& before, Real metric, Real approach) {
  Memory memory = before;
  if (before.impact == 0) {
    memory = {};
    memory.impact = std::max<Real>(approach, law.small_speed);
    if (law.relaxation_time > 0) memory.offset = metric;
  } else if (law.latch == ImpactLatch::kLargest) {
    memory.impact = std::max(before.impact, approach);
  }
  return memory;
}

Vector3 carried(const Vector3& bend, const Vector3& n, Real angle) {
  const Vector3 left = bend - n.dot(bend) * n;
  const Real scale = left.norm() > bend.norm() / 2 ? bend.norm() / left.norm() : 1;
  return Eigen::AngleAxis<Real>(2 * std::atan(angle / 2), n) * Vector3(scale * left);
}

Real offset_after(const ContactForceLaw& law, Real offset, Real time) {
  return law.relaxation_time > 0 ? offset * std::exp(-time / law.relaxation_time) : 0;
}

Real damping_after(const ContactForceLaw& law, Real impact) {
  return law.restitution ? impact_factor(*law.restitution) / impact : Real(law.dissipation);
}

Real impact_factor(Real restitution) {
  if (restitution == 1) return 0;
  const Real e = restitution;
  Real low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const Real d = (low + high) / 2;
    (std::log1p(d / e) - d * (1 + 1 / e) - std::log1p(-d) < 0 ? low : high) = d;
  }
  return (low + high) / 2 / e;
}

}  // namespace isopatch::reference

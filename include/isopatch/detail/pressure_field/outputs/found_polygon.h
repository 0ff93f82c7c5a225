// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/contact/contact_key.h"
#include "isopatch/detail/pressure_field/integrals/polygon_integrals.h"

namespace isopatch::detail {

/// A polygon as the sinks take it (contact/sinks.h).
template <class T>
struct FoundPolygon {
  const PairContext& context;
  std::int64_t environment;
  int pair;
  std::int32_t m, s;  // cells
  const ContactPlane<T>& plane;
  SidesInPlace<T> sides;
  const Contribution<T>& contribution;

  ISOPATCH_HD ContactKey key() const {
    return ContactKey::of_row(pair, context.part_a, context.part_b, context.layer, m, s);
  }
};

}  // namespace isopatch::detail

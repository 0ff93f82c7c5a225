// SPDX-License-Identifier: Apache-2.0
//
// What takes each contact that a model finds, besides its sums: rows of results, points of a patch, and so on. A sink
// has
//
//   void add(Warp& warp, const Contact& contact)   called by any lane, for a contact that counts
//
// with a type Contact of the model.
#pragma once

#include "isopatch/detail/math/macros.h"

namespace isopatch::detail {

template <class... Sinks>
struct SinkList {
  template <class Warp, class Contact>
  ISOPATCH_HD void add(Warp& /*warp*/, const Contact& /*contact*/) const {}
};

template <class First, class... Rest>
struct SinkList<First, Rest...> {
  First first;
  SinkList<Rest...> rest;

  template <class Warp, class Contact>
  ISOPATCH_HD void add(Warp& warp, const Contact& contact) const {
    first.add(warp, contact);
    rest.add(warp, contact);
  }
};

using NoSinks = SinkList<>;

ISOPATCH_HD NoSinks sink_list() { return {}; }

template <class First, class... Rest>
ISOPATCH_HD SinkList<First, Rest...> sink_list(const First& first, const Rest&... rest) {
  return {first, sink_list(rest...)};
}

/// One more sink, before the others.
template <class First, class... Rest>
ISOPATCH_HD SinkList<First, Rest...> with_sink(const First& first, const SinkList<Rest...>& rest) {
  return {first, rest};
}

}  // namespace isopatch::detail

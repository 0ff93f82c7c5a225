// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact polygons of a part pair in packs, compiled once for each instruction set. They have the
// bits of ContactPolygonVisitor.
#pragma once

#include "host/cpu/packs/pack_workspace.h"
#include "isopatch/detail/rollout/contact_polygon.h"

namespace isopatch::detail {

/// What is looked for in a part pair, and where it goes.
template <class T>
struct PolygonSearch {
  int part_pair;
  ContactPoints points;  // kMatched or kCentroid
  Vec3d from_W;          // the pair's point in the world, m
  void* to;
  void (*append)(void* to, const ContactPolygon<T>& polygon);
};

struct PackWorkspace;

/// Hands over the polygons, in no particular order. Returns whether there was one, be it one that is left out.
template <class T>
using FindPolygons = bool (*)(const PairContext&, PackWorkspace&, const PolygonSearch<T>&);

}  // namespace isopatch::detail

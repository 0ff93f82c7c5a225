// SPDX-License-Identifier: Apache-2.0
//
// The search for the contact polygons of a part pair with SIMD, compiled once for each instruction set. They have the
// bits of SolverContactVisitor.
#pragma once

#include <vector>

#include "host/cpu/pressure_field/kept_list.h"
#include "host/cpu/simd/simd_workspace.h"
#include "isopatch/detail/pressure_field/search_for_solver.h"

namespace isopatch::detail {

/// What is looked for in a part pair, and where it goes.
template <class T>
struct ContactSearch {
  int part_pair;
  ContactPoints points;  // kMatched or kCentroid
  Vec3d origin_W;        // the pair's point in the world, m
  FixedPointScale<T> load_scale;
  std::vector<SolverContact<T>>& found;  // they are appended here, in no particular order
  KeptSearch kept;
};

/// What is known of the part pair afterwards: whether there was a polygon, be it one that is left out, and the sum
/// behind kFarSide.
template <class T>
struct SearchResult {
  bool touches;
  SignSum<T> far_side;
};

struct SimdWorkspace;

template <class T>
using FindContacts = SearchResult<T> (*)(const PairContext&, SimdWorkspace&, const ContactSearch<T>&);

}  // namespace isopatch::detail

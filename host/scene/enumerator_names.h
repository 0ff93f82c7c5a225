// SPDX-License-Identifier: Apache-2.0
//
// What scene files call the enumerators of options, in their order.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace isopatch::detail {

/// Known before any object is initialised: a Scene may be one outside of functions.
struct EnumeratorNames {
  template <class... Names>
  constexpr explicit EnumeratorNames(Names... all) : names{all...}, size(sizeof...(all)) {}
  operator std::vector<std::string>() const { return {names.begin(), names.begin() + size}; }

  std::array<const char*, 8> names;
  std::size_t size;
};

inline constexpr EnumeratorNames kFacetsNames("inscribed", "equal_volume");
inline constexpr EnumeratorNames kMotionTypeNames("free", "prescribed", "prismatic", "revolute", "planar");
inline constexpr EnumeratorNames kLoopTypeNames("weld", "hinge");
inline constexpr EnumeratorNames kDissipationModelNames("hunt_crossley", "pfc");
inline constexpr EnumeratorNames kQuadratureNames("exact", "centroid", "fan3", "fan6");
inline constexpr EnumeratorNames kIntegratorNames("midpoint", "euler", "sdirk2");
inline constexpr EnumeratorNames kContactPointsNames("matched", "centroid", "fan6");

inline constexpr EnumeratorNames kFrictionModelNames("coulomb", "bristle");
inline constexpr EnumeratorNames kBristleFlowNames("near_limit", "always");
inline constexpr EnumeratorNames kOverlapNormalNames("inertia", "area");
inline constexpr EnumeratorNames kImpactLatchNames("first", "largest");

inline constexpr EnumeratorNames kContactRelationsNames("exact", "lnc", "unilateral", "separating");

template <class Enumerator>
std::string name_in(const EnumeratorNames& names, Enumerator enumerator) {
  return names.names[static_cast<std::size_t>(enumerator)];
}

}  // namespace isopatch::detail

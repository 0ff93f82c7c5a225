// SPDX-License-Identifier: Apache-2.0
//
// What scene files call the enumerators of options, in their order.
#pragma once

#include <string>
#include <vector>

namespace isopatch::detail {

inline const std::vector<std::string> kFacetsNames = {"inscribed", "equal_volume"};
inline const std::vector<std::string> kMotionTypeNames = {"free", "prescribed", "prismatic", "revolute", "planar"};
inline const std::vector<std::string> kDissipationModelNames = {"hunt_crossley", "pfc"};
inline const std::vector<std::string> kQuadratureNames = {"exact", "centroid", "fan3", "fan6"};
inline const std::vector<std::string> kIntegratorNames = {"midpoint", "euler", "sdirk2"};
inline const std::vector<std::string> kContactPointsNames = {"matched", "centroid", "fan6"};

inline const std::vector<std::string> kFrictionModelNames = {"coulomb", "bristle"};
inline const std::vector<std::string> kBristleFlowNames = {"near_limit", "always"};
inline const std::vector<std::string> kOverlapNormalNames = {"inertia", "area"};
inline const std::vector<std::string> kImpactLatchNames = {"first", "largest"};

inline const std::vector<std::string> kContactRelationsNames = {"exact", "lnc", "unilateral", "separating"};

template <class Enumerator>
const std::string& name_in(const std::vector<std::string>& names, Enumerator enumerator) {
  return names[static_cast<std::size_t>(enumerator)];
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/pictures.h"

namespace isopatch::detail {

/// The plates of the volumetric contacts of one environment as octagons: with their area and centre, longer along one
/// axis than along the other as their second moments are, and the pressure of the elastic force over the area. Point
/// contacts have no area, so there is none of them.
std::vector<Polygon> contact_octagons(const HostEvaluator& evaluator, const StateArrays& states,
                                      std::int64_t environment);

}  // namespace isopatch::detail

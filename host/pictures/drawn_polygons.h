// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isopatch/host_evaluator.h"

namespace isopatch::detail {

/// The contact polygons of the only environment of a state, however many there are, and behind them an octagon for each
/// volumetric contact: with its area and centre, longer along one axis than along the other as its second moments are,
/// and the pressure of the elastic force over the area. A point contact has no area, so there is none of it. Also
/// writes what `results` asks for.
std::vector<Polygon> drawn_polygons(const HostEvaluator& evaluator, const State& state, const Results& results);

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// What holds bodies together beside the joints that carry them.
#pragma once

#include <array>
#include <cstdint>

namespace isopatch {

/// How a Loop holds its bodies.
enum class LoopType : std::uint8_t {
  kWeld,  ///< as they are in the scene
  kHinge  ///< but for turning about an axis
};

/// Two bodies that are held together where a chain of joints closes, as coupler and rocker of a linkage. It gives way
/// by less than a millionth of what a step would move them apart; what is left of a gap fades within a few steps.
struct Loop {
  LoopType type = LoopType::kWeld;  ///< says whether there is an axis
  /// Index of a body in SceneDescription::bodies; one of the two may be fixed or prescribed.
  int a = 0, b = 0;                          ///< index of the other body
  std::array<double, 3> anchor = {0, 0, 0};  ///< where they are held, in the world at the poses of the scene, m
  std::array<double, 3> axis = {0, 0, 0};    ///< of a hinge, likewise, of a length in [1e-6, 1e6]
};

}  // namespace isopatch

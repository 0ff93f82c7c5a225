// SPDX-License-Identifier: Apache-2.0
//
// What is shown in some frames only, by its scale.
#pragma once

#include <vector>

#include "host/render/gltf_document.h"

namespace isopatch::detail {

/// The scale of what is not shown: with 0, matrices would be singular.
inline constexpr double kHidden = 1e-6;

/// The frames' times as a file has them, s: they rise, also where those of a rollout do not since an environment is
/// frozen or was reset; environments follow each other every half a second.
std::vector<float> rising_times(const std::vector<double>& times, std::int64_t frames);

/// Shows a node in the frames that are true, one for each of the accessor `times`.
void show_in(GltfDocument& document, int node, const std::vector<bool>& shown, int times);

/// Shows a node in one frame of several; `hidden` is an accessor for those in the middle, see one_of_three().
void show_in_one(GltfDocument& document, int node, std::size_t frame, const std::vector<float>& times, int middle);

/// The scales of a node that is shown at the second of three times.
int one_of_three(GltfDocument& document);

}  // namespace isopatch::detail

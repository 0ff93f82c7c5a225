// SPDX-License-Identifier: Apache-2.0
//
// A scene with its contact patches as binary glTF.
//
//   scene                extras: title, units, bodies, pairs, pressure of the last colour, colours, scale of the
//   │                    arrows, frames, each with its status as a number and, if this is not 0, in words
//   └ world              turns z up into y up
//     ├ BODY             a node a body, moved by the animation: LINEAR in time, STEP from environment to environment
//     │ └ PART           mesh in the frame of its geometry, which parts share; alpha .3
//     ├ frame K          its scale is 1 in its frame and 1e-6 in all others, as 0 would make singular matrices
//     │ └ A on B         the patch of a pair, coloured through u = p / max_pressure; extras: force, torque, area, ...
//     └ force of A on B  an arrow for each pair that touches in any frame
#pragma once

#include <string>
#include <vector>

#include "host/render/frame_contact.h"
#include "host/render/frames.h"

namespace isopatch::detail {

/// A file for each environment, with one range of colours, one scale of the arrows, and views as extents_of() has them;
/// `contacts` are of the frames of all. Throws Error for states of another number of bodies or parts.
std::vector<std::string> glbs_of(const SceneDescription& scene, const std::vector<Frames>& environments,
                                 const std::vector<FrameContact>& contacts, const std::string& title);

}  // namespace isopatch::detail

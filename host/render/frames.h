// SPDX-License-Identifier: Apache-2.0
//
// What a picture shows.
#pragma once

#include <cstdint>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch::detail {

/// The most frames of a picture, and the most bytes of its file.
inline constexpr std::int64_t kMaxFrames = 10'000;
inline constexpr double kMaxPictureBytes = 500e6;

/// The states of a picture, between which one moves by a slider: one environment in time, or one environment after
/// another.
struct Frames {
  StateArrays states;                      // a row for each frame
  std::vector<double> times;               // s, of each frame; empty if the frames are environments
  std::vector<std::int64_t> environments;  // the number of each, if they are; empty: 0, 1, 2, ...
  std::int64_t environment = 0;            // the number of the environment otherwise

  std::int64_t count() const { return states.num_environments; }
};

/// Throws Error, which names `every`, for more than kMaxFrames and for none.
void check_count(std::int64_t frames);

/// The rows 0, every, 2 every, ... of `rows`, and the last one. Throws Error as check_count().
std::vector<std::int64_t> chosen_frames(std::int64_t rows, std::int64_t every);

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// What a picture shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isopatch/arrays.h"

namespace isopatch::detail {

/// The most frames of a picture, and the most bytes of its file.
inline constexpr std::int64_t kMaxFrames = 10'000;
inline constexpr double kMaxPictureBytes = 500e6;

/// How bodies are drawn: the colour of each by its index, round and round, that of half spaces, and the opacity.
inline constexpr std::array<std::array<double, 3>, 7> kBodyColors = {{{0.27, 0.45, 0.70},
                                                                      {0.87, 0.52, 0.23},
                                                                      {0.42, 0.60, 0.36},
                                                                      {0.70, 0.38, 0.52},
                                                                      {0.45, 0.62, 0.72},
                                                                      {0.62, 0.50, 0.36},
                                                                      {0.50, 0.44, 0.68}}};
inline constexpr std::array<double, 3> kGroundColor = {0.62, 0.62, 0.62};
inline constexpr double kBodyAlpha = 0.3;

/// The states of a picture, between which one moves by a slider: one environment in time, or one environment after
/// another.
struct Frames {
  StateArrays states;                      // a row for each frame, whose materials may be NaN: the scene's
  std::vector<double> pair_wrench;         // frames x P x 6 of the steps, N and N m; empty: they are evaluated
  std::vector<double> times;               // s, of each frame; empty if the frames are environments
  std::vector<std::int64_t> environments;  // the number of each, if they are; empty: 0, 1, 2, ...
  std::int64_t environment = 0;            // the number of the environment otherwise

  std::int64_t count() const { return states.num_environments; }
};

/// Throws Error, which names `every`, for more than kMaxFrames and for none.
void check_count(std::int64_t frames);

/// Whether the row of a recording, of which the first part is given, has the scene's materials: its step was given
/// none.
bool is_unset(const std::vector<double>& materials, std::size_t first_part);

/// Gives the rows of a recording the scene's shape where they have -1, as a row does whose step was given none. Throws
/// Error, naming `source`, for a shape that the scene does not have.
void settle_recorded_shapes(StateArrays& states, const SceneDescription& scene, const std::string& source);

/// The rows 0, every, 2 every, ... of `rows`, and the last one. Throws Error as check_count().
std::vector<std::int64_t> chosen_frames(std::int64_t rows, std::int64_t every);

}  // namespace isopatch::detail

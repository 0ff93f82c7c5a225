// SPDX-License-Identifier: Apache-2.0
#include "host/render/frames.h"

#include <cmath>

#include "host/text/throw_error.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

void check_count(std::int64_t frames) {
  if (frames < 1) throw_error("render: there are no frames");
  if (frames <= kMaxFrames) return;
  const std::int64_t every = (frames + kMaxFrames - 2) / (kMaxFrames - 1);
  throw_error("render: {} frames are more than the {} of a picture; take fewer by --every {} (every={} in Python)",
              frames, kMaxFrames, every, every);
}

std::vector<std::int64_t> chosen_frames(std::int64_t rows, std::int64_t every) {
  const std::int64_t count = rows < 1 ? 0 : 1 + (rows - 2 + every) / every;
  if (count > kMaxFrames && every > 1) check_count(rows);
  check_count(count);
  std::vector<std::int64_t> chosen;
  for (std::int64_t row = 0; row < rows - 1; row += every) chosen.push_back(row);
  chosen.push_back(rows - 1);
  return chosen;
}

bool is_unset(const std::vector<double>& materials, std::size_t first_part) {
  return !materials.empty() && std::isnan(materials[first_part]);
}

void settle_recorded_shapes(StateArrays& states, const SceneDescription& scene, const std::string& source) {
  std::vector<std::int32_t> own;
  for (const Body& body : scene.bodies) {
    for (const Part& part : parts_of(body)) own.push_back(part.geometry);
  }
  const auto shapes = std::ssize(scene.geometries);
  for (std::size_t i = 0; i < states.geometry_index.size(); ++i) {
    std::int32_t& index = states.geometry_index[i];
    if (index == -1) index = own[i % own.size()];
    if (index >= 0 && index < shapes) continue;
    throw_error("{}: geometry_index: {} is none of the scene's geometries, which are numbered from 0 to {}", source,
                index, shapes - 1);
  }
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include "host/render/animation.h"

#include <cstdint>

namespace isopatch::detail {
namespace {

constexpr double kSecondsOfEnvironment = 0.5;

void append_scale(std::vector<float>& scales, bool shown) {
  scales.insert(scales.end(), 3, shown ? 1.0F : static_cast<float>(kHidden));
}

void hide_at_start(GltfDocument& document, int node) {
  document.model().nodes[static_cast<std::size_t>(node)].scale = {kHidden, kHidden, kHidden};
}

}  // namespace

std::vector<float> rising_times(const std::vector<double>& times, std::int64_t frames) {
  std::vector<float> rising;
  float step = 1.0F / 30;
  for (std::int64_t k = 0; k < frames; ++k) {
    if (times.empty()) {
      rising.push_back(static_cast<float>(kSecondsOfEnvironment * static_cast<double>(k)));
      continue;
    }
    const auto i = static_cast<std::size_t>(k);
    if (k == 0) {
      rising.push_back(0);
      continue;
    }
    const auto since_last = static_cast<float>(times[i] - times[i - 1]);
    if (since_last > 0) step = since_last;
    rising.push_back(rising.back() + step);
  }
  return rising;
}

void show_in(GltfDocument& document, int node, const std::vector<bool>& shown, int times) {
  std::vector<float> scales;
  for (const bool is_shown : shown) append_scale(scales, is_shown);
  if (!shown[0]) hide_at_start(document, node);
  document.animate(node, "scale", times, document.add_values(scales, 3), "STEP");
}

int one_of_three(GltfDocument& document) {
  std::vector<float> scales;
  for (const bool shown : {false, true, false}) append_scale(scales, shown);
  return document.add_values(scales, 3);
}

void show_in_one(GltfDocument& document, int node, std::size_t frame, const std::vector<float>& times, int middle) {
  if (frame > 0 && frame + 1 < times.size()) {
    hide_at_start(document, node);
    document.animate(node, "scale", document.add_times({times[0], times[frame], times[frame + 1]}), middle, "STEP");
    return;
  }
  std::vector<float> scales;
  append_scale(scales, frame == 0);
  append_scale(scales, frame > 0);
  if (frame > 0) hide_at_start(document, node);
  document.animate(node, "scale", document.add_times({times[0], times[frame == 0 ? 1 : frame]}),
                   document.add_values(scales, 3), "STEP");
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include "host/render/frame_contact.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "host/mesh/math/point_math.h"
#include "host/pictures/all_records.h"
#include "host/pictures/drawn_polygons.h"
#include "host/scene/scene_data.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

// in a file
constexpr double kBytesOfPatch = 900;  // of JSON
constexpr double kBytesOfPoint = 16, kBytesOfCorner = 2, kBytesOfContact = 204;

/// The bits of a point and its pressure.
using Corner = std::array<std::uint32_t, 4>;

struct CornerHash {
  std::size_t operator()(const Corner& corner) const {
    std::uint64_t hash = 0;
    for (const std::uint32_t word : corner) hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

Point3 as_point(const float (&v)[3]) { return {v[0], v[1], v[2]}; }

/// A patch while its polygons are added.
class GrowingPatch {
 public:
  void add(const Polygon& polygon) {
    std::uint32_t corners[8];
    for (int i = 0; i < polygon.num_vertices; ++i) corners[i] = index_of(polygon, i);
    for (int i = 2; i < polygon.num_vertices; ++i) {
      patch_.corners.insert(patch_.corners.end(), {corners[0], corners[i - 1], corners[i]});
      integrate(polygon, i);
    }
    ++patch_.polygons;
    patch_.area += polygon.area;
  }

  DrawnPatch finished(int pair) && {
    patch_.pair = pair;
    if (push_ > 0) patch_.center = (1 / push_) * moment_;
    return std::move(patch_);
  }

 private:
  std::uint32_t index_of(const Polygon& polygon, int vertex) {
    const float pressure = std::max(polygon.pressures[vertex], 0.0F);  // rounding leaves corners a little below 0
    Corner corner;
    std::memcpy(corner.data(), polygon.vertices[vertex], 12);
    std::memcpy(corner.data() + 3, &pressure, 4);
    const auto [at, is_new] = indices_.emplace(corner, static_cast<std::uint32_t>(patch_.points.size()));
    if (is_new) {
      const float* p = polygon.vertices[vertex];
      patch_.points.push_back({p[0], p[1], p[2]});
      patch_.pressures.push_back(pressure);
      patch_.max_pressure = std::max<double>(patch_.max_pressure, pressure);
    }
    return at->second;
  }

  /// Adds the triangle of the vertices 0, i - 1 and i, across which the pressure is linear.
  void integrate(const Polygon& polygon, int i) {
    const Point3 a = as_point(polygon.vertices[0]), b = as_point(polygon.vertices[i - 1]),
                 c = as_point(polygon.vertices[i]);
    const double p = polygon.pressures[0], q = polygon.pressures[i - 1], r = polygon.pressures[i];
    const double area = norm(cross(b - a, c - a)) / 2, sum = p + q + r;
    push_ += area / 3 * sum;
    patch_.force = patch_.force + (area / 3 * sum) * as_point(polygon.normal);
    moment_ = moment_ + (area / 12) * ((sum + p) * a + (sum + q) * b + (sum + r) * c);
  }

  DrawnPatch patch_;
  double push_ = 0;     // integral of the pressure, N
  Point3 moment_ = {};  // of x times the pressure, N m
  std::unordered_map<Corner, std::uint32_t, CornerHash> indices_;
};

}  // namespace

std::vector<DrawnPatch> drawn_patches(const std::vector<Polygon>& polygons, const double* wrenches, int width) {
  std::map<int, GrowingPatch> growing;
  for (const Polygon& polygon : polygons) {
    if (polygon.num_vertices >= 3 && polygon.num_vertices <= 8) growing[polygon.pair].add(polygon);
  }
  std::vector<DrawnPatch> patches;
  for (auto& [pair, patch] : growing) {
    patches.push_back(std::move(patch).finished(pair));
    if (wrenches == nullptr) continue;
    const double* wrench = wrenches + std::ptrdiff_t{pair} * width;
    std::copy_n(wrench, 3, patches.back().force.begin());
    std::copy_n(wrench + 3, 3, patches.back().torque.emplace().begin());
  }
  return patches;
}

std::vector<DrawnContacts> drawn_contacts(const std::vector<PotentialContact>& contacts) {
  constexpr float kFacing = -1e-6F;  // rounding
  std::vector<DrawnContacts> drawn;
  for (const PotentialContact& contact : contacts) {
    if (!(contact.applicability >= kFacing)) continue;
    if (drawn.empty() || drawn.back().pair != contact.pair) drawn.push_back({contact.pair, {}});
    drawn.back().contacts.push_back({as_point(contact.point), as_point(contact.normal)});
  }
  return drawn;
}

FrameContact evaluated_contact(const HostEvaluator& evaluator, const Frames& frames, std::int64_t frame) {
  constexpr int kWrench = 6;
  const StateArrays& states = frames.states;
  FrameContact contact;
  State state = states.view(frame, 1);
  const auto first_part = static_cast<std::size_t>(frame * states.num_parts);
  if (is_unset(states.modulus, first_part)) state.modulus = {};
  if (is_unset(states.dissipation, first_part)) state.dissipation = {};
  if (is_unset(states.friction, first_part)) state.friction = {};
  std::vector<double> wrenches(static_cast<std::size_t>(states.num_pairs) * kWrench);
  Results results;
  results.status = &contact.status;
  results.pair_wrench = wrenches.empty() ? nullptr : wrenches.data();
  const std::vector<Polygon> polygons = drawn_polygons(evaluator, state, results);
  if (measures_distances(evaluator.scene())) {
    contact.contacts = drawn_contacts(all_records<PotentialContact>(evaluator, state, {}, &Results::potential_contacts,
                                                                    &Results::relations_needed, 256));
  }
  const auto of_frame = static_cast<std::size_t>(frame) * wrenches.size();
  contact.patches =
      drawn_patches(polygons, frames.pair_wrench.empty() ? wrenches.data() : &frames.pair_wrench[of_frame], kWrench);
  return contact;
}

void FrameContacts::add(FrameContact contact) {
  for (const DrawnPatch& patch : contact.patches) {
    size_ += kBytesOfPatch + kBytesOfPoint * static_cast<double>(patch.points.size()) +
             kBytesOfCorner * static_cast<double>(patch.corners.size());
  }
  for (const DrawnContacts& pair : contact.contacts) {
    size_ += kBytesOfPatch + kBytesOfContact * static_cast<double>(pair.contacts.size());
  }
  contacts_.push_back(std::move(contact));
  if (size_ <= kMaxPictureBytes) return;
  const double share = static_cast<double>(frames_) / static_cast<double>(contacts_.size());
  throw_error(
      "render: the patches of {} of {} frames take the {:.0f} MB that a picture may have; take fewer frames by --every "
      "{} or more (every= in Python)",
      contacts_.size(), frames_, kMaxPictureBytes / 1e6, std::ceil(share) + 1);
}

std::int64_t count_of(const std::vector<Frames>& environments) {
  std::int64_t count = 0;
  for (const Frames& frames : environments) count += frames.count();
  return count;
}

FrameContacts evaluated_contacts(const HostEvaluator& evaluator, const std::vector<Frames>& environments,
                                 const std::function<void(std::int64_t)>& progress) {
  FrameContacts contacts(count_of(environments));
  for (const Frames& frames : environments) {
    for (std::int64_t frame = 0; frame < frames.count(); ++frame) {
      contacts.add(evaluated_contact(evaluator, frames, frame));
      progress(std::ssize(contacts.all()));
    }
  }
  return contacts;
}

}  // namespace isopatch::detail

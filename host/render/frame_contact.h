// SPDX-License-Identifier: Apache-2.0
//
// The contact of a frame, as it is drawn.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "host/render/frames.h"
#include "isopatch/host_evaluator.h"

namespace isopatch::detail {

/// The patch of a pair in one frame, world frame: triangles of its polygons, with the pressure at their corners.
struct DrawnPatch {
  int pair = 0;
  int polygons = 0;
  double area = 0;               // m^2
  double max_pressure = 0;       // Pa
  Point3 force = {};             // on the first body, N
  std::optional<Point3> torque;  // on the first body, about its origin, N m; if the wrench is known
  Point3 center = {};            // of pressure, m

  std::vector<std::array<float, 3>> points;  // m; no two are the same
  std::vector<float> pressures;              // Pa, of each point, at least 0
  std::vector<std::uint32_t> corners;        // three of each triangle
};

/// A contact of rigid convex parts, world frame.
struct DrawnContact {
  Point3 point;   // m
  Point3 normal;  // unit, into the first body
};

/// The contacts of a pair.
struct DrawnContacts {
  int pair = 0;
  std::vector<DrawnContact> contacts;
};

struct FrameContact {
  std::uint32_t status = 0;
  std::vector<DrawnPatch> patches;      // of the pairs that touch, in their order
  std::vector<DrawnContacts> contacts;  // of the pairs that have some, in their order
};

/// The patches of these polygons, with wrenches of P pairs, `width` numbers from one to the next [N, N m]; without, the
/// force is the integral of the pressure.
std::vector<DrawnPatch> drawn_patches(const std::vector<Polygon>& polygons, const double* wrenches, int width);

/// The contacts whose features face each other, by pair.
std::vector<DrawnContacts> drawn_contacts(const std::vector<PotentialContact>& contacts);

/// Evaluates a frame, whose forces are those of its step if `frames` has these.
FrameContact evaluated_contact(const HostEvaluator& evaluator, const Frames& frames, std::int64_t frame);

/// The contact of all frames of all environments, one after another, as long as a file can have it.
class FrameContacts {
 public:
  explicit FrameContacts(std::int64_t frames) : frames_(frames) {}

  /// That of the next frame. Throws Error, which names `every`, if the patches take more than kMaxPictureBytes.
  void add(FrameContact contact);

  const std::vector<FrameContact>& all() const { return contacts_; }

 private:
  std::int64_t frames_;
  std::vector<FrameContact> contacts_;
  double size_ = 0;  // of the patches and contacts in a file, about, bytes
};

/// How many frames environments have in all.
std::int64_t count_of(const std::vector<Frames>& environments);

/// Evaluates all frames; `progress` is called with the number of those that are done, and may throw.
FrameContacts evaluated_contacts(const HostEvaluator& evaluator, const std::vector<Frames>& environments,
                                 const std::function<void(std::int64_t)>& progress);

}  // namespace isopatch::detail

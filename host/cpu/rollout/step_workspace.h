// SPDX-License-Identifier: Apache-2.0
//
// The memory that one CPU thread steps environments in. It grows as contact needs, and is kept for the next step.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "host/cpu/thread_workspace.h"
#include "isopatch/detail/rollout/take_step.h"

namespace isopatch::detail {

/// Contact polygons of one environment, in the order of their keys.
template <class T>
class SortedPolygons {
 public:
  void clear() { found_.clear(); }
  void add(const ContactPolygon<T>& polygon) { found_.push_back(polygon); }
  int size() const { return static_cast<int>(found_.size()); }

  void sort() {
    order_.clear();
    for (std::size_t i = 0; i < found_.size(); ++i) order_.emplace_back(found_[i].key, static_cast<std::uint32_t>(i));
    std::sort(order_.begin(), order_.end());
  }
  std::uint64_t key(int i) const { return order_[static_cast<std::size_t>(i)].first; }
  const ContactPolygon<T>& operator[](int i) const { return found_[order_[static_cast<std::size_t>(i)].second]; }

 private:
  std::vector<ContactPolygon<T>> found_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_;
};

template <class T>
class StepWorkspace {
 public:
  StepWorkspace(const SceneView& scene, const RolloutView& view, std::int32_t wide_nodes)
      : contact(wide_nodes),
        stage_bodies_(static_cast<std::size_t>(scene.num_bodies)),
        poses_(static_cast<std::size_t>(scene.num_bodies) * kPoseSize),
        wrenches_(static_cast<std::size_t>(scene.num_pairs) * 6),
        bodies_(static_cast<std::size_t>(scene.num_bodies)),
        drives_(static_cast<std::size_t>(view.num_joints)),
        joint_dofs_(static_cast<std::size_t>(view.num_joints)),
        pairs_(static_cast<std::size_t>(scene.num_pairs)),
        rows_(static_cast<std::size_t>(view.num_dofs)),
        vectors_(static_cast<std::size_t>(view.num_dofs) * SolverVectors::kCount),
        matrix_(static_cast<std::size_t>(view.num_dofs) * static_cast<std::size_t>(view.num_dofs)),
        num_dofs_(view.num_dofs),
        num_pairs_(scene.num_pairs) {}

  /// Of the environment at hand.
  StepMemory step() { return {stage_bodies_.data(), poses_.data(), wrenches_.data(), &counts_}; }

  /// For a solve with this many polygons.
  SolverMemory solver(int num_polygons) {
    // each pair's last block may be all but empty
    const auto blocks = static_cast<std::size_t>(num_polygons / kSumLanes + std::min(num_polygons, num_pairs_));
    const std::size_t needed = blocks * PolygonColumns::kBlock;
    if (columns_.size() < needed) columns_.resize(needed);
    return {bodies_.data(),
            drives_.data(),
            joint_dofs_.data(),
            pairs_.data(),
            columns_.data(),
            &order_,
            rows_.data(),
            SolverVectors::of(vectors_.data(), num_dofs_),
            {matrix_.data(), num_dofs_}};
  }

  ThreadWorkspace contact;
  SortedPolygons<T> polygons;

 private:
  std::vector<StageBody> stage_bodies_;
  std::vector<double> poses_, wrenches_;
  StepCounts counts_ = {};
  std::vector<SolvedBody> bodies_;
  std::vector<StepDrive> drives_;
  std::vector<std::int32_t> joint_dofs_;
  std::vector<SolvedPair> pairs_;
  std::vector<double> columns_;
  EliminationOrder order_ = {};
  std::vector<std::int32_t> rows_;
  std::vector<double> vectors_, matrix_;
  int num_dofs_, num_pairs_;
};

}  // namespace isopatch::detail

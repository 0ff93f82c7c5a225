// SPDX-License-Identifier: Apache-2.0
//
// The memory that one CPU thread steps environments in. It grows as contact needs, and is kept for the next step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "isopatch/detail/rollout/take_step.h"

namespace isopatch::detail {

/// The contacts of one environment, in the order of their keys. The solver is compiled once for both precisions, and
/// has them written into its columns.
class ContactList {
 public:
  ContactList() = default;
  ContactList(const ContactList&) = delete;
  ContactList& operator=(const ContactList&) = delete;
  virtual ~ContactList() = default;

  int size() const { return static_cast<int>(order_.size()); }
  std::uint64_t key(int i) const { return order_[static_cast<std::size_t>(i)].first; }
  virtual void write(int i, const PolygonColumns& columns, int to) const = 0;

 protected:
  std::size_t place(int i) const { return order_[static_cast<std::size_t>(i)].second; }

  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_;
};

template <class T>
class SortedContacts final : public ContactList {
 public:
  /// To be filled, in any order, before sort().
  std::vector<SolverContact<T>>& found() { return found_; }

  void sort() {
    order_.clear();
    for (std::size_t i = 0; i < found_.size(); ++i) order_.emplace_back(found_[i].key, static_cast<std::uint32_t>(i));
    std::sort(order_.begin(), order_.end());
  }
  const SolverContact<T>& operator[](int i) const { return found_[place(i)]; }

  void write(int i, const PolygonColumns& columns, int to) const override { columns.write(to, (*this)[i]); }

 private:
  std::vector<SolverContact<T>> found_;
};

/// The memory of a step beside its contacts.
class StepWorkspace {
 public:
  StepWorkspace(const SceneView& scene, const RolloutView& view)
      : stage_bodies_(copies(view) * static_cast<std::size_t>(scene.num_bodies)),
        poses_(static_cast<std::size_t>(scene.num_bodies) * kPoseSize),
        twists_(asks_for_twists(scene) ? static_cast<std::size_t>(scene.num_bodies) * kVelocitySize : 0),
        forces_(copies(view) *
                static_cast<std::size_t>(
                    ForceLayout{scene.num_pairs, view.num_joints, scene.num_bodies, view.num_loops}.size())),
        sums_(static_cast<std::size_t>(scene.num_pairs) * 6),
        size_{sides(scene) * scene.num_bodies, view.num_joints, view.num_dofs, sides(scene) * scene.num_pairs, kNone,
              num_state_rows(scene),           view.max_chain,  view.num_loops},
        tree_memory_(static_cast<std::size_t>(tree_words(view))),
        trees_(tree_memory(view, tree_memory_.data())),
        tree_views_(view.trees) {}

  /// Of the environment at hand.
  StepProgress step(bool with_sums) {
    return {&plan_,         stage_bodies_.data(),
            poses_.data(),  twists_.empty() ? nullptr : twists_.data(),
            forces_.data(), with_sums ? sums_.data() : nullptr,
            nullptr,        nullptr,
            nullptr,        &counts_,
            trees_};
  }

  /// For a solve with this many polygons. It stays where the last one had as many.
  const SolverMemory& solver(int num_polygons) {
    if (size_.polygons == num_polygons) return solver_;
    size_.polygons = num_polygons;
    const std::int64_t kept = size_.kept_words();
    const auto needed = static_cast<std::size_t>(kept + size_.finding_words() + SolverSize::kLine);
    if (memory_.size() < needed) memory_.resize(2 * needed);
    const auto first = reinterpret_cast<std::uintptr_t>(memory_.data()), line = sizeof(double) * SolverSize::kLine;
    double* const begin = memory_.data() + (line - first % line) % line / sizeof(double);
    solver_ = size_.in(begin, begin + kept);
    solver_.trees = trees_;
    solver_.tree_views = tree_views_;
    return solver_;
  }

 private:
  /// How often bodies and pairs may be in a solve: with faces that touch, for these alone too.
  static int sides(const SceneView& scene) { return scene.contact.any_faces ? 2 : 1; }
  static std::size_t copies(const RolloutView& view) { return static_cast<std::size_t>(step_copies(view)); }

  static constexpr std::int32_t kNone = -1;  // polygons of no solve

  StepPlan plan_ = {};
  std::vector<StageBody> stage_bodies_;
  std::vector<double> poses_, twists_, forces_, sums_;
  StepCounts counts_ = {};
  SolverSize size_;
  SolverMemory solver_ = {};
  std::vector<double> memory_, tree_memory_;
  TreeMemory trees_;
  const TreeView* tree_views_;
};

}  // namespace isopatch::detail

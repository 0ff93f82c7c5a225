// SPDX-License-Identifier: Apache-2.0
//
// The pressure field of the cuda backend: how much working memory a call needs, and which stages it takes.
#include "kernels/contact/models.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "host/evaluation/backend_options.h"
#include "host/evaluation/output_table.h"
#include "kernels/memory/working_memory.h"
#include "kernels/pressure_field/block_pairs.h"
#include "kernels/pressure_field/call.h"
#include "kernels/pressure_field/device_call_memory.h"
#include "kernels/pressure_field/device_candidates.h"
#include "kernels/pressure_field/find_contacts.h"
#include "kernels/pressure_field/mesh_sizes.h"

namespace isopatch::detail {

namespace {

/// Warps that the current device keeps at once.
struct ResidentWarps {
  std::array<std::int64_t, 4> of_pairs = {};  // by Outputs
  std::int64_t of_patches = 0;
  std::int64_t of_searches = 0;  // for the contacts of steps
};

std::int64_t warps_of_pairs(const SceneView& scene, Precision precision, Outputs outputs) {
  return precision == Precision::kFloat ? resident_warps<float>(scene, outputs)
                                        : resident_warps<double>(scene, outputs);
}

bool has_plates(const SceneView& scene) {
  for (std::int32_t i = 0; i < scene.num_pair_views; ++i) {
    const PairView& view = scene.pairs[i];
    if (view.model == kPressureField && view.has_law) return true;
  }
  return false;
}

/// Loads every kernel that a simulator of this scene can launch on the current device.
ResidentWarps load_kernels_of_steps(const SceneView& scene, Precision precision) {
  load_evaluate_energies();
  ResidentWarps warps;
  warps.of_searches =
      precision == Precision::kFloat ? load_find_contacts<float>(scene) : load_find_contacts<double>(scene);
  for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch}) {
    warps.of_pairs[static_cast<std::size_t>(outputs)] = warps_of_pairs(scene, precision, outputs);
  }
  if (has_plates(scene)) warps_of_pairs(scene, precision, Outputs::kAll);
  return warps;
}

/// Loads every kernel that an evaluator of this scene can launch on the current device.
ResidentWarps load_kernels(const SceneView& scene, Precision precision) {
  load_staged_pairs(scene, precision);
  load_listed_polygons(precision);
  load_evaluate_energies();
  ResidentWarps warps;
  for (const Outputs outputs : {Outputs::kWrench, Outputs::kPatch, Outputs::kAll}) {
    warps.of_pairs[static_cast<std::size_t>(outputs)] = warps_of_pairs(scene, precision, outputs);
  }
  warps.of_patches =
      precision == Precision::kFloat ? resident_patch_warps<float>(scene) : resident_patch_warps<double>(scene);
  return warps;
}

class CudaPressureField final : public CudaContactModel {
 public:
  CudaPressureField(const SceneData& scene, const ContactModelOptions& options)
      : scene_(scene.view), cuda_options_(options.cuda), device_(options.device), steps_(options.steps) {
    resident_warps_ = options.steps ? load_kernels_of_steps(scene_, cuda_options_.precision)
                                    : load_kernels(scene_, cuda_options_.precision);
    has_plates_ = has_plates(scene_);
    if (!steps_) {
      blocks_ = in_float() ? load_evaluate_by_blocks<float>(scene_) : load_evaluate_by_blocks<double>(scene_);
    }
    const FlatGeometries& geometries = scene.geometries;
    most_cells_ = most_cells_of(geometries.solids);
    most_cells_of_both_ = most_cells_of_both(scene_);
    const std::int64_t most_elements = std::max(most_cells_, most_cells_of(geometries.surfaces));
    window_capacity_ = window_capacity(scene, most_elements);
    for (int digit = 0; digit < RowDigits::kCount; ++digit) {
      if (RowDigits::may_differ(digit, scene_.num_pairs, most_elements)) key_digits_ |= 1u << digit;
    }
  }

  void reserve(std::int64_t num_environments, bool patch_contacts) override {
    PressureFieldSize size = size_of(num_environments);
    if (steps_) size = joined(size, size_of_search(num_environments));
    if (patch_contacts && resident_warps_.of_patches > 0) add_patches(size);
    memory_.reserve(size);
  }

  void evaluate(const BatchCall& batch, bool begins, const CandidateCache::Implementation* candidates,
                std::int64_t first, cudaStream_t stream) override {
    const Results& results = batch.results;
    if (wants_only_energy(results)) {
      const PressureFieldCall call = call_of(batch);
      if (begins) begin_environments(call, stream);
      return detail::evaluate_energies(call, stream);
    }
    if (begins && candidates == nullptr && takes_blocks(batch)) {
      return in_float() ? evaluate_by_blocks<float>(batch, stream) : evaluate_by_blocks<double>(batch, stream);
    }
    const PressureFieldSize size = size_of(batch.state.num_environments, results);
    const auto pairs = static_cast<std::int64_t>(size.pairs);
    memory_.call(size, stream, [&](const PressureFieldArrays& arrays) {
      PressureFieldCall call = call_of(batch);
      call.slices = slices(pairs, results);
      call.sums = arrays.sums;
      call.patches = arrays.patches_of(size.windows);
      call.key_digits = key_digits_;
      call.has_plates = has_plates_;
      if (arrays.size().staged_pairs > 0 && may_stage(pairs, results)) {
        call.staged = staged_memory(arrays, pairs);
        if (wants_patch_contacts(results) && arrays.size().listed_polygons > 0) call.listed = arrays.listed;
        pairs_in_stages() += std::min<std::int64_t>(pairs, call.staged.num_pairs);
        if (candidates != nullptr) {
          call.staged.candidates = static_cast<const DeviceCandidates*>(candidates)->lists(first);
          call.staged.margin = {static_cast<float>(candidates->margin()), false};
        } else {
          call.staged.slices = slices_of_searches(pairs);
        }
      }
      in_float() ? evaluate<float>(call, begins, stream) : evaluate<double>(call, begins, stream);
      detail::evaluate_energies(call, stream);
    });
  }

  void list_again(const BatchCall& batch, cudaStream_t stream) override {
    const auto pairs = static_cast<std::int64_t>(num_pairs(batch.state.num_environments));
    memory_.call(size_of(batch.state.num_environments), stream, [&](const PressureFieldArrays& arrays) {
      PressureFieldCall call = call_of(batch);
      call.slices = slices(pairs, batch.results);
      call.sums = arrays.sums;
      call.key_digits = key_digits_;
      call.has_plates = has_plates_;
      in_float() ? evaluate_pairs<float>(call, stream) : evaluate_pairs<double>(call, stream);
    });
  }

  std::unique_ptr<CandidateCache::Implementation> make_candidates(const Evaluator::Implementation& owner,
                                                                  std::int64_t num_environments,
                                                                  double margin) override {
    return std::make_unique<DeviceCandidates>(owner, device_, num_environments, scene_.num_part_pairs, margin);
  }

  void find_contacts(const BatchCall& batch, bool begins, ContactPoints points, const ContactLists& to,
                     cudaStream_t stream) override {
    ContactSearchCall call = {call_of(batch), points, to};
    const auto find = [&] {
      in_float() ? detail::find_contacts<float>(call, begins, stream)
                 : detail::find_contacts<double>(call, begins, stream);
    };
    const PressureFieldSize size = size_of_search(batch.state.num_environments);
    if (size.contact_pairs == 0) return find();
    memory_.call(size, stream, [&](const PressureFieldArrays& arrays) {
      if (arrays.size().staged_pairs > 0) {
        StagedMemory& staged = call.evaluation.staged;
        staged = staged_memory(arrays, call.evaluation.num_pairs());
        staged.contacts = arrays.contacts_of_pairs;
        pairs_in_stages() += std::min<std::int64_t>(call.evaluation.num_pairs(), staged.num_pairs);
        staged.candidates = arrays.candidates;
        if (staged.candidates != nullptr) staged.margin = {kMaxStepMargin, true};
      }
      find();
    });
  }

 private:
  static constexpr std::int64_t kCellsPerSlice = 32;  // of the larger mesh; less is not worth a warp

  // Of a mesh and of both, for blocks; by the cycle model, see bench/notes/gpu.md
  static constexpr std::int64_t kMostCellsOfBlocks = 1280, kMostOfBothOfBlocks = 640;

  static constexpr std::int64_t kCellsForStages = 256;  // of both meshes; measured, see bench/NOTES.md

  // What of a larger batch does not fit is evaluated by one kernel.
  static constexpr std::size_t kMaxStagedPairs = std::size_t{1} << 20;      // 0.7 GB
  static constexpr std::size_t kMaxStagedPartPairs = std::size_t{1} << 20;  // 0.7 GB
  static constexpr std::int64_t kPartPairsPerPair = 8;                      // on average, of bodies of several parts

  // Candidates that steps keep, 4 KB a part pair; more of a batch are not kept.
  static constexpr std::size_t kMaxCandidateBytes = std::size_t{1} << 30;

  // Of these candidates, over the smaller part's radius. A larger margin would cost more in each search than it saves.
  static constexpr float kMaxStepMargin = 0.05f;

  // A pair with more than its part of them is evaluated several times for its patch contacts.
  static constexpr std::size_t kMaxWindowPolygons = std::size_t{1} << 20;  // 0.2 GB

  bool in_float() const { return cuda_options_.precision == Precision::kFloat; }

  static PressureFieldCall call_of(const BatchCall& batch) {
    PressureFieldCall call = {};
    static_cast<BatchCall&>(call) = batch;
    call.slices = 1;
    return call;
  }

  template <class T>
  static void evaluate(const PressureFieldCall& call, bool begins, cudaStream_t stream) {
    if (call.staged.pairs != nullptr) {
      evaluate_staged_pairs<T>(call, begins, stream);
    } else if (begins) {
      begin_environments(call, stream);
    }
    evaluate_pairs<T>(call, stream);
    write_patch_contacts<T>(call, stream);
  }

  bool has_several_parts() const { return parts_of(scene_) == Parts::kSeveral; }

  std::int64_t parts_per_pair() const { return has_several_parts() ? kPartPairsPerPair : 1; }

  // The list of cells between stages has room for all of a small batch, and of a larger one for some at a time. 200
  // nuts on bolts have 1.56 million; steps, which need much more memory for other things, have four times as much.
  static constexpr std::int64_t kCellsOfSmallBatch = 1'650'000;  // 53 MB
  static constexpr std::int64_t kLeastCellsOfPair = 64;

  /// Cells that a pair has in its list, roughly: for each cell of the larger mesh, .1 to .5 pass in most contacts, and
  /// 1.8 in a nut on a bolt.
  std::int64_t usual_cells() const {
    if (cuda_options_.cells_per_pair > 0) return cuda_options_.cells_per_pair;
    return std::max(most_cells_ / 4, kLeastCellsOfPair);
  }
  std::int64_t most_listed_cells() const {
    return cuda_options_.cells_per_pair > 0 ? usual_cells() : 8 * usual_cells();
  }

  std::int64_t room_for_cells(std::int64_t pairs) const {
    // pairs of large meshes take so long that the end of a round leaves most warps idle
    const std::int64_t of_pair = std::max(usual_cells() - kLeastCellsOfPair, kLeastCellsOfPair);
    const std::int64_t room = std::max((steps_ ? 4 : 1) * kCellsOfSmallBatch, of_pair * pairs);
    return std::min({pairs * most_listed_cells(), room, std::int64_t{cuda_options_.max_listed_cells}});
  }

  /// Room for polygons in their list.
  std::int64_t room_for_polygons(std::int64_t pairs) const {
    constexpr std::int64_t kOfSmallBatch = 1 << 20, kLeastOfPair = 64;  // 210 MB
    const std::int64_t of_pair = std::max(most_cells_ / 2, kLeastOfPair);
    const std::int64_t room = std::max(kOfSmallBatch, kLeastOfPair * pairs);
    return std::min({pairs * of_pair, room, std::int64_t{cuda_options_.max_listed_polygons}});
  }

  /// Whether some calls are evaluated in stages. Steps have no memory for that, as few of them are followed by one.
  bool may_stage() const { return !steps_ && cuda_options_.stages != PairStages::kOne; }

  /// A pair of small meshes, or of a mesh and a few cells, takes longer in stages, so there have to be enough to fill
  /// the device.
  bool takes_stages(std::int64_t pairs, std::int64_t warps) const {
    if (cuda_options_.stages != PairStages::kBySize) return cuda_options_.stages == PairStages::kSeveral;
    return pairs > warps || most_cells_of_both_ >= kCellsForStages;
  }

  bool may_stage(std::int64_t pairs, const Results& results) const {
    const bool separate = has_several_parts() && results.part_pair_wrench.data != nullptr;
    if (has_plates_) return false;
    return may_stage() && takes_stages(pairs, resident_warps(results)) && !separate &&
           !has(needed_outputs(results), Outputs::kPolygons);
  }

  /// Whether a block evaluates an environment: of few, a call then takes the time of one.
  bool takes_blocks(const BatchCall& batch) const {
    const Results& results = batch.results;
    const bool few = batch.state.num_environments <= blocks_ && most_cells_ <= kMostCellsOfBlocks &&
                     most_cells_of_both_ <= kMostOfBothOfBlocks;
    return few && cuda_options_.stages == PairStages::kBySize && batch.state.geometry_index.data == nullptr &&
           needed_outputs(results) == Outputs::kWrench && results.energy.data == nullptr &&
           results.part_pair_wrench.data == nullptr && !wants_patch_contacts(results);
  }

  /// How many warps share a search: enough for the device to be full, and some more as they are not equally long.
  std::int32_t slices_of_searches(std::int64_t pairs) const {
    std::int32_t slices = 1;
    const std::int64_t warps = most_resident_warps();
    while (slices * pairs < 2 * warps && 2 * slices * kCellsPerSlice <= most_cells_) slices *= 2;
    return slices;
  }

  std::int64_t most_resident_warps() const {
    return *std::max_element(resident_warps_.of_pairs.begin(), resident_warps_.of_pairs.end());
  }

  std::int64_t resident_warps(const Results& results) const {
    return resident_warps_.of_pairs[static_cast<std::size_t>(needed_outputs(results))];
  }

  /// At most half of the warps share pairs, two or more a pair.
  PressureFieldSize size_of(std::int64_t num_environments) const {
    PressureFieldSize size;
    size.pairs = num_pairs(num_environments);
    size.shared_pairs = static_cast<std::size_t>(most_resident_warps() / 2);
    if (!may_stage()) return size;
    add_stages(size);
    size.staged_sums = (has_several_parts() ? 2 : 1) * size.staged_pairs;
    return size;
  }

  /// For the contacts of a step; nothing if a warp does all of a pair.
  PressureFieldSize size_of_search(std::int64_t num_environments) const {
    PressureFieldSize size;
    size.pairs = num_pairs(num_environments);
    if (!takes_stages(static_cast<std::int64_t>(size.pairs), resident_warps_.of_searches)) return {};
    add_stages(size);
    size.contact_pairs = size.staged_pairs;
    const auto lists = static_cast<std::size_t>(num_environments * scene_.num_part_pairs);
    if (lists * sizeof(CandidateList) <= kMaxCandidateBytes) size.candidates = lists;
    return size;
  }

  std::size_t num_pairs(std::int64_t num_environments) const {
    return static_cast<std::size_t>(num_environments * scene_.pairs_of_model(kPressureField));
  }

  /// The lists between the stages of pairs.
  void add_stages(PressureFieldSize& size) const {
    size.staged_pairs = std::min(size.pairs, kMaxStagedPairs);
    size.staged_part_pairs = std::min(static_cast<std::size_t>(parts_per_pair()) * size.pairs, kMaxStagedPartPairs);
    size.cells = static_cast<std::size_t>(room_for_cells(static_cast<std::int64_t>(size.pairs)));
  }

  /// A search begins while the list has room for what those have that go on beside it. There are as many rounds as the
  /// usual cells of all pairs need: one that finds nothing takes 3 us.
  StagedMemory staged_memory(const PressureFieldArrays& arrays, std::int64_t pairs) const {
    constexpr std::int64_t kMostRounds = 8;
    StagedMemory staged = arrays.staged;
    const std::int64_t room = staged.num_cells, at_once = std::min(pairs, most_resident_warps()) * usual_cells();
    const std::int64_t full = std::max<std::int64_t>(room - std::min(room / 2, at_once), 1);
    staged.full_cells = static_cast<std::int32_t>(full);
    staged.rounds = static_cast<int>(std::clamp<std::int64_t>((pairs * usual_cells() - 1) / full + 1, 1, kMostRounds));
    return staged;
  }

  PressureFieldSize size_of(std::int64_t num_environments, const Results& results) const {
    PressureFieldSize size = size_of(num_environments);
    if (wants_patch_contacts(results)) add_patches(size);
    return size;
  }

  /// For patch contacts: a list of the polygons of staged pairs, and a window for each warp that has a pair.
  void add_patches(PressureFieldSize& size) const {
    size.listed_polygons = static_cast<std::size_t>(room_for_polygons(static_cast<std::int64_t>(size.staged_pairs)));
    constexpr std::size_t kBlock = kPatchWarps;
    const auto resident = static_cast<std::size_t>(resident_warps_.of_patches);
    size.windows = std::min(resident, (size.pairs + kBlock - 1) / kBlock * kBlock);
    size.window_polygons = std::max(std::min(size.windows * window_capacity_, kMaxWindowPolygons), 2 * size.windows);
  }

  /// The polygons that a pair may have, where they are not too many: one for each two elements of its part pairs.
  std::size_t window_capacity(const SceneData& scene, std::int64_t most_elements) const {
    const std::int64_t limit = cuda_options_.polygons_per_window;
    std::int64_t most = 1;
    for (int pair = 0; pair < scene_.num_pairs; ++pair) {
      most = std::max<std::int64_t>(most, num_part_pairs(scene.pairs[static_cast<std::size_t>(pair)]));
    }
    for (const std::int64_t elements : {most_cells_, most_elements}) most = std::min(most * elements, limit);
    return static_cast<std::size_t>(std::max<std::int64_t>(most, 2));
  }

  /// How many warps share a pair: one where there are enough pairs to fill the device, else a power of two. It depends
  /// on sizes alone and changes no bit.
  int slices(std::int64_t pairs, const Results& results) const {
    if (results.part_pair_wrench.data != nullptr || has_plates_) return 1;  // the warp that sums a part pair ends it
    std::int64_t slices = 1;
    const std::int64_t warps = resident_warps(results);
    while (2 * slices * pairs <= warps && 2 * slices * kCellsPerSlice <= most_cells_) slices *= 2;
    return static_cast<int>(slices);
  }

  const SceneView scene_;  // in host memory
  bool has_plates_ = false;
  const CudaOptions cuda_options_;
  const int device_;
  const bool steps_;
  ResidentWarps resident_warps_ = {};
  std::int64_t blocks_ = 0;  // of evaluate_by_blocks() that the device runs at once
  std::int64_t most_cells_ = 0, most_cells_of_both_ = 0;
  std::size_t window_capacity_ = 0;  // for a large batch it may be less
  std::uint32_t key_digits_ = 0;
  WorkingMemory<PressureFieldArrays> memory_;
};

}  // namespace

std::unique_ptr<CudaContactModel> make_cuda_pressure_field(const Scene& scene, const ContactModelOptions& options) {
  return std::make_unique<CudaPressureField>(scene.data(), options);
}

}  // namespace isopatch::detail

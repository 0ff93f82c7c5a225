// SPDX-License-Identifier: Apache-2.0
//
// Pairs of rigid polytopes: a block of one warp takes a near pair. The contacts and relations of an environment follow
// each other by pair, so a pair is evaluated twice if they are asked for: first they are counted, then, when it is
// known where those of each pair begin, they are written.
#include "kernels/contact/models.h"

#include <algorithm>
#include <cub/warp/warp_scan.cuh>
#include <string>

#include "host/evaluation/packed_output.h"
#include "isopatch/detail/polytope/part_pair.h"
#include "kernels/memory/working_memory.h"
#include "kernels/polytope/feature_sizes.h"
#include "kernels/runtime/work_loop.cuh"

namespace isopatch::detail {

namespace {

constexpr int kSumWarps = 4;  // a few sums for each environment, so any size does
constexpr int kSumBlock = kSumWarps * CudaWarp::kSize;

constexpr std::int32_t kNothingToWrite = -1;

// What every kernel may have without asking for more.
static_assert(kMaxFeatureMemory <= (48 << 10) && sizeof(OverlapMemory) <= (48 << 10));

enum class Pass { kCount, kWrite };

struct PolytopeCall : BatchCall {
  RelationCounts* of_pairs;  // of each pair of each environment: how many it has, then where they begin, with
                             // kNothingToWrite contacts if it has none; null without relations
  Pass pass;
};

__global__ void __launch_bounds__(CudaWarp::kSize)
    evaluate_polytopes_kernel(const __grid_constant__ PolytopeCall call) {
  extern __shared__ double2 polytope_memory[];
  const SceneView& scene = call.scene;
  const PairList list = call.near_pairs().of(scene, kPolytopeModel);
  if (static_cast<std::int32_t>(blockIdx.x) >= *list.count) return;
  const PairEntry at = PairEntry::make(scene, list.items[blockIdx.x]);
  RelationCounts* const of_pair =
      call.of_pairs == nullptr ? nullptr : call.of_pairs + at.environment * scene.num_pairs + at.pair;
  RelationCounts counts{0, 0, 0};
  if (call.pass == Pass::kWrite) {
    counts = *of_pair;
    if (counts.contacts == kNothingToWrite) return;
  }
  CudaWarp warp;
  const PolytopeMemory memory{polytope_memory, reinterpret_cast<OverlapMemory*>(polytope_memory)};
  evaluate_polytopes(
      warp, memory,
      {scene, call.state, call.results, at.environment, static_cast<int>(scene.view_in(kPolytopeModel, at.pair))},
      counts);
  if (call.pass == Pass::kCount && of_pair != nullptr && warp.lane() == 0) *of_pair = counts;
}

/// Replaces the counts of an environment's pairs by those before them, and writes their sums.
__global__ void __launch_bounds__(kSumBlock) sum_relations_kernel(const __grid_constant__ PolytopeCall call) {
  using Scan = cub::WarpScan<std::int32_t>;
  Scan::TempStorage none;  // a whole warp needs no memory
  CudaWarp warp;
  const int warp_in_block = static_cast<int>(threadIdx.x) / CudaWarp::kSize, num_pairs = call.scene.num_pairs;
  const std::int64_t environment = static_cast<std::int64_t>(blockIdx.x) * kSumWarps + warp_in_block;
  if (environment >= call.state.num_environments) return;
  RelationCounts* const of_pairs = call.of_pairs + environment * num_pairs;
  RelationCounts sum{0, 0, 0};
  for (int first = 0; first < num_pairs; first += CudaWarp::kSize) {
    const int pair = first + warp.lane();
    const RelationCounts own = pair < num_pairs ? of_pairs[pair] : RelationCounts{0, 0, 0};
    RelationCounts before, total;
    Scan(none).ExclusiveSum(own.contacts, before.contacts, total.contacts);
    Scan(none).ExclusiveSum(own.relations, before.relations, total.relations);
    Scan(none).ExclusiveSum(own.members, before.members, total.members);
    if (pair < num_pairs) {
      of_pairs[pair] = {own.relations == 0 ? kNothingToWrite : sum.contacts + before.contacts,
                        sum.relations + before.relations, sum.members + before.members};
    }
    sum = {sum.contacts + total.contacts, sum.relations + total.relations, sum.members + total.members};
  }
  if (warp.lane() == 0) write_relation_counts(warp, call.results, environment, sum);
}

struct PolytopeSize {
  std::size_t pairs = 0;  // of all environments

  std::string need() const {
    return "the relations of " + std::to_string(pairs) + " pairs of bodies (environments times pairs) need";
  }
};

struct PolytopeArrays : ArraysOf<PolytopeSize> {
  using ArraysOf::ArraysOf;

  RelationCounts* of_pairs = array(size().pairs);
};

bool wants_contacts(const Results& results) {
  return results.potential_contacts.data != nullptr || results.relations.data != nullptr ||
         results.relation_members.data != nullptr;
}

bool wants_anything(const Results& results) {
  return is_wanted(results, OutputGroup::kDistances) || is_wanted(results, OutputGroup::kRelations) ||
         results.status.data != nullptr;
}

/// Without the arrays of contacts and relations.
Results only_counts(const Results& results) {
  return without(results, [](const ArrayInfo& info) { return info.is_buffer(); });
}

/// Without what each pass would write alike.
Results only_relations(const Results& results) {
  return without(results, [](const ArrayInfo& info) { return info.group != OutputGroup::kRelations; });
}

class CudaPolytope final : public CudaContactModel {
 public:
  explicit CudaPolytope(const SceneData& scene)
      : num_pairs_(scene.view.num_pairs), has_pairs_(scene.view.pairs_of_model(kPolytopeModel) > 0) {
    if (!has_pairs_) return;  // no call launches a kernel
    features_ = memory_of_features(scene.view);
    any_features_ = memory_of_any_features(scene);
    resident_blocks(evaluate_polytopes_kernel, CudaWarp::kSize);
    resident_blocks(sum_relations_kernel, kSumBlock);
  }

  void reserve(std::int64_t num_environments, bool /*patch_contacts*/) override {
    if (has_pairs_) memory_.reserve(size_of(num_environments));
  }

  void evaluate(const BatchCall& batch, bool begins, const CandidateCache::Implementation* /*candidates*/,
                std::int64_t /*first*/, cudaStream_t stream) override {
    if (begins) begin_environments(batch, stream);
    if (!has_pairs_ || batch.state.num_environments == 0 || !wants_anything(batch.results)) return;
    if (batch.results.relations_needed.data == nullptr) {
      return evaluate_pairs({batch, nullptr, Pass::kCount}, only_counts(batch.results), stream);
    }
    memory_.call(size_of(batch.state.num_environments), stream, [&](const PolytopeArrays& arrays) {
      const PolytopeCall call = {batch, arrays.of_pairs, Pass::kCount};
      const std::size_t bytes = size_of(batch.state.num_environments).pairs * sizeof(RelationCounts);
      ISOPATCH_CUDA_CHECK(cudaMemsetAsync(call.of_pairs, 0, bytes, stream));  // some pairs are not evaluated
      evaluate_pairs(call, only_counts(batch.results), stream);
      sum_relations(call, stream);
      if (!wants_contacts(batch.results)) return;
      evaluate_pairs({batch, call.of_pairs, Pass::kWrite}, only_relations(batch.results), stream);
    });
  }

  void find_contacts(const BatchCall& /*call*/, bool /*begins*/, ContactPoints /*points*/, const ContactLists& /*to*/,
                     cudaStream_t /*stream*/) override {}  // steps find their relations

 private:
  PolytopeSize size_of(std::int64_t num_environments) const {
    return {static_cast<std::size_t>(num_environments * num_pairs_)};
  }

  /// Enqueues a pass over all near pairs for these results.
  void evaluate_pairs(PolytopeCall call, const Results& results, cudaStream_t stream) const {
    call.results = results;
    std::size_t memory = call.state.geometry_index.data == nullptr ? features_ : any_features_;
    if (results.overlap.data != nullptr) memory = std::max(memory, sizeof(OverlapMemory));
    const auto pairs = static_cast<unsigned>(call.state.num_environments * call.scene.pairs_of_model(kPolytopeModel));
    evaluate_polytopes_kernel<<<pairs, CudaWarp::kSize, memory, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }

  static void sum_relations(const PolytopeCall& call, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((call.state.num_environments + kSumWarps - 1) / kSumWarps);
    sum_relations_kernel<<<blocks, kSumBlock, 0, stream>>>(call);
    ISOPATCH_CUDA_CHECK(cudaGetLastError());
  }

  std::int64_t num_pairs_;
  bool has_pairs_;
  std::size_t features_ = 0, any_features_ = 0;  // bytes
  WorkingMemory<PolytopeArrays> memory_;
};

}  // namespace

std::unique_ptr<CudaContactModel> make_cuda_polytope(const Scene& scene) {
  return std::make_unique<CudaPolytope>(scene.data());
}

}  // namespace isopatch::detail

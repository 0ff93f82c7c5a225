// SPDX-License-Identifier: Apache-2.0
//
// How evaluate_pairs.h does it: with SIMD and stage by stage (begin.h) for wrenches and patches, pair by pair for
// polygons. Without SIMD, the code of a GPU's warp at a width of one lane. Only the files that compile it for a
// precision include this.
#pragma once

#include "host/cpu/pressure_field/evaluate_pairs.h"
#include "isopatch/detail/pressure_field/search_for_solver.h"

namespace isopatch::detail {

/// All of a pair, or what the stages left of it.
template <class T, bool with_patch>
void evaluate_pair_with_simd(const CpuPressureFieldCall& call, std::int64_t environment, int pair, Remaining remaining,
                             PressureFieldWorkspace& work, const ErasedSink<T>* erased = nullptr) {
  const auto sum_part_pairs = std::get<SumPartPairs<T, with_patch>>(*call.kernels);
  const auto sum_part_pair = [&](const PairContext& context, const WorkSlice&, WrenchSums<T, with_patch>& sums) {
    const PartPairWork only[] = {{&context, 0, {}}};
    sum_part_pairs({only, 1}, work.simd, &sums, erased);
  };
  SerialWarp warp;
  const PairCall of_pair = call.batch.of_pair(environment, pair);
  PairEvaluation<T, with_patch, false, Parts::kSeveral, SerialWarp, decltype(sum_part_pair)>(
      warp, work.pair.pair, work.pair.sums, PlateFriction(erased == nullptr ? nullptr : erased->plates), of_pair,
      sum_part_pair)
      .run({{}, nullptr, remaining});
}

/// Finishes the first pass of a pair of one part pair that is a plate. Where there is no force that has a direction,
/// all of the pair is left, with the patch, whose normal the plate takes.
template <class T, bool with_patch>
Remaining finish_plate(const PairCall& call, const SumFrame& frame, const PairBounds& bounds,
                       const WrenchSums<T, with_patch>& sums, PlateMoments& moments) {
  SerialWarp warp;
  const PlateFriction friction(&moments);
  bool needs_normal = false;
  const auto add_friction_to = [&](PairResult& result) {
    needs_normal = !with_patch && result.polygons > 0 && !(norm(result.force) > 0);
    if (!needs_normal)
      friction.end_pair(
          call, true, [&]() -> const SumFrame& { return frame; }, bounds, result);
  };
  const Remaining remaining = finish_pass<T, with_patch, Parts::kOne>(
      warp, Pass::kFirst, bounds, call, [&](int) -> const SumFrame& { return frame; },
      [&](int) -> const WrenchSums<T, with_patch>& { return sums; }, add_friction_to);
  return needs_normal ? Remaining::everything() : friction.end_pass(warp, call, remaining);
}

/// A few pairs stage by stage: begin, search and integrate, finish. Pairs of plates have one part pair each.
template <Parts parts, class T, bool with_patch, bool with_plates>
void evaluate_pairs_in_stages(const CpuPressureFieldCall& call, std::span<const std::int64_t> near_pairs,
                              PressureFieldWorkspace& work) {
  constexpr int kFrames = parts == Parts::kOne ? 1 : 2;
  const SceneView& scene = call.batch.scene;  // no structured bindings: a lambda below has them
  const State& state = call.batch.state;
  const auto count = static_cast<std::int32_t>(near_pairs.size());
  SerialWarp warp;
  StageLists& lists = work.stages;
  const StagedPairs staged = lists.view();

  lists.num_part_pairs = 0;
  NearPair listed[StageLists::kPairs];
  for (std::int32_t i = 0; i < count; ++i) {
    listed[i] = NearPair::of(scene, near_pairs[static_cast<std::size_t>(i)]);
    const auto [environment, pair] = listed[i];
    if constexpr (parts == Parts::kOne) {
      begin_staged_pair(staged, i, scene, state, environment, pair, staged.part_pairs.items[i]);
      lists.num_part_pairs = i + 1;
    } else {
      begin_staged_pair(warp, staged, i, scene, state, environment, pair);
    }
  }

  const auto num_part_pairs = static_cast<std::size_t>(staged.part_pairs.size());
  for (std::size_t i = 0; i < num_part_pairs; ++i) {
    const StagedPartPair& begun = lists.part_pairs[i];
    lists.work[i].context = &begun.context;
    lists.work[i].sums = begun.sums;
    if (call.candidates != nullptr) {
      lists.work[i].kept = call.candidates->begin_search(begun.candidates, begun.context);
    } else {
      lists.work[i].kept.list = nullptr;
    }
  }
  WrenchSums<T, with_patch> sums[StageLists::kPairs * kFrames];
  PlateMoments plates[with_plates ? StageLists::kPairs : 1];
  if constexpr (with_plates) std::fill_n(plates, count, PlateMoments{});
  const ErasedSink<T> erased = {plates};
  std::get<SumPartPairs<T, with_patch>> (*call.kernels)({lists.work, num_part_pairs}, work.simd, sums,
                                                        with_plates ? &erased : nullptr);

  for (std::int32_t i = 0; i < count; ++i) {
    const auto [environment, pair] = listed[i];
    const StagedPair& begun = lists.pairs[i];
    Remaining remaining = Remaining::everything();
    if (begun.incomplete == 0u) {
      const auto sum_frame_of = [&, environment = environment, pair = pair](int frame) {
        const SumFrame& only = lists.part_pairs[begun.part_pair].context.frame;
        return sum_frame<parts>(only, scene, state, environment, scene.pairs[pair], frame);
      };
      const auto sums_in = [&](int frame) -> const WrenchSums<T, with_patch>& { return sums[kFrames * i + frame]; };
      const PairCall of_pair = call.batch.of_pair(environment, pair);
      if constexpr (with_plates) {
        remaining = finish_plate(of_pair, sum_frame_of(0), begun.bounds, sums[i], plates[i]);
      } else {
        remaining = finish_pass<T, with_patch, parts>(warp, Pass::kFirst, begun.bounds, of_pair, sum_frame_of, sums_in);
      }
    }
    if (remaining.kind == Remaining::kNothing) continue;
    if constexpr (with_plates) {
      const ErasedSink<T> of_pair = {&work.pair.plate, environment, pair};
      evaluate_pair_with_simd<T, true>(call, environment, pair, remaining, work, &of_pair);
    } else {
      evaluate_pair_with_simd<T, with_patch>(call, environment, pair, remaining, work);
    }
  }
}

/// The same of any number.
template <Parts parts, class T, bool with_patch, bool with_plates = false>
void evaluate_all_in_stages(const CpuPressureFieldCall& call, std::span<const std::int64_t> near_pairs,
                            PressureFieldWorkspace& work) {
  constexpr std::size_t kPairs = StageLists::kPairs;
  for (; !near_pairs.empty(); near_pairs = near_pairs.subspan(std::min(kPairs, near_pairs.size()))) {
    const auto few = near_pairs.first(std::min(kPairs, near_pairs.size()));
    evaluate_pairs_in_stages<parts, T, with_patch, with_plates>(call, few, work);
  }
}

/// Wrenches and patches of near pairs. The wrenches of part pairs are written by evaluate_pair() alone.
template <Parts parts, class T, bool with_patch>
void evaluate_pairs_with_simd(const CpuPressureFieldCall& call, std::span<const std::int64_t> near_pairs,
                              PressureFieldWorkspace& work) {
  const auto& [scene, state, results, candidates] = call.batch;
  if (parts == Parts::kSeveral && results.part_pair_wrench.data != nullptr) {
    for (const std::int64_t item : near_pairs) {
      const auto [environment, pair] = NearPair::of(scene, item);
      evaluate_pair_with_simd<T, with_patch>(call, environment, pair, Remaining::everything(), work);
    }
    return;
  }
  evaluate_all_in_stages<parts, T, with_patch>(call, near_pairs, work);
}

/// Takes the polygons that have just been found of a pair.
inline void finish_patch_contacts(const EvaluationBatch& batch, std::int64_t environment, int pair,
                                  SortedRows<ElasticPolygon>& polygons) {
  polygons.sort();
  const Vec3d p_WoA = read_vec3(batch.state.poses, environment, batch.scene.pairs[pair].a * kPoseSize);
  SerialWarp warp;
  PatchContacts contacts = {};
  write_patch_contacts<kSumLanes>(
      warp, contacts, batch.results, environment, pair, p_WoA,
      [&](int i) -> const ElasticPolygon& { return polygons[i]; }, polygons.size());
  polygons.clear();
}

/// Gives polygons to a erased: so plain arithmetic, as SIMD, is compiled once for all sinks.
template <class T>
struct ForwardingSink {
  const ErasedSink<T>& erased;

  template <class Warp>
  void add(Warp& /*warp*/, const FoundPolygon<T>& polygon) const {
    if (erased.add != nullptr) erased.add(erased.sinks, polygon);
  }
};

/// All of a pair, with SIMD or without; `erased` takes its polygons.
template <class T, bool brute_force>
void evaluate_with_polygons(const CpuPressureFieldCall& call, PressureFieldWorkspace& work,
                            const ErasedSink<T>& erased) {
  if constexpr (!brute_force) {
    if (call.kernels != nullptr) {
      return evaluate_pair_with_simd<T, true>(call, erased.environment, erased.pair, Remaining::everything(), work,
                                              &erased);
    }
  }
  CancellableWarp warp(work.simd.traversal.counter);
  evaluate_pair<T, Outputs::kAll, brute_force>(
      warp, work.pair, call.batch.of_pair(erased.environment, erased.pair), {},
      with_sink(PlateSink<T>{erased.plates}, sink_list(ForwardingSink<T>{erased})));
}

/// All outputs, with polygons for all sinks that are wanted.
template <class T, bool brute_force>
void evaluate_one_pair(const CpuPressureFieldCall& call, std::int64_t environment, int pair,
                       PressureFieldWorkspace& work, const PackedRows& rows) {
  const EvaluationBatch& batch = call.batch;
  PlateMoments* const plate = batch.scene.pairs[pair].has_law ? &work.pair.plate : nullptr;
  const auto evaluate = [&]<class Sinks>(const Sinks& sinks) {
    const auto add = [](const void* to, const FoundPolygon<T>& polygon) {
      SerialWarp alone;
      static_cast<const Sinks*>(to)->add(alone, polygon);
    };
    evaluate_with_polygons<T, brute_force>(call, work, {plate, environment, pair, &sinks, add});
  };
  const PairCall of_pair = batch.of_pair(environment, pair);
  const bool differentiates = wants_derivatives(batch.results);
  DerivativeFrame frame;
  if (differentiates) {
    frame = DerivativeFrame::make(of_pair);
    work.derivatives = {};
  }
  const auto sinks = with_sink(DerivativeSink<T>{frame, differentiates ? &work.derivatives : nullptr},
                               row_sinks<T>(batch.results, rows));
  if (work.elastic.is_wanted()) {
    const SortedDestination<ElasticPolygon> elastic = {work.elastic};
    evaluate(with_sink(ElasticRows<T, SortedDestination<ElasticPolygon>>{elastic}, sinks));
    finish_patch_contacts(batch, environment, pair, work.elastic);
  } else {
    evaluate(sinks);
  }
  if (differentiates) write_derivatives(of_pair, frame, work.derivatives);
}

/// Evaluates the pairs of plates; returns the others.
template <class T, bool with_patch, bool brute_force>
std::span<const std::int64_t> evaluate_plates(const CpuPressureFieldCall& call,
                                              std::span<const std::int64_t> near_pairs, PressureFieldWorkspace& work) {
  const SceneView& scene = call.batch.scene;
  const bool in_stages = !brute_force && call.kernels != nullptr && parts_of(scene) == Parts::kOne;  // else one by one
  work.others.clear();
  work.with_plates.clear();
  for (const std::int64_t item : near_pairs) {
    const auto [environment, pair] = NearPair::of(scene, item);
    if (!scene.pairs[pair].has_law) {
      work.others.push_back(item);
      continue;
    }
    work.with_plates.push_back(item);
    if (!in_stages) evaluate_with_polygons<T, brute_force>(call, work, {&work.pair.plate, environment, pair});
  }
  if constexpr (!brute_force) {
    if (in_stages) evaluate_all_in_stages<Parts::kOne, T, with_patch, true>(call, work.with_plates, work);
  }
  for (const std::int64_t item : work.with_plates) {
    const auto [environment, pair] = NearPair::of(scene, item);
    if (call.batch.results.energy.data != nullptr) write_energy(call, environment, pair, work);
  }
  return work.others;
}

/// All outputs of near pairs. Without polygons there is SIMD.
template <class T, Outputs outputs, bool brute_force>
void evaluate_pairs(const CpuPressureFieldCall& call, std::span<const std::int64_t> near_pairs,
                    PressureFieldWorkspace& work, const PackedRows& rows) {
  const SceneView& scene = call.batch.scene;
  constexpr bool kInStages = !has(outputs, Outputs::kPolygons);
  if constexpr (kInStages) {
    constexpr bool kPatch = has(outputs, Outputs::kPatch);
    if (scene.laws != nullptr) near_pairs = evaluate_plates<T, kPatch, brute_force>(call, near_pairs, work);
    if (parts_of(scene) == Parts::kOne) {
      evaluate_pairs_with_simd<Parts::kOne, T, kPatch>(call, near_pairs, work);
    } else {
      evaluate_pairs_with_simd<Parts::kSeveral, T, kPatch>(call, near_pairs, work);
    }
  }
  if (kInStages && call.batch.results.energy.data == nullptr) return;
  for (const std::int64_t item : near_pairs) {
    const auto [environment, pair] = NearPair::of(scene, item);
    if constexpr (!kInStages) evaluate_one_pair<T, brute_force>(call, environment, pair, work, rows);
    if (call.batch.results.energy.data != nullptr) write_energy(call, environment, pair, work);
  }
}

template <class T>
std::uint32_t find_contacts(const StepBatch& batch, std::int64_t environment, int pair,
                            const PressureFieldKernels* kernels, PressureFieldWorkspace& work,
                            std::vector<SolverContact<T>>& found) {
  CancellableWarp warp(work.simd.traversal.counter);
  const auto append = [&](const SolverContact<T>& contact) { found.push_back(contact); };
  const auto search = [&](auto& visitor) {
    const PairContext& context = work.pair.pair.context;
    if (kernels == nullptr || visitor.records.points == ContactPoints::kFan6) {
      work.accepted.clear();
      if (kernels == nullptr) {
        find_accepted_cells(context, work);
      } else {
        std::get<FindAccepted> (*kernels)(context, work.simd, work.accepted);
      }
      for (const AcceptedCells& cells : work.accepted) {
        work.simd.traversal.counter.add(1);
        visitor.visit(true, cells);
      }
    } else {
      const auto& records = visitor.records;
      const ContactSearch<T> wanted = {records.part_pair,
                                       records.points,
                                       records.origin_W,
                                       records.load_scale(),
                                       found,
                                       work.begin_search(batch.scene, environment, records.part_pair, context)};
      const SearchResult<T> result = std::get<FindContacts<T>>(*kernels)(context, work.simd, wanted);
      visitor.touches = result.touches;
      visitor.far_side = result.far_side;
    }
  };
  return find_solver_contacts<T>(warp, work.pair.pair, {batch.scene, batch.contact, batch.results, environment, pair},
                                 batch.points, append, search);
}

}  // namespace isopatch::detail

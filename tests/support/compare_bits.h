// SPDX-License-Identifier: Apache-2.0
//
// Whether two ways to evaluate give the same bytes, in every output, and where they first differ.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/evaluation/backend_options.h"
#include "tests/support/hash.h"

namespace isopatch {

using test::UnwrittenResults;

/// One of the two that are compared.
struct Variant {
  std::string name;
  std::function<HostEvaluator(const Scene&)> make_evaluator;
  double candidate_margin = 0;  // m, of candidates that are kept from the wrench for the patch; 0: none are
};

/// With EvaluatorOptions, CpuOptions or CudaOptions; CudaOptions are for one device.
template <class Options>
Variant make_variant(std::string name, const Options& options) {
  return {std::move(name),
          [options](const Scene& scene) {
            if constexpr (std::is_same_v<Options, EvaluatorOptions>) {
              return HostEvaluator(scene, options);
            } else {
              return HostEvaluator(detail::make_evaluator(scene, options));
            }
          },
          0};
}

/// Which outputs are requested. The same pairs are evaluated for each: the backends have different code for them.
enum class RequestedOutputs : std::uint8_t { kWrench, kPatch, kAll };

inline const char* name_of(RequestedOutputs asked) {
  return asked == RequestedOutputs::kWrench  ? "wrench only"
         : asked == RequestedOutputs::kPatch ? "patch"
                                             : "all outputs";
}

struct BitCounts {
  std::int64_t environments = 0, touching = 0, polygons = 0;
  std::int64_t differ = 0;                  // environments in which any byte differs
  std::vector<std::string> first;           // differences in the first of them, of each thing asked for
  std::array<double, 2> seconds{};          // of each side's evaluations
  std::array<std::int64_t, 2> in_stages{};  // pairs of each side that went in stages, counted in each evaluation

  void append(const BitCounts& other) {
    environments += other.environments;
    touching += other.touching;
    polygons += other.polygons;
    differ += other.differ;
    for (std::size_t i = 0; i < 2; ++i) {
      seconds[i] += other.seconds[i];
      in_stages[i] += other.in_stages[i];
    }
  }
};

inline std::string value_and_bits(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return fmt::format("{:a} ({:016x})", value, bits);
}

inline std::string value_and_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return fmt::format("{:a} ({:08x})", value, bits);
}

inline std::string value_and_bits(std::uint32_t value) { return fmt::format("0x{:x}", value); }
inline std::string value_and_bits(std::int32_t value) { return std::to_string(value); }
inline std::string value_and_bits(std::int64_t value) { return std::to_string(value); }

/// The first value of an environment's row that differs, as text; empty where none does. An index has `width` values.
template <class T>
std::string first_in_row(const char* name, std::size_t width, const std::vector<T>& a, const std::vector<T>& b,
                         std::size_t environment, std::size_t environments) {
  const std::size_t row = a.size() / environments;
  for (std::size_t i = 0; i < row; ++i) {
    const std::string x = value_and_bits(a[environment * row + i]), y = value_and_bits(b[environment * row + i]);
    if (x == y) continue;
    const std::string component = width > 1 ? fmt::format("[{}]", i % width) : "";
    return fmt::format("{}[{}]{}: {} and {}", name, i / width, component, x, y);
  }
  return {};
}

/// The names of a record's 4-byte words; those of integers begin with '#'.
inline std::vector<std::string> word_names(const Polygon*) {
  std::vector<std::string> names = {"#pair", "#num_vertices"};
  for (int i = 0; i < 24; ++i) names.push_back(fmt::format("vertices[{}][{}]", i / 3, i % 3));
  for (int i = 0; i < 8; ++i) names.push_back(fmt::format("pressures[{}]", i));
  for (int i = 0; i < 3; ++i) names.push_back(fmt::format("normal[{}]", i));
  for (const char* name : {"area", "#part_a", "#part_b"}) names.emplace_back(name);
  return names;
}

inline std::vector<std::string> word_names(const DiscreteContact*) {
  std::vector<std::string> names = {"#pair"};
  for (int i = 0; i < 3; ++i) names.push_back(fmt::format("point[{}]", i));
  for (int i = 0; i < 3; ++i) names.push_back(fmt::format("normal[{}]", i));
  for (const char* name :
       {"area", "pressure", "stiffness", "distance", "dissipation", "friction", "#part_a", "#part_b"}) {
    names.emplace_back(name);
  }
  return names;
}

/// Those of a record that has a table of its members.
template <class Fields>
std::vector<std::string> word_names_of(const Fields& fields) {
  std::vector<std::string> names;
  for (const RecordField& field : fields) {
    const std::string name = (std::string(field.type) == "int32" ? "#" : "") + std::string(field.name);
    for (int i = 0; i < field.width; ++i) names.push_back(field.width > 1 ? fmt::format("{}[{}]", name, i) : name);
  }
  return names;
}

inline std::vector<std::string> word_names(const PotentialContact*) {
  return word_names_of(kRecordFields<PotentialContact>);
}
inline std::vector<std::string> word_names(const Relation*) { return word_names_of(kRecordFields<Relation>); }

/// Records come in no particular order: the first in one list only, beside the one most like it in the other only.
template <class Record>
std::string first_record(const char* name, const Record* a, std::int32_t count_a, const Record* b,
                         std::int32_t count_b) {
  using Words = std::array<std::uint32_t, sizeof(Record) / 4>;
  const auto sorted = [](const Record* records, std::int32_t count) {
    std::vector<Words> words(static_cast<std::size_t>(std::max(count, 0)));
    if (!words.empty()) std::memcpy(words.data(), records, words.size() * sizeof(Record));
    std::sort(words.begin(), words.end());
    return words;
  };
  const auto in_a = sorted(a, count_a), in_b = sorted(b, count_b);
  std::vector<Words> only_a, only_b;
  std::set_difference(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::back_inserter(only_a));
  std::set_difference(in_b.begin(), in_b.end(), in_a.begin(), in_a.end(), std::back_inserter(only_b));
  if (only_a.empty() && only_b.empty()) return {};
  std::string counts = fmt::format("{} {} in one only, {} in the other", name, only_a.size(), only_b.size());
  if (only_a.empty() || only_b.empty()) return counts;

  const auto unlike = [&](const Words& other) {
    int words = 0;
    for (std::size_t i = 0; i < other.size(); ++i) words += other[i] != only_a[0][i] ? 1 : 0;
    return words;
  };
  const Words& x = only_a[0];
  const Words& y = *std::min_element(only_b.begin(), only_b.end(),
                                     [&](const Words& p, const Words& q) { return unlike(p) < unlike(q); });
  const std::size_t word = static_cast<std::size_t>(std::mismatch(x.begin(), x.end(), y.begin()).first - x.begin());
  const std::string field = word_names(a)[word];
  if (field[0] == '#') return fmt::format("{}; {}: {} and {}", counts, field.substr(1), x[word], y[word]);
  float p = 0, q = 0;
  std::memcpy(&p, &x[word], 4);
  std::memcpy(&q, &y[word], 4);
  return fmt::format("{}; of pair {}, {} words differ, first {}: {} and {}", counts, x[0], unlike(y), field,
                     value_and_bits(p), value_and_bits(q));
}

/// Of every output of an environment that differs, the first value that does.
inline std::vector<std::string> first_differences(const UnwrittenResults& a, const UnwrittenResults& b,
                                                  std::size_t environment) {
  std::vector<std::string> found;
  const auto add = [&](std::string text) {
    if (!text.empty()) found.push_back(std::move(text));
  };
  for_each_output(
      [&](const ArrayInfo& info, const auto& x, const auto& y) {
        using Element = typename std::remove_cvref_t<decltype(x)>::value_type;
        if (x.empty() || info.is_packed()) return;
        if constexpr (std::is_arithmetic_v<Element>) {
          const auto environments = static_cast<std::size_t>(a.num_environments);
          add(first_in_row(info.name, static_cast<std::size_t>(info.width), x, y, environment, environments));
        } else {
          const test::RecordRows of_a = test::record_rows(info, a, environment);
          const test::RecordRows of_b = test::record_rows(info, b, environment);
          const std::size_t at = environment * static_cast<std::size_t>(of_a.capacity);
          add(first_record(info.name, x.data() + at, of_a.count, y.data() + at, of_b.count));
        }
      },
      a, b);
  return found;
}

/// Both sides of one scene.
class BitComparison {
 public:
  BitComparison(Scene scene, const std::array<Variant, 2>& sides)
      : scene_(std::move(scene)),
        evaluators_{sides[0].make_evaluator(scene_), sides[1].make_evaluator(scene_)},
        margins_{sides[0].candidate_margin, sides[1].candidate_margin} {}

  BitCounts compare(const State& state) {
    const auto environments = static_cast<std::size_t>(state.num_environments);
    const auto pairs = static_cast<std::size_t>(scene_.num_pairs());
    counts_ = {};
    counts_.environments = state.num_environments;
    differs_.assign(environments, false);
    reported_ = {};

    for (std::size_t side = 0; side < 2; ++side) {
      caches_[side].reset();
      if (margins_[side] > 0) {
        caches_[side] = evaluators_[side].make_candidate_cache(state.num_environments, margins_[side]);
      }
    }
    part(state, 0, state.num_environments, RequestedOutputs::kWrench, 0);
    const UnwrittenResults patch = part(state, 0, state.num_environments, RequestedOutputs::kPatch, 0);
    std::vector<std::int32_t> needed(environments);
    for (std::size_t i = 0; i < environments * pairs; ++i) {
      needed[i / pairs] += std::max(patch.polygon_count[i], 0);
      counts_.touching += patch.polygon_count[i] > 0 ? 1 : 0;
    }
    for (const std::int32_t polygons : needed) counts_.polygons += polygons;

    // polygons have to be stored: as many environments at once as fit into kStored
    constexpr std::size_t kStored = std::size_t{128} << 20;
    for (std::size_t begin = 0; begin < environments;) {
      std::size_t end = begin;
      std::int32_t most = 1;
      for (; end < environments; ++end) {
        const std::int32_t next = std::max(most, needed[end]);
        const std::size_t bytes =
            (end + 1 - begin) * static_cast<std::size_t>(next) * (sizeof(Polygon) + sizeof(DiscreteContact));
        if (end > begin && bytes > kStored) break;
        most = next;
      }
      part(state, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin), RequestedOutputs::kAll,
           most);
      begin = end;
    }
    counts_.differ = std::count(differs_.begin(), differs_.end(), true);
    return counts_;
  }

 private:
  /// Compares `count` environments and returns what the first side gave.
  UnwrittenResults part(const State& state, std::int64_t begin, std::int64_t count, RequestedOutputs asked,
                        std::int32_t capacity) {
    std::array<UnwrittenResults, 2> results = {arrays(count, asked, capacity), arrays(count, asked, capacity)};
    for (std::size_t side = 0; side < 2; ++side) {
      const auto start = std::chrono::steady_clock::now();
      const std::int64_t in_stages = detail::pairs_in_stages();
      const State states = part_of(state, scene_, begin, count);
      const Results to = view(results[side], asked);
      if (caches_[side].has_value()) {
        evaluators_[side].evaluate(states, to, *caches_[side]);
      } else {
        evaluators_[side].evaluate(states, to);
      }
      counts_.seconds[side] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      counts_.in_stages[side] += detail::pairs_in_stages() - in_stages;
    }
    for (std::size_t e = 0; e < static_cast<std::size_t>(count); ++e) {
      if (environment_hash(results[0], e) == environment_hash(results[1], e)) continue;
      differs_[static_cast<std::size_t>(begin) + e] = true;
      if (std::exchange(reported_[static_cast<std::size_t>(asked)], true)) continue;
      for (const std::string& text : first_differences(results[0], results[1], e)) {
        counts_.first.push_back(
            fmt::format("{}, environment {}: {}", name_of(asked), begin + static_cast<std::int64_t>(e), text));
      }
    }
    return std::move(results[0]);
  }

  UnwrittenResults arrays(std::int64_t count, RequestedOutputs asked, std::int32_t capacity) const {
    using detail::Outputs;
    const Outputs outputs = asked == RequestedOutputs::kAll     ? Outputs::kPolygons
                            : asked == RequestedOutputs::kPatch ? Outputs::kPatch
                                                                : Outputs::kWrench;
    UnwrittenResults results(scene_, count, outputs, capacity);
    if (asked == RequestedOutputs::kAll) results.give_contacts(capacity);
    return results;
  }

  /// Outputs that are not requested keep the values of UnwrittenResults.
  static Results view(UnwrittenResults& arrays, RequestedOutputs asked) {
    Results results = arrays.view();
    if (asked != RequestedOutputs::kAll) results.energy = {};
    if (asked != RequestedOutputs::kWrench) return results;
    Results wrench;
    wrench.pair_wrench = results.pair_wrench;
    return wrench;
  }

  Scene scene_;
  std::array<HostEvaluator, 2> evaluators_;
  std::array<double, 2> margins_;
  std::array<std::optional<CandidateCache>, 2> caches_;
  BitCounts counts_;
  std::vector<bool> differs_;
  std::array<bool, 3> reported_{};  // where the first difference is, of each RequestedOutputs
};

}  // namespace isopatch

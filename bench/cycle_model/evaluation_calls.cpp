// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "bench/cycle_model/calls.h"
#include "bench/device_arrays.h"
#include "host/scene/scene_data.h"

namespace isopatch::cycle_model {

namespace {

constexpr double kTimeStep = 1e-3;  // s, of contacts with state

/// Polygons and contacts: of all environments, and the most of one; of polytopes, the most of one.
struct Rows {
  std::int64_t polygons = 0, contacts = 0;
  std::int32_t most_polygons = 0, most_contacts = 0;
  std::array<std::int32_t, 3> most_relations = {};  // contacts, relations and members
};

/// Room for half of the rows, and for one more, so that those of an environment are divided.
std::int64_t half(std::int64_t rows) { return rows / 2 + 1; }

using Select = void (*)(ResultSelection&, const Rows&);

/// What is written besides wrench, area, number of polygons and status.
const std::map<std::string, Select>& selections() {
  static const Select nothing = [](ResultSelection&, const Rows&) {};
  static const std::map<std::string, Select> all = {
      {"wrench", nothing},  // and no status
      {"body_wrench", nothing},
      {"geometries", nothing},  // an index of each part's
      {"energy", [](ResultSelection& s, const Rows&) { s.energy = true; }},
      {"part_pairs", [](ResultSelection& s, const Rows&) { s.part_pairs = true; }},
      {"patch", [](ResultSelection& s, const Rows&) { s.patch = true; }},
      {"patch_contacts", [](ResultSelection& s, const Rows&) { s.max_clusters = 1; }},
      {"patch_and_contacts", [](ResultSelection& s, const Rows&) { s.patch = true, s.max_clusters = 1; }},
      {"clusters", [](ResultSelection& s, const Rows&) { s.max_clusters = 4; }},
      {"packed_polygons", [](ResultSelection& s, const Rows& r) { s.capacity["packed_polygons"] = r.polygons; }},
      {"packed_polygons_half",
       [](ResultSelection& s, const Rows& r) { s.capacity["packed_polygons"] = half(r.polygons); }},
      {"packed_contacts", [](ResultSelection& s, const Rows& r) { s.capacity["packed_contacts"] = r.contacts; }},
      {"packed_contacts_half",
       [](ResultSelection& s, const Rows& r) { s.capacity["packed_contacts"] = half(r.contacts); }},
      {"polytopes", [](ResultSelection& s, const Rows&) { s.distances = true; }},
      {"relations",
       [](ResultSelection& s, const Rows& r) {
         s.capacity["potential_contacts"] = r.most_relations[0];
         s.capacity["relations"] = r.most_relations[1];
         s.capacity["relation_members"] = r.most_relations[2];
       }},
      {"memory",
       [](ResultSelection& s, const Rows&) { s.patch = s.single_contact = true; }},  // and a step of contact states
      {"all",
       [](ResultSelection& s, const Rows& r) {
         s.patch = s.energy = s.part_pairs = true;
         s.capacity["polygons"] = r.most_polygons, s.capacity["contacts"] = r.most_contacts;
         s.capacity["packed_polygons"] = r.polygons, s.capacity["packed_contacts"] = r.contacts;
         s.max_clusters = 2;
       }},
  };
  return all;
}

/// As in isopatch_bench.
StateArrays make_states(const Scene& scene, const Call& call) {
  constexpr double kShift = 1e-4;  // m
  StateArrays states = bench::make_states(call.scene, scene, call.variety, call.environments, kShift);
  if (call.name != "geometries") return states;
  for (std::int64_t i = 0; i < call.environments * scene.num_parts(); ++i) {
    const auto part = static_cast<int>(i % scene.num_parts());
    states.geometry_index.push_back(scene.data().view.parts[part].geometry);
  }
  return states;
}

constexpr std::int64_t kSpareRows =
    1 << 16;  // that lists of packed arrays have room for on a device, beyond the arrays

State view_of(const StateArrays& states, const Call& call) {
  State state = states.view();
  if (call.name == "memory") state.time_step = kTimeStep;
  return state;
}

/// What the CPU finds.
Rows count_rows(const Scene& scene, const State& state, const EvaluatorOptions& options) {
  const auto environments = static_cast<std::size_t>(state.num_environments);
  ResultArrays counted(scene, state.num_environments, {.patch = false});
  counted.polygon_offsets.resize(environments + 1);
  counted.contact_offsets.resize(environments + 1);
  counted.relations_needed.resize(3 * environments);
  Evaluator(scene, options).evaluate(state, counted.view());
  Rows rows = {counted.polygon_offsets.back(), counted.contact_offsets.back()};
  const auto most = [&](const std::vector<std::int64_t>& offsets) {
    std::int64_t found = 1;
    for (std::size_t e = 0; e < environments; ++e) found = std::max(found, offsets[e + 1] - offsets[e]);
    return static_cast<std::int32_t>(found);
  };
  rows.most_polygons = most(counted.polygon_offsets);
  rows.most_contacts = most(counted.contact_offsets);
  for (std::size_t i = 0; i < counted.relations_needed.size(); ++i) {
    rows.most_relations[i % 3] = std::max(rows.most_relations[i % 3], counted.relations_needed[i]);
  }
  return rows;
}

ResultArrays make_results(const Scene& scene, const Call& call, const Rows& rows) {
  ResultSelection selection = {.patch = false};
  selections().at(call.name)(selection, rows);
  ResultArrays results(scene, call.environments, selection);
  const bool has_bodies = call.name == "body_wrench" || call.name == "memory" || call.name == "all";
  if (!has_bodies) results.body_wrench.clear();
  if (call.name == "wrench") results.status.clear();
  for_each_output(
      [&](const ArrayInfo& info, auto& values) {
        if (call.name == "energy" && info.group != OutputGroup::kEnergy) values.clear();
        spoil(values);
      },
      results);
  return results;
}

Evaluator make_evaluator_on_model(const Model& model, const Scene& scene, const Call& call) {
  detail::CudaOptions options;
  options.backend = Backend::kCuda;
  options.precision = call.precision;
  options.stages = call.stages;
  options.min_spare_rows = options.max_spare_rows = model.share_of(kSpareRows);
  options.max_listed_cells = static_cast<std::int32_t>(model.share_of(options.max_listed_cells));
  return detail::make_evaluator(scene, options);
}

void evaluate_on_model(Model& model, const Scene& scene, const State& state, ResultArrays& results, const Call& call) {
  bench::DeviceArrays arrays(state, results.view(), scene);
  const Evaluator evaluator = make_evaluator_on_model(model, scene, call);
  const auto forget = [&] {
    ISOPATCH_CUDA_CHECK(cudaDeviceSynchronize());
    model.forget_launches();
  };
  if (call.margin > 0) {
    CandidateCache candidates = evaluator.make_candidate_cache(call.environments, call.margin);
    evaluator.evaluate(arrays.state(), arrays.results(), candidates);
    forget();
    evaluator.evaluate(arrays.state(), arrays.results(), candidates);
  } else {
    // the second call finds the caches as calls do that come again and again; one of contacts with state would go on
    if (call.name != "memory") evaluator.evaluate(arrays.state(), arrays.results());
    forget();
    evaluator.evaluate(arrays.state(), arrays.results());
  }
  arrays.fetch();
}

Differences compare(const ResultArrays& a, const ResultArrays& b) {
  Differences differences;
  for_each_output(
      [&](const ArrayInfo& info, const auto& x, const auto& y) {
        if (info.per == Per::kPolygonCapacity || info.per == Per::kContactCapacity) {
          differences.add_rows(info.name, x, y, a.num_environments);
        } else {
          differences.add(info.name, x, y);
        }
      },
      a, b);
  return differences;
}

}  // namespace

std::vector<std::string> evaluation_names() {
  std::vector<std::string> names;
  for (const auto& [name, select] : selections()) names.push_back(name);
  return names;
}

Found evaluate(Model& model, const SceneDescription& description, const Call& call) {
  const Scene scene(description);
  const StateArrays states = make_states(scene, call);
  const State state = view_of(states, call);
  EvaluatorOptions options;
  options.precision = call.precision;
  const Rows rows = count_rows(scene, state, options);
  ResultArrays on_cpu = make_results(scene, call, rows), on_model = make_results(scene, call, rows);
  Evaluator(scene, options).evaluate(state, on_cpu.view());
  evaluate_on_model(model, scene, state, on_model, call);

  Found found;
  found.values = compare(on_cpu, on_model);
  found.pairs = call.environments * scene.num_pairs();
  found.polygons = rows.polygons;
  const auto is_something = [](auto x) { return x != 0; };
  for (const std::vector<double>* values : {&on_cpu.pair_wrench, &on_cpu.energy, &on_cpu.overlap}) {
    found.touching += std::count_if(values->begin(), values->end(), is_something);
  }
  found.touching += std::count_if(on_cpu.relations_needed.begin(), on_cpu.relations_needed.end(), is_something);
  return found;
}

}  // namespace isopatch::cycle_model

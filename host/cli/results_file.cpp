// SPDX-License-Identifier: Apache-2.0
#include "host/cli/results_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/numpy/npz.h"
#include "host/scene/contact_models.h"
#include "isopatch/status.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::to_string(value + 0.0) : "null"; }

std::string json_vector(const double* v, int size = 3) {
  std::string text;
  for (int i = 0; i < size; ++i) text += (i == 0 ? "" : ", ") + json_number(v[i]);
  return '[' + text + ']';
}

/// Calls visit(info, array) for the inputs that are written with the results.
template <typename Visit>
void for_each_motion(const StateArrays& states, const Visit& visit) {
  for_each_input(
      [&](const ArrayInfo& info, const auto& values) {
        const std::string_view name = info.name;
        if constexpr (std::is_same_v<decltype(values), const std::vector<double>&>) {
          if (name == "poses" || name == "velocities") visit(info, values);
        }
      },
      states);
}

/// The names of all parts, in the order of the bodies.
std::vector<std::string> part_names(const SceneDescription& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) {
    for (const Part& part : parts_of(body)) names.push_back(json_text(part.name));
  }
  return names;
}

/// The models of a pair as in a scene file: a name, or a list of names.
std::string model_text(const ContactModels& models) {
  std::string names;
  for (const ContactModel model : models) names += (names.empty() ? "" : ", ") + json_text(info_of(model).name);
  return models.size() == 1 ? names : '[' + names + ']';
}

/// The part pairs of each pair: all but their wrenches.
struct PartPairsText {
  std::vector<std::vector<std::string>> of_pair;
  std::vector<std::size_t> begin;  // in Scene::part_pairs()

  explicit PartPairsText(const Scene& scene) : of_pair(scene.pairs().size()) {
    const std::vector<std::string> names = part_names(scene.description());
    for (const PartPair& parts : scene.part_pairs()) {
      of_pair[parts.pair].push_back(fmt::format("{{\"parts\": [{}, {}]", names[parts.part_a], names[parts.part_b]));
    }
    std::size_t next = 0;
    for (const auto& texts : of_pair) begin.push_back(next), next += texts.size();
  }
};

/// `first` is the pair's first part pair, among those of all environments.
void add_part_pairs(std::string& json, const std::vector<std::string>& texts, std::size_t first,
                    const ResultArrays& results, std::size_t state_size) {
  json += ",\n     \"part_pairs\": [";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t at = first + i;
    const double* wrench = &results.part_pair_wrench[6 * at];
    fmt::format_to(Out(json), "{}\n      {}, \"force\": {}, \"torque\": {}", i == 0 ? "" : ",", texts[i],
                   json_vector(wrench), json_vector(wrench + 3));
    if (!results.volume.empty()) {
      fmt::format_to(Out(json), ",\n       \"volume\": {}, \"contact_state\": {}", json_number(results.volume[at]),
                     json_vector(&results.contact_state[state_size * at], static_cast<int>(state_size)));
    }
    json += '}';
  }
  json += ']';
}

/// The array of a vector of numbers or records, with the type that it has in files.
template <class Element>
NpyArray array_of(std::vector<std::int64_t> shape, const std::vector<Element>& values) {
  if constexpr (!kRecordFields<Element>.empty()) {
    return npy_records(kRecordFields<Element>, std::move(shape), values);
  } else {
    return npy_array(kDType<Element>, std::move(shape), values);
  }
}

/// Whether an array is written also if it is empty.
bool is_always_written(OutputGroup group, const ResultArrays& results) {
  return group == OutputGroup::kWrench || (group == OutputGroup::kRelations && !results.relations_needed.empty());
}

}  // namespace

std::string name_in_files(const ArrayInfo& info) {
  const std::string name = info.name;
  return name == "polygon_count" ? "polygons" : name;
}

std::vector<std::int64_t> shape_of(const ArrayInfo& info, const ArrayCounts& counts, std::vector<std::int64_t> shape) {
  ArrayInfo single = info;  // a row of one element each
  single.width = 1;
  if (info.per == Per::kCluster) {
    shape.insert(shape.end(), {counts[Per::kPair], counts.clusters});
  } else if (info.per != Per::kEnvironment && !info.is_packed()) {
    shape.push_back(counts.row(single));
  }
  if (info.width != 1) shape.push_back(info.width == 0 ? counts.contact_state : info.width);
  return shape;
}

std::string results_json(const StateArrays& states, const ResultArrays& results, const Scene& built) {
  const SceneDescription& scene = built.description();
  const PartPairsText part_pairs(built);
  const auto state_size = static_cast<std::size_t>(built.contact_state_size());
  const auto per_environment = static_cast<std::size_t>(built.num_part_pairs());
  // the text that is the same in every environment
  std::vector<std::string> bodies;
  const auto name = [&scene](int body) { return json_text(scene.bodies[body].name); };
  for (const Pair& pair : *scene.pairs) {
    bodies.push_back(fmt::format("[{}, {}]", name(pair.a), name(pair.b)));
    if (state_size > 0) bodies.back() += ",\n     \"model\": " + model_text(models_of(pair, scene));
  }

  std::string json = "{\"environments\": [";
  const Out out(json);
  for (std::size_t environment = 0; environment < results.status.size(); ++environment) {
    const std::uint32_t status = results.status[environment];
    fmt::format_to(out, "{}\n  {{\"status\": {}", environment == 0 ? "" : ",", status);
    if (status != 0) fmt::format_to(out, ", \"status_text\": {}", json_text(status_text(status)));
    json += ", \"pairs\": [";
    for (std::size_t pair = 0; pair < bodies.size(); ++pair) {
      const std::size_t at = environment * bodies.size() + pair;
      fmt::format_to(out, "{}\n    {{\"bodies\": {},\n     \"force\": {},\n     \"torque\": {},\n",
                     pair == 0 ? "" : ",", bodies[pair], json_vector(&results.pair_wrench[at * 6]),
                     json_vector(&results.pair_wrench[at * 6 + 3]));
      fmt::format_to(
          out, "     \"area\": {}, \"polygons\": {},\n     \"center_of_pressure\": {},\n     \"max_pressure\": {}",
          json_number(results.area[at]), results.polygon_count[at], json_vector(&results.center_of_pressure[at * 3]),
          json_number(results.max_pressure[at]));
      if (!results.energy.empty()) fmt::format_to(out, ", \"energy\": {}", json_number(results.energy[at]));
      if (!results.separation.empty()) {
        fmt::format_to(out, ",\n     \"separation\": {}, \"overlap\": {}", json_number(results.separation[at]),
                       json_number(results.overlap[at]));
      }
      if (!results.part_pair_wrench.empty()) {
        const std::size_t first = environment * per_environment + part_pairs.begin[pair];
        add_part_pairs(json, part_pairs.of_pair[pair], first, results, state_size);
      }
      json += '}';
    }
    json += ']';
    if (!results.relations_needed.empty()) {
      const std::int32_t* needed = &results.relations_needed[3 * environment];
      fmt::format_to(out, ",\n   \"potential_contacts\": {}, \"relations\": {}, \"relation_members\": {}", needed[0],
                     needed[1], needed[2]);
    }
    for_each_motion(states, [&](const ArrayInfo& info, const std::vector<double>& values) {
      fmt::format_to(out, ",\n   \"{}\": [", info.name);
      for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
        const std::size_t at = (environment * scene.bodies.size() + body) * static_cast<std::size_t>(info.width);
        fmt::format_to(out, "{}{}", body == 0 ? "" : ", ", json_vector(&values[at], info.width));
      }
      json += ']';
    });
    json += '}';
  }
  return json + "\n]}\n";
}

std::string results_npz(const StateArrays& states, const ResultArrays& results) {
  std::map<std::string, NpyArray> arrays;
  const auto add = [&](const ArrayInfo& info, const auto& values) {
    const ArrayCounts counts = results.counts();
    const std::int64_t n = results.num_environments;
    std::vector<std::int64_t> shape = shape_of(info, counts, {info.is_packed() ? counts.size(info, n) : n});
    arrays[name_in_files(info)] = array_of(std::move(shape), values);
  };
  for_each_motion(states, add);
  for_each_output(
      [&](const ArrayInfo& info, const auto& values) {
        if (!values.empty() || is_always_written(info.group, results)) add(info, values);
      },
      results);
  return npz_bytes(arrays);
}

}  // namespace isopatch::cli

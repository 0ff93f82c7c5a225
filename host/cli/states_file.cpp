// SPDX-License-Identifier: Apache-2.0
#include "host/cli/states_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "host/scene_file/json_value.h"
#include "host/text/quote.h"
#include "isopatch/error.h"

namespace isopatch::cli {

using namespace detail;

namespace {

using Arrays = std::map<std::string, LazyArray>;

/// Calls visit with each value of an array.
template <typename Number, typename Visit>
void for_each(const LazyArray& array, const Visit& visit) {
  array.read([&visit](std::string_view piece) {
    for (std::size_t at = 0; at < piece.size(); at += sizeof(Number)) {
      Number number;  // the bytes may not be aligned
      std::memcpy(&number, piece.data() + at, sizeof number);
      visit(number);
    }
  });
}

template <typename From, typename To>
void convert(const LazyArray& array, std::vector<To>& values) {
  values.reserve(array.header().bytes / sizeof(From));
  for_each<From>(array, [&values](From number) { values.push_back(static_cast<To>(number)); });
}

class ArrayReader {
 public:
  ArrayReader(const Arrays& arrays, std::string source) : arrays_(arrays), source_(std::move(source)) {}

  [[noreturn]] void fail(const std::string& name, const std::string& problem) const {
    throw Error(fmt::format("{}: {}: {}", source_, escaped(name), problem));
  }

  /// The array if there is one of this name. Throws unless it has this shape and one of these types; a length of -1
  /// matches any.
  const LazyArray* find(const std::string& name, std::vector<std::int64_t> shape, const std::vector<DType>& types,
                        const char* types_text) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) return nullptr;
    const NpyHeader& header = found->second.header();
    const std::vector<std::int64_t>& actual = header.shape;
    std::string expected = shape_text(shape);
    if (shape[0] < 0) {
      expected.replace(expected.find("-1"), 2, "N");
      if (!actual.empty()) shape[0] = actual[0];
    }
    if (actual != shape) fail(name, fmt::format("must have shape {}, found {}", expected, shape_text(actual)));
    if (std::find(types.begin(), types.end(), header.type) == types.end()) {
      fail(name, fmt::format("must be {}, found {}", types_text, dtype_name(header.type)));
    }
    return &found->second;
  }

  const LazyArray* find_reals(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return find(name, shape, {DType::kFloat64, DType::kFloat32}, "float64 or float32");
  }
  const LazyArray* find_indices(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return find(name, shape, {DType::kInt32, DType::kInt64}, "int32 or int64");
  }
  const LazyArray* find_flags(const std::string& name, const std::vector<std::int64_t>& shape) const {
    return find(name, shape, {DType::kUint8}, "uint8 or bool");
  }

  /// Reads everything once and keeps nothing, so that damaged or unsuitable data costs no memory.
  void check_data() const {
    for (const auto& [name, array] : arrays_) {
      if (array.header().type != DType::kInt64) {
        array.read([](std::string_view) {});
        continue;
      }
      for_each<std::int64_t>(array, [this, &name = name](std::int64_t value) {
        if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max()) {
          fail(name, fmt::format("{} does not fit an int32", value));
        }
      });
    }
  }

 private:
  const Arrays& arrays_;
  std::string source_;
};

void read_reals(const LazyArray* array, std::vector<double>& values) {
  if (array == nullptr) return;
  array->header().type == DType::kFloat64 ? convert<double>(*array, values) : convert<float>(*array, values);
}

void read_indices(const LazyArray* array, std::vector<std::int32_t>& values) {
  if (array == nullptr) return;
  array->header().type == DType::kInt32 ? convert<std::int32_t>(*array, values) : convert<std::int64_t>(*array, values);
}

}  // namespace

StateArrays states_from_arrays(const Arrays& arrays, const SceneDescription& scene, const std::string& source) {
  static const std::vector<std::string> kNames = {"poses",    "velocities",     "modulus",  "dissipation",
                                                  "friction", "geometry_index", "pair_mask"};
  const ArrayReader reader(arrays, source);
  for (const auto& [name, array] : arrays) {
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
      reader.fail(name, "unknown array" + suggestion(name, kNames));
    }
  }

  // all headers first, then all data without keeping it, then the states
  const auto bodies = static_cast<std::int64_t>(scene.bodies.size());
  const auto pairs = static_cast<std::int64_t>(scene.pairs.size());
  std::int64_t parts = 0;
  for (const Body& body : scene.bodies) parts += std::ssize(parts_of(body));
  const LazyArray* poses = reader.find_reals("poses", {-1, bodies, 7});
  if (poses == nullptr) reader.fail("poses", fmt::format("missing; needs shape (N, {}, 7)", bodies));
  const std::int64_t n = poses->header().shape[0];
  if (n == 0) reader.fail("poses", "no environments");
  const LazyArray* velocities = reader.find_reals("velocities", {n, bodies, 6});
  const LazyArray* modulus = reader.find_reals("modulus", {n, parts});
  const LazyArray* dissipation = reader.find_reals("dissipation", {n, parts});
  const LazyArray* friction = reader.find_reals("friction", {n, parts});
  const LazyArray* geometry_index = reader.find_indices("geometry_index", {n, parts});
  const LazyArray* pair_mask = reader.find_flags("pair_mask", {n, pairs});
  reader.check_data();

  StateArrays states;
  states.num_environments = n;
  states.num_bodies = bodies;
  states.num_parts = parts;
  states.num_pairs = pairs;
  read_reals(poses, states.poses);
  read_reals(velocities, states.velocities);
  if (states.velocities.empty()) {
    for (std::int64_t environment = 0; environment < n; ++environment) {
      for (const Body& body : scene.bodies) {
        states.velocities.insert(states.velocities.end(), body.velocity.begin(), body.velocity.end());
      }
    }
  }
  read_reals(modulus, states.modulus);
  read_reals(dissipation, states.dissipation);
  read_reals(friction, states.friction);
  read_indices(geometry_index, states.geometry_index);
  if (pair_mask != nullptr) convert<std::uint8_t>(*pair_mask, states.pair_mask);
  return states;
}

StateArrays states_from_arrays(const std::map<std::string, NpyArray>& arrays, const SceneDescription& scene,
                               const std::string& source) {
  Arrays lazy;
  for (const auto& [name, array] : arrays) lazy.emplace(name, LazyArray(array, source));
  return states_from_arrays(lazy, scene, source);
}

StateArrays rows_of(const StateArrays& states, std::int64_t first, std::optional<std::int64_t> count,
                    const std::string& source) {
  const std::int64_t rows = states.num_environments;
  if (first < 0 || first >= rows) {
    throw Error(fmt::format("{}: --first {}: the file has {} environments, so it must be in [0, {}]", source, first,
                            rows, rows - 1));
  }
  StateArrays part;
  part.num_environments = count.value_or(rows - first);
  part.num_bodies = states.num_bodies;
  part.num_parts = states.num_parts;
  part.num_pairs = states.num_pairs;
  if (part.num_environments < 1 || part.num_environments > rows - first) {
    throw Error(fmt::format("{}: --envs {}: the file has {} environments, so from {} on it must be in [1, {}]", source,
                            part.num_environments, rows, first, rows - first));
  }
  const ArrayCounts counts = {part.num_bodies, part.num_pairs, part.num_parts};
  for_each_input(
      [&](const ArrayInfo& info, auto& values, const auto& all) {
        if (all.empty()) return;
        const auto begin = all.begin() + first * counts.row(info);
        values.assign(begin, begin + part.num_environments * counts.row(info));
      },
      part, states);
  return part;
}

StateArrays read_states(const std::string& path, const SceneDescription& scene) {
  return states_from_arrays(open_arrays(path, "poses"), scene, path);
}

}  // namespace isopatch::cli

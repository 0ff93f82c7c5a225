// SPDX-License-Identifier: Apache-2.0
#include "host/cli/states_file.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "host/scene/json_value.h"
#include "isopatch/error.h"

namespace isopatch::cli {
namespace {

template <typename To, typename From>
void convert(const NpyArray& array, std::vector<To>& values) {
  values.resize(static_cast<std::size_t>(array.size()));
  const char* source = array.bytes.data();
  for (To& value : values) {
    From number;  // the bytes may not be aligned
    std::memcpy(&number, source, sizeof number);
    value = static_cast<To>(number);
    source += sizeof number;
  }
}

class ArrayReader {
 public:
  ArrayReader(const std::map<std::string, NpyArray>& arrays, std::string source)
      : arrays_(arrays), source_(std::move(source)) {}

  [[noreturn]] void fail(const std::string& name, const std::string& problem) const {
    throw Error(fmt::format("{}: {}: {}", source_, name, problem));
  }

  /// The array if it is there and has this shape; a length of -1 fits any.
  const NpyArray* find(const std::string& name, std::vector<std::int64_t> shape) const {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) return nullptr;
    const std::vector<std::int64_t>& actual = found->second.shape;
    std::string expected = shape_text(shape);
    if (shape[0] < 0) {
      expected.replace(expected.find("-1"), 2, "N");
      if (!actual.empty()) shape[0] = actual[0];
    }
    if (actual != shape) fail(name, fmt::format("must have shape {}, found {}", expected, shape_text(actual)));
    return &found->second;
  }

  void read(const std::string& name, const std::vector<std::int64_t>& shape, std::vector<double>& values) const {
    const NpyArray* array = find(name, shape);
    if (array == nullptr) return;
    if (array->type == DType::kFloat64)
      convert<double, double>(*array, values);
    else if (array->type == DType::kFloat32)
      convert<double, float>(*array, values);
    else
      fail(name, "must be float64 or float32, found " + dtype_name(array->type));
  }

  void read(const std::string& name, const std::vector<std::int64_t>& shape, std::vector<std::int32_t>& values) const {
    const NpyArray* array = find(name, shape);
    if (array == nullptr) return;
    if (array->type == DType::kInt32) return convert<std::int32_t, std::int32_t>(*array, values);
    if (array->type != DType::kInt64) fail(name, "must be int32 or int64, found " + dtype_name(array->type));
    std::vector<std::int64_t> wide;
    convert<std::int64_t, std::int64_t>(*array, wide);
    for (const std::int64_t value : wide) {
      if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
        fail(name, fmt::format("{} does not fit an int32", value));
      values.push_back(static_cast<std::int32_t>(value));
    }
  }

  void read(const std::string& name, const std::vector<std::int64_t>& shape, std::vector<std::uint8_t>& values) const {
    const NpyArray* array = find(name, shape);
    if (array == nullptr) return;
    if (array->type != DType::kUint8) fail(name, "must be uint8 or bool, found " + dtype_name(array->type));
    convert<std::uint8_t, std::uint8_t>(*array, values);
  }

 private:
  const std::map<std::string, NpyArray>& arrays_;
  std::string source_;
};

}  // namespace

HostStates states_from_arrays(const std::map<std::string, NpyArray>& arrays, const SceneDescription& scene,
                              const std::string& source) {
  static const std::vector<std::string> kNames = {"poses",    "velocities",     "modulus",  "dissipation",
                                                  "friction", "geometry_index", "pair_mask"};
  const ArrayReader reader(arrays, source);
  for (const auto& [name, array] : arrays)
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end())
      reader.fail(name, "unknown array" + suggestion(name, kNames));

  const auto bodies = static_cast<std::int64_t>(scene.bodies.size());
  const auto pairs = static_cast<std::int64_t>(scene.pairs.size());
  const NpyArray* poses = reader.find("poses", {-1, bodies, 7});
  if (poses == nullptr) reader.fail("poses", fmt::format("missing; needs shape (N, {}, 7)", bodies));
  const std::int64_t n = poses->shape[0];
  if (n == 0) reader.fail("poses", "no environments");

  HostStates states;
  states.num_environments = n;
  states.num_bodies = static_cast<int>(bodies);
  states.num_pairs = static_cast<int>(pairs);
  reader.read("poses", {n, bodies, 7}, states.poses);
  reader.read("velocities", {n, bodies, 6}, states.velocities);
  if (states.velocities.empty())
    for (std::int64_t environment = 0; environment < n; ++environment)
      for (const Body& body : scene.bodies)
        states.velocities.insert(states.velocities.end(), body.velocity.begin(), body.velocity.end());
  reader.read("modulus", {n, bodies}, states.modulus);
  reader.read("dissipation", {n, bodies}, states.dissipation);
  reader.read("friction", {n, bodies}, states.friction);
  reader.read("geometry_index", {n, bodies}, states.geometry_index);
  reader.read("pair_mask", {n, pairs}, states.pair_mask);
  return states;
}

HostStates read_states(const std::string& path, const SceneDescription& scene) {
  return states_from_arrays(read_arrays(path, "poses"), scene, path);
}

}  // namespace isopatch::cli

// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_rules.h"

#include <cmath>
#include <iterator>

#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {
namespace {

std::string names_of(const Pair& pair, const SceneDescription& scene) {
  return in_quotes(scene.bodies[pair.a].name) + " and " + in_quotes(scene.bodies[pair.b].name);
}

}  // namespace

void check_range(double value, const Range& range) {
  if (value >= range.low && value <= range.high) return;
  const std::string found = fmt::format("{}{}", value, range.unit);
  const std::string wanted = fmt::format("in [{}, {}]", range.low, range.high);
  throw Error(fmt::format("is {}; it must be {}", found, wanted), ErrorKind::kInput,
              {.found = found, .wanted = wanted});
}

void check_orientation(const std::array<double, 7>& pose) {
  double norm2 = 0;
  for (std::size_t i = 3; i < 7; ++i) norm2 += pose[i] * pose[i];
  const double norm = std::sqrt(norm2);
  if (norm >= limits::kMinQuaternion && norm <= limits::kMaxQuaternion) return;
  throw_error("a quaternion [w, x, y, z] of norm {} cannot be normalised; the norm must be in [{}, {}]", norm,
              limits::kMinQuaternion, limits::kMaxQuaternion);
}

void check_num_bodies(std::size_t count) {
  if (count > 0 && count <= limits::kMaxBodies) return;
  throw_error("{} bodies; a scene has 1 to {}", count, limits::kMaxBodies);
}

void check_num_parts(std::size_t count) {
  if (count > 0 && count <= limits::kMaxPartsOfBody) return;
  throw_error("{} parts; a body has 1 to {}", count, limits::kMaxPartsOfBody);
}

void check_num_parts_of_all(std::size_t count) {
  if (count <= limits::kMaxParts) return;
  throw_error("{} parts in all; a scene has at most {}", count, limits::kMaxParts);
}

void check_geometry_of(bool rigid, const std::string& name, const Geometry& geometry) {
  if (rigid || !geometry.is_surface_mesh()) return;
  throw Error("a surface mesh has no inside to press on; use a tet mesh, or make " + in_quotes(name) + " rigid");
}

const ContactModelInfo& info_of(ContactModel model) {
  const auto index = static_cast<std::size_t>(model);
  if (index < contact_models().size()) return contact_models()[index];
  std::string names;
  for (const std::string& name : contact_model_names()) names += (names.empty() ? "" : ", ") + name;
  throw_error("model is {}; it must be one of ContactModel: {}", index, names);
}

void require_models(const SceneView& scene, std::size_t count, const char* backend) {
  const auto needed = static_cast<std::size_t>(scene.num_models);
  if (needed <= count) return;
  throw_error("backend {} has no contact model {}", backend, in_quotes(contact_models()[needed - 1].name));
}

void check_models(const ContactModels& models) {
  if (models.empty()) throw Error("model is an empty list; name one contact model or several");
  for (const ContactModel model : models) info_of(model);
}

const ContactModels& models_of(const Pair& pair, const SceneDescription& scene) {
  return pair.model ? *pair.model : scene.contact.model;
}

std::optional<ContactModel> model_of(const ContactModels& models, const PartKind& a, const PartKind& b) {
  for (const ContactModel model : models) {
    if (info_of(model).refusal(a, b).reason.empty()) return model;
  }
  return {};
}

std::vector<std::optional<ContactModel>> part_pair_models(const Pair& pair, const SceneDescription& scene) {
  std::vector<std::optional<ContactModel>> models;
  for (const PartKind& a : kinds_of(scene.bodies[pair.a], scene)) {
    for (const PartKind& b : kinds_of(scene.bodies[pair.b], scene)) {
      models.push_back(model_of(models_of(pair, scene), a, b));
    }
  }
  return models;
}

int contact_state_size_of(const SceneDescription& scene) {
  int size = 0;
  const auto has_state = [](ContactModel model) { return info_of(model).state_size > 0; };
  for (const Pair& pair : pairs_of(scene)) {
    const ContactModels& models = models_of(pair, scene);
    if (std::none_of(models.begin(), models.end(), has_state)) continue;  // the scene may have no geometries yet
    for (const auto& model : part_pair_models(pair, scene)) {
      if (model) size = std::max(size, info_of(*model).state_size);
    }
  }
  return size;
}

int num_part_pairs_of(const SceneDescription& scene) {
  std::ptrdiff_t count = 0;
  for (const Pair& pair : pairs_of(scene)) {
    const auto models = part_pair_models(pair, scene);
    count += std::ssize(models) - std::count(models.begin(), models.end(), std::nullopt);
  }
  return static_cast<int>(count);
}

std::vector<std::string> contact_model_names() {
  std::vector<std::string> names;
  for (const ContactModelInfo& info : contact_models()) names.emplace_back(info.name);
  return names;
}

std::vector<PartKind> kinds_of(const Body& body, const SceneDescription& scene) {
  std::vector<PartKind> kinds;
  for (const Part& part : parts_of(body)) {
    const Geometry& geometry = scene.geometries[part.geometry];
    kinds.push_back({*part.rigid, geometry.kind == GeometryKind::kHalfSpace});
  }
  return kinds;
}

void check_two_bodies(const Pair& pair, const SceneDescription& scene) {
  if (pair.a != pair.b) return;
  throw Error("pairs " + in_quotes(scene.bodies[pair.a].name) + " with itself; a pair needs two bodies");
}

void check_bodies_of(const Pair& pair, const SceneDescription& scene) {
  check_two_bodies(pair, scene);
  const Body &a = scene.bodies[pair.a], &b = scene.bodies[pair.b];
  const ContactModels& models = models_of(pair, scene);
  const ContactModelInfo& model = info_of(models.back());
  Refusal last;
  bool mixed = false;
  for (const PartKind& of_a : kinds_of(a, scene)) {
    for (const PartKind& of_b : kinds_of(b, scene)) {
      if (model_of(models, of_a, of_b)) return;
      const Refusal refusal = model.refusal(of_a, of_b);
      mixed = mixed || (!last.reason.empty() && refusal.reason != last.reason);
      last = refusal;
    }
  }
  if (models.size() > 1) {
    throw Error(names_of(pair, scene) + " have no parts that can touch in any of the pair's contact models");
  }
  throw Error(mixed ? fmt::format("{} have only parts that are {}", names_of(pair, scene), model.mixed_refusals)
                    : fmt::format("{} are {}; {}", names_of(pair, scene), last.reason, last.remedy));
}

bool is_excluded(const SceneDescription& scene, const Pair& pair) {
  return std::any_of(scene.exclude.begin(), scene.exclude.end(), [&](const std::array<int, 2>& bodies) {
    return std::minmax(bodies[0], bodies[1]) == std::minmax(pair.a, pair.b);
  });
}

void DistinctPairs::add(const Pair& pair, const SceneDescription& scene) {
  if (seen_.emplace(std::minmax(pair.a, pair.b)).second) return;
  throw Error(names_of(pair, scene) + " are listed already; list each pair once");
}

}  // namespace isopatch::detail

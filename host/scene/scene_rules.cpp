// SPDX-License-Identifier: Apache-2.0
#include "host/scene/scene_rules.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "host/force_law/law_numbers.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/detail/force_law/contact_state.h"
#include "isopatch/detail/scene/scene_view.h"

namespace isopatch::detail {
namespace {

std::string names_of(const Pair& pair, const SceneDescription& scene) {
  return in_quotes(scene.bodies[pair.a].name) + " and " + in_quotes(scene.bodies[pair.b].name);
}

template <class Named>
bool is_taken(const std::string& name, std::span<const Named> before) {
  const auto same = [&](const Named& other) { return other.name == name; };
  return !name.empty() && std::any_of(before.begin(), before.end(), same);
}

bool dissipates(const Pair& pair, const SceneDescription& scene) {
  if (pair.dissipation) return *pair.dissipation > 0;
  const auto any = [&](int body) {
    const std::vector<Part> parts = parts_of(scene.bodies[body]);
    return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return *part.dissipation > 0; });
  };
  return any(pair.a) || any(pair.b);
}

/// A strain map leaves no depth of which modulus / depth is the stiffness.
void check_foundations_of(const Pair& pair, const SceneDescription& scene) {
  for (const int body : {pair.a, pair.b}) {
    for (const Part& part : parts_of(scene.bodies[body])) {
      const Geometry& geometry = scene.geometries[part.geometry];
      const bool has_strain = geometry.strained || !geometry.strain.empty();
      if (*part.rigid || !has_strain || part.foundation_depth) continue;
      throw Error("geometry " + in_quotes(geometry.name) +
                  " has a strain map, so a volumetric contact does not know its depth; give its part a "
                  "foundation_depth, or the pair a stiffness");
    }
  }
}

bool has_ball_on_half_space(const Pair& pair, const SceneDescription& scene) {
  const auto has = [&](int body, auto is) {
    const std::vector<PartKind> kinds = kinds_of(scene.bodies[body], scene);
    return std::any_of(kinds.begin(), kinds.end(), is);
  };
  const auto is_ball = [](const PartKind& part) { return part.primitive == PrimitiveKind::kSphere; };
  const auto is_plane = [](const PartKind& part) { return part.half_space; };
  return (has(pair.a, is_ball) && has(pair.b, is_plane)) || (has(pair.b, is_ball) && has(pair.a, is_plane));
}

/// The contact states that a pair begins with.
void check_states_of(const Pair& pair, const SceneDescription& scene,
                     const std::vector<std::optional<ContactModel>>& models) {
  const auto& states = pair.contact_state;
  if (states.empty()) return;
  const auto count =
      static_cast<std::size_t>(std::ssize(models) - std::count(models.begin(), models.end(), std::nullopt));
  const bool has_state = std::any_of(models.begin(), models.end(), [&](const auto& model) {
    return model && state_size_of(info_of(*model), pair, scene) == kContactStateSize;
  });
  if (!has_state) throw Error("contact_state is given, but no contact of the pair has a memory; leave it out");
  if (states.size() != 1 && states.size() != count) {
    throw_error("contact_state has {} rows of numbers; it must have {}", states.size(),
                count == 1 ? std::string("1") : fmt::format("1, or {}, one for each part pair", count));
  }
  const ContactForceLaw law = force_law_of(pair, scene);
  for (std::size_t i = 0; i < states.size(); ++i) check_state(fmt::format("contact_state[{}]", i), law, states[i]);
}

}  // namespace

void check_range(double value, const Range& range) {
  if (value >= range.low && value <= range.high) return;
  const std::string found = fmt::format("{}{}", value, range.unit);
  const std::string wanted = fmt::format("in [{}, {}]", range.low, range.high);
  throw Error(fmt::format("is {}; it must be {}", found, wanted), ErrorKind::kInput,
              {.found = found, .wanted = wanted});
}

void check_restitution(double value) {
  if (value > 0 && value <= 1) return;
  throw Error(fmt::format("is {}; it must be above 0 and at most 1", value), ErrorKind::kInput,
              {.found = fmt::to_string(value), .wanted = "above 0 and at most 1"});
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

void check_name(const Body& body, std::span<const Body> before) {
  if (is_taken(body.name, before)) throw Error("another body is already named " + in_quotes(body.name, '"'));
}

void check_name(const Part& part, std::span<const Part> before) {
  if (is_taken(part.name, before))
    throw Error("another part of the body is already named " + in_quotes(part.name, '"'));
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
  if (!rigid && geometry.polygon) {
    throw Error("a polygon has no inside to press on; make " + in_quotes(name) + " rigid");
  }
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

bool any_of(const ContactModels& models, bool ContactModelInfo::*has) {
  return std::any_of(models.begin(), models.end(), [&](ContactModel model) { return info_of(model).*has; });
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

PairKind kind_of(const Pair& pair) { return {pair.stiffness.has_value(), pair.exact_spheres, pair.inside}; }

FrictionModel friction_model_of(const Pair& pair, const SceneDescription& scene) {
  return pair.friction_model.value_or(scene.contact.force_law.friction_model);
}

int state_size_of(const ContactModelInfo& model, const Pair& pair, const SceneDescription& scene) {
  return friction_model_of(pair, scene) == FrictionModel::kBristle ? model.bristle_size : model.state_size;
}

std::optional<ContactModel> model_of(const ContactModels& models, const PartKind& a, const PartKind& b,
                                     const PairKind& pair) {
  for (const ContactModel model : models) {
    if (info_of(model).incompatibility(a, b, pair).reason.empty()) return model;
  }
  // beside rigid parts, others are pressure fields as ever
  if (any_of(models, &ContactModelInfo::touches_faces) &&
      info_of(kDefaultModel).incompatibility(a, b, pair).reason.empty()) {
    return kDefaultModel;
  }
  return {};
}

std::vector<std::optional<ContactModel>> part_pair_models(const Pair& pair, const SceneDescription& scene) {
  std::vector<std::optional<ContactModel>> models;
  for (const PartKind& a : kinds_of(scene.bodies[pair.a], scene)) {
    for (const PartKind& b : kinds_of(scene.bodies[pair.b], scene)) {
      models.push_back(model_of(models_of(pair, scene), a, b, kind_of(pair)));
    }
  }
  return models;
}

int contact_state_size_of(const SceneDescription& scene) {
  int size = 0;
  for (const Pair& pair : pairs_of(scene)) {
    const auto size_in = [&](ContactModel model) { return state_size_of(info_of(model), pair, scene); };
    const ContactModels& models = models_of(pair, scene);
    const bool has_state = std::any_of(models.begin(), models.end(), [&](ContactModel m) { return size_in(m) > 0; });
    if (!has_state) continue;  // the scene may have no geometries yet
    for (const auto& model : part_pair_models(pair, scene)) {
      if (model) size = std::max(size, size_in(*model));
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
    const bool half_space = geometry.kind == GeometryKind::kHalfSpace;
    kinds.push_back(
        {*part.rigid, half_space, geometry.primitive.kind, half_space || geometry.convex, geometry.polygon});
  }
  return kinds;
}

bool can_touch(const ContactModels& models, const std::vector<PartKind>& a, const std::vector<PartKind>& b) {
  return std::any_of(a.begin(), a.end(), [&](const PartKind& of_a) {
    return std::any_of(b.begin(), b.end(), [&](const PartKind& of_b) { return model_of(models, of_a, of_b, {}); });
  });
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
  Incompatibility last;
  bool mixed = false;
  for (const PartKind& of_a : kinds_of(a, scene)) {
    for (const PartKind& of_b : kinds_of(b, scene)) {
      const auto found = model_of(models, of_a, of_b, kind_of(pair));
      const bool is_listed = found && std::find(models.begin(), models.end(), *found) != models.end();
      if (found && (is_listed || !pair.model)) return;  // what a pair says itself is true of one of its part pairs
      const Incompatibility incompatibility = model.incompatibility(of_a, of_b, kind_of(pair));
      mixed = mixed || (!last.reason.empty() && incompatibility.reason != last.reason);
      last = incompatibility;
    }
  }
  if (models.size() > 1) {
    throw Error(names_of(pair, scene) + " have no parts that can touch in any of the pair's contact models");
  }
  throw Error(mixed
                  ? fmt::format("{} have only parts that are {}", names_of(pair, scene), model.mixed_incompatibilities)
                  : fmt::format("{} are {}; {}", names_of(pair, scene), last.reason, last.remedy));
}

ContactForceLaw force_law_of(const Pair& pair, const SceneDescription& scene) {
  const ContactOptions& contact = scene.contact;
  ContactForceLaw law;
  law.stiffness = pair.stiffness.value_or(1);
  law.exponent = pair.exponent.value_or(law.exponent);
  law.restitution = pair.restitution;
  law.small_speed = contact.force_law.small_speed;
  law.latch = contact.force_law.latch;
  law.relaxation_time = contact.force_law.relaxation_time;
  law.normal = contact.force_law.normal;
  law.friction_model = friction_model_of(pair, scene);
  law.slip_tolerance = contact.slip_tolerance.value_or(kUsualSlipTolerance);
  law.bristle = pair.bristle.value_or(contact.force_law.bristle);
  law.bristle_flow = pair.bristle_flow.value_or(contact.force_law.bristle_flow);
  law.spin_radius = pair.spin_radius;
  return law;
}

void check_law_of(const ContactOptions& contact) {
  SceneDescription scene;
  scene.contact = contact;
  check_law("", force_law_of({}, scene), true);
}

/// "point or volumetric": those that have something.
std::string names_of_models(bool ContactModelInfo::*has) {
  std::string names;
  for (const ContactModelInfo& info : contact_models()) {
    if (info.*has) names = names.empty() ? info.name : fmt::format("{} or {}", info.name, names);
  }
  return names;
}

void check_law_of(const Pair& pair, const SceneDescription& scene) {
  check_law("", force_law_of(pair, scene), true);
  if (pair.bristle_flow && friction_model_of(pair, scene) != FrictionModel::kBristle) {
    throw Error("bristle_flow is given, but the pair has no bristles; leave it out, or give it friction_model bristle");
  }
  const std::vector<std::optional<ContactModel>> models = part_pair_models(pair, scene);
  const auto has = [&](bool ContactModelInfo::*what) {
    return std::any_of(models.begin(), models.end(),
                       [&](const std::optional<ContactModel>& model) { return model && info_of(*model).*what; });
  };
  const auto refuse_unless_in = [&](bool ContactModelInfo::*what, bool given, const char* key) {
    if (given && !has(what)) {
      throw_error("{} is given, but no part pair is of model {}; leave it out", key, names_of_models(what));
    }
  };
  refuse_unless_in(&ContactModelInfo::has_plates, pair.stiffness.has_value(), "stiffness");
  refuse_unless_in(&ContactModelInfo::has_plates, pair.restitution.has_value(), "restitution");
  refuse_unless_in(&ContactModelInfo::has_exponent, pair.exponent.has_value(), "exponent");
  refuse_unless_in(&ContactModelInfo::has_exponent, pair.inside, "inside");
  refuse_unless_in(&ContactModelInfo::has_foundations, pair.exact_spheres, "exact_spheres");
  if (pair.exact_spheres && !has_ball_on_half_space(pair, scene)) {
    throw Error("exact_spheres is given, but no part pair is a sphere on a half space; leave it out");
  }
  if (pair.exponent && !pair.stiffness)
    throw Error("exponent is given without a stiffness, whose unit it sets; give both");

  const bool has_dissipation = has(&ContactModelInfo::has_exponent) && !pair.restitution && dissipates(pair, scene);
  if (has_dissipation && scene.contact.dissipation_model == DissipationModel::kPfc) {
    throw Error(
        "dissipation_model is pfc, which has no meaning for a point contact; give the pair a restitution or a "
        "dissipation of 0, or take hunt_crossley");
  }
  if (has(&ContactModelInfo::has_foundations) && !pair.stiffness) check_foundations_of(pair, scene);
  check_states_of(pair, scene, models);
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

// SPDX-License-Identifier: Apache-2.0
#include "isopatch/scene/scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/force_law/law_numbers.h"
#include "host/scene/motion_rules.h"
#include "host/scene/planar_rules.h"
#include "host/scene/scene_check.h"
#include "host/scene/scene_data.h"
#include "host/scene/scene_rules.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"
#include "host/text/throw_error.h"
#include "host/threads/standard_arithmetic.h"
#include "isopatch/detail/contact/part_law.h"
#include "isopatch/error.h"

namespace isopatch {

using namespace detail;

namespace {

[[noreturn]] void fail(const std::string& message, const std::string& found, const std::string& wanted) {
  throw Error("scene: " + message, ErrorKind::kInput, {"scene", found, wanted});
}

const std::string& name_at(const SceneDescription& scene, int body) { return scene.bodies[body].name; }

std::string pair_text(const SceneDescription& scene, int a, int b) {
  return fmt::format("({}, {})", in_quotes(name_at(scene, a), '"'), in_quotes(name_at(scene, b), '"'));
}

/// The first twelve pairs.
std::string list_of_pairs(const SceneDescription& scene) {
  std::string list;
  for (std::size_t i = 0; i < scene.pairs->size() && i < 12; ++i) {
    list += (i == 0 ? "" : ", ") + pair_text(scene, (*scene.pairs)[i].a, (*scene.pairs)[i].b);
  }
  return scene.pairs->empty() ? "none" : list + (scene.pairs->size() > 12 ? ", ..." : "");
}

ContactView flatten(const SceneDescription& scene) {
  const ContactOptions& contact = scene.contact;
  constexpr std::int32_t kRules[] = {kExactRule, kCentroidRule, 3, 6};
  StateLimits states = {};
  for (const Pair& pair : *scene.pairs) {
    const StateLimits of_pair = state_limits(force_law_of(pair, scene));
    states = {of_pair.least_impact_speed, std::max(states.largest_bend, of_pair.largest_bend)};
  }
  return {contact.dissipation_model == DissipationModel::kPfc,
          contact.gradient_filter,
          kRules[static_cast<int>(contact.quadrature)],
          contact.slip_tolerance.value_or(kUsualSlipTolerance),
          contact_state_size_of(scene),
          false,
          contact.force_law.normal == OverlapNormal::kArea,
          states.least_impact_speed,
          states.largest_bend};
}

/// The middle of the balls about all meshes of a body.
Vec3d middle_of(const SceneData& data, const BodyView& body) {
  bool any = false;
  Vec3d low = {0, 0, 0}, high = {0, 0, 0};
  for (std::int32_t i = body.parts_begin; i < body.parts_end; ++i) {
    const std::int32_t geometry = data.parts[i].geometry;
    const GeometryView& g = data.geometries.views[geometry];
    if (g.half_space) continue;
    const Vec3d half_extent = {g.radius, g.radius, g.radius};
    low = any ? min(low, g.center - half_extent) : g.center - half_extent;
    high = any ? max(high, g.center + half_extent) : g.center + half_extent;
    any = true;
  }
  return 0.5 * (low + high);
}

/// The most layers of a half space that a compliant part can be.
std::int32_t num_layers(const SceneDescription& scene, const Part& part) {
  std::size_t most = 1;
  const auto take = [&](int index) { most = std::max(most, scene.geometries[index].strain.size()); };
  take(part.geometry);
  for (const int index : part.alternatives) take(index);
  return *part.rigid ? 0 : static_cast<std::int32_t>(most) - 1;
}

void add_part(const Part& part, const std::string& location, GeometryPlacer& placer, SceneData& data) {
  PartView view = {};
  view.posed = !is_identity(part.pose);
  view.X_BG = transform_of(part.pose);
  view.rigid = *part.rigid;
  view.modulus = *part.modulus;
  view.dissipation = *part.dissipation;
  view.friction = *part.friction;
  view.foundation_depth = part.foundation_depth.value_or(0);
  view.geometry = placer.index_of(part.geometry, part.pose, location);
  view.num_layers = num_layers(data.description, part);
  view.placed_begin = -1;
  if (view.posed) {
    view.placed_begin = static_cast<std::int32_t>(data.placed_geometries.size());
    std::vector<std::int32_t> row(data.description.geometries.size(), -1);
    row[part.geometry] = view.geometry;
    for (const int index : part.alternatives) row[index] = placer.index_of(index, part.pose, location);
    data.placed_geometries.insert(data.placed_geometries.end(), row.begin(), row.end());
  }
  data.parts.push_back(view);
}

void add_planar_bodies(SceneData& data) {
  const std::vector<Body>& bodies = data.description.bodies;
  const auto is_planar = [&](const Body& body) { return has_polygon(data.description, body); };
  if (std::none_of(bodies.begin(), bodies.end(), is_planar)) return;
  for (const Body& body : bodies) data.planar_bodies.push_back(is_planar(body) ? 1 : 0);
}

void add_bodies(SceneData& data) {
  GeometryPlacer placer(data.description, data.geometries);
  for (const Body& body : data.description.bodies) {
    BodyView view = {static_cast<std::int32_t>(data.parts.size()), 0, body.one_sided, {0, 0, 0}};
    for (const Part& part : parts_of(body)) add_part(part, "scene: body " + in_quotes(body.name), placer, data);
    view.parts_end = static_cast<std::int32_t>(data.parts.size());
    view.reference = middle_of(data, view);
    data.bodies.push_back(view);
  }
}

/// Adds the part pairs of one model of a pair. False if it has none.
bool add_part_pairs(SceneData& data, const Pair& pair, const std::vector<std::optional<ContactModel>>& models,
                    ContactModel model, std::int32_t& row) {
  const BodyView& a = data.bodies[pair.a];
  const BodyView& b = data.bodies[pair.b];
  const std::int32_t rows_begin = row;
  auto of_part_pair = models.begin();
  for (std::int32_t i = a.parts_begin; i < a.parts_end; ++i) {
    for (std::int32_t k = b.parts_begin; k < b.parts_end; ++k) {
      if (*of_part_pair++ != model) continue;
      const auto layers_of = [&](std::int32_t part) { return data.parts[part].num_layers; };
      const std::int32_t layers = std::max({1, layers_of(i), layers_of(k)});
      for (std::int32_t layer = 0; layer < layers; ++layer) data.part_pairs.push_back({i, k, layer, row});
      ++row;
    }
  }
  return row > rows_begin;
}

/// The first view of every pair, and then the further ones.
void add_pairs(SceneData& data) {
  const auto num_pairs = static_cast<std::int32_t>(data.description.pairs->size());
  std::vector<PairView> further;
  std::int32_t row = 0;
  for (std::int32_t index = 0; index < num_pairs; ++index) {
    const Pair& pair = (*data.description.pairs)[index];
    const auto models = part_pair_models(pair, data.description);
    const auto next = num_pairs + static_cast<std::int32_t>(further.size());
    for (std::size_t number = 0; number < contact_models().size(); ++number) {
      const ContactModelInfo& info = contact_models()[number];
      const auto model = static_cast<ContactModel>(number);
      const std::int32_t begin = static_cast<std::int32_t>(data.part_pairs.size()), rows_begin = row;
      if (!add_part_pairs(data, pair, models, model, row)) continue;
      const bool has_state = state_size_of(info, pair, data.description) > 0;
      std::vector<PairView>& views = std::ssize(data.pairs) == index ? data.pairs : further;
      views.push_back({pair.a, pair.b, begin, static_cast<std::int32_t>(data.part_pairs.size()), rows_begin, row,
                       pair.dissipation.value_or(-1), pair.friction.value_or(-1), static_cast<std::int32_t>(number),
                       index, next, info.incompatibility({false, true}, {false, true}, {}).reason.empty(), has_state,
                       has_state && info.has_law, info.has_plates, info.touches_faces, !info.measures_distance,
                       pair.inside || info.measures_distance,
                       info.ball_touches == nullptr ? ShapeSet{0} : info.ball_touches(pair)});
    }
  }
  data.pairs.insert(data.pairs.end(), further.begin(), further.end());
  if (data.part_pairs.size() > limits::kMaxPartPairs) {
    throw_error(
        "scene: {} pairs of parts and layers of half spaces, the limit is {}; use strain maps with fewer rows or a "
        "larger tolerance",
        data.part_pairs.size(), limits::kMaxPartPairs);
  }
}

/// The laws of contacts with state, and what their states begin with.
void add_laws(SceneData& data) {
  const auto has_law = [](const PairView& view) { return view.has_law; };
  if (std::none_of(data.pairs.begin(), data.pairs.end(), has_law)) return;
  const auto size = static_cast<std::size_t>(contact_state_size_of(data.description));
  for (const PairView& view : data.pairs) {
    const Pair& pair = (*data.description.pairs)[view.pair];
    const ContactForceLaw law = force_law_of(pair, data.description);
    const bool has_exponent = contact_models()[static_cast<std::size_t>(view.model)].has_exponent;
    data.laws.push_back({law_numbers(law, has_exponent), pair.stiffness.has_value(), pair.inside, pair.exact_spheres});
    if (pair.contact_state.empty() || !view.has_law) continue;
    data.contact_states.resize(size * (static_cast<std::size_t>(data.part_pairs.back().row) + 1));
    for (std::int32_t row = view.rows_begin; row < view.rows_end; ++row) {
      const auto& states = pair.contact_state;
      const std::array<double, 8>& state =
          states.size() == 1 ? states[0] : states[row - data.pairs[view.pair].rows_begin];
      std::copy(state.begin(), state.end(), data.contact_states.begin() + static_cast<std::ptrdiff_t>(size) * row);
    }
  }
}

/// The pairs of each body.
void add_body_pairs(SceneData& data) {
  for (std::int32_t body = 0; body < static_cast<std::int32_t>(data.bodies.size()); ++body) {
    data.body_pairs_begin.push_back(static_cast<std::int32_t>(data.body_pairs.size()));
    for (std::size_t i = 0; i < data.description.pairs->size(); ++i) {
      if (data.pairs[i].a == body || data.pairs[i].b == body) data.body_pairs.push_back(static_cast<std::int32_t>(i));
    }
  }
  data.body_pairs_begin.push_back(static_cast<std::int32_t>(data.body_pairs.size()));
}

bool needs_smoothed_gradients(const SceneDescription& scene) {
  return scene.contact.dissipation_model == DissipationModel::kPfc ||
         std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return body.one_sided; });
}

SceneView view_of(const SceneData& data) {
  const auto size = [](const auto& array) { return static_cast<std::int32_t>(array.size()); };
  SceneView view = {data.geometries.views.data(),
                    data.bodies.data(),
                    data.parts.data(),
                    data.pairs.data(),
                    data.part_pairs.data(),
                    data.placed_geometries.data(),
                    data.body_pairs.data(),
                    data.body_pairs_begin.data(),
                    size(data.description.geometries),
                    size(data.bodies),
                    size(data.parts),
                    size(*data.description.pairs),
                    size(data.pairs),
                    size(data.part_pairs),
                    1,
                    {},
                    flatten(data.description),
                    data.laws.empty() ? nullptr : data.laws.data(),
                    data.contact_states.empty() ? nullptr : data.contact_states.data(),
                    data.planar_bodies.empty() ? nullptr : data.planar_bodies.data(),
                    distances_of(data)};
  for (const PairView& pair : data.pairs) {
    view.num_models = std::max(view.num_models, pair.model + 1);
    view.contact.any_faces = view.contact.any_faces || pair.touches_faces;
    for (int model = pair.model; model < kMaxContactModels; ++model) ++view.pairs_before[model + 1];
  }
  return view;
}

}  // namespace

std::vector<Part> parts_of(const Body& body) {
  std::vector<Part> parts = body.parts;
  if (parts.empty()) {
    Part& only = parts.emplace_back();
    only.geometry = body.geometry;
    only.name = body.name;
    only.pose = body.offset;
    only.alternatives = body.alternatives;
  }
  for (Part& part : parts) {
    part.modulus = part.modulus.value_or(body.modulus);
    part.dissipation = part.dissipation.value_or(body.dissipation);
    part.friction = part.friction.value_or(body.friction);
    part.rigid = part.rigid.value_or(body.rigid);
    if (!part.foundation_depth) part.foundation_depth = body.foundation_depth;
  }
  return parts;
}

std::vector<Pair> all_pairs(const SceneDescription& scene) {
  std::vector<std::vector<PartKind>> kinds;
  for (const Body& body : scene.bodies) {
    check_geometry_indices(scene, body);
    kinds.push_back(kinds_of(body, scene));
  }
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < kinds.size(); ++a) {
    for (std::size_t b = a + 1; b < kinds.size(); ++b) {
      const Pair pair = {static_cast<int>(a), static_cast<int>(b), {}, {}};
      if (scene.bodies[a].fixed && scene.bodies[b].fixed) continue;
      if (is_excluded(scene, pair)) continue;
      if (are_joined(scene, pair)) continue;
      if (can_touch(scene.contact.model, kinds[a], kinds[b])) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::vector<Pair> pairs_of(const SceneDescription& scene) { return scene.pairs ? *scene.pairs : all_pairs(scene); }

Scene::Scene(SceneDescription description) {
  const StandardArithmetic standard;
  check_scene(description);
  const auto data = std::make_shared<SceneData>();
  data->description = std::move(description);
  if (!data->description.pairs) data->description.pairs = all_pairs(data->description);
  data->geometries.smooth = needs_smoothed_gradients(data->description);
  data->geometries.has_faces = std::any_of(
      data->description.pairs->begin(), data->description.pairs->end(),
      [&](const Pair& pair) { return any_of(models_of(pair, data->description), &ContactModelInfo::touches_faces); });
  for (const Geometry& g : data->description.geometries) data->geometries.add(g);
  add_bodies(*data);
  add_planar_bodies(*data);
  data->geometries.add_layers(data->description.geometries);
  add_pairs(*data);
  for (const ContactModelInfo& model : contact_models()) {
    if (model.prepare != nullptr) model.prepare(*data);
  }
  add_body_pairs(*data);
  add_laws(*data);
  data->view = view_of(*data);
  data_ = data;
}

const SceneData& Scene::data() const {
  if (data_ == nullptr) throw Error("scene: it was moved from; use the scene that it was moved to");
  return *data_;
}

const SceneDescription& Scene::description() const { return data().description; }
const std::vector<Pair>& Scene::pairs() const { return *data().description.pairs; }
int Scene::num_bodies() const { return data().view.num_bodies; }
int Scene::num_pairs() const { return data().view.num_pairs; }
int Scene::num_parts() const { return data().view.num_parts; }
int Scene::num_part_pairs() const { return data().part_pairs.empty() ? 0 : data().part_pairs.back().row + 1; }

int Scene::contact_state_size() const { return data().view.contact.state_size; }

std::vector<PartPair> Scene::part_pairs() const {
  std::vector<PartPair> all;
  for (int pair = 0; pair < num_pairs(); ++pair) {
    const std::int32_t begin = data().pairs[pair].part_pairs_begin;
    for (std::int32_t i = begin; i < data().view.part_pairs_end(pair); ++i) {
      const PartPairView& parts = data().part_pairs[i];
      if (parts.layer > 0) continue;
      all.push_back({pair, parts.a, parts.b});
    }
  }
  return all;
}

// ---- by name

int Scene::body_index(const std::string& name) const {
  std::vector<std::string> names;
  for (const Body& body : description().bodies) names.push_back(body.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    fail("no body is named " + in_quotes(name, '"') + suggestion(name, names), in_quotes(name, '"'),
         "one of " + list_of(names));
  }
  if (std::count(names.begin(), names.end(), name) > 1) {
    fail("more than one body is named " + in_quotes(name, '"') + "; use their indices", in_quotes(name, '"'),
         "the index of a body");
  }
  return static_cast<int>(found - names.begin());
}

int Scene::pair_index(const std::string& a, const std::string& b) const {
  return pair_index(body_index(a), body_index(b));
}

int Scene::pair_index(int a, int b) const {
  const SceneDescription& scene = description();
  for (const int body : {a, b}) {
    if (body >= 0 && body < num_bodies()) continue;
    fail(fmt::format("the body index {} must be in [0, {})", body, num_bodies()), fmt::to_string(body),
         fmt::format("in [0, {})", num_bodies()));
  }
  const auto index_of = [&](int first, int second) {
    const auto found = std::find_if(scene.pairs->begin(), scene.pairs->end(),
                                    [&](const Pair& pair) { return pair.a == first && pair.b == second; });
    return found == scene.pairs->end() ? -1 : static_cast<int>(found - scene.pairs->begin());
  };
  if (const int index = index_of(a, b); index >= 0) return index;
  const std::string wanted = pair_text(scene, a, b);
  if (index_of(b, a) >= 0) {
    const std::string listed = pair_text(scene, b, a);
    fail(fmt::format("the pair {0} is listed as {1}, with wrenches on {2}; ask for {1}", wanted, listed,
                     in_quotes(name_at(scene, b), '"')),
         wanted, listed);
  }
  const std::string pairs = list_of_pairs(scene);
  fail(fmt::format("{} is not a pair; the pairs are {}", wanted, pairs), wanted, "one of " + pairs);
}

bool detail::measures_distances(const Scene& scene) {
  const std::vector<PairView>& pairs = scene.data().pairs;
  return std::any_of(pairs.begin(), pairs.end(), [](const PairView& pair) { return !pair.exerts_force; });
}

}  // namespace isopatch

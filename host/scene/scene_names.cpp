// SPDX-License-Identifier: Apache-2.0
//
// Bodies and pairs of a scene by name.
#include <fmt/format.h>

#include <algorithm>

#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "isopatch/error.h"
#include "isopatch/scene/scene.h"

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
  for (std::size_t i = 0; i < scene.pairs.size() && i < 12; ++i) {
    list += (i == 0 ? "" : ", ") + pair_text(scene, scene.pairs[i].a, scene.pairs[i].b);
  }
  return scene.pairs.empty() ? "none" : list + (scene.pairs.size() > 12 ? ", ..." : "");
}

}  // namespace

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
    const auto found = std::find_if(scene.pairs.begin(), scene.pairs.end(),
                                    [&](const Pair& pair) { return pair.a == first && pair.b == second; });
    return found == scene.pairs.end() ? -1 : static_cast<int>(found - scene.pairs.begin());
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

}  // namespace isopatch

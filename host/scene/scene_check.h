// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/text/throw_error.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// Throws Error, naming the object and the value, unless `scene` is valid.
void check_scene(const SceneDescription& scene);

/// Throws Error for a body with a part whose geometry index is out of range.
void check_geometry_indices(const SceneDescription& scene, const Body& body);

/// Throws Error, naming the body and the value, unless mass, density, centre of mass and inertia are possible.
void check_mass(const Body& body);

/// Throws Error, naming the body and the value, unless masses and motions of all bodies are valid. All indices of
/// geometries are in range.
void check_motions(const SceneDescription& scene);

/// Throws Error, naming the value, unless all options are valid.
void check_rollout_options(const RolloutOptions& options);

/// Throws Error unless every body can move as its motion says. A Scene may have a free half space, which only an
/// evaluation can use.
void check_movable(const SceneDescription& scene);

/// Throws Error about a scene, with a message that fmt makes.
template <class... Values>
[[noreturn]] void fail_scene(fmt::format_string<Values...> what, Values&&... values) {
  throw Error("scene: " + fmt::format(what, std::forward<Values>(values)...));
}

/// Calls a rule; puts the name of the object before the message that it throws.
template <class Rule, class... Arguments>
void check_rule(const std::string& location, const Rule& rule, const Arguments&... arguments) {
  try {
    rule(arguments...);
  } catch (const Error& error) {
    throw with_location("scene: " + location, error);
  }
}

}  // namespace isopatch::detail

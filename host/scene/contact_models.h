// SPDX-License-Identifier: Apache-2.0
//
// What scenes need to know of the contact models.
#pragma once

#include <optional>
#include <span>

#include "host/scene/models/model_info.h"

namespace isopatch::detail {

/// Of scenes that name none: pressure fields.
inline constexpr ContactModel kDefaultModel{};

/// The models that there are, in the order of ContactModel.
std::span<const ContactModelInfo> contact_models();

/// Whether one of the models has something: any_of(models, &ContactModelInfo::has_plates).
bool any_of(const ContactModels& models, bool ContactModelInfo::*has);

/// The model's entry. Throws Error, with the names that there are, for a value beyond them.
const ContactModelInfo& info_of(ContactModel model);

/// Throws Error if the scene has a pair of a model beyond the first `count`, which `backend` has.
void require_models(const SceneView& scene, std::size_t count, const char* backend);

/// Throws as info_of() for one of the models, and if there are none.
void check_models(const ContactModels& models);

/// The models of a pair: its own, or else the scene's.
const ContactModels& models_of(const Pair& pair, const SceneDescription& scene);

PairKind kind_of(const Pair& pair);

/// How the contact of a pair holds against sliding: its own, or else the scene's.
FrictionModel friction_model_of(const Pair& pair, const SceneDescription& scene);

/// Doubles that a model carries for each part pair of a pair.
int state_size_of(const ContactModelInfo& model, const Pair& pair, const SceneDescription& scene);

/// The first of the models in which two parts can touch, if they can in any.
std::optional<ContactModel> model_of(const ContactModels& models, const PartKind& a, const PartKind& b,
                                     const PairKind& pair);

/// The model of each part pair of a pair, by part of a, then part of b; without one, its parts cannot touch.
std::vector<std::optional<ContactModel>> part_pair_models(const Pair& pair, const SceneDescription& scene);

/// S of Scene::contact_state_size() and Q of Scene::num_part_pairs(), of a scene that is not made yet.
int contact_state_size_of(const SceneDescription& scene);
int num_part_pairs_of(const SceneDescription& scene);

/// The names of all models, in their order.
std::vector<std::string> contact_model_names();

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include "host/cli/info/contact_info.h"

#include <fmt/format.h>

#include <utility>

#include "host/cli/info_table.h"
#include "host/scene/contact_models.h"
#include "host/scene/enumerator_names.h"
#include "host/scene/scene_data.h"
#include "host/text/quote.h"
#include "isopatch/detail/contact/part_law.h"

namespace isopatch::cli {

using namespace detail;

namespace {

/// The stiffness of a part pair, and where it comes from.
std::pair<std::string, std::string> stiffness_of(const SceneView& scene, int view, const PartPairView& parts,
                                                 const LawNumbers& law, const Softness& softness) {
  const ContactModelInfo& model = info_of(static_cast<ContactModel>(scene.pairs[view].model));
  if (model.stiffness_of == nullptr) return {"-", "pressure field"};
  const auto [value, exponent, from] = model.stiffness_of(scene, parts, law, softness, scene.laws[view].has_stiffness);
  return {exponent == 1 ? number(value) + " N/m" : fmt::format("{:g} N/m^{:g}", value, exponent), from};
}

std::string damping_of(const Pair& pair, const LawNumbers& law, DissipationModel model) {
  if (pair.restitution) return fmt::format("e {:g}, d/e {:.4g}", *pair.restitution, law.impact_factor);
  return number(law.dissipation) + (model == DissipationModel::kPfc ? " s" : " s/m");
}

std::string break_away_of(const LawNumbers& law) {
  if (!law.has_bristles) return "-";
  return fmt::format("{:.4g} m", law.friction * law.bristle.static_ratio / law.bristle.stiffness);
}

}  // namespace

std::vector<std::string> names_of_parts(const SceneDescription& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.bodies) {
    for (const Part& part : parts_of(body)) {
      names.push_back(escaped(body.parts.empty() ? body.name : body.name + ": " + part.name));
    }
  }
  return names;
}

void print_contacts(const Scene& built) {
  const SceneDescription& description = built.description();
  const SceneView& scene = built.data().view;
  const std::vector<std::string> names = names_of_parts(description);
  State state;  // the scene's materials
  state.num_environments = 1;
  Rows rows = {
      {"contact", "", "model", "friction model", "from", "stiffness", "friction", "damping", "breaks away at"}};
  for (std::size_t i = 0; i < built.data().pairs.size(); ++i) {
    const PairView& view = built.data().pairs[i];
    if (!view.has_law) continue;
    const Pair& pair = (*description.pairs)[view.pair];
    for (std::int32_t k = view.part_pairs_begin; k < view.part_pairs_end; ++k) {
      const PartPairView& parts = scene.part_pairs[k];
      if (parts.layer > 0) continue;
      Softness softness = {};
      const LawNumbers law = law_of(scene, state, 0, static_cast<int>(i), parts, softness);
      const auto [stiffness, from] = stiffness_of(scene, static_cast<int>(i), parts, law, softness);
      rows.push_back({names[parts.a], names[parts.b], info_of(static_cast<ContactModel>(view.model)).name,
                      name_in(kFrictionModelNames, friction_model_of(pair, description)), from, stiffness,
                      number(law.friction), damping_of(pair, law, description.contact.dissipation_model),
                      break_away_of(law)});
    }
  }
  if (rows.size() > 1) print_first(std::move(rows), kMaxContactRows, 5);
}

}  // namespace isopatch::cli

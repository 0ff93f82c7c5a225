// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/scene_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/scene/contact_models.h"
#include "host/scene/motion_rules.h"
#include "host/scene_file/scene_geometries.h"
#include "host/text/quote.h"
#include "host/text/suggestion.h"

namespace isopatch::detail {

int index_of(const JsonValue& reference, const Names& names, const std::string& kind) {
  const std::string name = reference.text();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    reference.fail(fmt::format("no {} is named {}{}", kind, in_quotes(name, '"'), suggestion(name, names)),
                   {.found = in_quotes(name, '"'), .wanted = "one of " + list_of(names)});
  }
  return static_cast<int>(found - names.begin());
}

double in_range(const JsonValue& value, const Range& range) {
  const double number = value.number();
  with_location(value, [&] { check_range(number, range); });
  return number;
}

void read_vector(const JsonValue& value, const Range& range, double* to) {
  const Point3 vector = value.numbers<3>();
  for (const JsonValue& element : value.elements()) in_range(element, range);
  std::copy(vector.begin(), vector.end(), to);
}

std::vector<TimedValue> parse_rows(const JsonValue& value, const Range& range) {
  if (!value.is_array()) return {{0, in_range(value, range)}};
  std::vector<TimedValue> rows;
  for (const JsonValue& element : value.elements()) {
    const auto [time, number] = element.numbers<2>();
    rows.push_back({time, number});
  }
  if (rows.empty()) value.fail("must be a number or at least one row [time, value], found no rows");
  with_location(value, [&] { check_rows(rows, range); });
  return rows;
}

namespace {
ContactModel parse_model(const JsonValue& value) {
  const std::vector<std::string> names = contact_model_names();
  const std::string name = value.text();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    value.fail("unknown contact model " + in_quotes(name, '"') + suggestion(name, names),
               {.found = in_quotes(name, '"'), .wanted = "one of " + list_of(names)});
  }
  return static_cast<ContactModel>(found - names.begin());
}
}  // namespace

ContactModels parse_models(const JsonValue& value) {
  if (!value.is_array()) return parse_model(value);
  ContactModels models;
  for (const JsonValue& element : value.elements()) models.push_back(parse_model(element));
  with_location(value, [&] { check_models(models); });
  return models;
}

void read_pose(const JsonValue& object, std::array<double, 7>& pose) {
  if (const auto field = object.optional("position")) read_vector(*field, kPositionRange, pose.data());
  if (const auto field = object.optional("orientation")) {
    const std::array<double, 4> quaternion = field->numbers<4>();
    std::copy(quaternion.begin(), quaternion.end(), pose.data() + 3);
    with_location(*field, [&] { check_orientation(pose); });
  }
}

}  // namespace isopatch::detail

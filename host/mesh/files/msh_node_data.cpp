// SPDX-License-Identifier: Apache-2.0
//
// The $NodeData of MshReader.
#include <fmt/format.h>

#include "host/mesh/files/msh_reader.h"

namespace isopatch::detail {
namespace {

/// A field may have values for a few nodes only, but takes memory for every node. All fields together may have one
/// value for each byte of the file, and this many besides.
constexpr std::size_t kMaxSparse = 4'000'000;

}  // namespace

/// A count, then that many strings, one on each line; keeps the first one without its quotes.
void MshReader::read_strings(std::string& first) {
  const Words words = in_.words();
  const std::int64_t count = in_.count(words.empty() ? "" : words[0], "the number of string tags");
  for (std::int64_t i = 0; i < count; ++i) {
    if (in_.at_end()) in_.fail("the file ends within the string tags of $NodeData");
    std::string_view text = in_.line();
    if (i > 0) continue;
    const std::size_t open = text.find('"'), close = text.rfind('"');
    first = open < close && close != std::string_view::npos ? text.substr(open + 1, close - open - 1) : text;
  }
}

/// Names, times and sizes, which are text in binary files too; then for each node its tag and its values.
void MshReader::read_node_data() {
  Field field;
  read_strings(field.name);
  const std::int64_t times = in_.count(ValueType::kI64, "the number of real tags");
  in_.skip_values(ValueType::kF64, times, 1, "the real tags");
  const std::int64_t tags = in_.count(ValueType::kI64, "the number of integer tags");
  if (tags < 3) in_.fail("{} integer tags; time step, components and number of nodes are needed", tags);
  integer(ValueType::kI64);  // the time step
  const std::int64_t components = in_.count(ValueType::kI64, "the number of components");
  const std::int64_t count = announced(ValueType::kI64, "the number of nodes with data");
  in_.skip_values(ValueType::kI64, tags - 3, 1, "the integer tags");
  if (binary_) in_.line();
  in_.set_binary(binary_);

  const bool scalar = components == 1;
  if (scalar && !field_names_.insert(field.name).second) {
    in_.fail("a second $NodeData {}; names must differ", in_quotes(field.name));
  }
  in_.expect_values(ValueType::kI32, count, 1, "$NodeData");
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t node = read_node_of("value", i, ValueType::kI32);
    if (!scalar) {
      in_.skip_values(ValueType::kF64, components, 1, "$NodeData");
      continue;
    }
    field.values.emplace_back(node, in_.real(ValueType::kF64));
  }
  if (scalar) fields_.push_back(std::move(field));
}

void MshReader::take_fields() {
  if (fields_.empty()) return;
  last_field_.assign(mesh_.points.size(), kNoTet);
  for (const Tet& tet : mesh_.tets) {
    for (const std::int32_t v : tet) tet_nodes_ += std::exchange(last_field_[v], 0) != 0;
  }
  std::size_t expanded = 0, number = 0;
  for (Field& field : fields_) {
    expanded += take_field(field, ++number) ? mesh_.points.size() : 0;
    field.values = {};
    if (expanded > kMaxSparse + in_.position()) {
      in_.fail("the $NodeData of {} nodes take {} values up to {}; {} can be read from a file of {} bytes",
               mesh_.points.size(), expanded, in_quotes(field.name), kMaxSparse + in_.position(), in_.position());
    }
  }
}

/// A field is usable if it has a value for every node of a tet. Other nodes may have none; they get 0.
bool MshReader::take_field(const Field& field, std::size_t number) {
  std::size_t missing = tet_nodes_;
  for (const auto& [node, value] : field.values) {
    std::size_t& last = last_field_[node];
    if (last != kNoTet && std::exchange(last, number) != number) --missing;
  }
  if (missing > 0) {
    mesh_.notes.push_back(
        fmt::format("$NodeData {} has no value for {} nodes of tets and was left out", in_quotes(field.name), missing));
    return false;
  }
  std::vector<double> values(mesh_.points.size());
  for (const auto& [node, value] : field.values) values[node] = value;
  mesh_.point_data.emplace(field.name, std::move(values));
  return true;
}

}  // namespace isopatch::detail

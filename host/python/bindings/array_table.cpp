// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/array_table.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "host/python/bindings/array_lists.h"
#include "host/python/bindings/evaluation.h"
#include "host/python/bindings/stepping.h"
#include "host/rollout/former_names.h"

namespace isopatch::python {
namespace {

constexpr std::size_t kMaxLine = 120;

/// The axes of an array as text; shape_of() has their numbers.
std::vector<std::string> axes_of(const ArrayInfo& info) {
  std::vector<std::string> axes;
  for (const char* symbol : row_axes(info).symbols) {
    if (symbol != nullptr) axes.emplace_back(symbol);
  }
  if (info.width == kPointsOfCluster * 3) {
    axes.insert(axes.end(), {std::to_string(kPointsOfCluster), "3"});
  } else if (info.width != 1) {
    axes.push_back(info.width == 0 ? "S" : std::to_string(info.width));
  }
  return axes;
}

/// Whether there is something to say of a unit.
bool has_unit(const ArrayInfo& info) {
  const std::string_view unit = info.unit;
  return !unit.empty() && unit != "1" && unit != "index" && unit != "0 or 1";
}

/// "float32 or float64"
std::string types_of(const ArrayInfo& info) {
  const std::string_view type = info.type;
  return type == "real" ? "float32 or float64" : type == "uint8" ? "bool or uint8" : std::string(type);
}

/// Words in lines, of which all but the first have 4 more spaces before them.
std::string wrapped(std::string_view text, int indent) {
  std::string lines;
  std::string line(static_cast<std::size_t>(indent), ' ');
  bool is_empty = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (!is_empty && line.size() + 1 + word.size() > kMaxLine) {
      lines += line + "\n";
      line.assign(static_cast<std::size_t>(indent) + 4, ' ');
      is_empty = true;
    }
    if (!is_empty) line += ' ';
    line += word;
    is_empty = false;
  }
  return lines + line;
}

/// Visits the members of State, Results and so on too, which have a stride or none.
template <class Arrays, class ForEach>
nb::tuple table_of(const char* list, const ForEach& for_each) {
  nb::list rows;
  Arrays none;
  for_each(
      [&](const ArrayInfo& info, auto& array) {
        nb::list axes;
        for (const std::string& axis : axes_of(info)) axes.append(axis);
        const ArrayDescription* description = description_of(list, info.name);
        const char* text = description == nullptr ? "" : description->text;
        const char* missing = description == nullptr ? nullptr : description->missing;
        rows.append(nb::make_tuple(
            info.name, nb::tuple(axes), info.type, info.unit, info_of(info.group).name, requires { array.stride; },
            text, missing));
      },
      none);
  return nb::tuple(rows);
}

/// The members of a record, of which NumPy's type is made.
nb::tuple members_of(std::span<const RecordField> fields) {
  nb::list members;
  for (const RecordField& field : fields) {
    members.append(nb::make_tuple(field.name, field.type, field.rows, field.width));
  }
  return nb::tuple(members);
}

/// Adds one array to the dictionary that it holds.
struct Description {
  ArrayCounts counts;
  nb::dict arrays;

  void add(const ArrayInfo& info) {
    if (info.has_capacity() && counts[info.per] < 0) {
      arrays[info.name] = nb::none();
      return;
    }
    const bool is_packed = info.is_packed() && info.per != Per::kOffset;
    std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
    const int count = shape_of(info, {counts, 1}, dimensions);
    nb::list shape;
    for (int i = is_packed ? 0 : 1; i < count; ++i) shape.append(dimensions[i]);
    const char* rows = is_packed ? "" : info.per == Per::kOffset ? "N + 1" : "N";
    arrays[info.name] = nb::make_tuple(info.type, nb::tuple(shape), rows);
  }
};

}  // namespace

std::string argument_lines(const char* list, const std::string& leading, int indent) {
  std::string lines;
  const bool of_steps = list == std::string_view("step_inputs");
  for (const ArrayInfo& info : of_steps ? std::span<const ArrayInfo>(kStepInputs) : kInputs) {
    std::vector<std::string> axes = axes_of(info);
    axes[0] = leading;
    std::string line = fmt::format("{}: [{}], {}", info.name, fmt::join(axes, ", "), types_of(info));
    if (has_unit(info)) line += std::string(", ") + info.unit;
    const ArrayDescription* description = description_of(list, info.name);
    if (description != nullptr) line += fmt::format(". {}", description->text);
    line += ".";
    if (description != nullptr && description->missing != nullptr) {
      line += fmt::format(" None: {}.", description->missing);
    }
    lines += (lines.empty() ? "" : "\n") + wrapped(line, indent);
  }
  return lines;
}

nb::tuple describe_arrays(const PythonEvaluator& evaluator, const ArrayCounts& counts) {
  Description inputs{evaluator.counts, {}}, outputs{counts, {}};
  for_each_input([&](const ArrayInfo& info) { inputs.add(info); });
  Results none;
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        outputs.add(as_words<ElementOf<std::remove_reference_t<decltype(array)>>>(info));
      },
      none);
  return nb::make_tuple(inputs.arrays, outputs.arrays);
}

nb::tuple describe_arrays(const PythonSimulator& simulator) {
  Description state{simulator.counts, {}}, inputs{simulator.counts, {}}, outputs{simulator.counts, {}};
  for_each_rollout_state([&](const ArrayInfo& info) { state.add(info); });
  for_each_rollout_input([&](const ArrayInfo& info) { inputs.add(info); });
  for_each_rollout_output([&](const ArrayInfo& info) { outputs.add(info); });
  return nb::make_tuple(state.arrays, inputs.arrays, outputs.arrays);
}

void bind_array_table(nb::module_& module) {
  nb::dict tables;
  tables["inputs"] = table_of<State>("inputs", [](const auto& visit, auto& arrays) { for_each_input(visit, arrays); });
  tables["outputs"] =
      table_of<Results>("outputs", [](const auto& visit, auto& arrays) { for_each_output(visit, arrays); });
  tables["state"] =
      table_of<RolloutState>("state", [](const auto& visit, auto& arrays) { for_each_rollout_state(visit, arrays); });
  tables["step_inputs"] = table_of<RolloutInput>(
      "step_inputs", [](const auto& visit, auto& arrays) { for_each_rollout_input(visit, arrays); });
  tables["step_outputs"] = table_of<RolloutOutput>(
      "step_outputs", [](const auto& visit, auto& arrays) { for_each_rollout_output(visit, arrays); });
  module.attr("ARRAYS") = tables;
  nb::dict records;
  Results none;
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        using Record = ElementOf<std::remove_reference_t<decltype(array)>>;
        if constexpr (kIsRecord<Record>) records[info.type] = members_of(kRecordFields<Record>);
      },
      none);
  module.attr("RECORDS") = records;
  nb::list buffers;
  for (const std::size_t buffer : kBuffers) buffers.append(kOutputs[buffer].name);
  module.attr("BUFFERS") = nb::tuple(buffers);
  nb::dict old_capacities;
  for (const auto& [name, pers] : kOldCapacities) {
    old_capacities[name] = nb::make_tuple(kOutputs[isopatch::detail::buffer_of(pers[0])].name,
                                          kOutputs[isopatch::detail::buffer_of(pers[1])].name);
  }
  module.attr("OLD_CAPACITIES") = old_capacities;
  nb::dict former_names;
  for (const auto& [former, present] : isopatch::detail::kFormerNames) former_names[former] = present;
  module.attr("FORMER_NAMES") = former_names;
  module.def("argument_lines", &argument_lines, nb::arg("list"), nb::arg("leading"), nb::arg("indent"),
             "The lines of a docstring about \"inputs\" or \"step_inputs\", whose first axis is `leading`.");
}

}  // namespace isopatch::python

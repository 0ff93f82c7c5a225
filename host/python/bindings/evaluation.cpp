// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "host/python/bindings/candidates.h"
#include "isopatch/limits.h"

namespace isopatch::python {
namespace {

/// The index of an output in for_each_output() and in the named tuple.
consteval int index_of(std::string_view name) {
  int i = 0;
  while (kOutputs.at(static_cast<std::size_t>(i)).name != name) ++i;  // an unknown name does not compile
  return i;
}

constexpr int kPairWrench = index_of("pair_wrench"), kBodyWrench = index_of("body_wrench");
constexpr int kPolygons = index_of("polygons"), kPolygonsNeeded = index_of("polygons_needed");
constexpr int kContacts = index_of("contacts"), kContactsNeeded = index_of("contacts_needed");
constexpr int kPackedPolygons = index_of("packed_polygons"), kPackedContacts = index_of("packed_contacts");
constexpr int kPolygonOffsets = index_of("polygon_offsets"), kContactOffsets = index_of("contact_offsets");
constexpr int kPolygonEnvironments = index_of("polygon_environments");
constexpr int kContactEnvironments = index_of("contact_environments");
constexpr int kPotentialContacts = index_of("potential_contacts"), kRelations = index_of("relations");
constexpr int kRelationMembers = index_of("relation_members"), kRelationsNeeded = index_of("relations_needed");

const ArrayNames& output_names() {
  static const ArrayNames names(kOutputs);
  return names;
}

constexpr std::uint64_t bit(int output) { return std::uint64_t{1} << output; }

constexpr const ArrayInfo& info_of(int output) { return kOutputs[static_cast<std::size_t>(output)]; }

/// An output with rows for polygons, contacts or relations, and the number of rows.
struct Buffer {
  int output;
  std::int64_t ArrayCounts::*rows;
};
constexpr Buffer kBuffers[] = {{kPolygons, &ArrayCounts::polygon_capacity},
                               {kContacts, &ArrayCounts::contact_capacity},
                               {kPackedPolygons, &ArrayCounts::packed_polygon_capacity},
                               {kPackedContacts, &ArrayCounts::packed_contact_capacity},
                               {kPotentialContacts, &ArrayCounts::potential_contact_capacity},
                               {kRelations, &ArrayCounts::relation_capacity},
                               {kRelationMembers, &ArrayCounts::member_capacity}};
constexpr std::uint64_t kRelationBuffers = bit(kPotentialContacts) | bit(kRelations) | bit(kRelationMembers);

/// With the outputs that those wanted cannot be without.
std::uint64_t with_required_outputs(std::uint64_t wanted, bool has_pairs) {
  const auto add = [&](int output, int needed) {
    if ((wanted & bit(output)) != 0) wanted |= bit(needed);
  };
  if (has_pairs) add(kBodyWrench, kPairWrench);
  add(kPolygons, kPolygonsNeeded);
  add(kContacts, kContactsNeeded);
  for (const int buffer : {kPotentialContacts, kRelations, kRelationMembers}) add(buffer, kRelationsNeeded);
  add(kPolygonEnvironments, kPackedPolygons);
  add(kContactEnvironments, kPackedContacts);
  add(kPackedPolygons, kPolygonOffsets);
  add(kPackedContacts, kContactOffsets);
  return wanted;
}

const RecordTypes& types_of_records(const ArrayInfo& info) { return registered_types().records.at(record_kind(info)); }

/// Whether it is a named tuple of the columns of records.
bool has_columns(nb::handle object) {
  const auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  const auto& records = registered_types().records;
  return std::any_of(records.begin(), records.end(), [&](const auto& types) { return types.columns.ptr() == type; });
}

/// The array that the columns of a named tuple are views of, its last field; any other object as it is.
nb::handle memory_of(nb::handle given) {
  return has_columns(given) ? nb::handle(PyTuple_GetItem(given.ptr(), PyTuple_Size(given.ptr()) - 1)) : given;
}

/// A capacity that Python gave, or -1.
std::int64_t parse_capacity(const Argument& argument, nb::handle value) {
  if (value.is_none()) return -1;
  const long long number = PyLong_AsLongLong(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    argument.wrong_type("expected a number of rows, found {}", text_of(nb::repr(value)));
  }
  if (number < 0 || number > std::numeric_limits<std::int32_t>::max()) {
    argument.wrong_value("expected a number of rows from 0 to 2147483647, found {}", number);
  }
  return number;
}

/// Seconds, of contacts with state and of rigid convex parts.
double parse_time_step(const Argument& argument, nb::handle value) {
  const double step = parse_number(argument, value);
  if (!(step >= 0) || std::isinf(step)) {
    argument.wrong_value("expected a finite number of seconds, not negative, found {}", step);
  }
  return step;
}

}  // namespace

PythonEvaluator::PythonEvaluator(nb::object scene_, const ComputeOptions& options)
    : scene(std::move(scene_)),
      compute(options),
      evaluator(nb::cast<const Scene&>(scene), options.options),
      counts(counts_of(evaluator.scene())) {}

std::uint64_t PythonEvaluator::wanted(const char* call, nb::handle outputs) const {
  return with_required_outputs(output_names().parse(call, outputs), counts.pairs > 0);
}

Evaluation::Evaluation(const char* call, const PythonEvaluator& evaluator, const EvaluationArguments& arguments)
    : call_(call), evaluator_(evaluator), placement_(evaluator.compute.placement), counts_(evaluator.counts) {
  if (placement_.on_cuda || !arguments.stream.is_none()) {
    placement_ = with_stream(placement_, {call_, "stream"}, arguments.stream, arguments.inputs[0]);
  }
  if (!arguments.time_step.is_none()) state_.time_step = parse_time_step({call_, "time_step"}, arguments.time_step);
  read_inputs(arguments);
  candidates_ = parse_candidates(call_, arguments.candidates, evaluator_, state_.num_environments);
  make_outputs(arguments);
}

void Evaluation::read_inputs(const EvaluationArguments& arguments) {
  std::size_t i = 0;
  CallShape shape{counts_, -1};
  for_each_input(
      [&](const ArrayInfo& info, auto& array) {
        const std::size_t k = i++;
        if (k > 0 && arguments.inputs[k].is_none()) return;
        const Argument argument{call_, info.name};
        check_tensor(arguments.inputs[k], argument);
        inputs_[k].read(arguments.inputs[k].ptr(), argument, placement_);
        set_array(array, inputs_[k], argument, info, shape);
        if (k == 0) shape.environments = inputs_[0].shape[0];
      },
      state_);
  state_.num_environments = shape.environments;
  if (shape.environments == 0) state_.poses = {};  // no work, whatever the address of an empty array
}

/// Takes the words that `out` has for records, or the columns of such words.
template <class Array>
void Evaluation::use_words(std::size_t i, const ArrayInfo& info, Array& array) {
  using Value = std::remove_pointer_t<decltype(array.data)>;
  const Argument argument{call_, info.name};
  const RecordKind& kind = kRecordKinds.at(record_kind(info));
  const nb::handle given = outputs_.given(i), memory = memory_of(given);
  if (memory.is_none()) argument.wrong_value("arrays of JAX never change; leave out `out`");
  if (!array_type_of(memory.ptr()).has_columns) {
    argument.wrong_type("expected a NumPy array of isopatch.{}, or int32 words of torch or CuPy, {} a row", kind.dtype,
                        kind.words);
  }
  ArrayView& view = outputs_.view(i);
  view.read(memory.ptr(), argument, placement_);
  check_writable(view, argument);
  if (view.type.code != dlpack::kInt || view.type.bits != 32) {
    argument.wrong_type(
        "expected int32, in which the words of the records are, found {}; make it with dtype=torch.int32",
        view.type_name());
  }
  const ArrayInfo words = as_words(info);
  const std::int64_t stride = check_layout(view, argument, words, {counts_, state_.num_environments});
  if (view.shape[0] > 1 && stride != counts_.row(words)) {
    argument.wrong_value("expected contiguous rows, found some with gaps; give an array of its own");
  }
  array.data = static_cast<Value*>(view.data);
  outputs_.set(i, nb::borrow(given));
  if (!has_columns(given)) words_ |= bit(static_cast<int>(i));
}

/// Records of NumPy, or for libraries without structures their words.
template <class Array>
void Evaluation::make_records(std::size_t i, const ArrayInfo& info, Array& array) {
  using Value = std::remove_pointer_t<decltype(array.data)>;
  const Argument argument{call_, info.name};
  const CallShape shape{counts_, state_.num_environments};
  const nb::object& dtype = types_of_records(info).dtype;
  nb::object records;
  if (outputs_.is_given(i)) {
    records = nb::borrow(outputs_.given(i));
    const bool is_numpy = !placement_.on_cuda && array_type_of(records.ptr()).is_numpy;
    if (!is_numpy || !nb::getattr(records, "dtype", nb::none()).equal(dtype)) {
      return use_words(i, info, array);
    }
  } else if (array_type_of(inputs_[0].object).has_columns) {
    outputs_.make(i, array, argument, as_words(info), shape, inputs_[0], dlpack::kInt32, placement_);
    words_ |= bit(static_cast<int>(i));
    return;
  } else if (placement_.on_cuda) {
    argument.wrong_value("on a CUDA device there are records for torch, JAX and CuPy only; give poses of one of these");
  } else {
    std::int64_t dimensions[ArrayView::kMaxDimensions] = {};
    const int count = shape_of(info, shape, dimensions);
    records = new_numpy_array({dimensions, static_cast<std::size_t>(count)}, dtype);
  }
  ArrayView& view = outputs_.view(i);
  view.read(records.ptr(), argument, {});
  check_writable(view, argument);
  const std::int64_t stride = check_layout(view, argument, info, shape);
  if (view.shape[0] > 1 && stride != counts_.row(info)) {
    argument.wrong_value("expected contiguous elements, found some with gaps; give an array of its own");
  }
  array.data = static_cast<Value*>(view.data);
  outputs_.set(i, std::move(records));
}

template <class Array>
void Evaluation::make_output(std::size_t i, const ArrayInfo& info, Array& array) {
  using Value = std::remove_pointer_t<decltype(array.data)>;
  const CallShape shape{counts_, state_.num_environments};
  const Argument argument{call_, info.name};
  if constexpr (kIsRecord<Value>) {
    make_records(i, info, array);
  } else if (outputs_.is_given(i)) {
    outputs_.use_given(i, array, argument, info, shape, placement_);
  } else {
    constexpr bool is_real = requires { array.type; };
    const dlpack::DataType type = is_real ? inputs_[0].type : kTypeOf<Value>;
    outputs_.make(i, array, argument, info, shape, inputs_[0], type, placement_);
  }
}

void Evaluation::make_outputs(const EvaluationArguments& arguments) {
  outputs_.find(call_, output_names(), registered_types().results, arguments.out);
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < kNumOutputs; ++i) {
    if (!outputs_.is_given(i)) continue;
    wanted |= std::uint64_t{1} << i;
    const nb::handle memory = memory_of(outputs_.given(i));
    check_tensor(memory, {call_, output_names()[i]});
    written_.add(memory);
  }
  if (!arguments.outputs.is_none()) {
    wanted |= output_names().parse(call_, arguments.outputs);
  } else if (arguments.out.is_none()) {
    wanted = bit(kPairWrench);
  }
  wanted = with_required_outputs(wanted, counts_.pairs > 0);
  if (!arguments.max_clusters.is_none()) {
    const Argument argument{call_, "max_clusters"};
    const std::int64_t clusters = parse_capacity(argument, arguments.max_clusters);
    if (clusters < 1 || clusters > limits::kMaxClusters) {
      argument.wrong_value("expected a number from 1 to {}, found {}", limits::kMaxClusters, clusters);
    }
    counts_.clusters = clusters;
  }
  find_capacities(arguments, wanted);
  set_sizes(results_, counts_);

  std::size_t i = 0;
  for_each_output(
      [&](const ArrayInfo& info, auto& array) {
        const std::size_t k = i++;
        if ((wanted >> k & 1) != 0) make_output(k, info, array);
      },
      results_);
}

/// The rows that there is room for: what Python says, what arrays in `out` have, or as many as there are.
void Evaluation::find_capacities(const EvaluationArguments& arguments, std::uint64_t wanted) {
  Capacities given{};
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i] = parse_capacity({call_, kCapacities[i]}, arguments.capacities[i]);
  }
  std::uint64_t open = 0;
  for (const auto& [output, rows] : kBuffers) {
    if ((wanted & bit(output)) == 0) continue;
    const std::size_t argument = capacity_of(info_of(output).per);
    counts_.*rows = outputs_.is_given(static_cast<std::size_t>(output)) ? rows_in_out(output) : given.at(argument);
    if (counts_.*rows >= 0) continue;
    if (placement_.on_cuda) {
      Argument{call_, kCapacities.at(argument)}.wrong_value(
          "expected a number of rows for {}, found None: on a CUDA device nothing waits to count them",
          info_of(output).name);
    }
    open |= bit(output);
  }
  if (open != 0) count_rows(open);
}

/// How many rows an array of `out` has.
std::int64_t Evaluation::rows_in_out(int output) const {
  ArrayView view;
  const nb::handle memory = memory_of(outputs_.given(static_cast<std::size_t>(output)));
  if (memory.is_none()) return 0;  // which is an error later
  view.read(memory.ptr(), {call_, info_of(output).name}, placement_);
  const int axis = info_of(output).is_packed() ? 0 : 1;
  return view.ndim > axis ? view.shape[axis] : 0;
}

/// Evaluates to find how many rows there are in the outputs with the bits.
void Evaluation::count_rows(std::uint64_t open) {
  const auto n = static_cast<std::size_t>(state_.num_environments);
  std::vector<std::int32_t> polygons(n), contacts(n), relations(3 * n);
  std::vector<std::int64_t> polygon_offsets(n + 1), contact_offsets(n + 1);
  Results counted;
  if ((open & bit(kPolygons)) != 0) counted.polygons_needed = polygons.data();
  if ((open & bit(kContacts)) != 0) counted.contacts_needed = contacts.data();
  if ((open & bit(kPackedPolygons)) != 0) counted.polygon_offsets = polygon_offsets.data();
  if ((open & bit(kPackedContacts)) != 0) counted.contact_offsets = contact_offsets.data();
  if ((open & kRelationBuffers) != 0) counted.relations_needed = relations.data();
  {
    const nb::gil_scoped_release released;
    evaluator_.evaluator.evaluate(state_, counted);
  }
  const auto most = [](const std::vector<std::int32_t>& counts, std::size_t first = 0, std::size_t step = 1) {
    std::int64_t found = 0;
    for (std::size_t i = first; i < counts.size(); i += step) found = std::max<std::int64_t>(found, counts[i]);
    return found;
  };
  const std::int64_t found[] = {most(polygons),         most(contacts),        polygon_offsets.back(),
                                contact_offsets.back(), most(relations, 0, 3), most(relations, 1, 3),
                                most(relations, 2, 3)};
  static_assert(std::size(found) == std::size(kBuffers));
  for (std::size_t i = 0; i < std::size(kBuffers); ++i) {
    if ((open & bit(kBuffers[i].output)) != 0) counts_.*kBuffers[i].rows = found[i];
  }
}

void Evaluation::evaluate() {
  const Evaluator& evaluator = evaluator_.evaluator;
  if (candidates_ != nullptr) return evaluator.evaluate(state_, results_, *candidates_, placement_.stream);
  evaluator.evaluate(state_, results_, placement_.stream);
}

void Evaluation::run() {
  try {
    const nb::gil_scoped_release released;
    evaluate();
  } catch (...) {  // Ctrl-C, when some of them are written
    written_.tell();
    throw;
  }
  written_.tell();
}

void Evaluation::reuse_outputs(nb::handle results) {
  written_.clear();
  for (const nb::handle array : results) written_.add(memory_of(array));
  written_.keep();
}

nb::object Evaluation::results() {
  outputs_.take_made();
  for (std::size_t i = 0; words_ != 0; ++i, words_ >>= 1) {
    if ((words_ & 1) == 0) continue;
    const nb::object& type = types_of_records(kOutputs.at(i)).columns;
    const nb::handle words = outputs_.object(i);
    outputs_.set(i, type.attr("_of_words")(words, nb::handle(array_type_of(words.ptr()).library)));
  }
  return outputs_.results(registered_types().results);
}

}  // namespace isopatch::python

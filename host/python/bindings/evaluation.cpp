// SPDX-License-Identifier: Apache-2.0
#include "host/python/bindings/evaluation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isopatch/limits.h"

namespace isopatch::python {
namespace {

/// The index of an output in for_each_output() and in the named tuple.
consteval std::size_t index_of(std::string_view name) {
  return isopatch::detail::first_output([&](const ArrayInfo& info) { return info.name == name; });
}

constexpr std::size_t kPairWrench = index_of("pair_wrench"), kBodyWrench = index_of("body_wrench");

constexpr std::uint64_t bit(std::size_t output) { return std::uint64_t{1} << output; }

/// With the outputs that those wanted cannot be without.
std::uint64_t with_required_outputs(std::uint64_t wanted, bool has_pairs) {
  if (has_pairs && (wanted & bit(kBodyWrench)) != 0) wanted |= bit(kPairWrench);
  for (std::size_t i = kNumOutputs; i-- > 0;) {  // what belongs to records comes after them
    if ((wanted & bit(i)) != 0 && kNeeded[i] < kNumOutputs) wanted |= bit(kNeeded[i]);
  }
  return wanted;
}

/// Whether it is a named tuple of the columns of records.
bool has_columns(nb::handle object) {
  const auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  const auto& records = registered_types().of_output;
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

void read_capacity(const char* call, nb::handle capacity, ArrayCounts& counts) {
  const Argument argument{call, "capacity"};
  if (!PyDict_Check(capacity.ptr())) {
    argument.wrong_type("expected a dictionary of numbers of rows by output, as {{\"polygons\": 100}}, found {}",
                        text_of(nb::repr(capacity)));
  }
  PyObject *name = nullptr, *rows = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(capacity.ptr(), &position, &name, &rows) != 0) {
    const ArrayInfo& info = kOutputs[names_of<kOutputs>().index_of(call, "capacity", name)];
    if (!info.has_capacity()) {
      argument.wrong_value("{} has no capacity, since the scene says how many rows it has", info.name);
    }
    counts[info.per] = parse_capacity({call, fmt::format("capacity[\"{}\"]", info.name).c_str()}, rows);
  }
}

PythonEvaluator::PythonEvaluator(nb::object scene_, const ComputeOptions& options)
    : scene(std::move(scene_)),
      compute(options),
      evaluator(nb::cast<const Scene&>(scene), options.options),
      counts(counts_of(evaluator.scene())) {}

std::uint64_t PythonEvaluator::wanted(const char* call, nb::handle outputs) const {
  return with_required_outputs(names_of<kOutputs>().parse(call, outputs), counts[Per::kPair] > 0);
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

/// Checks the shape of an array, and that there are no gaps in it.
void Evaluation::require_dense(const ArrayView& view, const Argument& argument, const ArrayInfo& info) const {
  const std::int64_t stride = check_layout(view, argument, info, {counts_, state_.num_environments});
  if (view.shape[0] > 1 && stride != (info.is_packed() ? info.width : counts_.row(info))) {
    argument.wrong_value("expected contiguous rows, found some with gaps; give an array of its own");
  }
}

/// Takes the words that `out` has for records, or the columns of such words.
template <class Array>
void Evaluation::use_words(std::size_t i, const ArrayInfo& info, Array& array) {
  using Value = ElementOf<Array>;
  const Argument argument{call_, info.name};
  const nb::handle given = outputs_.given(i), memory = memory_of(given);
  if (memory.is_none()) argument.wrong_value("arrays of JAX never change; leave out `out`");
  if (!array_type_of(memory.ptr()).has_columns) {
    argument.wrong_type("expected a NumPy array of isopatch.{}, or int32 words of torch or CuPy, {} a row",
                        registered_types().of_output.at(i).name, sizeof(Value) / 4);
  }
  ArrayView& view = outputs_.view(i);
  view.read(memory.ptr(), argument, placement_);
  check_writable(view, argument);
  if (view.type.code != dlpack::kInt || view.type.bits != 32) {
    argument.wrong_type(
        "expected int32, in which the words of the records are, found {}; make it with dtype=torch.int32",
        view.type_name());
  }
  require_dense(view, argument, as_words<Value>(info));
  array.data = static_cast<Value*>(view.data);
  outputs_.set(i, nb::borrow(given));
  if (!has_columns(given)) words_ |= bit(i);
}

/// Records of NumPy, or for libraries without structures their words.
template <class Array>
void Evaluation::make_records(std::size_t i, const ArrayInfo& info, Array& array) {
  using Value = ElementOf<Array>;
  const Argument argument{call_, info.name};
  const CallShape shape{counts_, state_.num_environments};
  const nb::object& dtype = registered_types().of_output.at(i).dtype;
  nb::object records;
  if (outputs_.is_given(i)) {
    records = nb::borrow(outputs_.given(i));
    const bool is_numpy = !placement_.on_cuda && array_type_of(records.ptr()).is_numpy;
    if (!is_numpy || !nb::getattr(records, "dtype", nb::none()).equal(dtype)) {
      return use_words(i, info, array);
    }
  } else if (array_type_of(inputs_[0].object).has_columns) {
    outputs_.make(i, array, argument, as_words<Value>(info), shape, inputs_[0], dlpack::kInt32, placement_);
    words_ |= bit(i);
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
  require_dense(view, argument, info);
  array.data = static_cast<Value*>(view.data);
  outputs_.set(i, std::move(records));
}

template <class Array>
void Evaluation::make_output(std::size_t i, const ArrayInfo& info, Array& array) {
  using Value = ElementOf<Array>;
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
  outputs_.find(call_, names_of<kOutputs>(), registered_types().results, arguments.out);
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < kNumOutputs; ++i) {
    if (!outputs_.is_given(i)) continue;
    wanted |= bit(i);
    const nb::handle memory = memory_of(outputs_.given(i));
    check_tensor(memory, {call_, names_of<kOutputs>()[i]});
    written_.add(memory);
  }
  if (!arguments.outputs.is_none()) {
    wanted |= names_of<kOutputs>().parse(call_, arguments.outputs);
  } else if (arguments.out.is_none()) {
    wanted = bit(kPairWrench);
  }
  wanted = with_required_outputs(wanted, counts_[Per::kPair] > 0);
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
        if ((wanted & bit(k)) != 0) make_output(k, info, array);
      },
      results_);
}

/// The rows that there is room for: what Python says, what arrays in `out` have, or as many as there are.
void Evaluation::find_capacities(const EvaluationArguments& arguments, std::uint64_t wanted) {
  for (const std::size_t buffer : kBuffers) counts_[kOutputs[buffer].per] = -1;
  for (std::size_t i = 0; i < std::size(kOldCapacities); ++i) {
    if (arguments.old_capacities[i].is_none()) continue;
    const std::int64_t rows = parse_capacity({call_, kOldCapacities[i].name}, arguments.old_capacities[i]);
    for (const Per per : kOldCapacities[i].pers) counts_[per] = rows;
  }
  if (!arguments.capacity.is_none()) read_capacity(call_, arguments.capacity, counts_);
  std::uint64_t open = 0;
  for (const std::size_t buffer : kBuffers) {
    std::int64_t& rows = counts_[kOutputs[buffer].per];
    if (outputs_.is_given(buffer)) rows = rows_in_out(buffer);
    if ((wanted & bit(buffer)) == 0) rows = 0;
    if (rows >= 0) continue;
    if (placement_.on_cuda) {
      Argument{call_, "capacity"}.wrong_value(
          "expected a number of rows for {}, found none: on a CUDA device nothing waits to count them",
          kOutputs[buffer].name);
    }
    open |= bit(buffer);
  }
  if (open != 0) count_rows(open);
}

/// How many rows an array of `out` has.
std::int64_t Evaluation::rows_in_out(std::size_t output) const {
  ArrayView view;
  const nb::handle memory = memory_of(outputs_.given(output));
  if (memory.is_none()) return 0;  // which is an error later
  view.read(memory.ptr(), {call_, kOutputs[output].name}, placement_);
  const int axis = kOutputs[output].is_packed() ? 0 : 1;
  return view.ndim > axis ? view.shape[axis] : 0;
}

/// Evaluates to find how many rows there are in the buffers with the bits.
void Evaluation::count_rows(std::uint64_t open) {
  ResultArrays found;  // the counts alone
  found.num_environments = state_.num_environments;
  std::uint64_t counts = 0;
  for (const std::size_t buffer : kBuffers) counts |= (open & bit(buffer)) != 0 ? bit(kNeeded[buffer]) : 0;
  std::size_t i = 0;
  for_each_output(
      [&](const ArrayInfo& info, auto& values) {
        const std::int64_t size = ArrayCounts().size(info, state_.num_environments);
        if ((counts & bit(i++)) != 0) values.resize(static_cast<std::size_t>(size));
      },
      found);
  {
    const nb::gil_scoped_release released;
    evaluator_.evaluator.evaluate(state_, found.view());
  }
  i = 0;
  for_each_output(
      [&](const ArrayInfo& info, const auto& values) {
        const std::size_t k = i++;
        if constexpr (std::is_integral_v<typename std::remove_cvref_t<decltype(values)>::value_type>) {
          std::size_t column = 0;  // of the counts of the next buffer
          for (const std::size_t buffer : kBuffers) {
            if (kNeeded[buffer] != k) continue;
            std::int64_t most = 0;  // offsets are sums, so the last is the largest
            for (std::size_t at = column++; at < values.size(); at += static_cast<std::size_t>(info.width)) {
              most = std::max<std::int64_t>(most, values[at]);
            }
            if ((open & bit(buffer)) != 0) counts_[kOutputs[buffer].per] = most;
          }
        }
      },
      found);
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
    const nb::object& type = registered_types().of_output.at(i).columns;
    const nb::handle words = outputs_.object(i);
    outputs_.set(i, type.attr("_of_words")(words, nb::handle(array_type_of(words.ptr()).library)));
  }
  return outputs_.results(registered_types().results);
}

}  // namespace isopatch::python

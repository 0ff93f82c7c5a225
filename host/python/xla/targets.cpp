// SPDX-License-Identifier: Apache-2.0
//
// The functions that programs compiled by XLA call, of the typed interface of xla/ffi/api/ffi.h. A call names its
// evaluator or simulator by a number, and says by bits which of the optional arrays it has.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/evaluation.h"
#include "host/python/bindings/stepping.h"
#include "host/python/xla/buffers.h"
#include "isopatch/error.h"

#ifdef ISOPATCH_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace isopatch::python {
namespace {

namespace ffi = xla::ffi;

/// Objects with numbers, which are not used a second time. Threads may share it.
template <class T>
class Registry {
 public:
  /// The number of an object, which is kept alive from then on.
  std::int64_t add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const auto known = find_object(object.get());
    if (known != objects_.end()) return known->first;
    objects_.emplace(next_, std::move(object));
    return next_++;
  }

  /// The object with a number; null if there is none.
  std::shared_ptr<const T> find(std::int64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Lets go of an object, if it is here.
  void release(const T& object) {
    std::shared_ptr<T> last;  // destroyed when nothing is locked, since that may wait for Python
    const std::lock_guard lock(mutex_);
    const auto known = find_object(&object);
    if (known == objects_.end()) return;
    last = std::move(known->second);
    objects_.erase(known);
  }

  /// Lets go of all objects.
  void clear() {
    std::map<std::int64_t, std::shared_ptr<T>> last;  // destroyed when nothing is locked, as in release()
    const std::lock_guard lock(mutex_);
    last.swap(objects_);
  }

 private:
  auto find_object(const T* object) {
    return std::find_if(objects_.begin(), objects_.end(),
                        [&](const auto& entry) { return entry.second.get() == object; });
  }

  mutable std::mutex mutex_;
  std::map<std::int64_t, std::shared_ptr<T>> objects_;
  std::int64_t next_ = 0;
};

// They outlive the interpreter, but not what they hold: isopatch/jax.py clears them when it ends.
template <class T>
Registry<T>& registry() {
  static auto* objects = new Registry<T>;
  return *objects;
}

ffi::ErrorCode code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInput:
    case ErrorKind::kFile:
      return ffi::ErrorCode::kInvalidArgument;
    case ErrorKind::kMemory:
      return ffi::ErrorCode::kResourceExhausted;
    case ErrorKind::kCancelled:
      return ffi::ErrorCode::kCancelled;
    case ErrorKind::kDevice:
      break;
  }
  return ffi::ErrorCode::kInternal;
}

/// The one place where what is thrown becomes an error of XLA, through which no exception may pass.
template <class Compute>
ffi::Error guarded(const Compute& compute) {
  try {
    compute();
    return ffi::Error::Success();
  } catch (const Error& error) {
    return {code_of(error.kind()), error.what()};
  } catch (nb::python_error& error) {  // of a signal's handler: Python raises it again when the program has ended
    const nb::gil_scoped_acquire acquired;
    if (error.matches(PyExc_KeyboardInterrupt)) PyErr_SetInterrupt();
    return {ffi::ErrorCode::kCancelled, error.what()};
  } catch (const std::bad_alloc&) {
    return {ffi::ErrorCode::kResourceExhausted, "there is too little memory"};
  } catch (const std::exception& error) {
    return {ffi::ErrorCode::kInvalidArgument, error.what()};
  }
}

/// The buffers of a call, one after another.
template <class Buffers>
class Reader {
 public:
  explicit Reader(const Buffers& buffers) : buffers_(buffers) {}

  ffi::AnyBuffer next() {
    auto buffer = buffers_.template get<ffi::AnyBuffer>(index_++);
    if (!buffer.has_value()) throw std::invalid_argument("the call has too few arrays");
    if constexpr (std::is_same_v<Buffers, ffi::RemainingRets>) {
      return **buffer;
    } else {
      return *buffer;
    }
  }

  /// The buffer that next() gives, without going on.
  ffi::AnyBuffer front() const { return Reader(*this).next(); }

 private:
  const Buffers& buffers_;
  std::size_t index_ = 0;
};

template <class T>
const T& registered(const std::shared_ptr<const T>& object, const char* what, const Placement& placement) {
  if (object == nullptr) {
    throw std::invalid_argument(
        fmt::format("the {} of this compiled program was released; trace the function again with one", what));
  }
  if (object->compute.placement.on_cuda != placement.on_cuda) {
    throw std::invalid_argument(fmt::format(
        "the {} is on {}, and JAX computes on {}; make it with device=\"{}\", or put the arrays elsewhere by "
        "jax.device_put()",
        what, object->compute.device, placement.on_cuda ? "a CUDA device" : "the CPU",
        placement.on_cuda ? "cuda" : "cpu"));
  }
  return *object;
}

bool has(std::int64_t bits, std::size_t i) { return (static_cast<std::uint64_t>(bits) >> i & 1) != 0; }

/// N: how many rows an array of all bodies has.
std::int64_t environments_of(const ffi::AnyBuffer& poses, const ArrayCounts& counts) {
  const auto row = static_cast<std::size_t>(counts[Per::kBody] * 7);
  return row == 0 ? 0 : static_cast<std::int64_t>(poses.element_count() / row);
}

/// Copies memory, or without a source sets it to zero.
void fill(void* to, const void* source, std::size_t size, const Placement& placement) {
  if (source == to || size == 0) return;  // XLA may have put both in one place
  if (!placement.on_cuda) {
    source == nullptr ? std::memset(to, 0, size) : std::memcpy(to, source, size);
    return;
  }
#ifdef ISOPATCH_HAS_CUDA
  auto* const stream = static_cast<cudaStream_t>(placement.stream);
  const cudaError_t problem = source == nullptr ? cudaMemsetAsync(to, 0, size, stream)
                                                : cudaMemcpyAsync(to, source, size, cudaMemcpyDeviceToDevice, stream);
  if (problem != cudaSuccess) throw std::runtime_error(cudaGetErrorString(problem));
#endif
}

void set_capacities(ArrayCounts& counts, const ffi::Span<const std::int64_t>& capacities) {
  if (capacities.size() != kBuffers.size()) {
    throw std::invalid_argument(fmt::format("capacities: expected {}, found {}", kBuffers.size(), capacities.size()));
  }
  for (std::size_t i = 0; i < kBuffers.size(); ++i) counts[kOutputs[kBuffers[i]].per] = capacities.begin()[i];
}

/// Of the CPU, or of a device with the stream of the call.
Placement placement_of() { return {}; }
[[maybe_unused]] Placement placement_of(void* stream) { return {true, 0, stream}; }

constexpr auto kEvaluate = [](const ffi::RemainingArgs& arguments, const ffi::RemainingRets& returned,
                              std::int64_t number, std::int64_t inputs, std::int64_t outputs, std::int64_t max_clusters,
                              ffi::Span<const std::int64_t> capacities, double time_step, auto... stream) {
  return guarded([&] {
    const Placement placement = placement_of(stream...);
    const std::shared_ptr<const PythonEvaluator> held = registry<PythonEvaluator>().find(number);
    const PythonEvaluator& evaluator = registered(held, "evaluator", placement);
    ArrayCounts counts = evaluator.counts;
    State state;
    Results results;
    counts.clusters = max_clusters;
    set_capacities(counts, capacities);
    set_sizes(results, counts);

    Reader from(arguments);
    state.num_environments = environments_of(from.front(), counts);
    state.time_step = time_step;
    const CallShape shape{counts, state.num_environments};
    std::size_t i = 0;
    for_each_input(
        [&](const ArrayInfo& info, auto& array) {
          if (has(inputs, i++)) set_array(array, from.next(), info, shape, placement);
        },
        state);
    if (state.num_environments == 0) state.poses = {};  // no work, whatever the address of an empty array
    Reader to(returned);
    i = 0;
    for_each_output(
        [&](const ArrayInfo& info, auto& array) {
          if (!has(outputs, i++)) return;
          const ffi::AnyBuffer buffer = to.next();
          set_array(array, buffer, info, shape, placement);
          // rows may not be used, and what is returned must not depend on what was in the memory before
          if (info.has_capacity()) fill(buffer.untyped_data(), nullptr, buffer.size_bytes(), placement);
        },
        results);
    evaluator.evaluator.evaluate(state, results, placement.stream);
  });
};

constexpr auto kStep = [](const ffi::RemainingArgs& arguments, const ffi::RemainingRets& returned, std::int64_t number,
                          std::int64_t num_steps, std::int64_t inputs, std::int64_t outputs, auto... stream) {
  return guarded([&] {
    const Placement placement = placement_of(stream...);
    const std::shared_ptr<const PythonSimulator> held = registry<PythonSimulator>().find(number);
    const PythonSimulator& simulator = registered(held, "simulator", placement);
    Reader from(arguments);
    Reader to(returned);
    RolloutState state;
    state.num_environments = environments_of(from.front(), simulator.counts);
    const CallShape shape{simulator.counts, state.num_environments};
    for_each_rollout_state(
        [&](const ArrayInfo& info, auto*& pointer) {
          if (may_be_left_out(info) && shape.counts.row(info) == 0) return;  // isopatch.jax.step() keeps it
          using Value = std::remove_pointer_t<std::remove_reference_t<decltype(pointer)>>;
          const ffi::AnyBuffer before = from.next(), after = to.next();
          const void* source = checked_memory(before, info, shape, placement, element_of<Value>());
          pointer = static_cast<Value*>(checked_memory(after, info, shape, placement, element_of<Value>()));
          fill(pointer, source, before.size_bytes(), placement);
        },
        state);
    if (state.num_environments == 0) state.poses = nullptr;

    RolloutInput input;
    RolloutOutput output;
    std::size_t i = 0;
    for_each_rollout_input(
        [&](const ArrayInfo& info, auto& array) {
          if (has(inputs, i++)) set_array(array, from.next(), info, shape, placement);
        },
        input);
    i = 0;
    for_each_rollout_output(
        [&](const ArrayInfo& info, auto& array) {
          if (has(outputs, i++)) set_array(array, to.next(), info, shape, placement);
        },
        output);
    if (placement.on_cuda) {
      simulator.simulator.simulator().step(state, input, output, static_cast<int>(num_steps), placement.stream);
    } else {
      simulator.simulator.step(state, input, output, static_cast<int>(num_steps));
    }
  });
};

auto evaluate_binding() {
  return ffi::Ffi::Bind()
      .RemainingArgs()
      .RemainingRets()
      .Attr<std::int64_t>("evaluator")
      .Attr<std::int64_t>("inputs")
      .Attr<std::int64_t>("outputs")
      .Attr<std::int64_t>("max_clusters")
      .Attr<ffi::Span<const std::int64_t>>("capacities")
      .Attr<double>("time_step");
}

auto step_binding() {
  return ffi::Ffi::Bind()
      .RemainingArgs()
      .RemainingRets()
      .Attr<std::int64_t>("simulator")
      .Attr<std::int64_t>("steps")
      .Attr<std::int64_t>("inputs")
      .Attr<std::int64_t>("outputs");
}

XLA_FFI_DEFINE_HANDLER(evaluate_on_cpu, kEvaluate, evaluate_binding());
XLA_FFI_DEFINE_HANDLER(step_on_cpu, kStep, step_binding());
#ifdef ISOPATCH_HAS_CUDA
// XLA captures them in its graphs, in which they enqueue kernels, copies and memsets on their stream, and wait for
// nothing. What a graph needs beyond what reserve() left, they allocate as one may in a capture (AllocationInCaptures),
// and the graph keeps it.
constexpr auto kCapturable = ffi::Traits::kCmdBufferCompatible;
XLA_FFI_DEFINE_HANDLER(evaluate_on_cuda, kEvaluate, evaluate_binding().Ctx<ffi::PlatformStream<void*>>(),
                       {kCapturable});
XLA_FFI_DEFINE_HANDLER(step_on_cuda, kStep, step_binding().Ctx<ffi::PlatformStream<void*>>(), {kCapturable});
#endif

struct Target {
  const char *name, *platform;
  XLA_FFI_Handler* handler;
};

constexpr Target kTargets[] = {
    {"isopatch_evaluate", "cpu", evaluate_on_cpu},
    {"isopatch_step", "cpu", step_on_cpu},
#ifdef ISOPATCH_HAS_CUDA
    {"isopatch_evaluate", "CUDA", evaluate_on_cuda},
    {"isopatch_step", "CUDA", step_on_cuda},
#endif
};

/// (name, platform, capsule) of each
nb::list targets() {
  nb::list all;
  for (const Target& target : kTargets) {
    all.append(nb::make_tuple(target.name, target.platform, nb::capsule(reinterpret_cast<void*>(target.handler))));
  }
  return all;
}

/// (name, platform, whether XLA may capture it) of each, as the function itself tells XLA.
nb::list capturable_targets() {
  nb::list all;
  for (const Target& target : kTargets) {
    XLA_FFI_Metadata metadata = {};
    metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
    XLA_FFI_Metadata_Extension asked = {};
    asked.extension_base = {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr};
    asked.metadata = &metadata;
    XLA_FFI_CallFrame call = {};
    call.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
    call.extension_start = &asked.extension_base;
    target.handler(&call);
    const bool is_capturable = (metadata.traits & XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE) != 0;
    all.append(nb::make_tuple(target.name, target.platform, is_capturable));
  }
  return all;
}

template <class T>
void bind_registry(nb::module_& module) {
  module.def("_jax_register", [](std::shared_ptr<T> object) { return registry<T>().add(std::move(object)); });
  module.def("_jax_release", [](const T& object) { registry<T>().release(object); });
}

}  // namespace

void bind_jax(nb::module_& module) {
  module.def("_jax_targets", &targets);
  module.def("_jax_capturable_targets", &capturable_targets);
  bind_registry<PythonEvaluator>(module);
  bind_registry<PythonSimulator>(module);
  module.def("_jax_clear", [] {
    registry<PythonEvaluator>().clear();
    registry<PythonSimulator>().clear();
  });
}

}  // namespace isopatch::python

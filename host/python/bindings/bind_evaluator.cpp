// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "host/python/bindings/array_table.h"
#include "host/python/bindings/bindings.h"
#include "host/python/bindings/define.h"
#include "host/python/bindings/evaluation.h"
#include "host/python/bindings/streams.h"

namespace isopatch::python {
namespace {

/// With the lines of the inputs in place of the braces.
constexpr char kEvaluateDoc[] = R"(Evaluates contact in N environments.

Arrays are of NumPy, torch, JAX, CuPy or any library with DLPack, a buffer or __cuda_array_interface__, on the
evaluator's device, and are neither copied nor kept. Each has a row for every environment: rows are contiguous, and
their distance is free, so a row that holds in all environments is repeated by broadcast_to() or expand(). The scene
has B bodies, C parts, P pairs and Q part pairs. Other threads run meanwhile; on a CUDA device the work is only enqueued.

Args:
{}
    outputs: Names of fields of Results. What one of them needs comes with it. None: ("pair_wrench",), or what `out` has.
    out: Arrays to write, as a dictionary by name or as the Results of an earlier call. For polygons, contacts and
        relations: records of NumPy, or Polygons, Contacts, PotentialContacts and Relations, or their words.
    stream: On a CUDA device, the stream: its address, or a stream of torch or CuPy. None: the current stream of the
        library of `poses`. Another one waits for that first, needs arrays for its results in `out`, and all arrays must
        live until it has done its work; torch is told so of its tensors, by record_stream().
    capacity: Rows of outputs, as {{"polygons": 100}}: in each environment of `polygons`, `contacts`,
        `potential_contacts`, `relations` and `relation_members`, in all of `packed_polygons` and `packed_contacts`. None,
        or another output: as many as there are, which are counted by an evaluation before; not on a CUDA device. Rows
        that are not used are not written.
    max_clusters: K, the most clusters of normals that a pair's patch is divided into for the outputs patch_..., from 1
        to 16. None: 1.
    time_step: s. Of contacts with state: from the `contact_state` given to the one returned. Of rigid convex parts: how
        far ahead contacts and relations are looked for, of all that may meet at these velocities. None: 0, the forces
        and the contacts of the present state, for which bristles do not move.
    candidates: A CandidateCache of this evaluator, which keeps the pairs of cells that may touch for the next call. No
        result changes in any bit. None: nothing is kept.
    check: Raise ValueError if an input has a number that is not finite, before anything is computed; of bind(), in
        every call. Without, such an environment has bits in its status, and results of 0.

Returns:
    Results: the arrays that were asked for, in the library and the floating-point type of `poses`; None for others.

Raises:
    TypeError: for something that is no array, or has elements of another type.
    ValueError: for a shape, strides, a device or a value that is not as above, and for a tensor of torch that requires
        a gradient or has a tangent.)";

/// The arguments that are no inputs, with their types, in the order of EvaluationArguments.
constexpr const char* kOthers[][2] = {{"outputs", "collections.abc.Sequence[str]"},
                                      {"out", "object"},
                                      {"stream", "object"},
                                      {"capacity", "dict[str, int]"},
                                      {"max_clusters", "int"},
                                      {"time_step", "float"},
                                      {"candidates", "CandidateCache"},
                                      {"check", "bool"}};

constexpr std::size_t kNumPositional = 2;  // poses and velocities; the other inputs are given by name

/// "self, poses: object, velocities: object | None = None, *, ..."
std::string arguments_of_call() {
  std::string text = "self";
  for (std::size_t i = 0; i < kNumInputs; ++i) {
    if (i == kNumPositional) text += ", *";
    text += fmt::format(", {}: object{}", kInputs[i].name, i == 0 ? "" : " | None = None");
  }
  for (const auto& [name, type] : kOthers) text += fmt::format(", {}: {} | None = None", name, type);
  return text;
}

constexpr std::size_t kNumArguments = kNumInputs + std::size(kOthers) + std::size(kOldCapacities);

/// The signature of a call, made of the list of inputs.
Signature<kNumArguments, kNumPositional> signature_of_call(const char* call) {
  Signature<kNumArguments, kNumPositional> signature{call, {}};
  std::size_t i = 0;
  for (const ArrayInfo& info : kInputs) signature.parameters[i++].name = info.name;
  for (const auto& [name, type] : kOthers) signature.parameters[i++].name = name;
  for (const auto& [name, pers] : kOldCapacities) signature.parameters[i++].name = name;
  for (std::size_t k = 1; k < kNumArguments; ++k) signature.parameters[k].otherwise = nb::none();  // all but the poses
  return signature;
}

EvaluationArguments arguments_of(const Given<kNumArguments>& given) {
  EvaluationArguments arguments{};
  std::copy_n(given.begin(), kNumInputs, arguments.inputs.begin());
  const nb::handle* other = given.data() + kNumInputs;
  for (nb::handle* to : {&arguments.outputs, &arguments.out, &arguments.stream, &arguments.capacity,
                         &arguments.max_clusters, &arguments.time_step, &arguments.candidates, &arguments.check}) {
    *to = *other++;
  }
  for (nb::handle& to : arguments.old_capacities) to = *other++;
  return arguments;
}

const char* precision_of(const PythonEvaluator& evaluator) {
  return evaluator.compute.options.precision == Precision::kDouble ? "double" : "float";
}

/// Throws ValueError if it is asked for and an input has a number that is not finite.
void check_finite(const char* call, nb::handle check, const auto& inputs) {
  if (PyObject_IsTrue(check.ptr()) != 1) return;
  nb::dict arrays;
  std::size_t i = 0;
  for (const nb::handle input : inputs) arrays[kInputs[i++].name] = input;
  nb::module_::import_("isopatch._src.arguments").attr("check_finite")(call, arrays);
}

/// A call with its arguments checked.
struct BoundCall {
  BoundCall(nb::object evaluator_, const EvaluationArguments& arguments)
      : evaluator(std::move(evaluator_)),
        poses(nb::borrow(arguments.inputs[0])),
        check(nb::borrow(arguments.check)),
        candidates(nb::borrow(arguments.candidates)),
        follows_stream(arguments.stream.is_none()),
        evaluation("bind", nb::cast<const PythonEvaluator&>(evaluator), arguments) {
    if (array_type_of(poses.ptr()).is_immutable) {
      Argument{"bind", "poses"}.wrong_type("arrays of JAX never change, so there is nothing to evaluate again");
    }
    for (const nb::handle input : arguments.inputs) inputs.append(input);
    check_finite("bind", check, inputs);
    results = evaluation.results();
    evaluation.reuse_outputs(results);
  }

  nb::object call() {
    check_finite("call", check, inputs);
    const Placement& placement = evaluation.placement();
    if (placement.on_cuda && follows_stream) {
      evaluation.set_stream(with_stream(placement, {"call", "stream"}, nb::none(), poses).stream);
    } else {
      wait_for_current_stream(placement, poses);
    }
    evaluation.run();
    return results;
  }

  nb::object evaluator, poses, check;
  nb::object candidates;  // kept alive, and so are
  nb::list inputs;
  bool follows_stream;
  Evaluation evaluation;
  nb::object results;
};

void bind_call(nb::module_& module) {
  nb::class_<BoundCall> call(module, "Call",
                             "A call of an evaluator with its arguments checked once; see Evaluator.bind().");
  define(
      call, "__call__", Signature<0>{"call", {}},
      [](nb::handle self, const Given<0>&) { return nb::inst_ptr<BoundCall>(self)->call(); },
      "def __call__(self) -> isopatch.Results",
      "Evaluates what is in the arrays now, and returns `results`, whose arrays it has written.");
  call.def(
          "_evaluate",
          [](BoundCall& self, int calls) {
            for (int i = 0; i < calls; ++i) self.evaluation.evaluate();
          },
          nb::arg("calls"), "The same several times, for benchmarks, without Python between them.")
      .def_ro("results", &BoundCall::results, "The arrays that every call writes.",
              nb::for_getter(nb::sig("def results(self) -> isopatch.Results")));
}

void define_memory(nb::class_<PythonEvaluator>& evaluator) {
  define(
      evaluator, "reserve",
      Signature<4>{"reserve",
                   {Parameter{"num_envs"}, Parameter{"packed_polygons", nb::int_(0)},
                    Parameter{"packed_contacts", nb::int_(0)}, Parameter{"patch_contacts", nb::bool_(false)}}},
      [](nb::handle self, const Given<4>& given) {
        const std::int64_t num_envs = parse_count({"reserve", "num_envs"}, given[0]);
        const std::int64_t polygons = parse_count({"reserve", "packed_polygons"}, given[1]);
        const std::int64_t contacts = parse_count({"reserve", "packed_contacts"}, given[2]);
        const bool patch_contacts = parse_bool({"reserve", "patch_contacts"}, given[3]);
        const Evaluator& own = nb::inst_ptr<PythonEvaluator>(self)->evaluator;
        const nb::gil_scoped_release released;
        own.reserve(num_envs, polygons, contacts, patch_contacts);
      },
      "def reserve(self, num_envs: int, packed_polygons: int = 0, packed_contacts: int = 0, patch_contacts: bool = "
      "False) "
      "-> None",
      "Allocates what batches of up to `num_envs` environments need, with `packed_polygons` and `packed_contacts` "
      "rows in\nall, and with `patch_contacts` if they are asked for, so that calls and captured graphs do not.\n\n"
      "Raises MemoryError if there is too little memory, ValueError for a number below 0.");
  define(
      evaluator, "make_candidate_cache",
      Signature<2>{"make_candidate_cache", {Parameter{"num_envs"}, Parameter{"margin", nb::float_(1e-3)}}},
      [](nb::handle self, const Given<2>& given) {
        const std::int64_t num_envs = parse_count({"make_candidate_cache", "num_envs"}, given[0]);
        const double margin = parse_number({"make_candidate_cache", "margin"}, given[1]);
        const Evaluator& own = nb::inst_ptr<PythonEvaluator>(self)->evaluator;
        return std::make_unique<PythonCandidates>(
            PythonCandidates{nb::borrow(self), own.make_candidate_cache(num_envs, margin)});
      },
      "def make_candidate_cache(self, num_envs: int, margin: float = 0.001) -> CandidateCache",
      "Memory in which calls keep the pairs of cells that may touch, for `num_envs` environments, found with a "
      "margin of\nat most `margin`, m: a larger one finds them less often and tests more of them. For each part "
      "pair of each\nenvironment it takes at most 17 KB on the CPU and 4 KB with CUDA.\n\nRaises MemoryError "
      "if there is too little memory, ValueError for a number below 0 or a margin that is not above 0.");
}

void define_calls(nb::class_<PythonEvaluator>& evaluator) {
  static const std::string evaluate_signature =
      fmt::format("def evaluate({}) -> isopatch.Results", arguments_of_call());
  static const std::string bind_signature = fmt::format("def bind({}) -> Call", arguments_of_call());
  static const std::string evaluate_doc = fmt::format(kEvaluateDoc, argument_lines("inputs", "N", 4));
  define(
      evaluator, "evaluate", signature_of_call("evaluate"),
      [](nb::handle self, const Given<kNumArguments>& given) {
        const EvaluationArguments arguments = arguments_of(given);
        Evaluation evaluation("evaluate", *nb::inst_ptr<PythonEvaluator>(self), arguments);
        check_finite("evaluate", arguments.check, arguments.inputs);
        evaluation.run();
        return evaluation.results();
      },
      evaluate_signature.c_str(), evaluate_doc.c_str());
  define(
      evaluator, "bind", signature_of_call("bind"),
      [](nb::handle self, const Given<kNumArguments>& given) {
        return std::make_unique<BoundCall>(nb::borrow(self), arguments_of(given));
      },
      bind_signature.c_str(),
      "Checks the arguments of evaluate() once, makes the arrays of the results, and returns a Call, which evaluates\n"
      "what is in the same memory whenever it is called. The arrays must not be resized or freed meanwhile.\n\n"
      "Arguments, shapes, units and errors are those of evaluate(); TypeError too for arrays of JAX, which never "
      "change.");
}

}  // namespace

void bind_evaluator(nb::module_& module) {
  bind_written_tensors(module);
  bind_call(module);
  nb::class_<PythonEvaluator> evaluator(module, "Evaluator", R"(Evaluates contact for batches of environments.

Several threads may call one evaluator at once.

Args:
    scene: An isopatch.Scene.
    device: "cpu", "cuda" (the current device), "cuda:0" and so on, or "reference": extended precision on the CPU, for
        checking.
    precision: "float" or "double", in which contact patches are integrated. The types of arrays are independent of it.
    threads: Of "cpu" and "reference"; 0: all cores. Results have the same bits with any number.

Raises:
    RuntimeError: if there is no such device, no driver for it, or no CUDA code in this build.
    ValueError: for other values of the arguments.)");
  define_constructor(
      evaluator,
      Signature<4>{"Evaluator",
                   {Parameter{"scene"}, Parameter{"device", nb::str("cpu")}, Parameter{"precision", nb::str("float")},
                    Parameter{"threads", nb::int_(0)}}},
      [](PythonEvaluator* self, const Given<4>& given) {
        const auto& [scene, device, precision, threads] = given;
        check_scene("Evaluator", scene);
        new (self) PythonEvaluator(nb::borrow(scene), parse_compute_options("Evaluator", device, precision, threads));
      },
      "def __init__(self, scene: Scene, device: str = \"cpu\", precision: str = \"float\", threads: int = 0) -> None");
  define_memory(evaluator);
  evaluator
      .def_prop_ro(
          "scene", [](const PythonEvaluator& self) { return self.scene; }, "The scene that it evaluates.",
          nb::for_getter(nb::sig("def scene(self) -> Scene")))
      .def_prop_ro(
          "device", [](const PythonEvaluator& self) { return self.compute.device; },
          "\"cpu\", \"cuda:0\" and so on, or \"reference\".")
      .def_prop_ro("precision", &precision_of, "\"float\" or \"double\".")
      .def("_wanted", &PythonEvaluator::wanted, nb::arg("call"), nb::arg("outputs"))
      .def(
          "_arrays",
          [](const PythonEvaluator& self, const char* call, std::int64_t max_clusters, nb::handle capacity) {
            ArrayCounts counts = self.counts;
            counts.clusters = max_clusters;
            for (const std::size_t buffer : kBuffers) counts[kOutputs[buffer].per] = -1;
            read_capacity(call, capacity, counts);
            return describe_arrays(self, counts);
          },
          nb::arg("call"), nb::arg("max_clusters"), nb::arg("capacity"))
      .def("__repr__", [](const PythonEvaluator& self) {
        return fmt::format("<isopatch.Evaluator on {}, {}>", self.compute.device, precision_of(self));
      });
  define_calls(evaluator);
}

}  // namespace isopatch::python

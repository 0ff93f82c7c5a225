// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <mutex>

#include "host/python/bindings/bindings.h"
#include "host/python/bindings/evaluation.h"
#include "host/python/bindings/streams.h"

namespace isopatch::python {
namespace {

constexpr char kEvaluateDoc[] = R"(Evaluates contact in N environments.

Arrays are of NumPy, torch, JAX, CuPy or any library with DLPack, a buffer or __cuda_array_interface__, on the
evaluator's device, and are neither copied nor kept. Each has a row for every environment: rows are contiguous, and
their distance is free, so a row that holds in all environments is repeated by broadcast_to() or expand(). B is the
number of bodies, C that of parts, P that of pairs, Q that of part pairs of the scene. Other threads run meanwhile; on a
CUDA device the work is only enqueued.

Args:
    poses: [N, B, 7], float32 or float64. x y z [m] and unit quaternion w x y z, body to world.
    velocities: [N, B, 6], float32 or float64. Linear [m/s] of the body's origin and angular [rad/s], world frame.
        None: at rest.
    modulus: [N, C], float32 or float64, Pa. None: the scene's.
    dissipation: [N, C], float32 or float64, s/m or s. None: the scene's.
    friction: [N, C], float32 or float64. None: the scene's.
    geometry_index: [N, C], int32. Index into the scene's geometries. None: the scene's.
    pair_mask: [N, P], bool or uint8. False leaves a pair out. None: all pairs.
    outputs: Names of fields of Results. What one of them needs comes with it. None: ("pair_wrench",), or what `out` has.
    out: Arrays to write, as a dictionary by name or as the Results of an earlier call. For polygons and contacts:
        records of NumPy, or Polygons and Contacts, or their words.
    stream: On a CUDA device, the stream: its address, or a stream of torch or CuPy. None: the current stream of the
        library of `poses`. Another one waits for that first, needs arrays for its results in `out`, and all arrays must
        live until it has done its work.
    polygon_capacity: Rows of `polygons` in each environment, of `packed_polygons` in all. None: as many as there are,
        which are counted by an evaluation before; not on a CUDA device. Rows that are not used are not written.
    contact_capacity: The same for contacts.
    max_clusters: K, the most clusters of normals that a pair's patch is divided into for the outputs patch_..., from 1
        to 16. None: 1.

Returns:
    Results: the arrays that were asked for, in the library and the floating-point type of `poses`; None for others.

Raises:
    TypeError: for something that is no array, or has elements of another type.
    ValueError: for a shape, strides, a device or a value that is not as above, and for a tensor of torch that requires
        a gradient or has a tangent.)";

constexpr char kArguments[] =
    "poses: object, velocities: object | None = None, *, modulus: object | None = None, "
    "dissipation: object | None = None, friction: object | None = None, geometry_index: object | None = None, "
    "pair_mask: object | None = None, outputs: collections.abc.Sequence[str] | None = None, "
    "out: object | None = None, stream: object | None = None, polygon_capacity: int | None = None, "
    "contact_capacity: int | None = None, max_clusters: int | None = None";

/// A call with its arguments checked.
struct BoundCall {
  BoundCall(nb::object evaluator_, const EvaluationArguments& arguments)
      : evaluator(std::move(evaluator_)),
        poses(nb::borrow(arguments.inputs[0])),
        follows_stream(arguments.stream.is_none()),
        evaluation("bind", nb::cast<const PythonEvaluator&>(evaluator), arguments) {
    if (array_type_of(poses.ptr()).is_immutable) {
      Argument{"bind", "poses"}.wrong_type("arrays of JAX never change, so there is nothing to evaluate again");
    }
    for (const nb::handle input : arguments.inputs) inputs.append(input);
    results = evaluation.results();
    evaluation.reuse_outputs(results);
  }

  nb::object call() {
    const Placement& placement = evaluation.placement();
    if (placement.on_cuda && follows_stream) {
      evaluation.set_stream(with_stream(placement, {"call", "stream"}, nb::none(), poses).stream);
    } else {
      wait_for_current_stream(placement, poses);
    }
    evaluation.run();
    return results;
  }

  nb::object evaluator, poses;
  nb::list inputs;  // kept alive
  bool follows_stream;
  Evaluation evaluation;
  nb::object results;
};

}  // namespace

void bind_evaluator(nb::module_& module) {
  using nb::arg;
  bind_written_tensors(module);
  nb::class_<BoundCall>(module, "Call", "A call of an evaluator with its arguments checked once; see Evaluator.bind().")
      .def("__call__", &BoundCall::call,
           "Evaluates what is in the arrays now, and returns `results`, whose arrays it has written.",
           nb::sig("def __call__(self) -> isopatch.Results"))
      .def(
          "_evaluate",
          [](BoundCall& self, int calls) {
            for (int i = 0; i < calls; ++i) self.evaluation.evaluate();
          },
          nb::arg("calls"), "The same several times, for benchmarks, without Python between them.")
      .def_ro("results", &BoundCall::results, "The arrays that every call writes.",
              nb::for_getter(nb::sig("def results(self) -> isopatch.Results")));

  const auto arguments_of = [](nb::handle poses, nb::handle velocities, nb::handle modulus, nb::handle dissipation,
                               nb::handle friction, nb::handle geometry_index, nb::handle pair_mask, nb::handle outputs,
                               nb::handle out, nb::handle stream, nb::handle polygons, nb::handle contacts,
                               nb::handle clusters) {
    return EvaluationArguments{{poses, velocities, modulus, dissipation, friction, geometry_index, pair_mask},
                               outputs,
                               out,
                               stream,
                               polygons,
                               contacts,
                               clusters};
  };
  static const std::string evaluate_signature =
      fmt::format("def evaluate(self, {}) -> isopatch.Results", kArguments);
  static const std::string bind_signature = fmt::format("def bind(self, {}) -> Call", kArguments);

  nb::class_<PythonEvaluator>(module, "Evaluator", R"(Evaluates contact for batches of environments.

Several threads may call one evaluator at once.

Args:
    scene: An isopatch.Scene.
    device: "cpu", "cuda" (the current device), "cuda:0" and so on, or "reference": extended precision on the CPU, for
        checking.
    precision: "float" or "double", in which contact patches are integrated. The types of arrays are independent of it.
    threads: Of "cpu" and "reference"; 0: all cores. Results have the same bits with any number.

Raises:
    RuntimeError: where there is no such device, no driver for it, or no CUDA code in this build.
    ValueError: for other values of the arguments.)")
      .def(
          "__init__",
          [](PythonEvaluator* self, nb::object scene, nb::object device, nb::handle precision, nb::handle threads) {
            if (!nb::isinstance<Scene>(scene)) {
              Argument{"Evaluator", "scene"}.wrong_type(
                  fmt::format("expected an isopatch.Scene, found {}; isopatch.Scene(...) makes one of a file or a "
                              "dictionary",
                              text_of(nb::handle(scene.type()).attr("__name__"))));
            }
            new (self) PythonEvaluator(scene, parse_compute_options("Evaluator", device, precision, threads));
          },
          arg("scene").none(), arg("device").none() = "cpu", arg("precision").none() = "float",
          arg("threads").none() = 0,
          nb::sig("def __init__(self, scene: Scene, device: str = \"cpu\", precision: str = \"float\", threads: int = "
                  "0) -> None"))
      .def(
          "evaluate",
          [arguments_of](const PythonEvaluator& self, nb::handle poses, nb::handle velocities, nb::handle modulus,
                         nb::handle dissipation, nb::handle friction, nb::handle geometry_index, nb::handle pair_mask,
                         nb::handle outputs, nb::handle out, nb::handle stream, nb::handle polygons,
                         nb::handle contacts, nb::handle clusters) {
            Evaluation evaluation("evaluate", self,
                                  arguments_of(poses, velocities, modulus, dissipation, friction, geometry_index,
                                               pair_mask, outputs, out, stream, polygons, contacts, clusters));
            evaluation.run();
            return evaluation.results();
          },
          arg("poses").none(), arg("velocities") = nb::none(), nb::kw_only(), arg("modulus") = nb::none(),
          arg("dissipation") = nb::none(), arg("friction") = nb::none(), arg("geometry_index") = nb::none(),
          arg("pair_mask") = nb::none(), arg("outputs") = nb::none(), arg("out") = nb::none(),
          arg("stream") = nb::none(), arg("polygon_capacity") = nb::none(), arg("contact_capacity") = nb::none(),
          arg("max_clusters") = nb::none(), nb::sig(evaluate_signature.c_str()), kEvaluateDoc)
      .def(
          "bind",
          [arguments_of](nb::object self, nb::handle poses, nb::handle velocities, nb::handle modulus,
                         nb::handle dissipation, nb::handle friction, nb::handle geometry_index, nb::handle pair_mask,
                         nb::handle outputs, nb::handle out, nb::handle stream, nb::handle polygons,
                         nb::handle contacts, nb::handle clusters) {
            return std::make_unique<BoundCall>(
                std::move(self), arguments_of(poses, velocities, modulus, dissipation, friction, geometry_index,
                                              pair_mask, outputs, out, stream, polygons, contacts, clusters));
          },
          arg("poses").none(), arg("velocities") = nb::none(), nb::kw_only(), arg("modulus") = nb::none(),
          arg("dissipation") = nb::none(), arg("friction") = nb::none(), arg("geometry_index") = nb::none(),
          arg("pair_mask") = nb::none(), arg("outputs") = nb::none(), arg("out") = nb::none(),
          arg("stream") = nb::none(), arg("polygon_capacity") = nb::none(), arg("contact_capacity") = nb::none(),
          arg("max_clusters") = nb::none(), nb::sig(bind_signature.c_str()),
          "Checks the arguments of evaluate() once, makes the arrays of the results, and returns a Call, which "
          "evaluates\nwhat is in the same memory whenever it is called. The arrays must not be resized or freed "
          "meanwhile.\n\nArguments, shapes, units and errors are those of evaluate(); TypeError too for arrays of JAX, "
          "which never change.")
      .def(
          "reserve",
          [](const PythonEvaluator& self, std::int64_t num_envs, std::int64_t packed_polygons,
             std::int64_t packed_contacts) {
            const nb::gil_scoped_release released;
            self.evaluator.reserve(num_envs, packed_polygons, packed_contacts);
          },
          arg("num_envs"), arg("packed_polygons") = 0, arg("packed_contacts") = 0,
          "Allocates what batches of up to `num_envs` environments need, with `packed_polygons` and `packed_contacts` "
          "rows in\nall, so that calls and captured graphs do not.\n\nRaises MemoryError where there is too little "
          "memory, ValueError for a number below 0.")
      .def_prop_ro(
          "scene", [](const PythonEvaluator& self) { return self.scene; }, "The scene that it evaluates.",
          nb::for_getter(nb::sig("def scene(self) -> Scene")))
      .def_prop_ro(
          "device", [](const PythonEvaluator& self) { return self.compute.device; },
          "\"cpu\", \"cuda:0\" and so on, or \"reference\".")
      .def_prop_ro(
          "precision",
          [](const PythonEvaluator& self) {
            return self.compute.options.precision == Precision::kDouble ? "double" : "float";
          },
          "\"float\" or \"double\".")
      .def("_wanted", &PythonEvaluator::wanted, arg("call"), arg("outputs"))
      .def(
          "_arrays",
          [](const PythonEvaluator& self, std::int64_t max_clusters, std::int64_t polygon_capacity,
             std::int64_t contact_capacity) {
            return describe_arrays(self, max_clusters, polygon_capacity, contact_capacity);
          },
          arg("max_clusters"), arg("polygon_capacity"), arg("contact_capacity"))
      .def("__repr__", [](const PythonEvaluator& self) {
        return fmt::format("<isopatch.Evaluator on {}, {}>", self.compute.device,
                           self.compute.options.precision == Precision::kDouble ? "double" : "float");
      });
}

}  // namespace isopatch::python

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include "host/evaluation/candidate_memory.h"
#include "host/python/bindings/define.h"
#include "host/python/bindings/evaluation.h"
#include "host/python/bindings/streams.h"

namespace isopatch::python {
namespace {

void reset_candidates(nb::handle object, const Given<2>& given) {
  PythonCandidates& self = *nb::inst_ptr<PythonCandidates>(object);
  const auto& [mask, stream] = given;
  const auto& evaluator = nb::cast<const PythonEvaluator&>(self.evaluator);
  const Placement placement = with_stream(evaluator.compute.placement, {"reset", "stream"}, stream, mask);
  const ResetMask chosen(mask, placement, {evaluator.counts, self.cache.num_environments()});
  const nb::gil_scoped_release released;
  self.cache.reset(chosen.data(), placement.stream);
}

}  // namespace

CandidateCache* parse_candidates(const char* call, nb::handle given, const PythonEvaluator& evaluator,
                                 std::int64_t environments) {
  if (given.is_none()) return nullptr;
  const Argument argument{call, "candidates"};
  if (!nb::isinstance<PythonCandidates>(given)) {
    argument.wrong_type("expected a CandidateCache, found {}; Evaluator.make_candidate_cache() makes one",
                        name_of_type(given));
  }
  auto& candidates = nb::cast<PythonCandidates&>(given);
  if (&nb::cast<const PythonEvaluator&>(candidates.evaluator) != &evaluator) {
    argument.wrong_value("expected a CandidateCache of this evaluator, found one of another");
  }
  const std::int64_t room = candidates.cache.num_environments();
  if (room < environments) {
    argument.wrong_value("expected room for the {} environments of poses, found a CandidateCache for {}", environments,
                         room);
  }
  return &candidates.cache;
}

void bind_candidates(nb::module_& module) {
  nb::class_<PythonCandidates> cache(module, "CandidateCache",
                                     R"(The pairs of cells that may touch, kept from call to call.

Evaluator.make_candidate_cache() makes one; evaluate() and bind() take it as `candidates`. A neighbour list with a skin
is the same in other fields: pairs are found with a margin, and found again only once bodies have moved relative to each
other by more than that. No result changes in any bit.

They are kept for wrenches and sums over patches, and pay for bodies that rest or move slowly. The CPU takes less of the
margin the slower bodies move, and keeps nothing of those that are too fast for it. CUDA keeps them in large batches of
small meshes, the reference nothing. Two calls must not use one cache at the same time. A Simulator on the CPU keeps
candidates by itself.)");
  define(cache, "reset", Signature<2>{"reset", {Parameter{"mask", nb::none()}, Parameter{"stream", nb::none()}}},
         &reset_candidates, "def reset(self, mask: object | None = None, stream: object | None = None) -> None",
         R"(Forgets the pairs of some environments. Results never need that: what no longer holds is found again.

Args:
    mask: [num_envs], bool or uint8: of which environments. None: all.
    stream: On a CUDA device, the stream: its address, or a stream of torch or CuPy. None: the current stream of the
        library of `mask`, without a mask the default stream.

Raises:
    TypeError: for a mask of another type.
    ValueError: for a mask of another shape or device, and for a stream on the CPU.)");
  cache
      .def_prop_ro(
          "evaluator", [](const PythonCandidates& self) { return self.evaluator; }, "The evaluator that it is for.",
          nb::for_getter(nb::sig("def evaluator(self) -> Evaluator")))
      .def_prop_ro(
          "num_envs", [](const PythonCandidates& self) { return self.cache.num_environments(); },
          "The number of environments that it has room for.")
      .def_prop_ro(
          "margin", [](const PythonCandidates& self) { return self.cache.margin(); }, "The largest margin, m.")
      .def_prop_ro(
          "nbytes", [](const PythonCandidates& self) { return self.cache.bytes(); },
          "Bytes of its memory, which lies on the device with CUDA.")
      .def_prop_ro(
          "_times_found", [](const PythonCandidates& self) { return self.cache.implementation().times_found(); },
          "How often pairs were found with a margin, of all part pairs together; counted on the CPU.")
      .def("__repr__", [](const PythonCandidates& self) {
        return fmt::format("<isopatch.CandidateCache of {} environments, {} bytes>", self.cache.num_environments(),
                           self.cache.bytes());
      });
}

}  // namespace isopatch::python

// SPDX-License-Identifier: Apache-2.0
//
// The elastic energy U = integral over the overlap of min(p_M, p_S) (PFC eq. 1 for both bodies). The static wrench is
// its negative derivative with respect to the pose. Always in double.
//
// It is found from the contact polygons (energy/flux.h), or from the overlaps of all pairs of cells (energy/overlap.h):
// beside a half space, where the contact surface may have gaps, and where so little of the bodies is compressed that
// the fluxes through the surface nearly cancel; there are not many overlaps then.
#pragma once

#include "isopatch/detail/pressure_field/energy/flux.h"
#include "isopatch/detail/pressure_field/evaluate_pair.h"

namespace isopatch::detail {

/// Rigid parts take part with their tets.
ISOPATCH_HD const HierarchyView& solid_of(const PairBody& body) { return body.field->solid; }

/// Hands the overlaps of pairs of cells to add(integral).
template <class Planes, class Add>
struct OverlapVisitor {
  using Accepted = AcceptedCells;

  const PairContext& context;
  Integrand integrand;
  Planes planes;  // memory for those of a lane's polyhedron
  Add add;

  ISOPATCH_HD bool wants(const Node& m, const Node& s) const { return may_overlap(context, box_of(m), box_of(s)); }

  ISOPATCH_HD bool accepts(AcceptedCells& cells) const {
    const std::int32_t m = cells.m, s = cells.s;
    return cells_overlap(context, cell_M(m), cell_S(s), {solid_of(context.M).coarse_cells + m},
                         {s < 0 ? nullptr : solid_of(context.S).coarse_cells + s}, cells.bounds);
  }

  ISOPATCH_HD void visit(bool active, const AcceptedCells& at) {
    if (!active) return;
    add(integrate_overlap(context, *cell_M(at.m).cell, cell_S(at.s).cell, at.bounds, integrand, planes));
  }

 private:
  ISOPATCH_HD CellRef cell_M(std::int32_t m) const { return {solid_of(context.M).cells + m}; }
  ISOPATCH_HD CellRef cell_S(std::int32_t s) const { return {s < 0 ? nullptr : solid_of(context.S).cells + s}; }
};

/// Adds the energies of cells.
struct AddEnergy {
  EnergySum& to;

  ISOPATCH_HD void operator()(double energy) const { to.add(energy, 0); }
};

/// Adds what ends in a sink.
struct AddSink {
  EnergySum& to;
  double rate, check;

  ISOPATCH_HD void operator()(double energy) const { to.add(rate * energy, check * energy); }
};

template <class Planes>
using EnergyVisitor = OverlapVisitor<Planes, AddEnergy>;

/// The hierarchies of all tets.
ISOPATCH_HD HierarchyPair solids_of(const PairContext& f) {
  return {solid_of(f.M).nodes, f.S.half_space ? nullptr : solid_of(f.S).nodes};
}

/// Adds what ends in the sinks of a body: where they overlap the other one, and the body has the smaller pressure.
template <class Planes, class Search>
ISOPATCH_HD void add_sinks(const PairContext& f, bool of_S, const Planes& planes, EnergySum& to, const Search& search) {
  const PairBody& body = of_S ? f.S : f.M;
  if (body.rigid) return;
  for (std::int32_t i = 0; i < body.field->num_sinks; ++i) {
    const FluxSink& sink = body.field->sinks[i];
    const HierarchyPair all = solids_of(f);  // of which a leaf is all that is traversed of the body
    const HierarchyPair hierarchies = {all.nodes_M + (of_S ? 0 : sink.node), all.nodes_S + (of_S ? sink.node : 0)};
    const AddSink add = {to, sink.rate, sink.check};
    OverlapVisitor<Planes, AddSink> visitor = {f, of_S ? Integrand::kPressureS : Integrand::kPressureM, planes, add};
    search.traverse(hierarchies, visitor);
  }
}

/// Adds the energy of a part pair, by fluxes if that is wanted and possible.
template <class Planes, class Search>
struct AddPartPair {
  const PairContext& context;
  const Planes& planes;
  const Search& search;
  EnergySum& to;
  bool by_fluxes;

  ISOPATCH_HD void operator()(int) const {
    if (!(by_fluxes && has_fluxes(context))) {
      EnergyVisitor<Planes> visitor = {context, Integrand::kPressure, planes, {to}};
      return search.overlap(context, visitor);
    }
    search.find_polygons(context, to);
    ISOPATCH_NO_UNROLL
    for (int side = 0; side < 2; ++side) add_sinks(context, side == 1, planes, to, search);
  }
};

/// How much of the energy the flux may be that should be 0. Where it is that much because of rounding, the contact is
/// so shallow that the energy of all overlaps has no more digits: at 0.1 mm of bodies of 0.1 m it was up to 3e-9, the
/// energy within 4e-10 of extended precision, and that of all overlaps off by up to 9e-9.
inline constexpr double kMaxFluxGap = 5e-9;

/// Writes the elastic energy of one pair of a valid environment. `search` has find_polygons(context, sum), which adds
/// the fluxes through all contact polygons of a part pair; overlap(context, visitor), which hands it all overlaps of
/// cells; and traverse(hierarchies, visitor). Called by all lanes.
template <class Warp, class Planes, class Search>
ISOPATCH_HD void evaluate_energy(Warp& warp, PairMemory<PairContext>& memory, const Planes& planes,
                                 const SceneView& scene, const State& state, const Results& results,
                                 std::int64_t environment, int pair, const Search& search) {
  begin_pair(warp, memory, scene, state, environment, pair);
  bool by_fluxes = true;
  for (bool again = true; again;) {
    PairBounds bounds = memory.bounds;
    bounds.widen(memory.pass.widening);
    EnergySum sum = {FixedPointScale<double>::from_bound(bounds.torque)};
    for (int frame = 0; frame < num_frames(scene.pairs[pair]); ++frame) {
      for_each_part_pair(warp, memory, scene, state, environment, pair, frame,
                         AddPartPair<Planes, Search>{memory.context, planes, search, sum, by_fluxes});
    }
    for (std::int64_t& limb : sum.energy.limb) limb = warp.sum(limb);
    for (std::int64_t& limb : sum.check.limb) limb = warp.sum(limb);
    const SumBound bound = {warp.sum(sum.bound.terms), warp.sum(sum.bound.magnitude)};
    const bool holds = bound.holds<double>();
    const double energy = sum.energy.value(sum.scale);
    again = !holds && memory.pass.pass == Pass::kFirst;
    if (again) {
      begin_pass(warp, memory, {Pass::kWider, bound.widening()});
    } else if (by_fluxes && !(std::fabs(sum.check.value(sum.scale)) <= kMaxFluxGap * energy)) {
      by_fluxes = false;
      again = true;
      begin_pass(warp, memory, {Pass::kFirst, 0});
    } else if (warp.lane() == 0) {
      write(results.energy, environment, pair, max(0.0, energy));  // rounding may leave less where bodies just touch
      if (!holds) set_status(warp, results, environment, kSumOverflow);
    }
  }
  warp.sync();  // the workspace may be used again
}

/// Searches with the traversals of a warp.
template <class Warp, int size>
struct EnergySearch {
  Warp& warp;
  TraversalMemory<AcceptedCells, size>& memory;

  template <class Visitor>
  ISOPATCH_HD void traverse(const HierarchyPair& hierarchies, Visitor& visitor) const {
    detail::traverse(warp, memory, hierarchies, visitor);
  }
  template <class Visitor>
  ISOPATCH_HD void overlap(const PairContext& f, Visitor& visitor) const {
    traverse(solids_of(f), visitor);
  }
  ISOPATCH_HD void find_polygons(const PairContext& f, EnergySum& sum) const {
    FluxVisitor<Warp> visitor = {{f}, sum};
    traverse(hierarchies_of(f), visitor);
  }
};

/// The same with the traversals of a warp.
template <class Warp, int size, class Planes = PlanesInPlace>
ISOPATCH_HD void evaluate_energy(Warp& warp, Workspace<size>& work, const SceneView& scene, const State& state,
                                 const Results& results, std::int64_t environment, int pair,
                                 const Planes& planes = {}) {
  const EnergySearch<Warp, size> search = {warp, work.traversal};
  evaluate_energy(warp, work.pair, planes, scene, state, results, environment, pair, search);
}

}  // namespace isopatch::detail

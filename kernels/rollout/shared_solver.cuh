// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isopatch/detail/rollout/solver/solver_memory.h"

namespace isopatch::detail {

/// What a warp writes in a solve and soon reads again, in shared memory as far as there is room. A store to global
/// memory goes through the first-level cache and leaves it, so that the next load waits for the second one.
template <int words>
class SharedSolver {
 public:
  /// The memory of a solve that has begun, with so many pairs and loops. Called by all lanes.
  template <class Warp>
  __device__ SolverMemory take(const Warp& warp, const SolverMemory& from, int pairs) {
    SolverMemory own = from;
    GivenMemory given = {words_, 0};
    const int dofs = from.matrix.size;
    SolverVectors& v = own.vectors;
    for (double** vector : {&v.velocity, &v.previous, &v.direction, &v.momentum, &v.gradient}) {
      given.give(*vector, dofs);
    }
    if (given.words > words) {
      v = from.vectors;
      warp.sync();  // before the caller changes it
      return own;
    }
    const auto give = [&](auto*& array, std::int64_t count, auto* otherwise) {
      const GivenMemory before = given;
      given.give(array, count);
      if (given.words > words) given = before, array = otherwise;
    };
    give(own.rows, dofs, from.rows);
    give(own.matrix.entries, std::int64_t{dofs} * dofs, from.matrix.entries);
    give(own.pairs, pairs, from.pairs);
    for (int i = warp.lane(); i < dofs; i += Warp::kSize) {
      v.velocity[i] = 0;
      v.previous[i] = from.vectors.previous[i];
    }
    for (int i = warp.lane(); i < pairs && own.pairs != from.pairs; i += Warp::kSize) {
      const SolvedPair& begun = from.pairs[i];  // what is not listed was not written yet
      SolvedPair& pair = own.pairs[i];
      pair.pair = begun.pair, pair.a = begun.a, pair.b = begun.b;
      pair.first_polygon = begun.first_polygon, pair.polygons = begun.polygons;
      pair.first_block = begun.first_block;
      pair.first_term = begun.first_term, pair.terms = begun.terms;
      pair.point = begun.point;
      for (double& sum : pair.sums) sum = 0;
    }
    warp.sync();
    return own;
  }

  /// Gives what the end of a stage reads back to the memory that it was taken from. Called by all lanes.
  template <class Warp>
  __device__ static void give_back(const Warp& warp, const SolverMemory& own, const SolverMemory& to, int pairs) {
    for (int i = warp.lane(); i < own.matrix.size && own.vectors.velocity != to.vectors.velocity; i += Warp::kSize) {
      to.vectors.velocity[i] = own.vectors.velocity[i];
    }
    for (int i = warp.lane(); i < pairs && own.pairs != to.pairs; i += Warp::kSize) {
      const SolvedPair& pair = own.pairs[i];
      SolvedPair& solved = to.pairs[i];
      solved.first_term = pair.first_term, solved.terms = pair.terms;
      for (int k = 0; k < ImpulseSums::kSize; ++k) solved.sums[k] = pair.sums[k];
    }
  }

 private:
  double words_[words];
};

}  // namespace isopatch::detail

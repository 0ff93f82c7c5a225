// SPDX-License-Identifier: Apache-2.0
//
// The elimination by a warp has the bits of that by one thread, and both solve the system.
#include "isopatch/detail/rollout/solver/elimination.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/fiber_warp.h"

namespace isopatch::test {
namespace {

using detail::LowerMatrix, detail::MatrixRows;

enum class Touching { kAll, kTheLast, kNone };

/// A symmetric positive definite matrix with a block for each body, and without those of bodies that do not touch.
struct System {
  std::vector<int> first, dofs;                 // of each body, in the order of elimination
  std::vector<std::vector<std::int32_t>> rows;  // in which each body's columns have entries
  std::vector<double> entries, x;

  System(const std::vector<int>& bodies, Touching touching) : dofs(bodies) {
    int size = 0;
    for (const int n : bodies) first.push_back(size), size += n;
    std::mt19937 random(static_cast<unsigned>(size));
    std::uniform_real_distribution<double> any(-1, 1);
    entries.assign(static_cast<std::size_t>(size) * size, 0);
    x.resize(static_cast<std::size_t>(size));
    for (double& value : x) value = any(random);
    LowerMatrix H = matrix(entries);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      rows.emplace_back();
      for (std::size_t j = i; j < bodies.size(); ++j) {
        if (j > i && touching == Touching::kNone) continue;
        if (j > i && touching == Touching::kTheLast && j + 1 < bodies.size()) continue;
        for (int row = first[j]; row < first[j] + dofs[j]; ++row) {
          rows.back().push_back(row);
          for (int column = first[i]; column < first[i] + dofs[i] && column <= row; ++column) {
            H.at(row, column) = row == column ? 2 * size + any(random) : any(random);
          }
        }
      }
    }
  }
  LowerMatrix matrix(std::vector<double>& of) const { return {of.data(), static_cast<std::int32_t>(x.size())}; }
  MatrixRows rows_of(std::size_t body) const {
    return {rows[body].data(), static_cast<std::int32_t>(rows[body].size())};
  }

  /// With each body after those in whose rows it has entries.
  void substitute_back(const LowerMatrix& H, std::vector<double>& solution) const {
    std::vector<double> zero(dofs.size());
    for (std::size_t i = dofs.size(); i-- > 0;) {
      double others = -0.0;
      for (std::size_t j = i + 1; j < dofs.size(); ++j) {
        if (std::find(rows[i].begin(), rows[i].end(), first[j]) == rows[i].end()) others += zero[j];
      }
      zero[i] = detail::substitute_back(H, rows_of(i), dofs[i], others, solution.data());
    }
  }

  /// The largest entry of H solution - x.
  double residual(const std::vector<double>& solution) {
    const LowerMatrix H = matrix(entries);
    double worst = 0;
    for (int row = 0; row < H.size; ++row) {
      double sum = -x[static_cast<std::size_t>(row)];
      for (int column = 0; column < H.size; ++column) {
        sum += H.at(std::max(row, column), std::min(row, column)) * solution[static_cast<std::size_t>(column)];
      }
      worst = std::max(worst, std::abs(sum));
    }
    return worst;
  }
};

/// With the signs of zeros.
std::vector<std::uint64_t> bits_of(const std::vector<double>& numbers) {
  std::vector<std::uint64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
  return bits;
}

TEST(Elimination, HasTheSameBitsByAWarp) {
  const std::vector<std::vector<int>> cases = {
      {1}, {6}, {6, 6}, {1, 6, 1}, {6, 6, 6, 6, 6, 6}, {6, 1, 6, 6, 1, 6, 6, 6, 6, 6, 6, 6, 1, 6}};
  for (const auto& bodies : cases) {
    for (const Touching touching : {Touching::kAll, Touching::kTheLast, Touching::kNone}) {
      SCOPED_TRACE(std::to_string(bodies.size()) + " bodies, touching " + std::to_string(static_cast<int>(touching)));
      System system(bodies, touching);
      // of some bodies zeros, whose signs depend on what others add to them
      for (int k = 0; k < bodies[0]; ++k) system.x[static_cast<std::size_t>(k)] = -0.0;
      std::vector<double> serial = system.entries, by_lanes = system.entries, x = system.x, lanes_x = system.x;
      const LowerMatrix H = system.matrix(serial), of_lanes = system.matrix(by_lanes);
      for (std::size_t i = 0; i < bodies.size(); ++i) eliminate_columns(H, system.rows_of(i), bodies[i], x.data());
      system.substitute_back(H, x);
      EXPECT_LT(system.residual(x), 1e-13);  // up to 70 terms below 1, each rounded: 70 epsilon are 1.6e-14

      FiberGroup<32>().run([&](FiberWarp<32>& warp) {
        for (std::size_t i = 0; i < bodies.size(); ++i) {
          eliminate_columns(warp, of_lanes, system.rows_of(i), bodies[i], lanes_x.data());
        }
        substitute_back(warp, of_lanes, lanes_x.data());
      });
      EXPECT_EQ(by_lanes, serial);
      EXPECT_EQ(bits_of(lanes_x), bits_of(x));
    }
  }
}

}  // namespace
}  // namespace isopatch::test

// SPDX-License-Identifier: Apache-2.0
#include "host/text/suggestion.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "host/text/quote.h"

namespace isopatch::detail {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  std::string closest;
  std::size_t closest_distance = 4;  // at most three wrong letters
  for (const std::string& candidate : known) {
    if (name.size() > candidate.size() + 3 || candidate.size() <= 2) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= closest_distance || 2 * distance > candidate.size()) continue;
    closest_distance = distance;
    closest = candidate;
  }
  if (!closest.empty()) return "; did you mean " + in_quotes(closest, '"') + "?";

  return known.empty() ? "" : "; known: " + list_of(known);
}

std::string list_of(const std::vector<std::string>& known) {
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < 12; ++i) list += (i == 0 ? "" : ", ") + in_quotes(known[i], '"');
  return list + (known.size() > 12 ? ", ..." : "");
}

}  // namespace isopatch::detail

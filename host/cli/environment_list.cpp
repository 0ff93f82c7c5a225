// SPDX-License-Identifier: Apache-2.0
#include "host/cli/environment_list.h"

#include <charconv>
#include <unordered_set>

#include "host/render/frames.h"
#include "host/text/throw_error.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr std::int64_t kLast = 1'000'000'000'000;

/// Takes a number from the front of a text; -1 if there is none.
std::int64_t take_number(std::string_view& text) {
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '-' || number > kLast) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::int64_t EnvironmentList::count() const {
  std::int64_t count = 0;
  for (const Range& range : ranges) count += range.last - range.first + 1;
  return count;
}

std::optional<EnvironmentList> parsed_environments(std::string_view text) {
  EnvironmentList list;
  for (;;) {
    EnvironmentList::Range range = {take_number(text), 0};
    range.last = range.first;
    if (text.starts_with('-')) {
      text.remove_prefix(1);
      range.last = take_number(text);
    }
    if (range.first < 0 || range.last < range.first) return std::nullopt;
    list.ranges.push_back(range);
    if (text.empty()) return list;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

std::vector<std::int64_t> named_environments(const std::string& text, std::optional<std::int64_t> count,
                                             const std::string& source) {
  const std::string option = source.empty() ? "--env " + text : source + ": --env " + text;
  const EnvironmentList list = parsed_environments(text).value();
  for (const EnvironmentList::Range& range : list.ranges) {
    if (!count || range.last < *count) continue;
    const std::string one = text == std::to_string(range.last) ? "it" : "each of them";
    throw_error("{}: there are {} environments, so {} must be in [0, {}]", option, *count, one, *count - 1);
  }
  if (list.count() > kMaxFrames) {
    throw_error("{}: {} environments are more than the {} of a picture", option, list.count(), kMaxFrames);
  }
  std::vector<std::int64_t> numbers;
  std::unordered_set<std::int64_t> known;
  for (const EnvironmentList::Range& range : list.ranges) {
    for (std::int64_t number = range.first; number <= range.last; ++number) {
      if (!known.insert(number).second) throw_error("{}: environment {} is named twice", option, number);
      numbers.push_back(number);
    }
  }
  return numbers;
}

}  // namespace isopatch::cli

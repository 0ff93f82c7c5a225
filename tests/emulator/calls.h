// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace isopatch::emulator {

/// A line of PTX without its comment, and its number.
using NumberedLine = std::pair<std::int32_t, std::string>;

/// What inline_calls() writes before the lines of a function, with its name, and behind them.
inline constexpr const char kCalled[] = ".called ", kReturned[] = ".returned";
/// The directive of parameters and results, in place of ".local".
inline constexpr const char kCallLocal[] = ".call_local";

/// Returns the kernels among the lines with the body of each function in the place of its calls. Registers get the
/// function's number, labels the call's; parameters and results lie in local memory, once for each function, as none
/// calls itself. Throws std::runtime_error for a function without a body.
std::vector<NumberedLine> inline_calls(const std::vector<NumberedLine>& lines);

}  // namespace isopatch::emulator

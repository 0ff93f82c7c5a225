// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulator/program.h"

namespace isopatch::emulator {

/// How an instruction is read and run: the bytes of each operand's lanes, kMask for a predicate; loads and stores have
/// an address instead.
struct Form {
  static constexpr std::uint8_t kMask = 0;

  Run run;
  std::vector<std::uint8_t> operands;
};

/// The form of an instruction by its full name, such as "add.rn.f32"; nullptr if it is not known.
const Form* find_form(const std::string& name);

/// A load or store between registers and memory elements of these widths.
Run find_access(bool loads, std::size_t element_bytes, bool is_signed, std::size_t register_bytes);

}  // namespace isopatch::emulator

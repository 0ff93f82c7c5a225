// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/cli/usage/command_text.h"

namespace isopatch::cli {

/// isopatch(1) in the macros of man(7). `date` is YYYY-MM-DD.
std::string manual_page(const ProgramText& program, const std::string& date);

}  // namespace isopatch::cli

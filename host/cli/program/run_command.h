// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace isopatch::cli {

/// The command `isopatch`, for its program and for the Python package: runs what the arguments say, the first being the
/// program's name, handles the signals of the process, and prints errors. Returns the exit status: 0 done, 2 bad input
/// or usage, 130 interrupted.
int run_command(int argc, char** argv, std::string (*version_text)());

}  // namespace isopatch::cli

// SPDX-License-Identifier: Apache-2.0
//
// Output files are written whole or not at all: in their folder, under the name .NAME.isopatch, then renamed. A full
// disk or an error leaves what was there before. The name is the same in every run, and held by a lock: what a killed
// run left behind is overwritten by the next, and two runs that write one file at a time are an Error of the second.
#pragma once

#include <string>
#include <string_view>

namespace isopatch::detail {

/// Writes `bytes` as the file `path`. A link is followed; a file that is there keeps its permissions; what is there but
/// no regular file is refused. Throws Error naming `path`.
void write_output_file(const std::string& path, std::string_view bytes);

/// Throws Error if write_output_file(path) could not work, so that nobody waits for a computation in vain.
void check_writable(const std::string& path);

/// Removes the half written file of a write_output_file() that a signal interrupts: for signal handlers, after which
/// the process ends.
void remove_unfinished_output() noexcept;

}  // namespace isopatch::detail

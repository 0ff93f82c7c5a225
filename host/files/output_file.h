// SPDX-License-Identifier: Apache-2.0
//
// Output files are written whole or not at all: in their folder, under the name .NAME.isopatch, then renamed. After an
// error or on a full disk, the old file is still there. The name is the same in every run and guarded by a lock: the
// next run overwrites what a killed run left behind, and the second of two runs that write a file at the same time gets
// an Error. A file of that name that is not this user's own, or has other names too, is refused. So is an output that
// the run has read (input_file.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace isopatch::detail {

/// A file that is being written, for output that comes piece by piece. If it is not finished, the old file stays.
class OutputFile {
 public:
  /// Begins the file `path`. A link is followed. Throws Error naming `path`, also if `path` exists but is not a regular
  /// file, and if another run is writing it.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(OutputFile&&) noexcept;

  /// Where the bytes go, from its beginning on; open for reading too, also after finish().
  int descriptor() const;

  void write(std::string_view bytes);

  /// Takes over what was written, with the permissions of an existing file. Throws Error.
  void finish();

  /// Closes it. Throws Error if the file system reports only now that something was not written.
  void close();

 private:
  class Temporary;
  std::unique_ptr<Temporary> temporary_;
};

/// Writes `bytes` as the file `path`. A link is followed, and an existing file keeps its permissions. Throws Error
/// naming `path`, also if `path` exists but is not a regular file.
void write_output_file(const std::string& path, std::string_view bytes);

/// Throws Error if write_output_file(path) would fail; to be called before a long computation.
void check_writable(const std::string& path);

/// Throws Error unless the name of an output file ends in one of these extensions, which say the format that is
/// written, and the file can be written. `what` names the argument in the first case.
void check_output(const std::string& what, const std::string& path, const std::vector<std::string>& extensions);

/// Removes the half-written file of a write_output_file() that a signal interrupts: for signal handlers that end the
/// process.
void remove_unfinished_output() noexcept;

}  // namespace isopatch::detail

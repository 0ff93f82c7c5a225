// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace isopatch {

/// What an Error is about.
enum class ErrorKind : std::uint8_t {
  kInput,     ///< an argument, a scene, or the contents of a file
  kFile,      ///< a file that cannot be opened, read or written
  kDevice,    ///< no CUDA device or no CUDA code, or a device that failed
  kMemory,    ///< too little memory on a device, or for candidates
  kCancelled  ///< nothing is wrong: cancelled by EvaluatorOptions::is_cancelled
};

/// The pieces of a message; each is empty where it is not known apart from the rest. They are printable and not too
/// long, as the message is.
struct ErrorParts {
  std::string where = {};   ///< the argument, the object or the place in a file; of kFile the path
  std::string found = {};   ///< the value that is wrong
  std::string wanted = {};  ///< what would be right, in the words of the message
  int code = 0;             ///< of kFile: errno; 0 if there is none
};

/// The one exception type for bad input. The message names the file or object, the field, the value found, and what
/// would be right. It is one line of printable, valid UTF-8 of at most 1000 characters: other characters in names and
/// bytes that it repeats are escaped as in C source, and a longer message loses its middle.
class Error : public std::runtime_error {
 public:
  /// Escapes and shortens `message` and the parts where needed.
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::kInput, ErrorParts parts = {});

  ErrorKind kind() const noexcept { return kind_; }             ///< what it is about
  const ErrorParts& parts() const noexcept { return *parts_; }  ///< valid as long as the error

 private:
  ErrorKind kind_;
  std::shared_ptr<const ErrorParts> parts_;  // shared, so that copying an error cannot throw
};

}  // namespace isopatch

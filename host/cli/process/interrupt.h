// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP: long work stops in an orderly way; anywhere else they end the program at once. Neither
// leaves a half-written file.
#pragma once

namespace isopatch::cli {

/// Thrown when the user interrupts; nothing is left half-written.
struct Interrupted {};

/// Handles the signals of the whole program.
void handle_signals();

/// While one lives, the first signal only makes check() throw Interrupted; a second one ends the program at once.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  void check() const;
};

}  // namespace isopatch::cli

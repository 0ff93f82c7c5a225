// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP: where long work can stop in order it does, anywhere else they end the program at once,
// without a half written file.
#pragma once

namespace isopatch::cli {

/// Thrown when the user interrupts; nothing is left half written.
struct Interrupted {};

/// Takes the signals for the whole program.
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

// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP stop long work in an orderly way, and end the program at once elsewhere. Neither leaves a
// half-written file.
#pragma once

namespace isopatch::detail {

/// Thrown when the user interrupts; nothing is left half-written.
struct Interrupted {};

/// For EvaluatorOptions::is_cancelled: throws Interrupted after the first signal in the life of an Interruptible.
/// Otherwise false.
bool interrupted();

/// Handles the signals of the whole program.
void handle_signals();

/// While an object lives, the first signal only makes check() throw Interrupted; a second one ends the program at once.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  void check() const;
};

}  // namespace isopatch::detail

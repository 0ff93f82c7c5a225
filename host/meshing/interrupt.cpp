// SPDX-License-Identifier: Apache-2.0
#include "host/meshing/interrupt.h"

#include <array>
#include <csignal>

#include "host/files/output_file.h"

namespace isopatch::detail {

namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t checked = 0, pending = 0;

void on_signal(int number) {
  if (checked != 0 && pending == 0) {
    pending = 1;
    return;
  }
  remove_unfinished_output();
  std::signal(number, SIG_DFL);
  std::raise(number);  // ends the program when this returns
}

void take_signals() {
  for (const int number : kSignals) {
    struct sigaction before = {}, action = {};
    // under nohup the end of the terminal stays ignored
    if (number == SIGHUP && sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    action.sa_handler = on_signal;
    sigaction(number, &action, nullptr);
  }
}

}  // namespace

bool interrupted() {
  if (pending != 0) throw Interrupted{};
  return false;
}

void handle_signals() { take_signals(); }

Interruptible::Interruptible() {
  pending = 0;
  checked = 1;
  take_signals();
}

Interruptible::~Interruptible() { checked = 0; }

void Interruptible::check() const { interrupted(); }

}  // namespace isopatch::detail

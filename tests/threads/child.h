// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>

namespace isopatch::test {

/// Runs work() in a child made by fork(). Returns how it ended: "right" if work() returned true; an alarm ends it after
/// a minute. Exit handlers are not run: they belong to the parent.
template <class Work>
std::string in_child(const Work& work) {
  constexpr int kRight = 0, kWrong = 1, kThrew = 2;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    int code = kThrew;
    try {
      code = work() ? kRight : kWrong;
    } catch (const std::exception&) {
    }
    _exit(code);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return "no child";
  if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
  const int code = WEXITSTATUS(status);
  return code == kRight   ? "right"
         : code == kWrong ? "wrong"
         : code == kThrew ? "threw"
                          : "code " + std::to_string(code);
}

}  // namespace isopatch::test

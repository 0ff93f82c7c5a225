// SPDX-License-Identifier: Apache-2.0
#include "host/cli/program/run_command.h"

#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "host/cli/usage/declarations.h"
#include "host/cli/usage/help_text.h"
#include "host/meshing/interrupt.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"

namespace isopatch::cli {

using namespace detail;

namespace {

constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;

int run(int argc, char** argv, std::string (*version_text)()) {
  CLI::App app;
  Arguments arguments;
  declare(app, arguments, version_text);
  refuse_empty_values(app, {argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw Error(usage_error(app, argc > 1 ? argv[1] : "", error));
  }
  return 0;
}

/// Throws if something could not be printed, as on a full disk.
void flush_output() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return;
  throw_error("standard output cannot be written: {}", std::strerror(errno));
}

}  // namespace

int run_command(int argc, char** argv, std::string (*version_text)()) {
  try {
    handle_signals();
    const int code = run(argc, argv, version_text);
    flush_output();
    return code;
  } catch (const Interrupted&) {
    fmt::print(stderr, "isopatch: interrupted, nothing written\n");
    return kInterrupted;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "isopatch: error: not enough memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "isopatch: error: {}\n", message_text(error.what()));
  }
  return kBadInput;
}

}  // namespace isopatch::cli

// SPDX-License-Identifier: Apache-2.0
//
// The isopatch command. Exit status: 0 done, 2 bad input or usage, 130 interrupted.
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include "host/cli/usage/declarations.h"
#include "host/cli/usage/usage_error.h"
#include "host/meshing/interrupt.h"
#include "host/text/quote.h"
#include "host/text/throw_error.h"
#include "isopatch/evaluator.h"

using namespace isopatch::cli;
using namespace isopatch::detail;

namespace {

constexpr int kBadInput = 2;
constexpr int kInterrupted = 130;

#ifdef __clang__
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

#ifdef ISOPATCH_HAS_CVODE
constexpr const char* kCvode = "yes";
#else
constexpr const char* kCvode = "no";
#endif

std::string cuda_text() {
#ifdef ISOPATCH_HAS_CUDA
  const int devices = isopatch::num_cuda_devices();
  return fmt::format("{}, {} {} found", ISOPATCH_CUDA_VERSION, devices, devices == 1 ? "device" : "devices");
#else
  return "no";
#endif
}

/// The version, the compiler, and what this build has.
std::string version_text() {
  return fmt::format("isopatch {}\ncompiler  {}\nCUDA      {}\nCVODE     {}", ISOPATCH_VERSION, kCompiler, cuda_text(),
                     kCvode);
}

int run(int argc, char** argv) {
  CLI::App app;
  Arguments arguments;
  declare(app, arguments, &version_text);
  refuse_empty_values(app, {argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw isopatch::Error(usage_error(app, argc > 1 ? argv[1] : "", error));
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

int main(int argc, char** argv) {
  try {
    handle_signals();
    const int code = run(argc, argv);
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

// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host/cli/program/run_command.h"
#include "host/cli/program/version_text.h"
#include "host/python/bindings/bindings.h"

namespace isopatch::python {

void bind_command(nb::module_& module) {
  module.def(
      "run_command",
      [](std::vector<std::string> arguments) {
        std::vector<char*> argv;
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        const nb::gil_scoped_release released;
        return cli::run_command(static_cast<int>(arguments.size()), argv.data(), &cli::version_text);
      },
      nb::arg("arguments"),
      "Runs the command isopatch, for isopatch/__main__.py, whose process ends with it: signals are handled for it, "
      "too.\n\n"
      "Args:\n    arguments: As a shell gives them, first the program's name.\n\nReturns the exit status.");
}

}  // namespace isopatch::python

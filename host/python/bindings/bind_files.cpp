// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "host/files/output_file.h"
#include "host/python/bindings/bindings.h"

namespace isopatch::python {

using isopatch::detail::OutputFile;

void bind_files(nb::module_& module) {
  module.def(
      "_write_file",
      [](const std::string& path, const nb::bytes& bytes) {
        isopatch::detail::write_output_file(path, {static_cast<const char*>(bytes.data()), bytes.size()});
      },
      nb::arg("path"), nb::arg("bytes"));
  nb::class_<OutputFile>(module, "_OutputFile", "A file that comes piece by piece, and is whole or not there.")
      .def(
          "__init__",
          [](OutputFile* self, const std::string& what, const std::string& path, const std::string& extension) {
            isopatch::detail::check_output(what, path, {extension});
            new (self) OutputFile(path);
          },
          nb::arg("what"), nb::arg("path"), nb::arg("extension"))
      .def("fileno", &OutputFile::descriptor)
      .def("finish", &OutputFile::finish);
}

}  // namespace isopatch::python

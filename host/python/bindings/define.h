// SPDX-License-Identifier: Apache-2.0
//
// Functions of the package that match their arguments with names themselves, since what nanobind says of wrong ones has
// several lines. nanobind gives them all that come by position and all that come by name, whatever these are, so it
// never refuses a call.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace isopatch::python {

namespace nb = nanobind;

/// An argument of a function.
struct Parameter {
  const char* name;
  nb::object otherwise = {};  // if it is not given; invalid: it must be
};

/// Throws TypeError for an argument whose name is none of `known`, with the one that was meant.
[[noreturn]] void refuse_unknown(const char* call, nb::handle name, const std::vector<std::string>& known);

/// Throws TypeError for arguments that do not fit the names, of which the first `positional` may come without.
[[noreturn]] void refuse_arguments(const char* call, const Parameter* parameters, std::size_t count,
                                   std::size_t positional, nb::handle given, std::size_t self, nb::handle unknown);

/// Throws TypeError for an object that is none of the class, or whose __init__() has not run.
[[noreturn]] void refuse_self(const char* call, nb::handle type, nb::handle given);

/// What stands for an argument that was not given.
nb::handle not_given();

/// The arguments of a function of `kCount` names in the order of the names.
template <std::size_t kCount>
using Given = std::array<nb::handle, kCount>;

/// The names that a function's arguments have, of which the first `kPositional` may be given without.
template <std::size_t kCount, std::size_t kPositional = kCount>
struct Signature {
  const char* call;  // for messages
  std::array<Parameter, kCount> parameters;

  /// In `named` are those that were given by name. `positional` begins with `self` arguments that are of no concern.
  void complete(Given<kCount>& named, nb::handle positional, std::size_t self, nb::handle unknown) const {
    const auto count = static_cast<std::size_t>(PyTuple_Size(positional.ptr()));
    bool fits = count >= self && count - self <= kPositional && PyDict_Size(unknown.ptr()) == 0;
    for (std::size_t i = 0; fits && i + self < count; ++i) {
      fits = named[i].is(not_given());
      named[i] = PyTuple_GetItem(positional.ptr(), static_cast<Py_ssize_t>(i + self));
    }
    for (std::size_t i = 0; fits && i < kCount; ++i) {
      if (!named[i].is(not_given())) continue;
      named[i] = parameters[i].otherwise;
      fits = named[i].is_valid();
    }
    if (!fits) refuse_arguments(call, parameters.data(), kCount, kPositional, positional, self, unknown);
  }
};

template <std::size_t>
using HandleOf = nb::handle;

template <class Class, std::size_t kCount, std::size_t kPositional, class Function, std::size_t... kIndices>
void define_method(nb::class_<Class>& type, const char* name, const Signature<kCount, kPositional>& signature,
                   const Function& function, const char* declaration, const char* text,
                   std::index_sequence<kIndices...>) {
  type.def(
      name,
      [signature, function, own = nb::handle(type)](nb::args given, HandleOf<kIndices>... named, nb::kwargs unknown) {
        const nb::handle self = !given.empty() ? nb::handle(PyTuple_GetItem(given.ptr(), 0)) : nb::handle();
        if (!self.is_valid() || !nb::isinstance<Class>(self) || !nb::inst_ready(self)) {
          refuse_self(signature.call, own, self);
        }
        Given<kCount> all{named...};
        signature.complete(all, given, 1, unknown);
        return function(self, all);
      },
      (nb::arg(signature.parameters[kIndices].name).none() = nb::borrow(not_given()))..., nb::arg("unknown"),
      nb::sig(declaration), text);
}

/// Defines a method: `function` is called with the object and a Given, and `declaration` is what Python says of it.
template <class Class, std::size_t kCount, std::size_t kPositional, class Function>
void define(nb::class_<Class>& type, const char* name, const Signature<kCount, kPositional>& signature,
            const Function& function, const char* declaration, const char* text) {
  define_method(type, name, signature, function, declaration, text, std::make_index_sequence<kCount>());
}

template <class Class, std::size_t kCount, std::size_t kPositional, class Function, std::size_t... kIndices>
void define_constructor(nb::class_<Class>& type, const Signature<kCount, kPositional>& signature,
                        const Function& function, const char* declaration, std::index_sequence<kIndices...>) {
  type.def(
      "__init__",
      [signature, function](Class* self, nb::args given, HandleOf<kIndices>... named, nb::kwargs unknown) {
        Given<kCount> all{named...};
        signature.complete(all, given, 0, unknown);
        function(self, all);
      },
      nb::arg("given"), (nb::arg(signature.parameters[kIndices].name).none() = nb::borrow(not_given()))...,
      nb::arg("unknown"), nb::sig(declaration));
}

/// Defines the constructor: `function` is called with the memory for the object and a Given.
template <class Class, std::size_t kCount, std::size_t kPositional, class Function>
void define_constructor(nb::class_<Class>& type, const Signature<kCount, kPositional>& signature,
                        const Function& function, const char* declaration) {
  define_constructor(type, signature, function, declaration, std::make_index_sequence<kCount>());
}

}  // namespace isopatch::python

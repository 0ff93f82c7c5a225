// SPDX-License-Identifier: Apache-2.0
//
// A strict view of a JSON document: every value knows its path, so every error says its location.
#pragma once

#include <fmt/format.h>
#include <nlohmann/json_fwd.hpp>  // the whole takes a compiler seconds

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/text/quote.h"
#include "isopatch/error.h"

namespace isopatch::detail {

/// One value of a document, e.g. `scene.json: bodies[1].friction`. Every accessor throws Error if the value is not of
/// the requested kind. Refers to the document, which must outlive it.
class JsonValue {
 public:
  using Document = nlohmann::ordered_json;

  /// A value of a document that was read from `source`: the root, without a path.
  JsonValue(const Document& value, const std::string& source, const std::string& path = "");

  /// Parses `text` strictly: no comments, no duplicate keys, at most 32 levels, 4096 keys in an object and 500 000
  /// values in all.
  static Document parse(const std::string& text, const std::string& source);

  /// Throws Error about this value; `problem` may be a format of fmt.
  [[noreturn]] void fail(const std::string& problem, ErrorParts parts = {}) const;
  template <class... Values>
  [[noreturn]] void fail(fmt::format_string<Values...> problem, Values&&... values) const {
    fail(fmt::format(problem, std::forward<Values>(values)...));
  }

  /// Throws the same error, about this value.
  [[noreturn]] void fail(const Error& error) const;

  bool is_string() const;
  bool is_array() const;

  bool boolean() const;
  double number() const;
  double positive() const;
  double not_negative() const;
  int integer(int lowest, int highest) const;
  std::string text() const;                                           // not empty
  std::size_t one_of(const std::vector<std::string>& choices) const;  // the index of the text
  template <std::size_t N>
  std::array<double, N> numbers() const {
    std::array<double, N> numbers;
    read_numbers(N, numbers.data());
    return numbers;
  }

  /// The elements of an array, the members of an object in the order of the file.
  std::vector<JsonValue> elements() const;
  std::vector<std::pair<std::string, JsonValue>> members() const;

  /// Throws unless this is an object whose keys are all among `known`.
  void allow(const std::vector<std::string>& known) const;

  JsonValue required(const std::string& key) const;
  std::optional<JsonValue> optional(const std::string& key) const;

 private:
  JsonValue(const Document& value, std::shared_ptr<const std::string> source, std::string path)
      : value_(&value), source_(std::move(source)), path_(std::move(path)) {}

  std::string location() const;  // what messages begin with
  [[noreturn]] void fail_type(const std::string& expected) const;
  void read_numbers(std::size_t count, double* to) const;
  JsonValue child(const Document& value, const std::string& key) const;

  const Document* value_;
  std::shared_ptr<const std::string> source_;  // one for all values of a document
  std::string path_;
};

}  // namespace isopatch::detail

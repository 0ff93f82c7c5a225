// SPDX-License-Identifier: Apache-2.0
#include "host/scene_file/json_value.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "host/text/suggestion.h"
#include "host/text/throw_error.h"

namespace isopatch::detail {
namespace {

constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxKeys = 4096;       // finding a key is a linear search
constexpr std::size_t kMaxValues = 500'000;  // two bytes of text may take a hundred in memory

using Document = JsonValue::Document;

std::string shown(const Document& value) {
  if (value.is_string()) return in_quotes(value.get_ref<const std::string&>(), '"');
  if (value.is_object()) return value.empty() ? "an empty object" : "an object";
  if (value.is_array()) return fmt::format("an array of {}", value.size());
  return value.dump();
}

/// Refuses what the document type would accept: duplicate keys, and sizes that no scene has. This is a separate pass,
/// because the parser with a callback visits all elements of an array again after each object in it.
class Strictness : public nlohmann::json_sax<Document> {
 public:
  explicit Strictness(const std::string& source) : source_(source) {}

  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (!open_.back().insert(key).second) {
      throw Error(fmt::format("{}: duplicate key {}", source_, in_quotes(key, '"')), ErrorKind::kInput,
                  {.where = source_, .found = in_quotes(key, '"')});
    }
    if (open_.back().size() > kMaxKeys) throw_error("{}: more than {} keys in one object", source_, kMaxKeys);
    return true;
  }

  /// The document's parser finds the error again and reports it.
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool count() {
    if (++values_ > kMaxValues) throw_error("{}: more than {} values in one file", source_, kMaxValues);
    return true;
  }
  bool open() {
    open_.emplace_back();
    if (open_.size() > kMaxDepth) throw_error("{}: nested more than {} levels deep", source_, kMaxDepth);
    return count();
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::string& source_;
  std::vector<std::unordered_set<std::string>> open_;  // the keys of each object that is open
  std::size_t values_ = 0;
};

}  // namespace

Document JsonValue::parse(const std::string& text, const std::string& source) {
  try {
    Strictness strictness(source);
    Document::sax_parse(text, &strictness);
    return Document::parse(text);
  } catch (const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ...": the part in brackets is of no use to a
    // reader
    const std::string message = error.what();
    const std::size_t start = message.find("] ");
    throw Error(
        fmt::format("{}: not valid JSON: {}", source, start == std::string::npos ? message : message.substr(start + 2)),
        ErrorKind::kInput, {.where = source});
  }
}

std::string JsonValue::location() const { return path_.empty() ? *source_ : *source_ + ": " + path_; }

void JsonValue::fail(const std::string& problem, ErrorParts parts) const {
  parts.where = location();
  throw Error(parts.where + ": " + problem, ErrorKind::kInput, parts);
}

void JsonValue::fail(const Error& error) const { throw with_location(location() + ": ", error); }

void JsonValue::fail_type(const std::string& expected) const {
  const std::string found = shown(*value_);
  fail(fmt::format("must be {}, found {}", expected, found), {.found = found, .wanted = expected});
}

bool JsonValue::is_string() const { return value_->is_string(); }
bool JsonValue::is_array() const { return value_->is_array(); }

bool JsonValue::boolean() const {
  if (!value_->is_boolean()) fail_type("true or false");
  return value_->get<bool>();
}

double JsonValue::number() const {
  if (!value_->is_number()) fail_type("a number");
  const double number = value_->get<double>();
  if (!std::isfinite(number)) fail_type("a finite number");
  return number;
}

double JsonValue::positive() const {
  const double value = number();
  if (!(value > 0)) fail_type("greater than 0");
  return value;
}

double JsonValue::not_negative() const {
  const double value = number();
  if (!(value >= 0)) fail_type("0 or greater");
  return value;
}

int JsonValue::integer(int lowest, int highest) const {
  const std::string expected =
      lowest == highest ? fmt::to_string(lowest) : fmt::format("an integer from {} to {}", lowest, highest);
  if (!value_->is_number_integer()) fail_type(expected);
  const double value = value_->get<double>();  // unsigned 64-bit values fit here, not in an int
  if (!(value >= lowest && value <= highest)) fail_type(expected);
  return static_cast<int>(value);
}

std::string JsonValue::text() const {
  if (!value_->is_string()) fail_type("a string");
  const auto& text = value_->get_ref<const std::string&>();
  if (text.empty()) fail("must not be empty", {.found = "\"\"", .wanted = "a string that is not empty"});
  if (text.find('\0') != std::string::npos) fail("must not contain a zero character");
  return text;
}

std::size_t JsonValue::one_of(const std::vector<std::string>& choices) const {
  const std::string choice = text();
  const auto found = std::find(choices.begin(), choices.end(), choice);
  if (found == choices.end()) {
    fail("unknown value " + in_quotes(choice, '"') + suggestion(choice, choices),
         {.found = in_quotes(choice, '"'), .wanted = "one of " + list_of(choices)});
  }
  return static_cast<std::size_t>(found - choices.begin());
}

void JsonValue::read_numbers(std::size_t count, double* to) const {
  if (!value_->is_array() || value_->size() != count) fail_type(fmt::format("an array of {} numbers", count));
  for (const JsonValue& element : elements()) *to++ = element.number();
}

std::vector<JsonValue> JsonValue::elements() const {
  if (!value_->is_array()) fail_type("an array");
  std::vector<JsonValue> elements;
  elements.reserve(value_->size());
  for (const Document& element : *value_) {
    elements.push_back(JsonValue(element, source_, fmt::format("{}[{}]", path_, elements.size())));
  }
  return elements;
}

std::vector<std::pair<std::string, JsonValue>> JsonValue::members() const {
  if (!value_->is_object()) fail_type("an object");
  std::vector<std::pair<std::string, JsonValue>> members;
  for (const auto& [key, value] : value_->items()) members.emplace_back(key, child(value, key));
  return members;
}

void JsonValue::allow(const std::vector<std::string>& known) const {
  for (const auto& [key, value] : members()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    value.fail("unknown field" + key_suggestion(key, known),
               {.found = in_quotes(key, '"'), .wanted = "one of " + list_of(known)});
  }
}

JsonValue JsonValue::required(const std::string& key) const {
  std::optional<JsonValue> value = optional(key);
  if (!value) fail("missing field " + in_quotes(key, '"'), {.wanted = "a field " + in_quotes(key, '"')});
  return *value;
}

std::optional<JsonValue> JsonValue::optional(const std::string& key) const {
  if (!value_->is_object()) fail_type("an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return child(*found, key);
}

JsonValue::JsonValue(const Document& value, const std::string& source, const std::string& path)
    : JsonValue(value, std::make_shared<const std::string>(source), path) {}

JsonValue JsonValue::child(const Document& value, const std::string& key) const {
  std::string name = in_quotes(key, '"');
  name = name.substr(1, name.size() - 2);
  return JsonValue(value, source_, path_.empty() ? name : path_ + "." + name);
}

}  // namespace isopatch::detail

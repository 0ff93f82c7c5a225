// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a scene file: a scene that can be evaluated, or an Error.
#include <cctype>
#include <cstdint>
#include <string>

#include "isopatch/scene/scene_file.h"
#include "tests/fuzz/contact_fuzzing.h"

namespace {

bool has(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

// True if the text asks for a sphere, bolt or nut that is legal but takes seconds to build.
bool is_slow(const std::string& text) {
  const std::string key = "subdivisions";
  for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    const std::size_t digit = text.find_first_of("0123456789", at);
    if (digit != std::string::npos && text[digit] > '3') return true;
  }
  if (!has(text, "bolt") && !has(text, "nut")) return false;
  return has(text, "pitch") || has(text, "length") || has(text, "\"height\"") || !has(text, "\"segments\": 12") ||
         !has(text, "\"surface_only\": true");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (is_slow(text)) return 0;
  isopatch::fuzz::allow_error([&] { isopatch::fuzz::evaluate(isopatch::parse_scene(text, "tests/scenes", "fuzz")); });
  return 0;
}

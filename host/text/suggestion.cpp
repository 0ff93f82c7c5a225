// SPDX-License-Identifier: Apache-2.0
#include "host/text/suggestion.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "host/text/foreign_words.h"
#include "host/text/quote.h"

namespace isopatch::detail {
namespace {

constexpr std::size_t kMaxLetters = 200;  // of a name that is compared
constexpr std::size_t kMaxListed = 48;    // the longest list of keys, options or arrays is shorter

/// Small letters and digits alone: of "linearVelocity", "--linear-velocity" and "physics:linear_velocity" the same.
std::string letters_of(const std::string& name) {
  std::string letters;
  for (const char c : name.substr(name.rfind(':') + 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80) letters += static_cast<char>(std::tolower(byte));
  }
  return letters;
}

/// How many letters are wrong, missing, too many, or exchanged with the next.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows.back().back();
}

std::string question(const std::string& meant, const std::string& note) {
  return "; did you mean " + in_quotes(meant, '"') + (note.empty() ? "" : " (" + note + ")") + "?";
}

/// What another tool's word is here; what to know of one that is no key at this place, if it stands for a key.
std::string translation(const std::string& letters, const std::vector<std::string>& known, bool is_key) {
  const char* without_key = nullptr;
  for (const ForeignWord& foreign : kForeignWords) {
    if (letters != foreign.word) continue;
    const std::string key = letters_of(foreign.key);
    if (key.empty() && is_key) without_key = foreign.note;
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const std::string& candidate) { return letters_of(candidate) == key; });
    if (!key.empty() && found != known.end()) return question(*found, foreign.note);
  }
  return without_key == nullptr ? "" : std::string("; ") + without_key;
}

/// The one of `known` that is spelled nearly so, with at most three wrong letters and no more than half of them; a
/// plural counts as its singular.
std::string closest(const std::string& letters, const std::vector<std::string>& known) {
  std::string found;
  std::size_t smallest = 4;
  for (const std::string& candidate : known) {
    const std::string other = letters_of(candidate);
    if (letters.size() > other.size() + 3 || other.size() > letters.size() + 3 || other.size() <= 2) continue;
    const bool plural = letters == other + "s" || letters == other + "es" || letters + "s" == other;
    const std::size_t distance = plural ? 0 : edit_distance(letters, other);
    if (distance >= smallest || 2 * distance > other.size()) continue;
    smallest = distance;
    found = candidate;
  }
  return found;
}

/// What a name or key was meant to be; empty if nothing is like it.
std::string meaning(const std::string& name, const std::vector<std::string>& known, bool is_key) {
  const std::string letters = letters_of(name.substr(0, kMaxLetters));
  if (letters.empty()) return "";
  for (const std::string& candidate : known) {
    if (letters == letters_of(candidate)) return question(candidate, "");
  }
  std::string meant = translation(letters, known, is_key);
  if (!meant.empty()) return meant;
  meant = closest(letters, known);
  return meant.empty() ? "" : question(meant, "");
}

std::string meaning_or_list(const std::string& name, const std::vector<std::string>& known, bool is_key) {
  const std::string meant = meaning(name, known, is_key);
  return !meant.empty() || known.empty() ? meant : "; known: " + list_of(known);
}

}  // namespace

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  return meaning_or_list(name, known, false);
}

std::string key_suggestion(const std::string& key, const std::vector<std::string>& known) {
  return meaning_or_list(key, known, true);
}

std::string list_of(const std::vector<std::string>& known) {
  std::string list;
  for (std::size_t i = 0; i < known.size() && i < kMaxListed; ++i) {
    list += (i == 0 ? "" : ", ") + in_quotes(known[i], '"');
  }
  return list + (known.size() > kMaxListed ? ", ..." : "");
}

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "tests/emulator/text.h"

namespace isopatch::emulator {

namespace {

using Lines = std::vector<NumberedLine>;
using Names = std::map<std::string, std::string>;

struct Function {
  int number = 0;
  std::vector<std::string> variables;    // of parameters and results, as local memory
  Names names;                           // of each of them, of registers and their kinds: with the function's number
  std::size_t parameters = 0;            // the first of them, after the results
  std::vector<std::string> local_names;  // of `variables`
  Lines body;
};

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

/// The line with other(name) for each name.
template <class Other>
std::string renamed(const std::string& line, const Other& other) {
  std::string to;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && is_of_name(line[end])) ++end;
    to += end > at ? other(line.substr(at, end - at)) : std::string(1, line[at]);
    at = std::max(end, at + 1);
  }
  return to;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The kind of a register, "fd" of "%fd12"; all of it if it has no number.
std::string without_number(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  return name.substr(0, last + 1);
}

/// The lines from `at` up to the first with one of these characters, as one; `at` is then behind them.
std::string joined(const Lines& lines, std::size_t& at, std::string_view until) {
  std::string text;
  for (bool ends = false; at < lines.size() && !ends; ++at) {
    text += lines[at].second + " ";
    ends = lines[at].second.find_first_of(until) != std::string::npos;
  }
  return text;
}

/// Takes what is between brackets from the text, the brackets too.
std::string take_list(std::string_view& text) {
  const std::size_t first = text.find('('), last = text.find(')', first);
  if (first == std::string_view::npos) return {};
  std::string inside(text.substr(first + 1, last - first - 1));
  text = text.substr(last + 1);
  return inside;
}

class Inliner {
 public:
  Lines inlined(const Lines& lines) {
    Lines kernels;
    for (std::size_t at = 0; at < lines.size();) {
      if (lines[at].second.find(".func ") != std::string::npos) {
        read_function(lines, at);
      } else {
        kernels.push_back(lines[at++]);
      }
    }
    write(kernels, nullptr);
    return std::move(written_);
  }

 private:
  /// A declaration, or a definition: ".func (results) name (parameters) { ... }".
  void read_function(const Lines& lines, std::size_t& at) {
    const std::string head = joined(lines, at, ";{");
    std::string_view rest = std::string_view(head).substr(head.find(".func ") + 6);
    Function function;
    function.number = static_cast<int>(functions_.size());
    if (trimmed(rest)[0] == '(') add_variables(take_list(rest), function);
    function.parameters = function.variables.size();
    const std::string name = trimmed(rest.substr(0, rest.find_first_of("(;{")));
    add_variables(take_list(rest), function);
    if (head.find('{') == std::string::npos) return;
    for (int depth = 1; at < lines.size(); ++at) {
      const std::string& line = lines[at].second;
      depth += static_cast<int>(std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}'));
      if (depth == 0) break;
      function.body.push_back(lines[at]);
      if (depth == 1 && line.starts_with(".reg")) {
        const std::string of = line.substr(line.find('%'));
        const std::string kind = of.substr(0, of.find_first_of("<;"));
        function.names[kind] = with_number(kind, function);
      }
    }
    ++at;  // the last brace
    functions_[name] = std::move(function);
  }

  static std::string with_number(const std::string& name, const Function& function) {
    return name[0] == '%' ? fmt::format("%f{}_{}", function.number, name.substr(1))
                          : fmt::format("f{}_{}", function.number, name);
  }

  /// Those of ".param .align 8 .b8 name[56], .param .b64 name".
  static void add_variables(const std::string& list, Function& function) {
    for (const std::string& one : split(list)) {
      const std::size_t space = one.find_last_of(" \t"), bracket = one.find('[');
      const std::string name = one.substr(space + 1, bracket == std::string::npos ? bracket : bracket - space - 1);
      const std::string local = with_number(name, function);
      std::string size = bracket == std::string::npos ? "[8]" : one.substr(bracket);  // none has more than eight bytes
      function.names[name] = local;
      function.local_names.push_back(local);
      function.variables.push_back(kCallLocal + (" .align 16 .b8 " + local + size + ";"));
    }
  }

  /// Writes the lines of the kernels, or of a function that is called.
  void write(const Lines& lines, const Function* function) {
    const int call = calls_;
    const bool is_new = function != nullptr && declared_.insert(function->number).second;
    const auto own_name = [&](const std::string& name) {
      if (name.starts_with("$L")) return fmt::format("{}_{}", name, call);
      const auto found = function->names.find(name[0] == '%' ? without_number(name) : name);
      if (found == function->names.end()) return name;
      return name[0] == '%' ? found->second + name.substr(found->first.size()) : found->second;
    };
    for (std::size_t at = 0; at < lines.size();) {
      std::string line = lines[at].second;
      if (line.find(".entry ") != std::string::npos) declared_.clear();
      if (line == "{" && at + 1 < lines.size() && lines[at + 1].second.find("temp_param_reg") != std::string::npos) {
        write_call(lines, at, [&](const std::string& text) { return function ? renamed(text, own_name) : text; });
        continue;
      }
      const std::int32_t number = lines[at++].first;
      if (function != nullptr && !line.starts_with(".loc")) {
        const bool declares = line.starts_with(".reg") || line.starts_with(".local") || line.starts_with(".shared");
        if (declares && !is_new) continue;
        if (line.ends_with("ret;")) line.replace(line.size() - 4, 4, "bra $L_end;");
        line = in_local_memory(renamed(line, own_name));
      }
      written_.emplace_back(number, line);
    }
  }

  /// Parameters and results of calls, and within a function its own.
  static std::string in_local_memory(const std::string& line) {
    return replaced(replaced(replaced(line, "ld.param", "ld.local"), "st.param", "st.local"), "cvta.param",
                    "cvta.local");
  }

  /// Writes "{ .reg temp_param_reg; .param p; st.param [p], x; call (r), name, (p); ld.param y, [r]; }".
  template <class OwnNames>
  void write_call(const Lines& lines, std::size_t& at, const OwnNames& with_own_names) {
    const std::int32_t number = lines[at].first;
    std::vector<std::string> before, after;
    std::string call;
    for (++at; lines[at].second != "}";) {
      const std::string& line = lines[at].second;
      if (line.starts_with("call")) {
        call = joined(lines, at, ";");
        continue;
      }
      if (!line.starts_with(".reg") && !line.starts_with(".param")) (call.empty() ? before : after).push_back(line);
      ++at;
    }
    ++at;
    std::string_view rest = call;
    const Words results = trimmed(rest.substr(rest.find_first_of(" \t")))[0] == '(' ? split(take_list(rest)) : Words();
    if (results.empty()) rest = rest.substr(rest.find_first_of(" \t"));
    const std::size_t begin = rest.find_first_not_of(", \t");
    const std::string name = trimmed(rest.substr(begin, rest.find_first_of(",;", begin) - begin));
    const Words arguments = split(take_list(rest));
    if (!functions_.contains(name)) throw std::runtime_error("the function " + name + " has no body");
    const Function& function = functions_.at(name);
    Names names;
    for (std::size_t i = 0; i < results.size(); ++i) names[results[i]] = function.local_names.at(i);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      names[arguments[i]] = function.local_names.at(function.parameters + i);
    }
    const auto write_plain = [&](const std::vector<std::string>& accesses) {
      for (const std::string& line : accesses) {
        const auto of_function = [&](const std::string& own) { return names.contains(own) ? names.at(own) : own; };
        const std::string own = line.starts_with(".loc") ? line : with_own_names(line);
        written_.emplace_back(number, in_local_memory(renamed(own, of_function)));
      }
    };
    if (!declared_.contains(function.number)) {
      for (const std::string& variable : function.variables) written_.emplace_back(number, variable);
    }
    write_plain(before);
    written_.emplace_back(number, kCalled + name);
    const int of_call = ++calls_;
    write(function.body, &function);
    written_.emplace_back(number, fmt::format("$L_end_{}:", of_call));
    written_.emplace_back(number, kReturned);
    write_plain(after);
  }

  std::map<std::string, Function> functions_;
  std::set<int> declared_;  // in the kernel at hand
  int calls_ = 0;
  Lines written_;
};

}  // namespace

std::vector<NumberedLine> inline_calls(const std::vector<NumberedLine>& lines) { return Inliner().inlined(lines); }

}  // namespace isopatch::emulator

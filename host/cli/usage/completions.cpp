// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/command_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

namespace isopatch::cli {
namespace {

std::string header(const char* shell) { return fmt::format("# made by `isopatch generate {}`\n", shell); }

/// Text between single quotes of a shell. `backslashed` are characters that the shell's own list of options reads.
std::string quoted(const std::string& text, const std::string& backslashed = "") {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (backslashed.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out + "'";
}

std::vector<std::string> option_names(const CommandText& command) {
  std::vector<std::string> names;
  for (const OptionText& option : command.options) names.push_back(option.name);
  return names;
}

// ---- bash

/// What completes a value, as a command of the shell; nothing for a number.
std::string bash_value(const OptionText& option) {
  if (!option.choices.empty()) return fmt::format("words='{}'", fmt::join(option.choices, " "));
  if (path_kind(option.value) == PathKind::kFolder) return "compopt -o dirnames";
  if (path_kind(option.value) == PathKind::kFile) return "compopt -o default";
  return ":";
}

std::string bash_cases(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (option.value.empty()) continue;
    text += fmt::format("    '{} {}') {} ;;\n", command.name, option.name, bash_value(option));
  }
  std::string otherwise = fmt::format("words='{}'", fmt::join(option_names(command), " "));
  if (!command.arguments.empty()) {
    otherwise =
        fmt::format("if [[ $word == -* ]]; then {}; else {}; fi", otherwise, bash_value(command.arguments.front()));
  }
  return text + fmt::format("    '{} '*) {} ;;\n", command.name, otherwise);
}

// ---- zsh

std::string zsh_action(const OptionText& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  if (path_kind(option.value) == PathKind::kFolder) return "_files -/";
  if (path_kind(option.value) == PathKind::kFile) return "_files";
  return " ";
}

/// A row of _arguments: '--gravity[what it is]:X: :Y: :Z: '.
std::string zsh_row(const OptionText& option, const std::string& position) {
  std::string row = option.name.empty() ? position : option.name + "[" + option.description + "]";
  std::istringstream values(option.value);
  for (std::string value; values >> value;) row += ":" + value + ":" + zsh_action(option);
  return row;
}

std::string zsh_command(const CommandText& command) {
  std::string text = fmt::format("        {})\n          _arguments -s", command.name);
  const auto add = [&text](const std::string& row) { text += " \\\n            " + quoted(row); };
  for (OptionText option : command.options) {
    std::string description;
    for (const char c : option.description) description += (c == '[' || c == ']' ? "\\" : "") + std::string(1, c);
    option.description = description;
    add(zsh_row(option, ""));
  }
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const bool repeats = command.arguments[i].value.ends_with("...");
    add(zsh_row(command.arguments[i], repeats ? "*" : fmt::to_string(i + 1)));
  }
  return text + "\n          ;;\n";
}

// ---- fish

std::string fish_value(const OptionText& option) {
  if (option.value.empty()) return "";
  if (!option.choices.empty()) return fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  if (path_kind(option.value) == PathKind::kFolder) return " -x -a '(__fish_complete_directories)'";
  if (path_kind(option.value) == PathKind::kFile) return " -r -F";
  return " -x";
}

std::string fish_options(const CommandText& command, const std::string& condition) {
  std::string text;
  for (const OptionText& option : command.options) {
    const std::string short_name = option.short_name.empty() ? "" : " -s " + option.short_name.substr(1);
    text += fmt::format("complete -c isopatch -n {}{} -l {}{} -d {}\n", quoted(condition), short_name,
                        option.name.substr(2), fish_value(option), quoted(option.description, "\\"));
  }
  return text;
}

}  // namespace

std::string bash_completions(const ProgramText& program) {
  std::vector<std::string> words = option_names(program.program);
  std::string cases;
  for (const CommandText& command : program.commands) {
    words.push_back(command.name);
    cases += bash_cases(command);
  }
  return header("bash") + R"(_isopatch() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' words=''
  if [[ $word == = ]]; then
    word=''
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD > 1)); then command=${COMP_WORDS[1]}; fi
  COMPREPLY=()
  case "$command $before" in
)" + cases +
         fmt::format("    *) if [[ -z $command ]]; then words='{}'; fi ;;\n", fmt::join(words, " ")) +
         R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _isopatch isopatch
)";
}

std::string zsh_completions(const ProgramText& program) {
  std::string commands, cases;
  for (const CommandText& command : program.commands) {
    commands += "        " + quoted(command.name + ":" + command.description) + "\n";
    cases += zsh_command(command);
  }
  std::string options;
  for (const OptionText& option : program.program.options) options += "    " + quoted(zsh_row(option, "")) + " \\\n";
  return "#compdef isopatch\n" + header("zsh") + R"(_isopatch() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C \
)" + options +
         R"(    '1: :->command' \
    '*:: :->rest'
  case $state in
    command)
      local -a commands=(
)" + commands +
         R"(      )
      _describe command commands
      ;;
    rest)
      case $words[1] in
)" + cases +
         R"(      esac
      ;;
  esac
}
if [[ $funcstack[1] == _isopatch ]]; then
  _isopatch "$@"
else
  compdef _isopatch isopatch
fi
)";
}

std::string fish_completions(const ProgramText& program) {
  const std::string first = "__fish_use_subcommand";
  std::string text = header("fish") + "complete -c isopatch -f\n" + fish_options(program.program, first);
  for (const CommandText& command : program.commands) {
    text +=
        fmt::format("complete -c isopatch -n {} -a {} -d {}\n", first, command.name, quoted(command.description, "\\"));
  }
  for (const CommandText& command : program.commands) {
    const std::string after = "__fish_seen_subcommand_from " + command.name;
    for (const OptionText& argument : command.arguments) {
      if (!argument.choices.empty()) {
        text += fmt::format("complete -c isopatch -n {} -a '{}'\n", quoted(after), fmt::join(argument.choices, " "));
      } else if (path_kind(argument.value) == PathKind::kFile) {
        text += fmt::format("complete -c isopatch -n {} -F\n", quoted(after));
      }
    }
    text += fish_options(command, after);
  }
  return text;
}

}  // namespace isopatch::cli

// SPDX-License-Identifier: Apache-2.0
//
// The declared commands as text, and what is made of it: manual page and completions of shells.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace isopatch::cli {

/// How the help calls the argument of `isopatch help`.
inline constexpr const char* kCommandValue = "COMMAND";

/// The words of a text in lines of at most `columns`.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns);

enum class PathKind { kNone, kFile, kFolder };

/// What a value is that the help calls `value_text`: "DIR", "FILE", "SCENE.json", "N".
PathKind path_kind(const std::string& value_text);

struct OptionText {
  std::string name;         // "--envs"; empty for an argument
  std::string short_name;   // "-h"; empty for most
  std::string value;        // "N", "X Y Z"; empty for a flag
  std::string description;  // one sentence without a full stop
  std::vector<std::string> choices;
  bool is_required = false;

  /// As help and manual page call it: "-h, --help", "--envs N", "SCENE.json".
  std::string shown() const;
};

/// A command line that can be run in the root of the repository.
struct Example {
  std::string meaning, line;
};

struct CommandText {
  std::string name, description;
  std::vector<OptionText> arguments, options;
  std::vector<Example> examples;

  /// "isopatch evaluate [OPTIONS] SCENE.json".
  std::string usage() const;
};

/// The program with its commands, without hidden ones.
struct ProgramText {
  std::string version;  // "isopatch X.Y.Z"
  CommandText program;
  std::vector<CommandText> commands;
};

CommandText command_text(const CLI::App& command);

/// `version` may have more lines than the one that is taken.
ProgramText program_text(const CLI::App& app, const std::string& version);

/// The commands of a program that are not hidden.
std::vector<const CLI::App*> shown_commands(const CLI::App& app);

/// The command of this name, hidden or not; null if there is none.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

/// The examples of a command, or of the program: see examples.cpp.
std::vector<Example> examples_of(const std::string& command);

/// Completions of shells. Each offers the commands, after one its options, and after an option the names that it takes,
/// files or folders.
std::string bash_completions(const ProgramText& program);
std::string zsh_completions(const ProgramText& program);
std::string fish_completions(const ProgramText& program);

/// isopatch(1) in the macros of man(7). `date` is YYYY-MM-DD.
std::string manual_page(const ProgramText& program, const std::string& date);

}  // namespace isopatch::cli

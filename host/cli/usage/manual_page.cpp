// SPDX-License-Identifier: Apache-2.0
#include "host/cli/usage/command_text.h"

#include <fmt/format.h>

namespace isopatch::cli {
namespace {

constexpr std::size_t kPageColumns = 72;  // with hyphens as two characters at most 80
constexpr const char* kExitStatus[][2] = {{"0", "done"},
                                          {"2", "bad input or usage, or results that cannot be written or printed"},
                                          {"130", "interrupted; nothing was written"}};

/// Text as roff reads it: hyphens that can be copied, and no line that looks like a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// The same in short lines.
std::string paragraph(const std::string& text) {
  std::string page;
  for (const std::string& line : wrapped(text, kPageColumns)) page += roff(line) + "\n";
  return page;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

/// "-h, --help" or "--envs N", with names bold and values italic.
std::string shown(const OptionText& option) {
  if (option.name.empty()) return italic(option.value);
  const std::string names = option.short_name.empty() ? "" : bold(option.short_name) + ", ";
  return names + bold(option.name) + (option.value.empty() ? "" : " " + italic(option.value));
}

std::string options(const std::vector<OptionText>& list) {
  std::string page;
  for (const OptionText& option : list) {
    page += fmt::format(".TP\n{}\n{}", shown(option), paragraph(option.description));
  }
  return page;
}

std::string examples(const CommandText& command) {
  std::string page;
  for (const Example& example : command.examples) {
    page += fmt::format(".TP\n.B {}\n{}\n", roff(example.line), roff(example.meaning));
  }
  return page;
}

}  // namespace

std::string manual_page(const ProgramText& program, const std::string& date) {
  std::string page = fmt::format(".\\\" made by `isopatch generate man`\n.TH ISOPATCH 1 {} \"{}\" \"User Commands\"\n",
                                 date.empty() ? "\"\"" : date, program.version);
  page += ".SH NAME\nisopatch \\- contact between tetrahedral meshes that carry a pressure field\n";
  page += ".SH SYNOPSIS\n";
  for (const CommandText& command : program.commands) {
    page += fmt::format("{}{}\n", &command == &program.commands.front() ? "" : ".br\n", roff(command.usage()));
  }
  page += fmt::format(".SH DESCRIPTION\n{}", paragraph(program.program.description + "."));
  page += ".SH OPTIONS\n" + options(program.program.options);
  page += ".SH COMMANDS\n";
  for (const CommandText& command : program.commands) {
    page += fmt::format(".SS {}\n{}", roff(command.usage()), paragraph(command.description + "."));
    page += options(command.arguments) + options(command.options);
  }
  page += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : kExitStatus) page += fmt::format(".TP\n{}\n{}\n", bold(status), meaning);
  page += ".SH EXAMPLES\nThese run in the root of the sources.\n";
  for (const CommandText& command : program.commands) page += examples(command);
  return page;
}

}  // namespace isopatch::cli

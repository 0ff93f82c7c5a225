// SPDX-License-Identifier: Apache-2.0
//
// What the documents name exists: links, files, scenes, C++ snippets, commands and their options. And what exists is in
// the documents: every key of a scene and every option of the command.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"
#include "isopatch/status.h"
#include "tests/support/paths/paths.h"

namespace isopatch {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = source_path();
const std::array<std::string, 6> kFolders = {"bench", "host", "include", "kernels", "scripts", "tests"};

std::string read_text(const fs::path& path) {
  std::ifstream file(kRoot / path, std::ios::binary);
  EXPECT_TRUE(file) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// --- documents -------------------------------------------------------------------------------------------------------

struct Block {
  std::string language, text;
  int line;
};

struct Document {
  fs::path path;  // from the root
  int lines = 0;
  std::vector<Block> blocks;       // between fences
  std::vector<std::string> spans;  // between backticks
  std::vector<std::string> links;  // targets, of pictures too
  std::set<std::string> headings;  // as anchors
};

// "Where a CPU's time goes" is #where-a-cpus-time-goes.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find_first_not_of("# "))) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(byte));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

// Takes the code spans and then the links out of a paragraph.
void read_paragraph(const std::string& paragraph, Document& document) {
  std::string text, span;
  bool inside = false;
  for (const char c : paragraph) {
    if (c == '`') {
      if (inside) document.spans.push_back(span);
      span.clear();
      inside = !inside;
    } else {
      (inside ? span : text) += c == '\n' ? ' ' : c;
    }
  }
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    document.links.push_back(text.substr(at + 2, text.find(')', at) - at - 2));
  }
}

Document read_document(const fs::path& path) {
  Document document;
  document.path = path;
  std::istringstream text(read_text(path));
  std::string line, paragraph;
  bool inside = false;
  while (std::getline(text, line)) {
    ++document.lines;
    if (line.starts_with("```")) {
      inside = !inside;
      // what follows the language is for the test that runs the snippets
      if (inside) document.blocks.push_back({line.substr(3, line.find(' ') - 3), "", document.lines});
    } else if (inside) {
      document.blocks.back().text += line + "\n";
    } else {
      if (line.starts_with("#")) document.headings.insert(anchor_of(line));
      if (!line.empty()) paragraph += line + "\n";
    }
    if (line.empty() || inside) {
      read_paragraph(paragraph, document);
      paragraph.clear();
    }
  }
  read_paragraph(paragraph, document);
  EXPECT_FALSE(inside) << path << ": a fence is not closed";
  return document;
}

// All files of the folders above, from the root.
std::vector<fs::path> files_of_the_tree() {
  std::vector<fs::path> files;
  for (const std::string& folder : kFolders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), kRoot));
    }
  }
  return files;
}

std::vector<Document> documents() {
  std::vector<Document> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") found.push_back(read_document(entry.path().filename()));
  }
  for (const fs::path& path : files_of_the_tree()) {
    if (path.extension() == ".md") found.push_back(read_document(path));
  }
  return found;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), std::istream_iterator<std::string>()};
}

// OUT_DIR, MODEL: what the reader puts something else for.
bool is_placeholder(const std::string& name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

// --- links and files -------------------------------------------------------------------------------------------------

TEST(Documents, LinkToFilesAndHeadingsThatExist) {
  for (const Document& document : documents()) {
    for (const std::string& link : document.links) {
      if (link.starts_with("http")) continue;
      const std::size_t hash = std::min(link.find('#'), link.size());
      const fs::path file = (document.path.parent_path() / link.substr(0, hash)).lexically_normal();
      const fs::path target = hash == 0 ? document.path : file;
      ASSERT_TRUE(fs::exists(kRoot / target)) << document.path << ": no " << link;
      if (hash < link.size()) {
        EXPECT_TRUE(read_document(target).headings.contains(link.substr(hash + 1))) << document.path << ": no " << link;
      }
    }
  }
}

// A name of a file or folder: with a path, or with the ending of a source.
bool names_a_file(const std::string& span) {
  static const std::set<std::string> kSources = {".cpp", ".cu", ".cuh", ".h", ".py", ".sh"};
  if (span.empty() || span.find_first_of(" *<>(){}\"") != std::string::npos) return false;
  const fs::path path(span);
  for (const fs::path& part : path) {
    if (is_placeholder(part.string())) return false;
  }
  const std::string first = path.begin()->string();
  const bool in_tree = first == "detail" || std::find(kFolders.begin(), kFolders.end(), first) != kFolders.end();
  return contains(span, "/") ? in_tree : path.stem() != span && kSources.contains(path.extension().string());
}

TEST(Documents, NameFilesThatExist) {
  std::set<std::string> names;
  for (const fs::path& path : files_of_the_tree()) names.insert(path.filename().string());
  for (const Document& document : documents()) {
    for (const std::string& span : document.spans) {
      if (!names_a_file(span)) continue;
      const bool found = contains(span, "/") ? fs::exists(kRoot / span) || fs::exists(kRoot / "include/isopatch" / span)
                                             : names.contains(span);
      EXPECT_TRUE(found) << document.path << ": no file " << span;
    }
  }
}

// Drawings are blocks without a language. A file in one may lack the folders before it.
TEST(Documents, DrawFilesThatExist) {
  const std::vector<fs::path> files = files_of_the_tree();
  int drawn = 0;
  for (const Document& document : documents()) {
    for (const Block& block : document.blocks) {
      if (!block.language.empty()) continue;
      for (const std::string& word : words_of(block.text)) {
        if (!names_a_file(fs::path(word).filename().string())) continue;
        const bool found = std::any_of(files.begin(), files.end(), [&](const fs::path& path) {
          return ("/" + path.generic_string()).ends_with("/" + word);
        });
        EXPECT_TRUE(found) << document.path << ":" << block.line << ": no file " << word;
        ++drawn;
      }
    }
  }
  EXPECT_GT(drawn, 30);
}

// --- examples --------------------------------------------------------------------------------------------------------

TEST(Documents, ScenesAreAccepted) {
  for (const Document& document : documents()) {
    for (const Block& block : document.blocks) {
      if (block.language != "json") continue;
      const std::string location = document.path.string() + ":" + std::to_string(block.line);
      EXPECT_NO_THROW(Scene(parse_scene(block.text, kRoot.string(), location))) << location;
    }
  }
}

TEST(Documents, HaveEachSceneOnce) {
  std::set<std::string> scenes;
  for (const Document& document : documents()) {
    for (const Block& block : document.blocks) {
      if (block.language != "json") continue;
      EXPECT_TRUE(scenes.insert(block.text).second) << document.path << ":" << block.line;
    }
  }
  EXPECT_GT(scenes.size(), 3u);
}

// The first block of the README in a language.
std::string readme_block(const std::string& language) {
  for (const Block& block : read_document("README.md").blocks) {
    if (block.language == language) return block.text;
  }
  return {};
}

TEST(Readme, ExampleIsTheConsumerProgram) {
  ASSERT_FALSE(readme_block("cpp").empty());
  EXPECT_EQ(readme_block("cpp"), read_text("tests/consumer/main.cpp"));
}

TEST(Readme, SceneIsAccepted) {
  const SceneDescription scene = parse_scene(readme_block("json"), "", "README.md");
  EXPECT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(Scene(scene).num_pairs(), 1);
}

TEST(Readme, TimesAreThoseOfTheResults) {
  const auto times = nlohmann::json::parse(read_text("bench/results/drake_times.json"));
  const std::string readme = read_text("README.md");
  EXPECT_NE(readme.find("AVX-512, at " + times.at("commit").get<std::string>()), std::string::npos);
  const auto median = [](const nlohmann::json& row, const char* name) { return row.at(name).at(2).get<double>(); };
  const auto microseconds = [](double t) { return fmt::format("{:.{}f}", t, t < 10 ? 2 : t < 100 ? 1 : 0); };
  const auto ratio = [](double r) { return fmt::format("{:.{}f}", r, r < 100 ? 1 : 0); };
  int found = 0;
  for (std::size_t i = 0; i < times.at("time_1").size(); ++i) {
    const auto& one = times.at("time_1")[i];
    const auto& many = times.at("time_16")[i];
    if (one.at("contact").get<std::string>().find("ellipsoid") != std::string::npos) continue;
    std::string row = fmt::format("| {} x {} | {} |", one.at("tets")[0].get<int>(), one.at("tets")[1].get<int>(),
                                  one.at("polygons_isopatch").get<int>());
    for (const char* name :
         {"drake_us", "isopatch_float_moving_us", "isopatch_double_moving_us", "isopatch_polygons_moving_us"}) {
      row += " " + microseconds(median(one, name)) + " |";
    }
    row += " " + ratio(median(one, "ratio_float_moving")) + " | " + ratio(median(many, "ratio_float_moving")) + " | " +
           ratio(median(one, "ratio_polygons_moving")) + " |";
    EXPECT_NE(readme.find(row), std::string::npos) << "README.md lacks\n" << row;
    ++found;
  }
  EXPECT_EQ(found, 5);
}

TEST(Readme, IsShort) { EXPECT_LE(read_document("README.md").lines, 170); }

TEST(HowItWorks, IsShort) { EXPECT_LE(read_document("include/isopatch/README.md").lines, 290); }

std::string indented(const std::string& block) {
  std::istringstream in(block);
  std::string line, text;
  while (std::getline(in, line)) text += (line.empty() ? "" : "  " + line) + "\n";
  return text;
}

TEST(Documents, SnippetsAreCompiled) {
  const std::string snippets = read_text("tests/docs/snippets_test.cpp");
  for (const Document& document : documents()) {
    if (document.path == "README.md") continue;  // its block is a program
    for (const Block& block : document.blocks) {
      if (block.language != "cpp") continue;
      EXPECT_TRUE(contains(snippets, indented(block.text))) << document.path << ":" << block.line;
    }
  }
}

// --- commands --------------------------------------------------------------------------------------------------------

// The commands of a shell block or a code span, as words; comments are left out.
std::vector<std::vector<std::string>> commands_of(const std::string& text) {
  std::vector<std::vector<std::string>> commands;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> command;
    for (const std::string& word : words_of(line)) {
      if (word == "#") break;
      if (word == "&&") {
        commands.push_back(command);
        command.clear();
      } else {
        command.push_back(word);
      }
    }
    if (!command.empty()) commands.push_back(command);
  }
  return commands;
}

bool is_program(const std::string& name) {
  static const std::set<std::string> kPrograms = {"emulated_same_bits", "isopatch", "isopatch_bench", "isopatch_tests"};
  return kPrograms.contains(name) || fs::exists(kRoot / "bench" / (name + "_program.cpp"));
}

// Scripts, presets, programs, subcommands and options exist. A script or the command has an option if its source has it
// in quotes, or in a shell script anywhere.
void expect_exists(const std::vector<std::string>& command, const std::string& location) {
  if (command.empty()) return;
  const std::string& program = command.front();
  const std::string name = fs::path(program).filename().string();
  const bool is_script = program.starts_with("scripts/") || program.starts_with("bench/");
  EXPECT_TRUE(!is_script || fs::exists(kRoot / program)) << location << ": no " << program;
  EXPECT_TRUE(!program.starts_with("build/") || is_program(name)) << location << ": no program " << name;
  std::string source;
  if (name == "isopatch") source = read_text("host/cli/usage/declarations.cpp");
  if (is_script && fs::is_regular_file(kRoot / program)) source = read_text(program);

  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool after_preset = command[i - 1] == "--preset";
    if (program == "cmake" && after_preset) {
      EXPECT_TRUE(contains(read_text("CMakePresets.json"), "\"name\": \"" + word + "\"")) << location << ": " << word;
    }
    if (name == "isopatch" && i == 1 && !word.starts_with("--") && !is_placeholder(word)) {
      EXPECT_TRUE(contains(source, "add_subcommand(\"" + word + "\"")) << location << ": no isopatch " << word;
    }
    if (!source.empty() && word.starts_with("--") && word != "--help") {
      EXPECT_TRUE(contains(source, word)) << location << ": " << program << " has no option " << word;
    }
  }
}

TEST(Documents, CommandsExist) {
  for (const Document& document : documents()) {
    for (const Block& block : document.blocks) {
      if (block.language != "sh") continue;
      for (const auto& command : commands_of(block.text)) {
        expect_exists(command, document.path.string() + ":" + std::to_string(block.line));
      }
    }
    for (const std::string& span : document.spans) {
      for (const auto& command : commands_of(span)) {
        if (command.size() > 1) expect_exists(command, document.path.string() + ": " + span);
      }
    }
  }
}

TEST(Documents, HaveEveryOptionOfTheCommand) {
  const std::string source = read_text("host/cli/usage/declarations.cpp"), document = read_text("host/cli/README.md");
  int options = 0;
  for (std::size_t at = source.find("\"--"); at != std::string::npos; at = source.find("\"--", at + 1)) {
    const std::string option = source.substr(at + 1, source.find('"', at + 1) - at - 1);
    EXPECT_TRUE(contains(document, option)) << option;
    ++options;
  }
  EXPECT_GT(options, 10);
}

// The keys that readers of scenes allow, allow({"type", "size"}) and so on.
std::set<std::string> scene_keys() {
  std::set<std::string> keys;
  for (const fs::path& path : files_of_the_tree()) {
    if (path.parent_path() != "host/scene_file" || path.extension() != ".cpp") continue;
    const std::string source = read_text(path);
    for (std::size_t at = source.find("allow("); at != std::string::npos; at = source.find("allow(", at + 1)) {
      const std::string list = source.substr(at, source.find(')', at) - at);
      for (std::size_t begin = list.find('"'); begin != std::string::npos;) {
        const std::size_t end = list.find('"', begin + 1);
        if (end == std::string::npos) break;
        keys.insert(list.substr(begin + 1, end - begin - 1));
        begin = list.find('"', end + 1);
      }
    }
  }
  return keys;
}

TEST(Documents, HaveEveryKeyOfAScene) {
  std::string document;
  for (const char* page : {"README.md", "SHAPES.md", "CONTACTS.md"}) {
    document += read_text(fs::path("host/scene_file") / page);
  }
  const std::set<std::string> keys = scene_keys();
  EXPECT_TRUE(keys.contains("strain"));
  for (const std::string& key : keys) {
    EXPECT_TRUE(contains(document, "`" + key + "`") || contains(document, "{\"" + key + "\":")) << key;
  }
}

// kBadPose = 1u << 0 and so on, ascending, by the names of C++, of Python and of the command.
TEST(Documents, HaveEveryStatusBit) {
  const std::string source = read_text("include/isopatch/status.h"), page = read_text("include/isopatch/MESSAGES.md");
  int last = -1, count = 0;
  for (std::size_t at = 0; (at = source.find(" = 1u << ", at)) != std::string::npos; ++at, ++count) {
    const std::size_t begin = source.rfind(' ', at - 1) + 1;
    const int bit = std::stoi(source.substr(at + 9));
    const std::string name = source.substr(begin, at - begin), text = status_text(1u << bit);
    EXPECT_GT(bit, last) << name;
    last = bit;
    EXPECT_TRUE(contains(page, "`, " + std::to_string(1u << bit) + ", `" + name + "`")) << name << " has another value";
    EXPECT_TRUE(contains(page, "| `" + text + "`")) << name << " is no row";
    EXPECT_TRUE(contains(page, "`" + name + "`")) << name;
  }
  EXPECT_GE(count, 17);
}

TEST(Documents, CountTheBrokenFiles) {
  std::vector<std::string> names;
  for (const fs::path& path : files_of_the_tree()) {
    if (!path.string().starts_with("tests/broken/") || path.filename() == "manifest.json") continue;
    names.push_back(path.string());
  }
  const std::string errors = read_text("bench/results/broken_inputs.txt");
  for (const std::string& name : names) EXPECT_TRUE(contains(errors, name + ":")) << name;
  const std::string count = "`tests/broken` has " + std::to_string(names.size()) + " broken";
  for (const char* page : {"host/scene_file/README.md", "bench/results/README.md"}) {
    EXPECT_TRUE(contains(read_text(page), count)) << page << ": no " << count;
  }
}

}  // namespace
}  // namespace isopatch

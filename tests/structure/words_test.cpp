// SPDX-License-Identifier: Apache-2.0
//
// Identifiers that had several meanings, or did not say theirs, and were renamed. None of them comes back.
#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <vector>

#include "tests/structure/sources.h"

namespace isopatch::structure {
namespace {

struct OldWord {
  const char *word, *now;
};

// Words with other, usual senses ("packed", "inverse", "share") are listed only as parts of the calls or phrases that
// were renamed.
constexpr OldWord kOldWords[] = {
    {"place.h", "tet_filter.h"},
    {"Place", "PolygonBounds"},
    {"CoarsePlace", "FilterResult"},
    {"coarse_place", "filter_cells"},
    {"find_place", "test_cells"},
    {"exact_place", "test_cells_exactly"},
    {"PlacedCells", "AcceptedCells"},
    {"PlacedBox", "TransformedBox"},
    {"PlacedBody", "PosedBody"},
    {"PairFrame", "PairContext"},
    {"pair_frame", "pair_context"},
    {"make_pair_frame", "make_context"},
    {"equal_pressure", "contact_plane"},
    {"kPacked", "kCompactLines"},
    {"pack_build", "pack_baseline"},
    {"kBuild", "kBaseline"},
    {"Step", "EvaluationCall"},
    {"StepMemory", "WorkingMemory"},
    {"CallMemory", "WorkingMemory"},
    {"StepCounters", "CallCounters"},
    {"stages.h", "evaluation_call.h"},
    {"isopatch/thread.h", "isopatch/geometry/screw_thread.h"},
    {"Thread()", "ScrewThread()"},
    {"scene_threads", "scene_fasteners"},
    {"fixed_point", "reproducible_sum"},
    {"OrderFreeSum", "ReproducibleSum"},
    {"Grid", "FixedPointScale"},
    {"Grids", "FixedPointScales"},
    {"misfits", "overflows"},
    {"MovingBox", "LinearBounds"},
    {"drift", "velocity"},
    {"growth", "expansion"},
    {"share_S", "modulus_ratio"},
    {"units_S", "inverse_modulus_ratio"},
    {"only_asks", "status_only"},
    {"fused(", "fma("},
    {"rough_inverse", "approximate_reciprocal"},
    {"turned(x", "multiply_by_sign(x"},
    {"made(place", "with_location(location"},
    {"edges_of_many", "nonmanifold_edges"},
    {"turned_triangles", "flipped_triangles"},
    {"folded_triangles", "duplicate_triangles"},
    {"Groups", "DisjointSets"},
    {"Widening", "WideNodeBuilder"},
    {"Choice", "Options"},
    {"Asked", "RequestedOutputs"},
    {"told_", "reported_"},
    {"share_out", "parallel_for"},
    {"SharingScope", "ParallelismScope"},
    {"current_sharing", "current_parallelism"},
    {"Turns turns", "LoopChunks"},
    {"PackedArray", "LazyArray"},
    {"packed_array", "lazy_array"},
    {"to_steps", "to_quanta"},
    {"kMaxSteps", "kMaxQuanta"},
    {"contact_of", "contribution_of"},
    {"ThreadGrid", "ScrewThreadGrid"},
    {"frame_of", "measure"},
    {"Places", "Pointers"},
    {"ends with 0", "exits with status 0"},
    {"ends with 1", "exits with status 1"},
    {"ends with 2", "exits with status 2"},
    {"of ours", "of the project"},
    {"judge", "validate"},
};

// Folders of tests that were called after how they test; now after what.
constexpr const char* kOldFolders[] = {"tests/oracle/", "tests/accuracy/", "tests/evaluate/", "tests/detail/"};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Line of the first whole-word occurrence, in this case of letters, from `at` on, which moves behind it; 0 if none.
int next_line_with(const std::string& text, const std::string& word, std::size_t& at) {
  while ((at = text.find(word, at)) != std::string::npos) {
    const std::size_t begin = at, end = at += word.size();
    const bool free_before = begin == 0 || !in_word(word.front()) || !in_word(text[begin - 1]);
    const bool free_behind = end == text.size() || !in_word(word.back()) || !in_word(text[end]);
    if (free_before && free_behind) {
      return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    }
  }
  return 0;
}

/// One line for each old word.
std::vector<std::string> old_words(const std::vector<Source>& sources) {
  std::vector<std::string> found;
  for (const Source& source : sources) {
    for (const auto& [word, now] : kOldWords) {
      std::size_t at = 0;
      while (const int line = next_line_with(source.text, word, at)) {
        found.push_back(source.path + ":" + std::to_string(line) + ": " + word + " is now " + now);
      }
    }
    for (const char* folder : kOldFolders) {
      if (source.path.rfind(folder, 0) == 0) found.push_back(source.path + ": " + folder + " is no folder any more");
    }
  }
  return found;
}

std::string all(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

TEST(Words, ThatWereRenamedAreNotUsed) {
  std::vector<Source> sources = project_sources();
  const auto is_this_file = [](const Source& s) { return s.path == "tests/structure/words_test.cpp"; };
  sources.erase(std::remove_if(sources.begin(), sources.end(), is_this_file), sources.end());
  ASSERT_GT(sources.size(), 200u);
  const std::vector<std::string> found = old_words(sources);
  EXPECT_TRUE(found.empty()) << all(found);
}

TEST(WordsChecker, FindsWholeWordsOnly) {
  EXPECT_EQ(all(old_words({{"a.h", "struct PairFrame;\n\nint share_S;"}})),
            "\n  a.h:1: PairFrame is now PairContext\n  a.h:3: share_S is now modulus_ratio");
  EXPECT_EQ(all(old_words({{"a.h", "a place to meet; Placement; PairFrames; my_share_S; judged; steps and Steps"}})),
            "");
  EXPECT_EQ(all(old_words({{"a.sh", "# Ends with 0 or 1; it ends with 1 where"}})),
            "\n  a.sh:1: ends with 1 is now exits with status 1");
  EXPECT_EQ(old_words({{"a.h", "Grid a; Grid b; Grid"}}).size(), 3u);
  EXPECT_EQ(old_words({{"tests/detail/a_test.cpp", ""}}).size(), 1u);
}

}  // namespace
}  // namespace isopatch::structure

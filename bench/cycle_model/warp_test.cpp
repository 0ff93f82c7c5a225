// SPDX-License-Identifier: Apache-2.0
//
// Small kernels in machine code: how lanes part and meet again, and where generic addresses lead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cycle_model/differences.h"
#include "bench/cycle_model/processor.h"
#include "tests/support/paths/paths.h"
#include "tests/support/temporary_folder.h"

namespace isopatch::cycle_model {
namespace {

using Words = std::vector<u32>;
using Lines = std::vector<std::string>;

/// In front of each kernel: the lane's index is in R0, and where it writes in R2 and R3.
const Lines kBegin = {"S2R R0, SR_TID.X", "LDC.64 R2, c[0x0][0x210]", "IMAD.WIDE.U32 R2, R0, 0x8, R2"};

/// And behind it: it writes R4 and R5.
const Lines kEnd = {"STG.E desc[UR4][R2.64], R4", "STG.E desc[UR4][R2.64+0x4], R5", "EXIT"};

const std::string kName = "lanes";

/// The kernel's listing as predict.py writes it, with instructions that the compiler has not timed.
void write_listing(const std::string& file, const Lines& body) {
  std::ofstream out(file);
  out << "kernel " << kName << " 32 2048 16 -\n";
  for (const Lines* lines : {&kBegin, &body, &kEnd}) {
    for (const std::string& line : *lines) {
      if (line.back() != ':') out << std::string(16, '0') << ' ' << std::string(16, '0') << ' ';
      out << line << '\n';
    }
  }
}

struct Ran {
  Words first, second;  // of each lane
  Sums sums;
};

/// Runs it in one warp.
Ran run_warp(const Lines& body) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("lanes.sass");
  write_listing(file, body);
  Listings listings;
  listings.add(file);
  emulator::GlobalMemory memory;
  Words words(2 * kLanes);
  const std::size_t bytes = words.size() * sizeof(u32);
  void* const at = memory.allocate(bytes);
  std::array<std::byte, sizeof(at)> parameters = {};
  std::memcpy(parameters.data(), &at, sizeof(at));
  Ran ran;
  const Timing timing;
  MemorySystem system(timing, 1);
  ran.sums = run(timing, {&listings.kernel(kName), 1, kLanes, parameters, &memory}, system);
  std::memcpy(words.data(), at, bytes);
  for (std::size_t i = 0; i < words.size(); i += 2) {
    ran.first.push_back(words[i]);
    ran.second.push_back(words[i + 1]);
  }
  return ran;
}

/// P0: whether the lane is one of the first eight; P1: whether its index is odd.
const Lines kPart = {"ISETP.LT.U32.AND P0, PT, R0, 0x8, PT", "LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT",
                     "ISETP.NE.AND P1, PT, R6, RZ, PT"};

Lines joined(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(CycleModelWarp, LanesThatComeFirstWaitForTheOthersAtAWarpsync) {
  const Ran ran = run_warp(joined(kPart, {
                                             "@P0 BRA `(.L_meet)",
                                             "@P1 BRA `(.L_meet)",
                                             "NOP",
                                             ".L_meet:",
                                             "WARPSYNC.ALL",
                                             "VOTE.ANY R4, PT, PT",
                                             "VOTE.ANY R5, PT, P1",
                                         }));
  EXPECT_EQ(ran.first, Words(kLanes, ~0u));
  EXPECT_EQ(ran.second, Words(kLanes, 0xaaaaaaaau));
}

/// R6: the lane's own quarter of the warp.
const Lines kQuarter = {"LOP3.LUT R7, R0, 0x18, RZ, 0xc0, !PT", "MOV R8, 0xff", "SHF.L.U32 R6, R8, R7, RZ"};

TEST(CycleModelWarp, AQuarterMeetsAndVotesAlone) {
  const Ran ran = run_warp(joined(joined(kPart, kQuarter), {
                                                               "MATCH.ANY R5, R6",
                                                               "@P0 BRA `(.L_end)",
                                                               "@P1 BRA `(.L_late)",
                                                               "NOP",
                                                               ".L_late:",
                                                               "REDUX.OR UR8, R6",
                                                               "BRA.DIV UR8, `(.L_apart)",
                                                               "MOV R5, RZ",
                                                               ".L_apart:",
                                                               "BSSY B0, `(.L_voted)",
                                                               "WARPSYNC.COLLECTIVE R6, `(.L_done)",
                                                               "NOP",
                                                               "ENDCOLLECTIVE",
                                                               ".L_done:",
                                                               "WARPSYNC.EXCLUSIVE R6",
                                                               "VOTE.ANY R4, PT, P1",
                                                               "BSYNC B0",
                                                               ".L_voted:",
                                                               "NOP",
                                                               ".L_end:",
                                                               "@P0 MOV R4, RZ",
                                                           }));
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(ran.first[lane], lane < 8 ? 0 : 0xaau << (lane & 24)) << lane;
    EXPECT_EQ(ran.second[lane], 0xffu << (lane & 24)) << lane << ": the two halves of a quarter are apart";
  }
}

/// The compiler moves a barrier's members to another one, where the first eight lanes wait while the others use it.
/// `odd` is what those of them with an odd index do.
Lines wait_at_a_barrier_in_use(const Lines& odd) {
  const Lines begin = {
      "BSSY B0, `(.L_end)",   "BMOV.32.CLEAR R8, B0",  "@P0 BRA `(.L_end)",
      "BMOV.32.CLEAR RZ, B1", "BSSY B1, `(.L_middle)",
  };
  const Lines end = {
      "NOP",     ".L_middle:",     "BSYNC B1", "VOTE.ANY R4, PT, PT",
      ".L_end:", "BMOV.32 B1, R8", "BSYNC B1", "VOTE.ANY R5, PT, PT",
  };
  return joined(joined(joined(kPart, begin), odd), end);
}

TEST(CycleModelWarp, LanesWaitAtABarrierThatOthersUseMeanwhile) {
  const Ran ran = run_warp(wait_at_a_barrier_in_use({"@P1 BRA `(.L_middle)"}));
  for (std::size_t lane = 8; lane < kLanes; ++lane) EXPECT_EQ(ran.first[lane], 0xffffff00u) << lane;
  EXPECT_EQ(ran.second, Words(kLanes, ~0u));
}

TEST(CycleModelWarp, ALaneLeavesTheBarrierOfItsOwnGroupOnly) {
  const Ran ran = run_warp(wait_at_a_barrier_in_use({"@P1 BREAK B1", "@P1 BRA `(.L_end)"}));
  for (std::size_t lane = 8; lane < kLanes; lane += 2) EXPECT_EQ(ran.first[lane], 0x55555500u) << lane;
  EXPECT_EQ(ran.second, Words(kLanes, ~0u));
}

TEST(CycleModelWarp, FindsLanesThatWaitForEachOther) {
  const Lines body = joined(kPart, {"BSSY B0, `(.L_end)", "@P0 BRA `(.L_end)", "WARPSYNC.ALL", ".L_end:", "BSYNC B0"});
  EXPECT_THROW(run_warp(body), emulator::DeviceFault);
}

TEST(CycleModelWarp, VotesWithoutAMaskSetAPredicate) {
  const Ran ran = run_warp(joined(kPart, {
                                             "VOTE.ALL P2, P0",
                                             "VOTE.ANY P3, P0",
                                             "VOTEU.ANY UP0, !P0",
                                             "SEL R4, RZ, 0x1, !P2",
                                             "@P3 IADD3 R4, R4, 0x2, RZ",
                                             "@UP0 IADD3 R4, R4, 0x4, RZ",
                                             "MOV R5, RZ",
                                         }));
  EXPECT_EQ(ran.first, Words(kLanes, 6));
}

/// R10 and R11: the generic address of 8 bytes of shared memory, R12 the shared one.
const Lines kShared = {"MOV R12, 0x400", "MOV R10, R12", "S2UR UR6, SR_SWINHI", "MOV R11, UR6"};

TEST(CycleModelWarp, GenericAddressesLeadToSharedMemory) {
  const Ran ran = run_warp(joined(kShared, {
                                               "IMAD R12, R0, 0x4, R12",
                                               "MOV R10, R12",
                                               "ST.E desc[UR4][R10.64], R0",
                                               "LDS R4, [R12]",
                                               "LD.E R5, desc[UR4][R10.64]",
                                           }));
  for (u32 lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(ran.first[lane], lane);
    EXPECT_EQ(ran.second[lane], lane);
  }
}

TEST(CycleModelWarp, GenericAddressesOfLocalMemoryAndOfParametersLeadThere) {
  const Ran ran = run_warp({
      "MOV R12, 0x8",
      "LDC R10, c[0x0][0x20]",
      "LDC R11, c[0x0][0x24]",
      "IADD3 R10, R10, R12, RZ",
      "ST.E desc[UR4][R10.64], R0",
      "LDL R6, [R12]",
      "STL [R12+0x4], R6",
      "LD.E R4, desc[UR4][R10.64+0x4]",
      "LDC.64 R14, c[0x0][0x198]",
      "LD.E R5, desc[UR4][R14.64]",
      "LDC R7, c[0x0][0x210]",
      "IADD3 R5, R5, -R7, RZ",
  });
  for (u32 lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(ran.first[lane], lane);
    EXPECT_EQ(ran.second[lane], 0u);
  }
}

TEST(CycleModelWarp, AGenericAtomicSaysWhetherItsAddressIsGlobal) {
  const Ran ran = run_warp(joined(kShared, {
                                               "MOV R14, 0x5",
                                               "MOV R15, RZ",
                                               "MOV R8, RZ",
                                               "MOV R9, RZ",
                                               "STG.E.64 desc[UR4][R2.64], R8",
                                               "STS.64 [R12], R8",
                                               "ATOM.E.ADD.64.STRONG.GPU P0, R8, desc[UR4][R2.64], R14",
                                               "ATOM.E.ADD.64.STRONG.GPU P1, R8, desc[UR4][R10.64], R14",
                                               "QSPC.E.S P2, RZ, [R10]",
                                               "QSPC.E.S P3, RZ, [R2]",
                                               "LDG.E R4, desc[UR4][R2.64]",
                                               "LDS R5, [R12]",
                                               "@P0 IADD3 R4, R4, 0x10, RZ",
                                               "@P1 IADD3 R4, R4, 0x20, RZ",
                                               "@P2 IADD3 R4, R4, 0x40, RZ",
                                               "@P3 IADD3 R4, R4, 0x80, RZ",
                                           }));
  EXPECT_EQ(ran.first, Words(kLanes, 0x55));
  EXPECT_EQ(ran.second, Words(kLanes, 0));
}

TEST(CycleModelWarp, LanesSwapTheSameWordOneAfterAnother) {
  const Ran ran = run_warp(joined(kShared, {
                                               "MOV R8, RZ",
                                               "MOV R9, RZ",
                                               "STS.64 [R12], R8",
                                               "BSSY B0, `(.L_end)",
                                               ".L_again:",
                                               "LDS.64 R8, [R12]",
                                               "IADD3 R14, R8, 0x1, RZ",
                                               "MOV R15, R9",
                                               "ATOMS.CAST.SPIN.64 R14, [R12], R8, R14",
                                               "ISETP.EQ.U32.AND P0, PT, R14, 0x1, PT",
                                               "@!P0 BRA `(.L_again)",
                                               "BSYNC B0",
                                               ".L_end:",
                                               "LDS.64 R4, [R12]",
                                           }));
  EXPECT_EQ(ran.first, Words(kLanes, kLanes));
}

TEST(CycleModelWarp, APrefetchBringsWhatALoadThenFinds) {
  const Lines load = {"LDG.E R4, desc[UR4][R2.64]", "MOV R5, R4"};
  const Ran alone = run_warp(load), prefetched = run_warp(joined({"CCTL.E.PF1 [R2]"}, load));
  EXPECT_GT(alone.sums.missed_lines, 0U);
  EXPECT_EQ(prefetched.sums.missed_lines, alone.sums.missed_lines);
  EXPECT_EQ(prefetched.sums.lines, alone.sums.lines + alone.sums.missed_lines);
}

TEST(CycleModelWarp, NotesWhichInstructionsWereExecuted) {
  const Ran ran =
      run_warp({"MOV R4, 0x1", "BRA `(.L_end)", "MOV R4, 0x2", ".L_end:", "@!PT MOV R4, 0x3", "MOV R5, R4"});
  EXPECT_EQ(ran.first, Words(kLanes, 1));
  const std::vector<bool> expected = {true, true, true, true, true, false, false, true, true, true, true};
  EXPECT_EQ(ran.sums.executed, expected);
}

/// Straight code of so many kibibytes, 16 times: as in bench/device_ceilings.cu.
void write_straight_code(const std::string& file, int kibibytes) {
  const std::string control = std::string(16, '0') + " 000fe20000000000 ";  // the next instruction a cycle later
  std::ofstream out(file);
  out << "kernel " << kName << " 32 1024 0 -\n" << control << "MOV R6, 0x10\n.L_loop:\n";
  for (int i = 0; i < 64 * kibibytes; ++i) {
    const std::string chain = "R" + std::to_string(10 + i % 8);
    out << control << "FFMA " << chain << ", " << chain << ", R8.reuse, R9.reuse\n";
  }
  for (const char* line : {"IADD3 R6, R6, -0x1, RZ", "ISETP.NE.AND P0, PT, R6, RZ, PT", "@P0 BRA `(.L_loop)", "EXIT"}) {
    out << control << line << '\n';
  }
}

TEST(CycleModelFetch, CodeThatDoesNotFitTakesAsLongAsOnADevice) {
  const auto measured = nlohmann::json::parse(std::ifstream(source_path("bench/results/h200/ceilings.json")));
  const Timing timing;
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("straight.sass");
  for (const int kibibytes : {8, 16, 32, 64, 128, 256}) {
    write_straight_code(file, kibibytes);
    Listings listings;
    listings.add(file);
    for (const u32 warps : {4u, 8u, 16u}) {
      emulator::GlobalMemory memory;
      MemorySystem system(timing, 1);
      const Launch launch = {&listings.kernel(kName), 1, kLanes * warps, {}, &memory};
      run(timing, launch, system);
      const auto cycles = static_cast<double>(run(timing, launch, system).cycles - timing.begin_kernel);
      const std::string name = fmt::format("cycles_an_instruction_{}_kib_{}_warps", kibibytes, warps);
      const double instructions = 64. * kibibytes * 16 * warps / 4;
      EXPECT_NEAR(cycles / instructions / measured.at(name).get<double>(), 1, .15) << name;
    }
  }
}

TEST(CycleModelDifferences, CountsValuesWithOtherBytesAndNamesTheFirst) {
  Differences found;
  found.add("zeros", std::vector<double>{0, 1, 2}, std::vector<double>{-0.0, 1, 3});
  EXPECT_EQ(found.compared, 3u);
  EXPECT_EQ(found.different, 2u);
  EXPECT_EQ(found.first, "zeros[0]: 0 and -0");
}

TEST(CycleModelDifferences, RowsOfAnEnvironmentComeInAnyOrder) {
  Differences found;
  found.add_rows("rows", std::vector<int>{1, 2, 3, 4}, std::vector<int>{2, 1, 4, 3}, 2);
  EXPECT_EQ(found.different, 0u);
  found.add_rows("rows", std::vector<int>{1, 2, 3, 4}, std::vector<int>{3, 4, 1, 2}, 2);
  EXPECT_EQ(found.different, 4u);
}

}  // namespace
}  // namespace isopatch::cycle_model

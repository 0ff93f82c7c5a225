// SPDX-License-Identifier: Apache-2.0
//
// The emulated device runs small kernels correctly, and finds the faults of wrong ones.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/emulator/small_kernels.h"

namespace isopatch::emulator {
namespace {

std::string fault(const std::string& body, std::uint32_t threads) {
  try {
    run(body, threads);
  } catch (const DeviceFault& e) {
    return e.what();
  }
  return "no fault";
}

void expect_fault(const std::string& body, const std::string& what, std::uint32_t threads = 32) {
  const std::string found = fault(body, threads);
  EXPECT_NE(found.find(what), std::string::npos) << found;
}

TEST(Emulator, LanesWorkOnTheirOwnNumbers) {
  const auto numbers = run(R"(
	ld.global.u32 	%r5, [%rd3];
	mad.lo.s32 	%r5, %r5, %r5, 7;
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i * i + 7);
}

TEST(Emulator, NegatesIntegers) {
  const auto numbers = run(R"(
	shl.b32 	%r5, %r1, 27;
	neg.s32 	%r5, %r5;
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], 0u - (i << 27)) << i;  // of 2^31 the same
}

TEST(Emulator, AddsAndExchangesAtGlobalAndGenericAddresses) {
  const auto numbers = run(R"(
	mul.wide.u32 	%rd4, %r1, 8;
	add.s64 	%rd5, %rd1, %rd4;
	setp.ge.u32 	%p1, %r1, 16;
	@%p1 bra 	$done;
	mov.u64 	%rd6, 1;
	atom.add.u64 	%rd7, [%rd5], %rd6;
	atom.global.add.u64 	%rd7, [%rd5], %rd6;
	atom.exch.b64 	%rd8, [%rd5], %rd7;
	atom.add.u64 	%rd7, [%rd5], %rd8;
$done:)");
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t before = i;  // word i of pairs of words: low and high
    EXPECT_EQ(numbers[i], i % 2 == 0 ? 2 * before + 3 : 2 * before) << i;
  }
}

TEST(Emulator, ExchangesWordsAtGlobalAddresses) {
  const auto numbers = run(R"(
	atom.global.exch.b32 	%r5, [%rd3], -1;
	atom.global.exch.b32 	%r6, [%rd3], %r5;
	and.b32 	%r5, %r6, 1000;
	atom.global.add.u32 	%r6, [%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i + 1000) << "what was there, and 1000 of all bits";
}

TEST(Emulator, InsertsBits) {
  const auto numbers = run(R"(
	mov.u32 	%r5, -1;
	bfi.b32 	%r6, %r1, %r5, 4, 3;
	bfi.b32 	%r7, %r5, 0, %r1, 32;
	mov.u32 	%r8, 31;
	sub.s32 	%r8, %r8, %r1;
	bfi.b32 	%r7, %r1, %r7, 0, %r8;
	xor.b32 	%r5, %r6, %r7;
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t low = (1u << (31 - i)) - 1u;
    EXPECT_EQ(numbers[i], (~0x70u | (i << 4 & 0x70u)) ^ ((~0u << i & ~low) | (i & low))) << i;
  }
}

/// Bytes 3, 4 and 0, and the sign of byte 7, of the lane's index and of -2.
TEST(Emulator, PermutesBytes) {
  const auto numbers = run(R"(
	mov.u32 	%r5, -2;
	prmt.b32 	%r6, %r1, %r5, 61507;
	st.global.u32 	[%rd3], %r6;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], 0xFF00FE00u | i << 16) << i;
}

TEST(Emulator, LanesMeetAgainBehindABranchAndALoop) {
  // lane i counts to i / 2, odd ones from 100; then all vote
  const auto numbers = run(R"(
	and.b32 	%r5, %r1, 1;
	setp.eq.s32 	%p1, %r5, 0;
	mov.u32 	%r6, 0;
	@%p1 bra 	$even;
	mov.u32 	%r6, 100;
$even:
	shr.u32 	%r7, %r1, 1;
$loop:
	setp.eq.s32 	%p2, %r7, 0;
	@%p2 bra 	$done;
	add.s32 	%r6, %r6, 1;
	sub.s32 	%r7, %r7, 1;
	bra.uni 	$loop;
$done:
	setp.gt.u32 	%p3, %r6, 110;
	vote.sync.ballot.b32 	%r8, %p3, -1;
	popc.b32 	%r8, %r8;
	shl.b32 	%r8, %r8, 16;
	or.b32  	%r6, %r6, %r8;
	st.global.u32 	[%rd3], %r6;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], (i % 2 == 0 ? 0 : 100) + i / 2 + (5u << 16));
}

TEST(Emulator, LanesExchangeNumbers) {
  const auto numbers = run(R"(
	shfl.sync.bfly.b32 	%r5|%p1, %r1, 5, 31, -1;
	shfl.sync.idx.b32 	%r6|%p1, %r1, 7, 31, -1;
	mad.lo.s32 	%r5, %r6, 1000, %r5;
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], 7000 + (i ^ 5u));
}

TEST(Emulator, LanesExchangeNumbersWithinSegments) {
  // segments of 8: c is 24 << 8, and 7 for the last lane where lanes look up
  const auto numbers = run(R"(
	shfl.sync.up.b32 	%r5|%p1, %r1, 3, 6144, -1;
	@!%p1 mov.u32 	%r5, 99;
	shfl.sync.down.b32 	%r6|%p2, %r1, 2, 6151, -1;
	@!%p2 mov.u32 	%r6, 99;
	mad.lo.s32 	%r5, %r6, 100, %r5;
	shfl.sync.idx.b32 	%r6|%p2, %r1, 13, 6151, -1;
	mad.lo.s32 	%r5, %r6, 10000, %r5;
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(numbers[i], (i % 8 < 3 ? 99 : i - 3) + 100 * (i % 8 > 5 ? 99 : i + 2) + 10000 * (i / 8 * 8 + 5)) << i;
  }
}

TEST(Emulator, LanesThatAMaskNamesAddUpTheirNumbers) {
  const auto numbers = run(R"(
	setp.lt.u32 	%p1, %r1, 16;
	selp.b32 	%r5, 65535, -65536, %p1;
	redux.sync.add.s32 	%r6, %r1, %r5;
	redux.sync.max.u32 	%r7, %r1, %r5;
	mad.lo.s32 	%r6, %r6, 100, %r7;
	st.global.u32 	[%rd3], %r6;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i < 16 ? 12015 : 37631) << i;
}

TEST(Emulator, ReadsInlineAssembly) {
  const auto numbers = run(R"(
	{  .reg .s32 r0;  .reg .pred p;  shfl.sync.up.b32 r0|p, %r1, 1, 0, -1;  @p add.s32 r0, r0, %r1;  mov.s32 %r5, r0;}
	{  .reg .s32 r0;  mov.u32 r0, %laneid;  add.s32 %r5, %r5, r0;}
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i == 0 ? 0 : 3 * i - 1) << i;
}

const std::string kTakeNeighbours = R"(
	xor.b32  	%r5, %r4, 4;
	ld.shared.u32 	%r6, [%r5];
	st.global.u32 	[%rd3], %r6;)";

TEST(Emulator, ABarrierOrdersSharedMemory) {
  const auto numbers = run("\tst.shared.u32 	[%r4], %r1;\n\tbar.warp.sync 	-1;" + kTakeNeighbours);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i ^ 1u);
}

TEST(Emulator, AddressesOfFourBytesWrap) {
  const auto numbers =
      run("\tsub.s32 	%r4, %r4, 4096;\n\tst.shared.u32 	[%r4+4096], %r1;\n\tbar.warp.sync 	-1;" +
          std::string("\n\tadd.s32 	%r4, %r4, 4096;") + kTakeNeighbours);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i ^ 1u);
}

TEST(Emulator, GenericAddressesOfSharedMemoryBecomeThoseWithinIt) {
  const auto numbers = run(R"(
	st.shared.u32 	[%r4], %r1;
	cvt.u64.u32 	%rd4, %r4;
	cvta.shared.u64 	%rd4, %rd4;
	{ .reg .b64 %tmp;
	  cvta.to.shared.u64 	%tmp, %rd4;
	  cvt.u32.u64 	%r5, %tmp; }
	atom.shared.or.b32 	%r6, [%r5], 64;
	ld.shared.u32 	%r6, [%r4];
	st.global.u32 	[%rd3], %r6;)");
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(numbers[i], i | 64u);
}

/// The lanes' own quarter of the warp, in %r8.
const std::string kNameQuarter = R"(
	and.b32  	%r7, %r1, 24;
	mov.u32 	%r8, 255;
	shl.b32 	%r8, %r8, %r7;)";

TEST(Emulator, AQuarterOfAWarpMeetsWithoutTheOthers) {
  const auto numbers = run(kNameQuarter + R"(
	setp.eq.u32 	%p1, %r7, 8;
	@%p1 bra 	$skip;
	st.shared.u32 	[%r4], %r1;
	bar.warp.sync 	%r8;
	xor.b32  	%r5, %r4, 4;
	ld.shared.u32 	%r6, [%r5];
	setp.gt.u32 	%p2, %r6, 2;
	vote.sync.ballot.b32 	%r6, %p2, %r8;
	st.global.u32 	[%rd3], %r6;
$skip:)");
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t voted = i < 8 ? 0xf4u : 0xffu << (i & 24);  // the neighbors of lanes 0, 1 and 3 have at most 2
    EXPECT_EQ(numbers[i], i / 8 == 1 ? i : voted) << i;
  }
}

TEST(Emulator, FindsARaceBehindABarrierOfOtherLanes) {
  expect_fault(kNameQuarter + R"(
	st.shared.u32 	[%r4], %r1;
	setp.eq.u32 	%p1, %r7, 8;
	@%p1 bra 	$skip;
	bar.warp.sync 	%r8;
$skip:)" + kTakeNeighbours,
               "race: thread 8 reads shared memory at 36, which thread 9 wrote");
}

TEST(Emulator, FindsARaceWithoutOne) {
  expect_fault("\tst.shared.u32 	[%r4], %r1;" + kTakeNeighbours, "race: thread");
}

/// A kernel with an array of 12 bytes, and one whose size the launch says, in which each thread leaves its number.
std::uint32_t last_of_dynamic_memory(std::uint32_t bytes) {
  const Program loaded = read_program("kernel.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 rest[];
.visible .entry kernel(
	.param .u64 kernel_param_0
)
{
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<9>;
	.shared .align 4 .b8 box[12];
	ld.param.u64 	%rd1, [kernel_param_0];
	mov.u32 	%r1, %tid.x;
	shl.b32 	%r2, %r1, 2;
	mov.u32 	%r3, rest;
	add.s32 	%r4, %r3, %r2;
	st.shared.u32 	[%r4], %r1;
	bar.warp.sync 	-1;
	ld.shared.u32 	%r5, [rest+124];
	mul.wide.u32 	%rd2, %r1, 4;
	add.s64 	%rd3, %rd1, %rd2;
	st.global.u32 	[%rd3], %r5;
	ret;
}
)");
  Device device;
  device.load(loaded);
  void* memory = device.memory().allocate(128);
  std::array<std::byte, 8> parameters;
  std::memcpy(parameters.data(), &memory, 8);
  device.launch(device.kernel("kernel"), 1, 32, parameters, bytes);
  std::uint32_t number = 0;
  std::memcpy(&number, memory, 4);
  return number;
}

TEST(Emulator, LaunchesSayTheSizeOfDynamicSharedMemory) {
  EXPECT_EQ(last_of_dynamic_memory(128), 31u);
  try {
    last_of_dynamic_memory(124);
    ADD_FAILURE() << "no fault";
  } catch (const DeviceFault& e) {
    EXPECT_NE(std::string(e.what()).find("4 bytes at 140 of shared memory, which has 140"), std::string::npos)
        << e.what();
  }
}

TEST(Emulator, FindsARaceOfWrites) { expect_fault("\tst.shared.u32 	[box], %r1;", "race: threads 0 and 1 write"); }

TEST(Emulator, FindsAWriteOverWhatAnotherStillReads) {
  expect_fault(
      "\tst.shared.u32 	[%r4], %r1;\n\tbar.warp.sync 	-1;" + kTakeNeighbours + "\n\tst.shared.u32 	[%r4], %r1;",
      "which another read with no barrier between");
}

/// Each thread of two warps takes what the same lane of the other warp left in shared memory.
const std::string kTakeFromOtherWarp = R"(
	xor.b32  	%r5, %r4, 128;
	ld.shared.u32 	%r6, [%r5];
	st.global.u32 	[%rd3], %r6;)";

TEST(Emulator, ABarrierOfTheBlockOrdersItsWarps) {
  const auto numbers = run("\tst.shared.u32 	[%r4], %r1;\n\tbar.sync 	0;" + kTakeFromOtherWarp, 64);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(numbers[i], i ^ 32u);
}

TEST(Emulator, WarpsThatHaveEndedDoNotHoldUpABarrier) {
  const auto numbers = run(R"(
	setp.gt.u32 	%p1, %r1, 31;
	@%p1 ret;
	bar.sync 	0;
	add.s32 	%r5, %r1, 1;
	st.global.u32 	[%rd3], %r5;)",
                           64);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(numbers[i], i < 32 ? i + 1 : i);
}

TEST(Emulator, FindsARaceBetweenWarps) {
  const std::string give = "\tst.shared.u32 	[%r4], %r1;\n\tbar.sync 	0;";
  // a barrier of the warp does not order the block
  expect_fault("\tst.shared.u32 	[box], %r1;", "race: threads", 64);
  expect_fault(give + kTakeFromOtherWarp + "\n\tbar.warp.sync 	-1;\n\tst.shared.u32 	[%r4], %r1;", "race: thread",
               64);
  EXPECT_EQ(fault(give + kTakeFromOtherWarp + "\n\tbar.sync 	0;\n\tst.shared.u32 	[%r4], %r1;", 64), "no fault");
}

TEST(Emulator, RemembersReadersOfOtherWarps) {
  SharedMemory memory(4);
  memory.write(0, 4, {0, 0, 0});
  memory.read(0, 4, {40, 0, 1});
  memory.read(0, 4, {0, 0, 1});
  memory.read(0, 4, {1, 1, 1});  // behind a barrier of its warp, which does not order thread 40
  EXPECT_THROW(memory.write(0, 4, {1, 1, 1}), DeviceFault);
  EXPECT_NO_THROW(memory.write(0, 4, {1, 1, 2}));

  memory.read(0, 4, {0, 0, 3});
  memory.read(0, 4, {2, 1, 3});
  EXPECT_NO_THROW(memory.write(0, 4, {2, 1, 3}));  // the barrier of their warp orders all readers
}

TEST(Emulator, FindsRacesOfLanesInGlobalMemory) {
  const std::string give = "\tst.global.u32 	[%rd3], %r1;";
  const std::string barrier = "\n\tbar.warp.sync 	-1;", block_barrier = "\n\tbar.sync 	0;";
  const std::string take = "\n\txor.b64  	%rd4, %rd3, 4;\n\tld.global.u32 	%r5, [%rd4];";
  expect_fault(give + take, "race: lane 0 reads global memory");
  expect_fault(give + barrier + take + "\n" + give, "which another read with no barrier between");
  expect_fault("\tst.global.u32 	[%rd1], %r1;", "race: lanes 0 and 1 write global memory");
  expect_fault("\tld.global.u32 	%r5, [%rd1];\n\tbar.warp.sync 	-1;\n\tld.global.u32 	%r5, [%rd1];\n" + give,
               "race: lane 0 writes global memory");
  for (const std::string& between : {barrier, block_barrier}) {
    EXPECT_EQ(fault(give + between + take + between + "\n" + give, 64), "no fault");
  }
}

TEST(Emulator, FindsLanesThatMissABarrierOfTheBlock) {
  expect_fault(
      "\tsetp.gt.u32 	%p1, %r1, 3;\n\t@%p1 bra 	$skip;\n\tbar.sync 	0;\n$skip:\n\tmov.u32 	%r5, 0;",
      "lanes 0x0000000f meet alone");
}

TEST(Emulator, FindsMasksThatDoNotAgree) {
  expect_fault("\tredux.sync.add.s32 	%r6, %r1, 1;", "lane 1 names 0x00000001");
  expect_fault("\tshl.b32 	%r5, 3, %r1;\n\tbar.warp.sync 	%r5;", "lane 0 names 0x00000003");
  expect_fault("\tshl.b32 	%r5, 3, %r1;\n\tredux.sync.add.s32 	%r6, %r1, %r5;", "lane 0 names 0x00000003");
  expect_fault("\tsetp.lt.u32 	%p1, %r1, 16;\n\tselp.b32 	%r5, 65535, -65536, %p1;\n" +
                   std::string("\tshfl.sync.idx.b32 	%r6|%p2, %r1, 20, 31, %r5;"),
               "a shuffle from a lane that the mask does not name");
}

TEST(Emulator, LanesHaveLocalVariablesOfTheirOwnAtGenericAddresses) {
  const auto numbers = run(R"(
	mov.b64  	%rd4, frame;
	cvta.local.u64 	%rd4, %rd4;
	st.u32 	[%rd4+4], %r1;
	ld.local.u32 	%r5, [frame+4];
	add.s32 	%r5, %r5, 1;
	st.local.u32 	[frame+8], %r5;
	ld.u32 	%r5, [%rd4+8];
	cvta.to.local.u64 	%rd4, %rd4;
	ld.local.u32 	%r6, [%rd4+4];
	add.s32 	%r5, %r5, %r6;
	st.global.u32 	[%rd3], %r5;)");
  for (std::uint32_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], 2 * i + 1);
}

TEST(Emulator, FindsReadsOfWhatWasNeverWritten) {
  expect_fault("\tld.shared.u32 	%r5, [%r4];", "read of shared memory at 0x0 that was never written");
  expect_fault("\tld.local.u32 	%r5, [frame];", "read of local memory at 0x0 that was never written");
}

TEST(Emulator, FindsAccessesOutsideAndNotAligned) {
  expect_fault("\tld.global.u32 	%r5, [%rd3+4];", "which is in no allocation");
  expect_fault("\tst.global.u32 	[%rd3+-4], %r1;", "which is in no allocation");
  expect_fault("\tld.global.u32 	%r5, [%rd3+2];", "which is not aligned");
  expect_fault("\tst.shared.u32 	[%r4+132], %r1;", "write of 4 bytes at 256 of shared memory, which has 256");
  expect_fault("\tst.local.u32 	[frame+16], %r1;", "write of 4 bytes at 16 of local memory, which has 16");
}

TEST(Emulator, FindsABarrierThatOnlySomeLanesReach) {
  const std::string tail = R"(
	setp.gt.u32 	%p1, %r1, 3;
	@%p1 bra 	$skip;
	bar.warp.sync 	-1;
$skip:
	mov.u32 	%r5, 0;)";
  expect_fault(tail, "lanes 0x0000000f meet alone");
}

TEST(Emulator, SaysWhere) { expect_fault("\tld.global.u32 	%r5, [%rd3+4];", "kernel, "); }

TEST(Emulator, ReadsTheParametersOfAKernelWhoseInstructionsItDoesNotKnow) {
  const ProgramText text("kernels.ptx", R"(.version 8.0
.visible .entry other(
	.param .u32 other_param_0
)
{
	ret;
}
.visible .entry kernel(
	.param .u32 kernel_param_0,
	.param .align 8 .b8 kernel_param_1[24]
)
.maxntid 128
{
	sin.approx.f32 	%f1, %f2;
}
)");
  const Program program = text.read_parameters("kernel");
  ASSERT_EQ(program.kernels.size(), 1u);
  const Kernel& kernel = program.kernels[0];
  EXPECT_EQ(kernel.name, "kernel");
  EXPECT_EQ(kernel.parameter_bytes, 32u);
  ASSERT_EQ(kernel.parameters.size(), 2u);
  EXPECT_EQ(kernel.parameters[1].offset, 8u);
  EXPECT_EQ(kernel.parameters[1].bytes, 24u);
}

TEST(Emulator, RefusesWhatItDoesNotKnow) {
  try {
    program("\tsin.approx.f32 	%f1, %f2;");
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("sin.approx.f32 	%f1, %f2;: the instruction is not known"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace isopatch::emulator

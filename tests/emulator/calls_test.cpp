// SPDX-License-Identifier: Apache-2.0
//
// Functions that are called in a kernel of the emulated device.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/emulator/small_kernels.h"

namespace isopatch::emulator {
namespace {

/// halved(x, steps): both after so many steps of x / 2, and next(x) = x + 1, of which it calls one for odd x.
constexpr const char* kFunctions = R"(.func  (.param .b32 func_retval0) next
(
	.param .b32 next_param_0
)
;
.weak .func  (.param .align 4 .b8 func_retval0[8]) halved(
	.param .b32 halved_param_0,
	.param .align 4 .b8 halved_param_1[4]
)
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<9>;
	ld.param.u32 	%r1, [halved_param_0];
	ld.param.u32 	%r2, [halved_param_1];
	mov.u32 	%r3, 0;
$L__BB1_1:
	setp.le.u32 	%p1, %r1, 1;
	@%p1 bra 	$L__BB1_3;
	and.b32 	%r4, %r1, 1;
	setp.eq.s32 	%p2, %r4, 0;
	@%p2 bra 	$L__BB1_2;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b32 param0;
	st.param.b32 	[param0+0], %r1;
	.param .b32 retval0;
	call.uni (retval0), 
	next, 
	(
	param0
	);
	ld.param.b32 	%r1, [retval0+0];
	} // callseq 0
$L__BB1_2:
	shr.u32 	%r1, %r1, 1;
	add.s32 	%r3, %r3, %r2;
	bra.uni 	$L__BB1_1;
$L__BB1_3:
	st.param.b32 	[func_retval0+0], %r1;
	st.param.b32 	[func_retval0+4], %r3;
	ret;
}
.func  (.param .b32 func_retval0) next(
	.param .b32 next_param_0
)
{
	.reg .b32 	%r<9>;
	ld.param.u32 	%r1, [next_param_0];
	add.s32 	%r1, %r1, 1;
	st.param.b32 	[func_retval0+0], %r1;
	ret;
}
)";

constexpr const char* kCallOfHalved = R"(
	{ // callseq 1, 0
	.reg .b32 temp_param_reg;
	.param .b32 param0;
	st.param.b32 	[param0+0], %r1;
	.param .align 4 .b8 param1[4];
	st.param.b32 	[param1+0], %r5;
	.param .align 4 .b8 retval0[8];
	call.uni (retval0), 
	halved, 
	(
	param0, 
	param1
	);
	ld.param.b32 	%r6, [retval0+0];
	ld.param.b32 	%r7, [retval0+4];
	} // callseq 1
)";

/// Lanes call the same function at two places, with loops of different lengths.
TEST(Emulator, CallsFunctions) {
  const auto numbers = run(R"(
	mov.u32 	%r5, 1;
	setp.ge.u32 	%p1, %r1, 16;
	@%p1 bra 	$L__BB0_1;)" +
                               std::string(kCallOfHalved) + R"(
	bra.uni 	$L__BB0_2;
$L__BB0_1:
	mov.u32 	%r5, 10;)" +
                               kCallOfHalved + R"(
$L__BB0_2:
	mad.lo.s32 	%r6, %r6, 1000, %r7;
	st.global.u32 	[%rd3], %r6;)",
                           32, kFunctions);
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t x = i, steps = 0;
    for (; x > 1; ++steps) x = (x + x % 2) / 2;
    EXPECT_EQ(numbers[i], 1000 * x + steps * (i < 16 ? 1 : 10)) << i;
  }
}

TEST(Emulator, RefusesACallOfAFunctionWithoutABody) {
  try {
    program(kCallOfHalved);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "kernel.ptx: the function halved has no body");
  }
}

}  // namespace
}  // namespace isopatch::emulator

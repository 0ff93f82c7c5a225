// SPDX-License-Identifier: Apache-2.0
//
// The names of the instructions, and what they stand for.
#include "tests/emulator/instructions.h"

#include <map>
#include <type_traits>
#include <utility>

#include "tests/emulator/lane_operations.h"

namespace isopatch::emulator {

namespace {

template <class T>
constexpr u8 kBytes = sizeof(T);

constexpr u8 kMask = Form::kMask;

using Forms = std::map<std::string, Form>;

template <class D, class A, auto f>
Form unary_form() {
  return {unary<D, A, f>, {kBytes<D>, kBytes<A>}};
}
template <class D, class A, class B, auto f>
Form binary_form() {
  return {binary<D, A, B, f>, {kBytes<D>, kBytes<A>, kBytes<B>}};
}
template <class T, auto f>
Form ternary_form() {
  return {ternary<T, f>, {kBytes<T>, kBytes<T>, kBytes<T>, kBytes<T>}};
}
template <class T, auto f>
Form compare_form() {
  return {compare<T, f>, {kMask, kBytes<T>, kBytes<T>}};
}

template <class T>
void add_comparisons(Forms& forms, const std::string& type) {
  forms["setp.eq." + type] = compare_form<T, kEqual>();
  forms["setp.lt." + type] = compare_form<T, kLess>();
  forms["setp.le." + type] = compare_form<T, kLessEqual>();
  forms["setp.gt." + type] = compare_form<T, kGreater>();
  forms["setp.ge." + type] = compare_form<T, kGreaterEqual>();
  if constexpr (std::is_floating_point_v<T>) {
    forms["setp.ne." + type] = compare_form<T, kNotOrdered>();
    forms["setp.equ." + type] = compare_form<T, kEqualOr>();
    forms["setp.neu." + type] = compare_form<T, kNotEqual>();
    forms["setp.ltu." + type] = compare_form<T, kLessOr>();
    forms["setp.leu." + type] = compare_form<T, kLessEqualOr>();
    forms["setp.gtu." + type] = compare_form<T, kGreaterOr>();
    forms["setp.geu." + type] = compare_form<T, kGreaterEqualOr>();
  } else {
    forms["setp.ne." + type] = compare_form<T, kNotEqual>();
  }
}

template <class T>
void add_float(Forms& forms, const std::string& type) {
  forms["add.rn." + type] = forms["add." + type] = binary_form<T, T, T, kAdd>();
  forms["sub.rn." + type] = binary_form<T, T, T, kSub>();
  forms["mul.rn." + type] = binary_form<T, T, T, kMul>();
  forms["div.rn." + type] = binary_form<T, T, T, kDivFloat>();
  forms["min." + type] = binary_form<T, T, T, kMinFloat>();
  forms["max." + type] = binary_form<T, T, T, kMaxFloat>();
  forms["fma.rn." + type] = ternary_form<T, kFma>();
  forms["sqrt.rn." + type] = unary_form<T, T, kSqrt>();
  forms["rcp.rn." + type] = unary_form<T, T, kReciprocal>();
  forms["neg." + type] = unary_form<T, T, kNegate>();
  forms["abs." + type] = unary_form<T, T, kAbs>();
  forms["mov." + type] = unary_form<T, T, kSame>();
  forms["selp." + type] = {select<T>, {kBytes<T>, kBytes<T>, kBytes<T>, kMask}};
  forms["cvt.rni.s64." + type] = unary_form<s64, T, kToS64>();
  add_comparisons<T>(forms, type);
}

/// T is unsigned; `types` are the names that mean its bits.
template <class T>
void add_bits(Forms& forms, const std::vector<std::string>& types) {
  for (const std::string& type : types) {
    forms["add." + type] = binary_form<T, T, T, kAdd>();
    forms["sub." + type] = binary_form<T, T, T, kSub>();
    forms["mul.lo." + type] = binary_form<T, T, T, kMul>();
    forms["and." + type] = binary_form<T, T, T, kAnd>();
    forms["or." + type] = binary_form<T, T, T, kOr>();
    forms["xor." + type] = binary_form<T, T, T, kXor>();
    forms["not." + type] = unary_form<T, T, kNot>();
    forms["neg." + type] = unary_form<T, T, kNegateBits>();
    forms["shl." + type] = binary_form<T, T, u32, kShiftLeft<T>>();
    forms["mov." + type] = unary_form<T, T, kSame>();
    forms["selp." + type] = {select<T>, {kBytes<T>, kBytes<T>, kBytes<T>, kMask}};
  }
}

/// Of an address of shared memory.
template <u64 kWindow>
constexpr auto kToGeneric = [](u64 at) { return kWindow + at; };
template <u64 kWindow>
constexpr auto kFromGeneric = [](u64 at) { return at - kWindow; };

template <class T>
void add_integer(Forms& forms, const std::string& type) {
  forms["min." + type] = binary_form<T, T, T, kMin>();
  forms["max." + type] = binary_form<T, T, T, kMax>();
  forms["div." + type] = binary_form<T, T, T, kDivide<T>>();
  forms["rem." + type] = binary_form<T, T, T, kRemainder<T>>();
  forms["shr." + type] = binary_form<T, T, u32, kShiftRight<T>>();
  add_comparisons<T>(forms, type);
}

template <class T, auto f>
Form reduce_form() {
  return {reduce<T, f>, {kBytes<T>, kBytes<T>, 4}};
}

template <class T>
void add_reductions(Forms& forms, const std::string& type) {
  forms["redux.sync.add." + type] = reduce_form<u32, kAdd>();
  forms["redux.sync.min." + type] = reduce_form<T, kMin>();
  forms["redux.sync.max." + type] = reduce_form<T, kMax>();
}

template <class D, class A>
Form cast_form() {
  return unary_form<D, A, kCast<D, A>>();
}

Forms make_forms() {
  Forms forms;
  add_float<float>(forms, "f32");
  add_float<double>(forms, "f64");
  forms["rcp.approx.ftz.f32"] = unary_form<float, float, kApproximateReciprocal>();
  forms["copysign.f32"] = binary_form<float, float, float, kCopySign>();

  add_bits<u16>(forms, {"b16", "u16", "s16"});
  add_bits<u32>(forms, {"b32", "u32", "s32"});
  add_bits<u64>(forms, {"b64", "u64", "s64"});
  add_integer<s16>(forms, "s16");
  add_integer<u16>(forms, "u16");
  add_integer<s32>(forms, "s32");
  add_integer<u32>(forms, "u32");
  add_integer<s64>(forms, "s64");
  add_integer<u64>(forms, "u64");
  add_comparisons<u32>(forms, "b32");
  forms["shr.b64"] = binary_form<u64, u64, u32, kShiftRight<u64>>();
  forms["mul.wide.u16"] = binary_form<u32, u16, u16, kMulWideU16>();
  forms["mul.wide.s32"] = binary_form<s64, s32, s32, kMulWide32>();
  forms["mul.hi.s32"] = binary_form<s32, s32, s32, kMulHi32>();
  forms["mul.wide.u32"] = binary_form<u64, u32, u32, kMulWideU32>();
  forms["mad.lo.s32"] = ternary_form<u32, kMulAdd>();
  forms["abs.s32"] = unary_form<s32, s32, kAbsInteger>();
  forms["bfi.b32"] = {insert_bits, {4, 4, 4, 4, 4}};
  forms["prmt.b32"] = ternary_form<u32, kPermuteBytes>();
  forms["popc.b32"] = unary_form<u32, u32, kPopCount>();

  forms["cvt.rn.f32.f64"] = cast_form<float, double>();
  forms["cvt.f64.f32"] = cast_form<double, float>();
  forms["cvt.rn.f64.s64"] = cast_form<double, s64>();
  forms["cvt.rn.f64.s32"] = cast_form<double, s32>();
  forms["cvt.rn.f32.s32"] = cast_form<float, s32>();
  forms["cvt.s64.s32"] = cast_form<s64, s32>();
  forms["cvt.s64.low_s32"] = unary_form<s64, s64, kLowS32>();
  forms["cvt.u64.u32"] = cast_form<u64, u32>();
  forms["cvt.u32.u64"] = cast_form<u32, u64>();
  forms["cvt.u16.u32"] = cast_form<u16, u32>();
  forms["cvt.u32.u16"] = cast_form<u32, u16>();
  forms["cvt.s32.s16"] = cast_form<s32, s16>();
  forms["cvt.s32.s8"] = unary_form<s32, s32, kLowS8>();
  forms["cvt.u16.u8"] = unary_form<u16, u16, kLowU8>();
  forms["cvt.u8.u16"] = unary_form<u16, u16, kLowU8>();
  forms["cvta.to.global.u64"] = unary_form<u64, u64, kSame>();
  forms["cvta.shared.u64"] = unary_form<u64, u64, kToGeneric<kSharedWindow>>();
  forms["cvta.local.u64"] = unary_form<u64, u64, kToGeneric<kLocalWindow>>();
  forms["cvta.param.u64"] = unary_form<u64, u64, kToGeneric<kParameterWindow>>();
  forms["cvta.to.shared.u64"] = unary_form<u64, u64, kFromGeneric<kSharedWindow>>();
  forms["cvta.to.local.u64"] = unary_form<u64, u64, kFromGeneric<kLocalWindow>>();
  forms["pack.b64"] = {pack<u64, u32>, {8, 4, 4}};  // "mov.b64" with braces
  forms["unpack.b64"] = {unpack<u64, u32>, {4, 4, 8}};
  forms["pack.b32"] = {pack<u32, u16>, {4, 2, 2}};
  forms["unpack.b32"] = {unpack<u32, u16>, {2, 2, 4}};

  forms["and.pred"] = {masks<kAnd>, {kMask, kMask, kMask}};
  forms["or.pred"] = {masks<kOr>, {kMask, kMask, kMask}};
  forms["xor.pred"] = {masks<kXor>, {kMask, kMask, kMask}};
  forms["not.pred"] = {not_mask, {kMask, kMask}};
  forms["mov.pred"] = {move_mask, {kMask, kMask}};

  forms["%tid.x"] = {thread_number, {4}};
  forms["%laneid"] = {lane_number, {4}};
  forms["%ctaid.x"] = {block_number, {4}};
  forms["%ntid.x"] = {block_size, {4}};
  forms["%nctaid.x"] = {grid_size, {4}};

  forms["fence.acq_rel.gpu"] = {fence, {}};
  forms["prefetch.global.L1"] = {prefetch, {}};
  forms["bar.warp.sync"] = {synchronize, {4}};
  forms["bar.sync"] = {synchronize_block, {4}};
  forms["vote.sync.ballot.b32"] = {vote, {4, kMask, 4}};
  forms["shfl.sync.up.b32"] = {shuffle<Shuffle::kUp>, {4, kMask, 4, 4, 4, 4}};
  forms["shfl.sync.down.b32"] = {shuffle<Shuffle::kDown>, {4, kMask, 4, 4, 4, 4}};
  forms["shfl.sync.bfly.b32"] = {shuffle<Shuffle::kExclusiveOr>, {4, kMask, 4, 4, 4, 4}};
  forms["shfl.sync.idx.b32"] = {shuffle<Shuffle::kIndex>, {4, kMask, 4, 4, 4, 4}};
  add_reductions<s32>(forms, "s32");
  add_reductions<u32>(forms, "u32");
  forms["redux.sync.and.b32"] = reduce_form<u32, kAnd>();
  forms["redux.sync.or.b32"] = reduce_form<u32, kOr>();
  forms["redux.sync.xor.b32"] = reduce_form<u32, kXor>();
  for (const std::string space : {".global", ".shared", ""}) {
    forms["atom" + space + ".add.u32"] = {atomic<u32, kAdd>, {4, 4}};
    forms["atom" + space + ".add.u64"] = {atomic<u64, kAdd>, {8, 8}};
    forms["atom" + space + ".or.b32"] = {atomic<u32, kOr>, {4, 4}};
    forms["atom" + space + ".max.s64"] = {atomic<s64, kMax>, {8, 8}};
    forms["atom" + space + ".exch.b32"] = {atomic<u32, kSecond>, {4, 4}};
    forms["atom" + space + ".exch.b64"] = {atomic<u64, kSecond>, {8, 8}};
  }
  return forms;
}

template <class Element>
Run access_of(bool loads, std::size_t register_bytes) {
  if (register_bytes == 2) return loads ? load<Element, u16> : store<Element, u16>;
  if (register_bytes == 4) return loads ? load<Element, u32> : store<Element, u32>;
  return loads ? load<Element, u64> : store<Element, u64>;
}

}  // namespace

const Form* find_form(const std::string& name) {
  static const Forms forms = make_forms();
  const auto found = forms.find(name);
  return found == forms.end() ? nullptr : &found->second;
}

Run find_access(bool loads, std::size_t element_bytes, bool is_signed, std::size_t register_bytes) {
  switch (element_bytes) {
    case 1:
      return is_signed ? access_of<std::int8_t>(loads, register_bytes) : access_of<u8>(loads, register_bytes);
    case 2:
      return is_signed ? access_of<s16>(loads, register_bytes) : access_of<u16>(loads, register_bytes);
    case 4:
      return is_signed ? access_of<s32>(loads, register_bytes) : access_of<u32>(loads, register_bytes);
    default:
      return access_of<u64>(loads, register_bytes);
  }
}

}  // namespace isopatch::emulator

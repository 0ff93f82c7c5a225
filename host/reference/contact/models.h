// SPDX-License-Identifier: Apache-2.0
//
// The table of the reference's contact models.
#pragma once

#include <span>

namespace isopatch::reference {

struct PairInput;
struct PairResult;

using EvaluatePair = PairResult (*)(const PairInput&);

/// In the order of ContactModel. A new model is added in contact_models.cpp.
std::span<const EvaluatePair> contact_models();

}  // namespace isopatch::reference

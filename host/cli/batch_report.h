// SPDX-License-Identifier: Apache-2.0
//
// What the commands that compute batches have in common: the choice of a backend, and what they print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "isopatch/evaluator.h"
#include "isopatch/scene/scene.h"

namespace isopatch::cli {

EvaluatorOptions evaluator_options(const BatchArguments& arguments);

/// Those of the geometries.
void print_warnings(const SceneDescription& scene);

/// The scene, and what computes.
void print_heading(const BatchArguments& arguments, const SceneDescription& scene, const EvaluatorOptions& options);

void print_row(const char* name, const std::string& value, const std::string& note = "");

/// How many environments have a status, and of each of its bits how many have it and which is the first.
void print_status(const BatchArguments& arguments, const char* name, const std::vector<std::uint32_t>& status);

/// Which environments there are.
void print_environments(const BatchArguments& arguments, std::int64_t num_environments);

}  // namespace isopatch::cli

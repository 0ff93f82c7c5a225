// SPDX-License-Identifier: Apache-2.0
//
// The isopatch command.
#include "host/cli/program/run_command.h"
#include "host/cli/program/version_text.h"

int main(int argc, char** argv) { return isopatch::cli::run_command(argc, argv, &isopatch::cli::version_text); }

// SPDX-License-Identifier: Apache-2.0
#define TINYGLTF_IMPLEMENTATION
#include "host/render/tinygltf.h"

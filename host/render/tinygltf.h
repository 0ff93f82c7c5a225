// SPDX-License-Identifier: Apache-2.0
//
// tinygltf, which writes glTF here and reads no images; compiled once, in tinygltf.cpp.
#pragma once

#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#include <tiny_gltf.h>

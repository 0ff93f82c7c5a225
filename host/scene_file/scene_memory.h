// SPDX-License-Identifier: Apache-2.0
//
// The keys of contacts with a memory.
#pragma once

#include "host/scene_file/json_value.h"
#include "isopatch/scene/scene.h"

namespace isopatch::detail {

/// The names of the keys that read_memory_keys() reads.
extern const std::vector<std::string> kMemoryKeysOfContact, kMemoryKeysOfPair;

void read_memory_keys(const JsonValue& value, ContactOptions& contact);

/// `contact` has been read. Whether the values fit the pair is checked by check_memory_of().
void read_memory_keys(const JsonValue& value, const ContactOptions& contact, Pair& pair);

}  // namespace isopatch::detail

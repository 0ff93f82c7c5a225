// SPDX-License-Identifier: Apache-2.0
#include "host/reference/contact/pair_result.h"

#include <algorithm>

namespace isopatch::reference {
namespace {

void add_wrench(Wrench& sum, const Wrench& next) {
  sum.force += next.force;
  sum.torque += next.torque;
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& next) {
  all.insert(all.end(), next.begin(), next.end());
}

}  // namespace

void PairRelations::add(const PairRelations& next) {
  const auto contacts_before = static_cast<std::int32_t>(contacts.size()),
             members_before = static_cast<std::int32_t>(members.size());
  append(contacts, next.contacts);
  for (Relation relation : next.relations) {
    relation.first += members_before;
    relations.push_back(relation);
  }
  for (const std::int32_t member : next.members) members.push_back(contacts_before + member);
}

void PairResult::add(const PairResult& next) {
  add_wrench(on_a, next.on_a);
  add_wrench(on_b, next.on_b);
  area += next.area;
  max_pressure = std::max(max_pressure, next.max_pressure);
  energy += next.energy;
  friction_force += next.friction_force;
  polygon_count += next.polygon_count;
  append(polygons, next.polygons);
  append(contacts, next.contacts);
  append(of_part_pairs, next.of_part_pairs);
  append(contact_state, next.contact_state);
  append(single_contact, next.single_contact);
  status |= next.status;
  if (next.separation) separation = next.separation;  // one model measures it
  overlap += next.overlap;
  relations.add(next.relations);
}

}  // namespace isopatch::reference

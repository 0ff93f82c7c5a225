// SPDX-License-Identifier: Apache-2.0
//
// The contact of two parts as a whole, as the solver of a time step takes it: a plate, whose friction remembers.
#pragma once

#include "isopatch/detail/contact/contact_record.h"

namespace isopatch::detail {

/// In double, whatever the precision of the evaluation.
struct PlateContact {
  SolverContact<double> points;  // the plate's, with its key
  double metric;                 // m^3 or m: what the law's force depends on
  bool rolls;                    // the plate does not turn with its bodies, as on a ball
};

}  // namespace isopatch::detail

// SPDX-License-Identifier: Apache-2.0
//
// Everything a user needs: make a Scene and an Evaluator, pass a State, get Results.
#pragma once

#include "isopatch/arrays.h"
#include "isopatch/error.h"
#include "isopatch/evaluator.h"
#include "isopatch/geometry/geometry.h"
#include "isopatch/host_evaluator.h"
#include "isopatch/implicit_wrench.h"
#include "isopatch/limits.h"
#include "isopatch/pictures.h"
#include "isopatch/results.h"
#include "isopatch/rollout_state.h"
#include "isopatch/scene/mass_properties.h"
#include "isopatch/scene/scene.h"
#include "isopatch/scene/scene_file.h"
#include "isopatch/simulator.h"
#include "isopatch/single_contact.h"
#include "isopatch/state.h"
#include "isopatch/status.h"

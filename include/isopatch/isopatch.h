// SPDX-License-Identifier: Apache-2.0
//
// Everything a user needs: make a Scene and an Evaluator, pass a State, get Results.
#pragma once

#include "isopatch/arrays.h"
#include "isopatch/error.h"
#include "isopatch/evaluator.h"
#include "isopatch/field.h"
#include "isopatch/geometry.h"
#include "isopatch/host_evaluator.h"
#include "isopatch/limits.h"
#include "isopatch/mass_properties.h"
#include "isopatch/mesh.h"
#include "isopatch/motion.h"
#include "isopatch/results.h"
#include "isopatch/rollout_options.h"
#include "isopatch/rollout_state.h"
#include "isopatch/scene.h"
#include "isopatch/screw_thread.h"
#include "isopatch/simulator.h"
#include "isopatch/state.h"
#include "isopatch/status.h"
#include "isopatch/triangle_mesh.h"

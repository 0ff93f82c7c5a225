// SPDX-License-Identifier: Apache-2.0
//
// A step of one simulation of a batch, as functions of MuJoCo's type mjfBatchFunc, which mjb_apply() runs on its
// threads. batch.py compiles this file against the headers of the MuJoCo that is installed, since the layout of mjData
// differs between versions. rows.py has the same step in Python, with the reasons; tests compare the two.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stddef.h>
#include <string.h>

// The patches of N states: J points in each of K clusters.
typedef struct {
  const double* point;      // [N, P, K, J, 3]
  const double* normal;     // [N, P, K, 3]
  const double* stiffness;  // [N, P, K, J]
  const double* distance;   // [N, P, K, J]
} Patches;

enum { kAhead, kNow, kPushes, kNumPatches };

// One call for N states. The order and the types of members are those of _Arguments in batch.py.
typedef struct {
  const mjModel* model;
  mjData** data;                 // [N]
  double* ahead;                 // [N, B, 7]: poses a step ahead
  double* now;                   // [N, B, 7]: poses now
  const int* bodies;             // [B]
  const int* pair_geoms;         // [P, 2], in the order of contacts
  const int* pair_bodies;        // [P, 2]
  const int* can_move;           // [P]
  const int* index;              // [ngeom + 1, ngeom + 1]: the pair of two geoms or -1
  const double* friction;        // [P, 5]
  const double* half_thickness;  // [P]: of the thinner body
  Patches patches[kNumPatches];  // a step ahead; now, which are 0 for pairs that have a patch a step ahead; pushes,
                                 // whose K and J are 1
  const double* residual;        // [N, P, 6]: a step ahead
  const double* own;  // [N, P, 2]: with which speed MuJoCo's own contacts may push, and how deep they must be;
                      // null if all are excluded
  double* origins;    // [N, B, 6]: origins of bodies and their centres of mass, a step ahead
  double* applied;    // [N, P, 6]: the residual that was applied
  int* outcome;       // [N]: 0, or 1 if the arena had no room
  void* weights;      // [P, 8 K + 1] of Weight for a single state; null: on the stack of each thread
  double impratio, least_resistance, least_share, margin, tolerance;
  int num_bodies, num_pairs, num_clusters, most_solves;
  int has[kNumPatches];  // whether there are any
} Arguments;

static void read_poses(const Arguments* a, const mjData* d, double* poses) {
  for (int b = 0; b < a->num_bodies; ++b) {
    memcpy(poses + 7 * b, d->xpos + 3 * a->bodies[b], 3 * sizeof(double));
    memcpy(poses + 7 * b + 3, d->xquat + 4 * a->bodies[b], 4 * sizeof(double));
  }
}

// Whether the only state may be stepped here: it is finite, and no callback of Python would run on a thread of ours.
int isopatch_is_ready(const void* arguments) {
  const Arguments* a = arguments;
  const mjModel* m = a->model;
  const mjData* d = a->data[0];
  double sum = 0;
  if (mjcb_passive || mjcb_control || mjcb_contactfilter || mjcb_sensor || mjcb_act_dyn || mjcb_act_gain ||
      mjcb_act_bias) {
    return 0;
  }
  for (int i = 0; i < m->nq; ++i) sum += d->qpos[i] * 0;  // NaN of what is not finite
  for (int i = 0; i < m->nv; ++i) sum += d->qvel[i] * 0;
  for (int i = 0; i < 3 * m->nmocap; ++i) sum += d->mocap_pos[i] * 0;
  for (int i = 0; i < 4 * m->nmocap; ++i) sum += d->mocap_quat[i] * 0;
  return sum == 0;
}

// The stages before contact, and the poses of which patches are wanted. `scratch` is the thread's own.
void isopatch_begin(const mjModel* copy, mjData* scratch, int sim, void* arguments) {
  const Arguments* a = arguments;
  const mjModel* m = a->model;
  mjData* d = a->data[sim];
  const ptrdiff_t poses = (ptrdiff_t)sim * a->num_bodies * 7;
  (void)copy;
  mj_checkPos(m, d);  // resets a state that is not finite, as in mj_step()
  mj_checkVel(m, d);

  memcpy(scratch->qpos, d->qpos, m->nq * sizeof(double));
  if (m->nmocap) {
    memcpy(scratch->mocap_pos, d->mocap_pos, 3 * m->nmocap * sizeof(double));
    memcpy(scratch->mocap_quat, d->mocap_quat, 4 * m->nmocap * sizeof(double));
  }
  mj_integratePos(m, scratch->qpos, d->qvel, m->opt.timestep);
  mj_kinematics(m, scratch);
  read_poses(a, scratch, a->ahead + poses);
  double* origins = a->origins + (ptrdiff_t)sim * a->num_bodies * 6;
  for (int b = 0; b < a->num_bodies; ++b) {
    memcpy(origins + 6 * b, scratch->xpos + 3 * a->bodies[b], 3 * sizeof(double));
    memcpy(origins + 6 * b + 3, scratch->xipos + 3 * a->bodies[b], 3 * sizeof(double));
  }

  mj_fwdKinematics(m, d);
  read_poses(a, d, a->now + poses);
}

static void make_frame(const double* normal, double* frame) {
  const double sign = copysign(1, normal[0]), scale = 1 / (1 + fabs(normal[0]));
  const double mirror[3] = {normal[0] + sign, normal[1], normal[2]};
  memcpy(frame, normal, 3 * sizeof(double));
  for (int row = 1; row < 3; ++row) {
    for (int i = 0; i < 3; ++i) frame[3 * row + i] = (i == row) - mirror[row] * scale * mirror[i];
  }
}

// A contact of a patch.
typedef struct {
  double stiffness;
  int is_now, pair;
} Weight;

// Adds the contacts of a pair's patches of one kind; returns how many, -1 without room.
static int add_pair(const Arguments* a, mjData* d, int sim, int kind, int pair, Weight* weights) {
  const Patches* patches = &a->patches[kind];
  const int clusters = kind == kPushes ? 1 : a->num_clusters, points = kind == kPushes ? 1 : 4;
  const ptrdiff_t first = ((ptrdiff_t)sim * a->num_pairs + pair) * clusters;
  int added = 0, framed = -1;
  mjContact contact;
  memset(&contact, 0, sizeof(contact));
  contact.dim = 3;
  contact.includemargin = a->margin;
  contact.efc_address = -1;
  for (int i = 0; i < 2; ++i) {
    contact.geom[i] = a->pair_geoms[2 * pair + i];
    contact.flex[i] = contact.elem[i] = contact.vert[i] = -1;
  }
  contact.geom1 = contact.geom[0];
  contact.geom2 = contact.geom[1];
  contact.solimp[0] = contact.solimp[1] = contact.solimp[3] = 0.5;
  contact.solimp[2] = contact.solimp[4] = 1;
  for (int i = 0; i < 5; ++i) contact.friction[i] = a->friction[5 * pair + i];
  for (int k = 0; k < clusters; ++k) {
    for (int p = 0; p < points; ++p) {
      const ptrdiff_t i = (first + k) * points + p;
      if (!(patches->stiffness[i] > 0)) continue;
      if (framed != k) make_frame(patches->normal + 3 * (first + k), contact.frame);
      framed = k;
      memcpy(contact.pos, patches->point + 3 * i, 3 * sizeof(double));
      contact.dist = patches->distance[i];
      if (mj_addContact(a->model, d, &contact)) return -1;
      weights[added++] = (Weight){patches->stiffness[i], kind == kNow, pair};
    }
  }
  return added;
}

// Adds the contacts of all patches, and their force; returns how many, or -1 without room.
static int add_contacts(const Arguments* a, mjData* d, int sim, Weight* weights, double* force) {
  int added = 0;
  for (int kind = 0; kind < kNumPatches; ++kind) {  // in the order of patches.py
    for (int pair = 0; pair < a->num_pairs && a->has[kind]; ++pair) {
      if (!a->can_move[pair]) continue;
      const int count = add_pair(a, d, sim, kind, pair, weights + added);
      if (count < 0) return -1;
      added += count;
    }
  }
  for (int i = 0; i < added; ++i) *force -= weights[i].stiffness * d->contact[d->ncon - added + i].dist;
  return added;
}

static int pair_of(const Arguments* a, const mjContact* contact) {
  const int n = (int)a->model->ngeom + 1, *geom = contact->geom;
  return a->index[(geom[0] < 0 ? n - 1 : geom[0]) * n + (geom[1] < 0 ? n - 1 : geom[1])];
}

// Writes the rows of patches, and for each pair the sum of A / R of its points.
// `velocity` is that of rows.
static void write_rows(const Arguments* a, mjData* d, int added, const Weight* weights, const double* velocity,
                       double* held) {
  const double h = a->model->opt.timestep, relaxation = h, span = h * (h + relaxation);
  for (int i = 0; i < a->num_pairs; ++i) held[i] = 0;
  for (int i = 0; i < added; ++i) {
    mjContact* contact = d->contact + d->ncon - added + i;
    const int row = contact->efc_address;
    const double resistance = 1 / (weights[i].stiffness * span), own = d->efc_R[row] / resistance;
    const double ratio = fmin(fmax(1 / (a->least_resistance * own * fmin(own, 1)), 1), a->impratio);
    held[weights[i].pair] += own;
    for (int j = 0; j < 3; ++j) {
      double* kbip = d->efc_KBIP + 4 * (row + j);
      d->efc_R[row + j] = j ? resistance / ratio : resistance;
      d->efc_D[row + j] = 1 / d->efc_R[row + j];
      kbip[0] = j ? 0 : 1 / span;
      kbip[1] = j ? 1 / h : (relaxation + h * weights[i].is_now) / span;
      kbip[2] = 1;
      kbip[3] = 0;
    }
    const double moved = fmax(weights[i].is_now ? 0 : h * velocity[row], 0);
    const double over = moved - fmax(a->half_thickness[weights[i].pair] + contact->dist, 0);
    const double slip = sqrt(velocity[row + 1] * velocity[row + 1] + velocity[row + 2] * velocity[row + 2]);
    const double stopped = contact->friction[0] * own * fmax(-contact->dist, 0);
    const double lifting = contact->friction[0] * fmax(2 * h * slip - stopped, 0);
    d->efc_pos[row] = contact->dist + fmin(fmax(over, 0), moved) + lifting;
    d->efc_margin[row] = 0;
    contact->mu = contact->friction[0] / sqrt(ratio);
  }
}

// Lets MuJoCo's own contacts of pairs push out no faster than `own` says.
static void slow_own(const Arguments* a, mjData* d, const double* own, int count) {
  for (int i = 0; i < count; ++i) {
    const int row = d->contact[i].efc_address, pair = pair_of(a, &d->contact[i]);
    if (row < 0 || pair < 0) continue;
    const double* kbip = d->efc_KBIP + 4 * row;
    const double deepest = d->efc_margin[row] - own[2 * pair] * kbip[1] / fmax(kbip[0] * kbip[2], 1e-300);
    d->efc_pos[row] = fmax(d->efc_pos[row], deepest);
  }
}

static void add_wrench(double* xfrc, double sign, const double* force, const double* torque, const double* origin,
                       const double* center) {
  double arm[3], moment[3];
  for (int i = 0; i < 3; ++i) arm[i] = origin[i] - center[i];
  mju_cross(moment, arm, force);
  for (int i = 0; i < 3; ++i) {
    xfrc[i] += sign * force[i];
    xfrc[3 + i] += sign * (torque[i] + moment[i]);
  }
}

static int body_index(const Arguments* a, int body) {
  for (int b = 0; b < a->num_bodies; ++b) {
    if (a->bodies[b] == body) return b;
  }
  return 0;
}

// Adds residuals to xfrc_applied, as rows.py, if they are more than rounding, and notes what was applied.
static int apply_residuals(const Arguments* a, mjData* d, int sim, double force, const double* held) {
  const double* residual = a->residual + (ptrdiff_t)sim * a->num_pairs * 6;
  const double* origins = a->origins + (ptrdiff_t)sim * a->num_bodies * 6;
  double* applied = a->applied + (ptrdiff_t)sim * a->num_pairs * 6;
  double most = 0;
  for (int i = 0; i < 6 * a->num_pairs; ++i) most = fmax(most, fabs(residual[i]));
  memset(applied, 0, 6 * a->num_pairs * sizeof(double));
  if (most <= a->least_share * force) return 0;
  for (int pair = 0; pair < a->num_pairs; ++pair) {
    const int* bodies = a->pair_bodies + 2 * pair;
    const double* first = origins + 6 * body_index(a, bodies[0]);
    double* wrench = applied + 6 * pair;
    for (int i = 0; i < 6; ++i) wrench[i] = residual[6 * pair + i] / (1 + held[pair]);
    for (int side = 0; side < 2; ++side) {
      const double* center = origins + 6 * body_index(a, bodies[side]) + 3;
      add_wrench(d->xfrc_applied + 6 * bodies[side], side ? -1 : 1, wrench, wrench + 3, first, center);
    }
  }
  return 1;
}

// The stages from contact on.
void isopatch_end(const mjModel* copy, mjData* scratch, int sim, void* arguments) {
  const Arguments* a = arguments;
  const mjModel* m = a->model;
  mjData* d = a->data[sim];
  (void)copy;
  mj_makeM(m, d);
  mj_factorM(m, d);
  mj_collision(m, d);
  const double* own = a->own ? a->own + (ptrdiff_t)sim * a->num_pairs * 2 : NULL;
  const int count = d->ncon;
  for (int i = 0; i < count; ++i) {
    const int pair = pair_of(a, &d->contact[i]);
    if (pair < 0) continue;
    const int stays = own && own[2 * pair] > 0 && d->contact[i].dist < -own[2 * pair + 1];
    if (!stays) d->contact[i].exclude = 1;
  }

  // the thread's own room: 4 clusters' points of all pairs may be more than a stack holds
  mj_markStack(scratch);
  const size_t room = (size_t)a->num_pairs * (8 * a->num_clusters + 1) * sizeof(Weight);
  Weight* weights = a->weights ? a->weights : mj_stackAllocByte(scratch, room, sizeof(double));
  double* held = mj_stackAllocNum(scratch, a->num_pairs);
  double* before = mj_stackAllocNum(scratch, 6 * (size_t)m->nbody);
  double force = 0;
  const int added = add_contacts(a, d, sim, weights, &force);
  const int warnings = d->warning[mjWARN_CNSTRFULL].number;
  if (added >= 0) mj_makeConstraint(m, d);
  a->outcome[sim] = added < 0 || d->warning[mjWARN_CNSTRFULL].number != warnings;
  if (a->outcome[sim]) {
    mj_freeStack(scratch);
    return;
  }
  if (added) {
    double* velocity = mj_stackAllocNum(scratch, d->nefc);
    mj_mulJacVec(m, d, velocity, d->qvel);
    write_rows(a, d, added, weights, velocity, held);
  } else {
    memset(held, 0, a->num_pairs * sizeof(double));
  }
  if (own) slow_own(a, d, own, count);
  mj_island(m, d);
  mj_transmission(m, d);
  mj_projectConstraint(m, d);
  mj_sensorPos(m, d);
  if (m->opt.enableflags & mjENBL_ENERGY) mj_energyPos(m, d);
  memcpy(before, d->xfrc_applied, 6 * m->nbody * sizeof(double));
  const int pushed = apply_residuals(a, d, sim, force, held);
  mjModel strict = *m;  // its arrays are those of the model
  if (added && m->opt.solver == mjSOL_NEWTON && m->opt.tolerance > a->tolerance) {
    strict.opt.tolerance = a->tolerance;
    strict.opt.iterations *= a->most_solves;
  }
  mj_forwardSkip(&strict, d, mjSTAGE_POS, 0);
  if (pushed) memcpy(d->xfrc_applied, before, 6 * m->nbody * sizeof(double));
  mj_freeStack(scratch);
  mj_checkAcc(m, d);
  if (m->opt.integrator == mjINT_EULER) {
    mj_Euler(m, d);
  } else {
    mj_implicit(m, d);
  }
}

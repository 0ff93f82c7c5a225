// SPDX-License-Identifier: Apache-2.0
//
// By CVODE of SUNDIALS: backward differentiation formulas, Newton's method with a dense Jacobian of difference
// quotients.
//
// A free body is its center of mass, its orientation, the velocity of the center and its angular momentum. The normal
// force of a contact point is f0 max(0, 1 - d v_n), and its friction mu times that, opposite to the slip u_t, by
// |u_t| / sqrt(|u_t|^2 + v_s^2).
#include "tests/support/cvode/cvode_simulator.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "host/cpu/find_contacts.h"
#include "host/rollout/simulator_backend.h"
#include "host/threads/cancellation.h"
#include "host/threads/parallel_for.h"

namespace isopatch::test {

using namespace detail;

namespace {

constexpr int kNumbers = 13;  // of a free body: center, orientation, velocity, angular momentum

struct FreeBody {
  Vec3d center;
  Quaternion orientation;
  Vec3d velocity, angular_momentum;

  static FreeBody load(const double* y) {
    return {{y[0], y[1], y[2]}, {y[3], {y[4], y[5], y[6]}}, {y[7], y[8], y[9]}, {y[10], y[11], y[12]}};
  }
  void store(double* y) const {
    const double numbers[kNumbers] = {
        center.x,   center.y,   center.z,   orientation.w,      orientation.v.x,    orientation.v.y,   orientation.v.z,
        velocity.x, velocity.y, velocity.z, angular_momentum.x, angular_momentum.y, angular_momentum.z};
    std::copy(std::begin(numbers), std::end(numbers), y);
  }
};

/// The twist of a body on a path.
Twist twist_on(const PathRows& path, double time) {
  const auto [before, after, fraction] = neighbors_of(path, time);
  if (before == after) return {{0, 0, 0}, {0, 0, 0}};
  const PathRow &begin = path.rows[before], &end = path.rows[after];
  return twist_between(begin.pose, end.pose, end.time - begin.time);
}

/// The motion of one environment during one step.
class EnvironmentMotion {
 public:
  EnvironmentMotion(const StepView& step, std::int64_t environment, ContactStepWorkspace<double>& work)
      : step_(step),
        environment_(environment),
        work_(work),
        state_(step.environment(environment)),
        begin_(static_cast<double>(step.state.step_count[environment]) * step.rollout.time_step),
        pairs_(static_cast<std::size_t>(step.scene.num_pairs)) {
    for (int i = 0; i < step.scene.num_bodies; ++i) {
      if (body(i).kind == MotionKind::kFree) free_.push_back(i);
    }
  }

  double begin() const { return begin_; }
  int size() const { return kNumbers * static_cast<int>(free_.size()); }
  std::uint32_t status() const { return status_; }

  void read(double* y) const {
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const int i = free_[k];
      const Pose pose = load_pose(state_.poses, i);
      const Transform<double> X = transform_of(pose);
      const Vec3d arm = rotate(X, mass(i).center);
      const Twist twist = shifted(state_.twist(i), arm);
      const Momentum momentum = momentum_of(mass(i), scale(i), X, twist);
      FreeBody{pose.position + arm, pose.orientation, twist.linear, momentum.angular}.store(y + kNumbers * k);
    }
  }

  /// What errors are measured by, for a relative tolerance of 1.
  void read_scales(double* sizes) const {
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const Symmetric3& I = mass(free_[k]).inertia;
      const double length = 1e-3, speed = 1e-2;
      const double spin = scale(free_[k]) * max(I.xx, max(I.yy, I.zz));
      const Vec3d lengths = {length, length, length}, speeds = {speed, speed, speed}, spins = {spin, spin, spin};
      FreeBody{lengths, {length, lengths}, speeds, spins}.store(sizes + kNumbers * k);
    }
  }

  /// Writes the state at a time, and forces of its contact.
  void write(double time, const double* y) {
    place(time, y);
    std::vector<double> rates(static_cast<std::size_t>(size()));
    find_rates(time, y, rates.data());
    for (int i = 0; i < step_.scene.num_bodies; ++i) {
      const Pose pose = load_pose(work_.step(false).poses, i);
      if (body(i).kind != MotionKind::kFixed) store_pose(state_.poses, i, pose);
      if (body(i).kind == MotionKind::kPath) state_.set_twist(i, twist_on(body(i).path, time - kSameTime));
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const int i = free_[k];
      state_.set_twist(i, shifted(center_twists_[i], -arm_of(i)));
    }
  }

  /// dy/dt. False where contact cannot be found.
  bool find_rates(double time, const double* y, double* rates) {
    place(time, y);
    const State contact = search_state(step_, work_.step(false).poses, nullptr, 0, step_.state.contact_state,
                                       num_contact_states(step_.scene));
    const std::uint32_t found = work_.find(step_, contact, environment_);
    if ((found & kFaults) != 0) {
      status_ |= found & kFaults;
      return false;
    }
    status_ |= found;
    find_twists(time, y);
    add_contact(contact);

    for (std::size_t k = 0; k < free_.size(); ++k) {
      const int i = free_[k];
      const FreeBody at = FreeBody::load(y + kNumbers * k);
      const Momentum& force = forces_[i];
      const Vec3d angular = center_twists_[i].angular;
      const Quaternion turn = product({0, 0.5 * angular}, at.orientation);
      FreeBody{at.velocity, turn, (1 / (scale(i) * mass(i).mass)) * force.linear, force.angular}.store(rates +
                                                                                                       kNumbers * k);
    }
    ++evaluations_;
    return true;
  }

  /// Whether no body is faster than the speed limit.
  bool velocities_hold(double time, const double* y) {
    place(time, y);
    find_twists(time, y);
    const double limit = step_.rollout.speed_limit * step_.rollout.speed_limit;
    const auto is_slow = [&](Vec3d v) { return dot(v, v) <= limit; };
    return std::all_of(free_.begin(), free_.end(),
                       [&](int i) { return is_slow(center_twists_[i].linear) && is_slow(center_twists_[i].angular); });
  }

  int evaluations() const { return evaluations_; }

 private:
  const MovingBody& body(int index) const { return step_.rollout.bodies[index]; }
  const BodyMass& mass(int index) const { return step_.input.mass(step_.rollout, environment_, index); }
  double scale(int index) const { return step_.input.mass_scale(environment_, index); }
  Vec3d arm_of(int index) const {  // of the center of mass from the origin
    return rotate(transform_of(load_pose(work_.step(false).poses, index)), mass(index).center);
  }

  /// Writes the poses of all bodies to the workspace.
  void place(double time, const double* y) const {
    double* const poses = work_.step(false).poses;
    for (int i = 0; i < step_.scene.num_bodies; ++i) {
      Pose pose = load_pose(state_.poses, i);
      if (body(i).kind == MotionKind::kPath) pose = pose_at(body(i).path, time);
      if (body(i).kind == MotionKind::kVelocity) pose = moved(pose, state_.twist(i), time - begin_);
      store_pose(poses, i, pose);
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const FreeBody at = FreeBody::load(y + kNumbers * k);
      Pose pose = {{0, 0, 0}, normalized(at.orientation)};
      pose.position = at.center - rotate(transform_of(pose), mass(free_[k]).center);
      store_pose(poses, free_[k], pose);
    }
  }

  /// Of the centers of mass, of bodies without degrees of freedom the origins.
  void find_twists(double time, const double* y) {
    center_twists_.assign(static_cast<std::size_t>(step_.scene.num_bodies), {{0, 0, 0}, {0, 0, 0}});
    for (int i = 0; i < step_.scene.num_bodies; ++i) {
      if (body(i).kind == MotionKind::kPath) center_twists_[i] = twist_on(body(i).path, time);
      if (body(i).kind == MotionKind::kVelocity) center_twists_[i] = state_.twist(i);
    }
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const int i = free_[k];
      const FreeBody at = FreeBody::load(y + kNumbers * k);
      const Transform<double> X = transform_of(load_pose(work_.step(false).poses, i));
      const Momentum momentum = {(scale(i) * mass(i).mass) * at.velocity, at.angular_momentum};
      center_twists_[i] = twist_of(mass(i), scale(i), X, momentum);
    }
  }

  /// The forces on all bodies about their centers of mass, and on body a of each pair about its origin.
  void add_contact(const State& contact) {
    forces_.resize(static_cast<std::size_t>(step_.scene.num_bodies));
    const Vec3d gravity = step_.input.gravity(step_.rollout, environment_);
    for (int i = 0; i < step_.scene.num_bodies; ++i) {
      Momentum& force = forces_[i];
      force = step_.input.wrench(environment_, i);
      force.linear = fma(scale(i) * mass(i).mass, gravity, force.linear);
    }
    double* const wrenches = work_.step(false).forces;
    std::fill_n(wrenches, 6 * step_.scene.num_pairs, 0.0);

    SerialWarp warp;
    const StageInput in = {step_.scene, step_.rollout, contact, step_.input, environment_, state_};
    const auto contacts = ordered_contacts(
        work_.polygons.size(), [&](int i) { return work_.polygons.key(i); }, [](int, const PolygonColumns&, int) {});
    const int count = list_pairs(warp, in, contacts, pairs_.data());
    for (int i = 0; i < count; ++i) add_pair(pairs_[i], wrenches);
  }

  void add_pair(const SolvedPair& pair, double* wrenches) {
    const auto center_of = [&](int index) {
      return load_pose(work_.step(false).poses, index).position + arm_of(index);
    };
    const Vec3d center_a = center_of(pair.a), center_b = center_of(pair.b);
    const Twist a = shifted(center_twists_[pair.a], pair.point - center_a),
                b = shifted(center_twists_[pair.b], pair.point - center_b);
    const RelativeTwist<double> twist = {a.linear - b.linear, a.angular - b.angular};
    const double v_s = step_.scene.contact.slip_tolerance;
    Vec3d force = {0, 0, 0}, moment = {0, 0, 0};
    for (int k = 0; k < pair.polygons; ++k) {
      const SolverContact<double>& found = work_.polygons[pair.first_polygon + k];
      const double friction = found.friction;
      const PolygonPoints<double> points = points_of(found, friction);
      for (int point = 0; point < PolygonPoints<double>::kPoints; ++point) {
        const Vec3d u = twist.at(points.arm[point]), n = points.normal;
        const double v_n = dot(n, u), normal = points.force[point] * max(fma(-points.dissipation, v_n, 1.0), 0.0);
        const Vec3d slip = fma(-v_n, n, u);
        const Vec3d F = fma(normal, n, (-friction * normal / std::sqrt(fma(v_s, v_s, dot(slip, slip)))) * slip);
        force = force + F;
        moment = moment + cross(points.arm[point], F);
      }
    }
    const auto add = [&](int index, Vec3d center, double sign) {
      Momentum& to = forces_[index];
      to.linear = fma(sign, force, to.linear);
      to.angular = fma(sign, moment + cross(pair.point - center, force), to.angular);
    };
    add(pair.a, center_a, 1);
    add(pair.b, center_b, -1);
    const Vec3d torque = moment + cross(pair.point - load_pose(work_.step(false).poses, pair.a).position, force);
    const double wrench[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    std::copy(std::begin(wrench), std::end(wrench), wrenches + 6 * pair.pair);
  }

  const StepView& step_;
  std::int64_t environment_;
  ContactStepWorkspace<double>& work_;
  EnvironmentState state_;
  double begin_;
  std::vector<int> free_;
  std::vector<SolvedPair> pairs_;
  std::vector<Twist> center_twists_;
  std::vector<Momentum> forces_;
  std::uint32_t status_ = kOk;
  int evaluations_ = 0;
};

/// What CVODE calls. Exceptions must not pass through its frames, which are C.
struct RatesOf {
  EnvironmentMotion& motion;
  std::exception_ptr error = nullptr;

  static int call(realtype time, N_Vector y, N_Vector rates, void* object) noexcept {
    constexpr int kTakeASmallerStep = 1, kGiveUp = -1;
    auto& [motion, error] = *static_cast<RatesOf*>(object);
    try {
      return motion.find_rates(time, N_VGetArrayPointer(y), N_VGetArrayPointer(rates)) ? 0 : kTakeASmallerStep;
    } catch (...) {
      error = std::current_exception();
      return kGiveUp;
    }
  }
};

void ignore_message(int, const char*, const char*, char*, void*) {}

/// CVODE's objects for one step. The formulas begin anew in each, as a state is all there is of a rollout.
class Integration {
 public:
  Integration(EnvironmentMotion& motion, double tolerance) : rates_{motion} {
    require(SUNContext_Create(nullptr, &context_) == 0);
    y_ = N_VNew_Serial(motion.size(), context_);
    tolerances_ = N_VNew_Serial(motion.size(), context_);
    matrix_ = SUNDenseMatrix(motion.size(), motion.size(), context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    cvode_ = CVodeCreate(CV_BDF, context_);
    require(y_ != nullptr && tolerances_ != nullptr && matrix_ != nullptr && solver_ != nullptr && cvode_ != nullptr);
    motion.read(N_VGetArrayPointer(y_));
    motion.read_scales(N_VGetArrayPointer(tolerances_));
    N_VScale(tolerance, tolerances_, tolerances_);
    require(CVodeInit(cvode_, &RatesOf::call, motion.begin(), y_) == CV_SUCCESS);
    require(CVodeSVtolerances(cvode_, tolerance, tolerances_) == CV_SUCCESS);
    require(CVodeSetUserData(cvode_, &rates_) == CV_SUCCESS);
    require(CVodeSetLinearSolver(cvode_, solver_, matrix_) == CV_SUCCESS);
    require(CVodeSetMaxNumSteps(cvode_, kMaxInternalSteps) == CV_SUCCESS);
    require(CVodeSetErrHandlerFn(cvode_, ignore_message, nullptr) == CV_SUCCESS);
  }
  ~Integration() {
    CVodeFree(&cvode_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(tolerances_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;

  /// Integrates to `end`. False where the tolerance cannot be kept. Throws if the work is cancelled.
  bool run(double end) {
    realtype reached = rates_.motion.begin();
    const bool kept = CVodeSetStopTime(cvode_, end) == CV_SUCCESS && CVode(cvode_, end, y_, &reached, CV_NORMAL) >= 0;
    if (rates_.error) std::rethrow_exception(rates_.error);
    return kept;
  }
  const double* result() const { return N_VGetArrayPointer(y_); }

 private:
  static constexpr long kMaxInternalSteps = 1'000'000;

  static void require(bool made) {
    if (!made) throw Error("CVODE could not be set up");
  }

  RatesOf rates_;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr, tolerances_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  void* cvode_ = nullptr;
};

/// One step. Returns its status; with kFrozen, the state is as it was.
std::uint32_t take_step(const StepView& step, std::int64_t environment, ContactStepWorkspace<double>& work,
                        const StepProgress& progress) {
  SerialWarp warp;
  const std::uint32_t bad = check_environment(warp, step, environment, progress);
  if (bad != kOk) return bad;

  EnvironmentMotion motion(step, environment, work);
  std::int64_t& steps = step.state.step_count[environment];
  const double end = static_cast<double>(steps + 1) * step.rollout.time_step;
  const double nothing = 0;
  if (motion.size() == 0) {
    motion.write(end, &nothing);
  } else {
    Integration integration(motion, step.rollout.tolerance);
    if (!integration.run(end)) return (motion.status() & kFaults) | kDiverged | kFrozen;
    if (!motion.velocities_hold(end, integration.result())) return kDiverged | kFrozen;
    motion.write(end, integration.result());
  }
  *progress.counts = {motion.evaluations(), work.polygons.size(), work.polygons.size(), 0, 0, 0};
  add_to_sums(warp, step, progress);
  ++steps;
  const State contact = search_state(step, progress.poses, nullptr, 0, nullptr, 0);
  return (motion.status() & (kNoContactSurface | kFarSide)) |
         fell_through(warp, step.scene, step.rollout, step.input, contact, environment, step.environment(environment));
}

class CvodeSimulator final : public Simulator::Implementation {
 public:
  CvodeSimulator(Scene scene, const RolloutOptions& rollout, const EvaluatorOptions& options)
      : Implementation(std::move(scene), rollout, options), cpu_(make_cpu_simulator(scene_, rollout, {options})) {
    if (options.backend != Backend::kCpu) throw Error("cvode needs the cpu backend");
    if (scene_.contact_state_size() > 0) throw Error("cvode takes no contacts with state");
    for (const Body& body : scene_.description().bodies) {
      const MotionType type = body.motion.type;
      if (type == MotionType::kPrismatic || type == MotionType::kRevolute)
        throw Error("cvode takes no bodies on joints");
    }
  }

  void initial_state(const RolloutState& state, void* stream) const override { cpu_->initial_state(state, stream); }

  void step(const RolloutState& state, const RolloutInput& input, const RolloutOutput& output, int num_steps,
            void* stream) const override {
    const StepView view = {scene_.data().view, this->view(), state, {input}};
    const std::int64_t count = num_steps == 0 ? 0 : state.num_environments;
    const std::int64_t threads = std::min<std::int64_t>(usable_threads(options_.num_threads), count);
    LoopChunks loop(count, 1);
    const CancellationScope cancellation(options_.is_cancelled);
    run_on_threads(static_cast<int>(std::max<std::int64_t>(threads, 1)), [&](int thread) {
      ContactStepWorkspace<double> work(scene_.data(), view.rollout, models_);
      loop.take(thread, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t e = begin; e < end; ++e) {
          take_steps(view, e, work, output, num_steps);
        }
      });
    });
    if (num_steps == 0) return cpu_->step(state, input, output, 0, stream);
    if (!is_wanted(evaluated_results(output))) return;
    RolloutOutput evaluated = output;
    for_each_rollout_output(
        [](const ArrayInfo& info, auto& array) {
          if (info.group == OutputGroup::kWrench) array = {};
        },
        evaluated);
    cpu_->step(state, input, evaluated, 0, stream);
  }

  void reset(const RolloutState& state, const std::uint8_t* mask, const RolloutState& initial,
             void* stream) const override {
    cpu_->reset(state, mask, initial, stream);
  }

 private:
  static void take_steps(const StepView& step, std::int64_t environment, ContactStepWorkspace<double>& work,
                         const RolloutOutput& output, int num_steps) {
    SerialWarp warp;
    const StepProgress progress = work.step(output.pair_wrench_mean.data != nullptr);
    begin_call(warp, step, environment, progress);
    std::uint32_t& status = step.state.status[environment];
    for (int i = 0; i < num_steps && (status & kFrozen) == 0; ++i) {
      check_cancelled();
      status |= take_step(step, environment, work, progress);
    }
    end_call(warp, step, environment, progress, output, num_steps);
  }

  std::unique_ptr<Simulator::Implementation> cpu_;
  const CpuContactModels models_ = make_cpu_contact_models({}, nullptr);  // one number at a time
};

}  // namespace

Simulator make_cvode_simulator(Scene scene, const RolloutOptions& rollout, EvaluatorOptions options) {
  return Simulator(std::make_unique<CvodeSimulator>(std::move(scene), rollout, options));
}

}  // namespace isopatch::test

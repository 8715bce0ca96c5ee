#include "stunt/assess/realism/model_motion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/assess/realism/human_size.h"
#include "stunt/assess/realism/realism.h"
#include "stunt/core/error.h"
#include "stunt/reference/cleanup/filter.h"
#include "stunt/reference/retarget/anatomy.h"

namespace stunt {
namespace {

constexpr double kPlace = 20, kTurn = 1, kBone = 1, kToes = 0.3,
                 kHead = 0.5;                    // weights; 1/m, 1/rad, 1, 1/rad
constexpr double kRest = 0.01, kDamping = 1e-4;  // towards the rest pose; of a step
constexpr int kFirstSteps = 100, kSteps = 12;
constexpr double kLargestTurn = 0.5;                          // rad, in a step
constexpr double kSmooth = 10;                                // Hz
constexpr double kFarAnkle = 0.05, kFarLeg = 25 * kPi / 180;  // m, rad: means that are no following
constexpr double kUpright = 0.85;                             // cosine

Mat3 frame_of(const Vec3& along, const Vec3& side) {
  Mat3 axes;
  axes << along, side, along.cross(side);
  return axes;
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

// Whether a joint moves `body` against `from`, which is above it or beside it.
bool moves_against(const Actor& actor, int body, int from) {
  const auto up = [&](int b) { return actor.bodies()[static_cast<std::size_t>(b)].parent; };
  std::vector<int> above;
  for (int b = from; b >= 0; b = up(b)) above.push_back(b);
  const auto meets = [&](int b) { return std::find(above.begin(), above.end(), b) != above.end(); };
  int b = body;
  for (; b >= 0 && !meets(b); b = up(b)) {
    if (actor.bodies()[static_cast<std::size_t>(b)].joint_count > 0) return true;
  }
  for (const int other : above) {
    if (other == b) return false;
    if (actor.bodies()[static_cast<std::size_t>(other)].joint_count > 0) return true;
  }
  return false;
}

// The bone from the joint of one part to that of the next.
struct Bone {
  Role role, next;
  bool leg;
};
constexpr std::array<Bone, 8> kBones = {{{Role::left_thigh, Role::left_shank, true},
                                         {Role::left_shank, Role::left_foot, true},
                                         {Role::right_thigh, Role::right_shank, true},
                                         {Role::right_shank, Role::right_foot, true},
                                         {Role::left_upper_arm, Role::left_forearm, false},
                                         {Role::left_forearm, Role::left_hand, false},
                                         {Role::right_upper_arm, Role::right_forearm, false},
                                         {Role::right_forearm, Role::right_hand, false}}};

class ModelPoser {
 public:
  ModelPoser(const AssessedMotion& motion, const MuscleModel& model, const std::string& place)
      : motion_(motion),
        model_(model),
        actor_(*model.actor),
        place_(place),
        source_(motion.actor),
        target_(model.actor),
        anatomy_(motion.actor),
        source_still_(VecX::Zero(motion.actor->nv())),
        still_(VecX::Zero(actor_.nv())),
        rest_(actor_.rest_q()) {
    check_parts();
    model_.couplings.settle(rest_);
    target_.set_state(rest_, still_);
    source_.set_state(motion.actor->rest_q(), source_still_);
    find_turns();
    check_human_size(stature(model_.actor), place_);
    find_bones();
    scale_ = leg_length(target_) / leg_length(source_);
    source_.set_state(motion_.q[0], source_still_);
    start_ = hip_centre(source_);
    start_.z() = 0;
    const auto nv = static_cast<Eigen::Index>(actor_.nv());
    H_.resize(nv, nv);
    g_.resize(nv);
  }

  AssessedMotion run(ModelMotionReport& report) {
    AssessedMotion out{.actor = model_.actor,
                       .rate_hz = motion_.rate_hz,
                       .gravity = actor_.gravity(),
                       .grounds = motion_.grounds};
    VecX q = first_guess();
    for (std::size_t i = 0; i < motion_.q.size(); ++i) {
      source_.set_state(motion_.q[i], source_still_);
      solve(q, i == 0 ? kFirstSteps : kSteps);
      tally(q);
      out.q.push_back(q);
      out.supports.push_back(moved(motion_.supports[i]));
    }
    make_continuous(actor_, out.q);
    low_pass(actor_, out.q, out.rate_hz, kSmooth);
    for (VecX& pose : out.q) model_.couplings.settle(pose);
    judge(report);
    return out;
  }

 private:
  struct Turn {
    int body;     // of the model
    int source;   // of the motion's actor
    Quat offset;  // model's turn = source's turn * offset
    double weight;
  };
  struct ModelBone {
    Bone bone;
    int from, to;  // bodies of the model: the bone goes from the joint of one to that of the other
    Vec3 tip;      // m, in the axes of `from`: its end where there is no other (to < 0)
    int source, source_to;
    double length;     // m
    double error = 0;  // rad, sum over the frames
  };

  void check_parts() const {
    if (!actor_.has_free_root())
      throw InputError(place_, "a model whose root is fixed to the world",
                       "a root with <freejoint/>: a motion has to carry it along");
    std::vector<std::string> missing;
    for (const Role role : {Role::left_thigh, Role::left_shank, Role::left_foot, Role::right_thigh,
                            Role::right_shank, Role::right_foot}) {
      if (actor_.body(role) < 0) missing.emplace_back(name(role));
    }
    if (!missing.empty())
      throw InputError(
          place_, fmt::format("a model without {}", fmt::join(missing, ", ")),
          "two legs that can stand: bodies named femur_l, tibia_l, calcn_l, femur_r, ... or the like");
  }

  double leg_length(ActorDynamics& dynamics) const {
    double sum = 0;
    for (const Bone& bone : kBones) {
      if (bone.leg)
        sum += 0.5 * (joint_position(dynamics, dynamics.actor().body(bone.next)) -
                      joint_position(dynamics, dynamics.actor().body(bone.role)))
                         .norm();
    }
    return sum;
  }

  // In the rest poses, in which both stand.
  void find_turns() {
    const auto joint = [&](Role role) { return joint_position(target_, actor_.body(role)); };
    const Vec3 up = Vec3::UnitZ();
    const Vec3 ankles = 0.5 * (joint(Role::left_foot) + joint(Role::right_foot)),
               hips = 0.5 * (joint(Role::left_thigh) + joint(Role::right_thigh));
    if ((hips - ankles).normalized().dot(up) < kUpright)
      throw InputError(place_, "a rest pose that does not stand", "legs below the hips, along Z");
    Vec3 left = joint(Role::left_thigh) - joint(Role::right_thigh);
    left = (left - up * up.dot(left)).normalized();
    const auto add = [&](Role role, int body, const Mat3& frame, double weight) {
      const SegmentAxes* there = anatomy_.find(role);
      if (there == nullptr || body < 0) return;
      turns_.push_back({body, there->body,
                        there->frame() * Quat(frame).conjugate() * target_.body_rotation(body), weight});
    };
    const Mat3 upright = frame_of(up, left);
    const int pelvis = actor_.body(Role::pelvis);
    add(Role::pelvis, pelvis, upright, kTurn);
    for (const auto& [role, weight] : {std::pair{Role::chest, kTurn}, std::pair{Role::head, kHead}}) {
      const int body = actor_.body(role);
      if (body >= 0 && moves_against(actor_, body, pelvis))
        add(anatomy_.find(role) ? role : Role::spine, body, upright, weight);
      else if (role == Role::chest)
        still_parts_.emplace_back("trunk");
    }
    for (const bool is_left : {true, false}) {
      const Role foot = is_left ? Role::left_foot : Role::right_foot,
                 toe = is_left ? Role::left_toes : Role::right_toes;
      const int toes = actor_.body(toe);
      // The heel's body: between it and the shank there may be others.
      const int sole = toes >= 0 ? actor_.bodies()[static_cast<std::size_t>(toes)].parent : actor_.body(foot);
      const Vec3 tip =
          toes >= 0 ? joint(toe) : target_.point(sole, actor_.bodies()[static_cast<std::size_t>(sole)].com);
      Vec3 along = tip - joint(foot);
      along -= up * up.dot(along);
      if (along.norm() < 0.01) along = left.cross(up);
      const Mat3 level = frame_of(along.normalized(), up.cross(along.normalized()));
      add(foot, sole, level, kTurn);
      add(toe, toes, level, kToes);
      soles_[is_left ? 0 : 1] = {sole, toes >= 0 ? toes : sole};
    }
  }

  void find_bones() {
    for (const Bone& bone : kBones) {
      const int from = actor_.body(bone.role), to = actor_.body(bone.next),
                source = motion_.actor->body(bone.role), source_to = motion_.actor->body(bone.next);
      const bool is_left = bone.role < Role::right_clavicle ||
                           (bone.role >= Role::left_thigh && bone.role < Role::right_thigh);
      if (from < 0 || source < 0 || !moves_against(actor_, from, actor_.body(Role::pelvis))) {
        if (bone.role == Role::left_upper_arm || bone.role == Role::right_upper_arm)
          still_parts_.emplace_back(is_left ? "left arm" : "right arm");
        continue;
      }
      if (source_to < 0) continue;
      // Hands go by many names; without one a forearm ends in the middle of all that hangs on it.
      target_.com();
      const Vec3 middle = vec3(&target_.data().subtree_com[3 * (from + 1)]);
      ModelBone added{
          bone,   from,
          to,     target_.body_rotation(from).conjugate() * (middle - target_.body_position(from)),
          source, source_to,
          0};
      added.length = way(added).norm();
      if (added.length > 0.01) bones_.push_back(added);
    }
  }

  Vec3 scaled(const Vec3& point) const { return start_ + scale_ * (point - start_); }

  VecX first_guess() {
    VecX q = rest_;
    source_.set_state(motion_.q[0], source_still_);
    target_.set_state(rest_, still_);
    const Turn& pelvis = turns_.front();
    const Quat turn =
        source_.body_rotation(pelvis.source) * pelvis.offset * target_.body_rotation(pelvis.body).conjugate();
    const Vec3 hips = hip_centre(target_);
    quat_to_wxyz(turn * quat_from_wxyz(&q[3]), &q[3]);
    q.head<3>() = scaled(hip_centre(source_)) + turn * (rest_.head<3>() - hips);
    return q;
  }

  // --- the normal equations ------------------------------------------------------------------------
  void add_rows(const VecX& q, Jacobian& J, const Vec3& error, double weight) {
    for (int i = 0; i < 3; ++i) {
      row_ = J.row(i).transpose();
      model_.couplings.gather(q, row_);
      H_.selfadjointView<Eigen::Lower>().rankUpdate(row_, weight * weight);
      g_ += weight * weight * error[i] * row_;
    }
  }
  void add_place(const VecX& q, int body, const Vec3& wanted) {
    const Vec3 here = joint_position(target_, body);
    target_.point_jacobian(body, here, J_);
    add_rows(q, J_, wanted - here, kPlace);
  }

  void build(const VecX& q) {
    target_.set_state(q, still_);
    difference(actor_, q, rest_, row_);
    row_.head<6>().setZero();
    g_ = kRest * kRest * row_;
    H_.setZero();
    H_.diagonal().setConstant(kRest * kRest + kDamping);
    for (const Turn& turn : turns_) {
      const Quat wanted = source_.body_rotation(turn.source) * turn.offset;
      target_.rotation_jacobian(turn.body, J_);
      add_rows(q, J_, log_map(wanted * target_.body_rotation(turn.body).conjugate()), turn.weight);
    }
    const int left = actor_.body(Role::left_thigh), right = actor_.body(Role::right_thigh);
    target_.point_jacobian(left, joint_position(target_, left), J_);
    target_.point_jacobian(right, joint_position(target_, right), other_);
    J_ = 0.5 * (J_ + other_);
    add_rows(q, J_, scaled(hip_centre(source_)) - hip_centre(target_), kPlace);
    for (const Role role : {Role::left_foot, Role::right_foot})
      add_place(q, actor_.body(role), scaled(joint_position(source_, motion_.actor->body(role))));
    for (const ModelBone& bone : bones_) {
      target_.point_jacobian(bone.to < 0 ? bone.from : bone.to, end_of(bone), J_);
      target_.point_jacobian(bone.from, joint_position(target_, bone.from), other_);
      J_ = (J_ - other_) / bone.length;
      add_rows(q, J_, wanted_direction(bone) - way(bone) / bone.length, kBone);
    }
  }
  Vec3 end_of(const ModelBone& bone) {
    return bone.to < 0 ? target_.point(bone.from, bone.tip) : joint_position(target_, bone.to);
  }
  Vec3 way(const ModelBone& bone) { return end_of(bone) - joint_position(target_, bone.from); }
  Vec3 wanted_direction(const ModelBone& bone) {
    return (joint_position(source_, bone.source_to) - joint_position(source_, bone.source)).normalized();
  }

  void hold(int dof) {
    H_.row(dof).setZero();
    H_.col(dof).setZero();
    H_(dof, dof) = 1;
    g_[dof] = 0;
  }

  void solve(VecX& q, int steps) {
    std::vector<char> held(static_cast<std::size_t>(actor_.nv()), 0);
    for (int step = 0; step < steps; ++step) {
      build(q);
      for (int dof = 0; dof < actor_.nv(); ++dof) {
        if (held[static_cast<std::size_t>(dof)] || model_.couplings.follows(dof)) hold(dof);
      }
      VecX change = H_.selfadjointView<Eigen::Lower>().ldlt().solve(g_);
      change *=
          std::min(1.0, kLargestTurn / std::max(1e-12, change.tail(actor_.nv() - 3).cwiseAbs().maxCoeff()));
      VecX next;
      integrate(actor_, q, change, 1, next);
      bool stopped = false;
      for (const ActorJoint& joint : actor_.joints()) {
        if (!joint.limited || joint.dofs != 1 || model_.couplings.follows(joint.v_address)) continue;
        double& value = next[joint.q_address];
        const double within = std::clamp(value, joint.lower, joint.upper);
        if (within == value) continue;
        value = within;
        stopped = true;
        held[static_cast<std::size_t>(joint.v_address)] = 1;
      }
      model_.couplings.settle(next);
      q = next;
      if (!stopped && change.norm() < 1e-5) break;
    }
  }

  std::vector<SupportPoint> moved(const std::vector<SupportPoint>& supports) const {
    std::vector<SupportPoint> out;
    for (const SupportPoint& support : supports) {
      const auto& [sole, toes] = soles_[support.side == Side::left ? 0 : 1];
      const bool on_toes = support.body == motion_.actor->body(Role::left_toes) ||
                           support.body == motion_.actor->body(Role::right_toes);
      out.push_back({on_toes ? toes : sole, support.side, scaled(support.position)});
    }
    return out;
  }

  void tally(const VecX& q) {
    target_.set_state(q, still_);
    for (const Role role : {Role::left_foot, Role::right_foot}) {
      ankle_error_ += 0.5 * (joint_position(target_, actor_.body(role)) -
                             scaled(joint_position(source_, motion_.actor->body(role))))
                                .norm();
    }
    for (ModelBone& bone : bones_) bone.error += angle_between(way(bone), wanted_direction(bone));
  }

  void judge(ModelMotionReport& report) const {
    const auto frames = static_cast<double>(motion_.q.size());
    report = {.scale = scale_, .ankle_error = ankle_error_ / frames, .still = still_parts_};
    int arms = 0, legs = 0;
    for (const ModelBone& bone : bones_) {
      (bone.bone.leg ? report.leg_error : report.arm_error) += bone.error / frames;
      ++(bone.bone.leg ? legs : arms);
      if (bone.bone.leg && bone.error / frames > kFarLeg)
        throw InputError(
            place_,
            fmt::format("joints that cannot follow the motion: {} points {:.0f} degrees elsewhere on "
                        "average",
                        name(bone.bone.role), bone.error / frames * 180 / kPi),
            fmt::format("at most {:.0f}: knees and hips with a human's range", kFarLeg * 180 / kPi));
    }
    if (report.ankle_error > kFarAnkle)
      throw InputError(
          place_,
          fmt::format("joints that cannot follow the motion: ankles are {:.0f} mm off on average",
                      1000 * report.ankle_error),
          fmt::format("at most {:.0f} mm", 1000 * kFarAnkle));
    if (legs > 0) report.leg_error /= legs;
    if (arms > 0) report.arm_error /= arms;
  }

  const AssessedMotion& motion_;
  const MuscleModel& model_;
  const Actor& actor_;
  const std::string& place_;
  ActorDynamics source_, target_;
  Anatomy anatomy_;
  VecX source_still_, still_, rest_;
  double scale_ = 1, ankle_error_ = 0;
  Vec3 start_ = Vec3::Zero();
  std::vector<Turn> turns_;  // the pelvis first
  std::vector<ModelBone> bones_;
  std::array<std::pair<int, int>, 2> soles_;  // left, right: bodies of heel and toes
  std::vector<std::string> still_parts_;
  Jacobian J_, other_;
  VecX row_, g_;
  MatX H_;
};

}  // namespace

AssessedMotion motion_on_model(const AssessedMotion& motion, const MuscleModelPtr& model,
                               const std::string& place, ModelMotionReport* report) {
  ModelMotionReport own;
  AssessedMotion out = ModelPoser(motion, *model, place).run(report ? *report : own);
  out.model = model;
  return out;
}

}  // namespace stunt

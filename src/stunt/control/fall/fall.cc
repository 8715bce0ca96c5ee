#include "stunt/control/fall/fall.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kLargestChange =
    0.2;                           // of a joint's speed by damping, and of its speed by the spring, in a step
constexpr double kTurnTime = 0.1;  // s: how fast the direction of the fall may change

Limit joint_angle() { return between(-180, 270); }

Mat3 upright_axes(const Actor& actor, ActorDynamics& rest) {
  Vec3 left = Vec3::UnitY();
  const int hips[] = {actor.body(Role::left_thigh), actor.body(Role::right_thigh)};
  if (hips[0] >= 0 && hips[1] >= 0) left = rest.body_position(hips[0]) - rest.body_position(hips[1]);
  left.z() = 0;
  if (left.norm() < 1e-6) left = Vec3::UnitY();
  left.normalize();
  Mat3 out;
  out << left.cross(Vec3::UnitZ()), left, Vec3::UnitZ();
  return out;
}

// The shortest rotation from one unit vector to another, as a vector (rad).
Vec3 turn_between(const Vec3& from, const Vec3& to) {
  const Vec3 axis = from.cross(to);
  const double sine = axis.norm(), cosine = from.dot(to);
  return sine < 1e-9 ? Vec3::Zero() : Vec3(axis / sine * std::atan2(sine, cosine));
}

}  // namespace

void describe(Fields& fields, FallPosture& posture) {
  const auto angle = [&](const char* name, double& value, const char* help) {
    fields(name, value, {.unit = "deg", .bounds = joint_angle(), .help = help});
  };
  angle("hips", posture.hips, "flexion of the hips");
  angle("knees", posture.knees, "flexion of the knees");
  angle("trunk", posture.trunk, "flexion of the spine, from pelvis to chest");
  angle("neck", posture.neck, "of neck and head, away from where it falls to; below 0: towards it");
  angle("arms", posture.arms,
        "upper arms in the plane of the fall: 0 ahead of it, 90 down, 180 away from it");
  angle("forearms", posture.forearms, "likewise");
}

void describe(Fields& fields, FallSettings& settings) {
  fields.group("ahead", settings.ahead, "posture of a fall ahead");
  fields.group("back", settings.back, "posture of a fall backwards");
  fields.group("aside", settings.aside, "posture of a fall to a side");
  fields("arms_spread", settings.arms_spread,
         {.unit = "deg",
          .bounds = between(-90, 90),
          .help = "of the arms, outwards from the plane of the fall"});
  const auto gain = [&](const char* name, double& value, const char* unit, double most, const char* help) {
    fields(name, value, {.unit = unit, .bounds = between(0, most), .help = help});
  };
  gain("legs_stiffness", settings.legs_stiffness, "1/rad", 20, "share of their strength per angle");
  gain("legs_damping", settings.legs_damping, "s/rad", 1, "share of their strength per speed: they brake");
  gain("trunk_stiffness", settings.trunk_stiffness, "1/rad", 20, "likewise of spine and neck");
  gain("trunk_damping", settings.trunk_damping, "s/rad", 1, "likewise of spine and neck");
  gain("arms_stiffness", settings.arms_stiffness, "1/rad", 20, "likewise of the arms");
  gain("arms_damping", settings.arms_damping, "s/rad", 1, "likewise of the arms");
  fields("arms_yield", settings.arms_yield,
         {.bounds = between(0, 1),
          .help = "share of an arm's stiffness that is given up once its hand touches the ground"});
  fields("limp_damping", settings.limp_damping,
         {.unit = "s/rad", .bounds = between(0, 0.1), .help = "of all joints once it lies"});
  fields("rest", settings.rest,
         {.unit = "s",
          .bounds = above_to(0, 100),
          .help = "in which it goes limp after the trunk has touched the ground"});
}

std::unique_ptr<Controller> make_controller(const FallSettings& settings, const ControllerTask& task) {
  return std::make_unique<FallController>(settings, task.reference->actor());
}

FallController::FallController(const FallSettings& settings, ActorPtr actor)
    : settings_(settings), actor_(std::move(actor)), dynamics_(actor_) {
  const Actor& a = *actor_;
  dynamics_.set_state(a.rest_q(), VecX::Zero(a.nv()));
  const Mat3 upright = upright_axes(a, dynamics_);
  const auto count = a.bodies().size();
  is_trunk_.assign(count, 0);
  is_arm_.assign(count, 0);
  std::vector<int> next(count, -1);  // the last body that hangs on it
  for (std::size_t b = 0; b < count; ++b) {
    rest_axes_.push_back(dynamics_.body_rotation(static_cast<int>(b)).conjugate() * upright);
    if (a.bodies()[b].parent >= 0) next[static_cast<std::size_t>(a.bodies()[b].parent)] = static_cast<int>(b);
  }
  const auto under = [&](int body, int root) {
    for (; body >= 0; body = a.bodies()[static_cast<std::size_t>(body)].parent)
      if (body == root) return true;
    return false;
  };
  const auto bone_of = [&](int body, int to) -> Vec3 {
    const ActorBody& own = a.bodies()[static_cast<std::size_t>(body)];
    Vec3 way = to >= 0 ? dynamics_.body_rotation(body).conjugate() *
                             (dynamics_.body_position(to) - dynamics_.body_position(body))
                       : own.com;
    if (way.norm() < 1e-6) way = own.com;
    return way.norm() < 1e-6 ? Vec3(-Vec3::UnitZ()) : Vec3(way.normalized());
  };
  const int chest = a.body(Role::chest), head = a.body(Role::head);
  double bends[2] = {0, 0};  // bodies of the spine, of the neck
  for (std::size_t i = 0; i < count; ++i) {
    const int b = static_cast<int>(i);
    Limb limb{b, Part::trunk, Aim::nothing, false, Vec3::UnitZ(), 0};
    bool placed = false;
    for (const bool left : {true, false}) {
      const int thigh = a.body(left ? Role::left_thigh : Role::right_thigh),
                shank = a.body(left ? Role::left_shank : Role::right_shank),
                foot = a.body(left ? Role::left_foot : Role::right_foot),
                upper = a.body(left ? Role::left_upper_arm : Role::right_upper_arm),
                fore = a.body(left ? Role::left_forearm : Role::right_forearm),
                hand = a.body(left ? Role::left_hand : Role::right_hand);
      if (thigh >= 0 && under(b, thigh)) {
        limb.part = Part::leg;
        limb.left = left;
        if (b == thigh) limb.aim = Aim::thigh, limb.bone = bone_of(b, shank);
        if (b == shank) limb.aim = Aim::shank, limb.bone = bone_of(b, foot);
        if (b == foot) feet_.push_back(b);
        placed = true;
      } else if (upper >= 0 && under(b, upper)) {
        limb.part = Part::arm;
        limb.left = left;
        if (b == upper) limb.aim = Aim::upper_arm, limb.bone = bone_of(b, fore);
        if (b == fore) limb.aim = Aim::forearm, limb.bone = bone_of(b, hand);
        if (fore >= 0 && under(b, fore)) is_arm_[i] = left ? 2 : 1;
        placed = true;
      }
    }
    if (!placed) {
      is_trunk_[i] = 1;
      if (b > 0 && chest >= 0 && under(chest, b))
        limb.aim = Aim::spine, ++bends[0];
      else if (b > 0 && head >= 0 && under(head, b))
        limb.aim = Aim::neck, ++bends[1];
    }
    limbs_.push_back(limb);
  }
  for (Limb& limb : limbs_) {
    if (limb.aim == Aim::spine) limb.share = 1 / bends[0];
    if (limb.aim == Aim::neck) limb.share = 1 / bends[1];
  }
}

Mat3 FallController::axes(int body) {
  return dynamics_.body_rotation(body) * rest_axes_[static_cast<std::size_t>(body)];
}

void FallController::reset(const Observation& start) {
  memory_ = {};
  look_where_it_falls(start);
}

void FallController::look_where_it_falls(const Observation& now) {
  dynamics_.set_state(now.q, now.v);
  Vec3 way = dynamics_.com_velocity();
  if (!feet_.empty()) {
    // An inverted pendulum goes on as v + w x.
    Vec3 stand = Vec3::Zero();
    for (const int foot : feet_) stand += dynamics_.body_position(foot) / static_cast<double>(feet_.size());
    const Vec3 over = dynamics_.com() - stand;
    way += std::sqrt(actor_->gravity() / std::max(0.3, over.z())) * over;
  }
  way.z() = 0;
  if (way.norm() < 1e-3) return;
  way.normalize();
  if (!memory_.begun) {
    memory_.direction = way;
    memory_.begun = true;
    return;
  }
  Vec3 mixed = memory_.direction + std::min(1.0, now.timestep / kTurnTime) * (way - memory_.direction);
  if (mixed.norm() > 1e-3) memory_.direction = mixed.normalized();
}

FallPosture FallController::mixed() {
  const Mat3 pelvis = axes(0);
  // What is ahead of a body that lies on its back or belly is told by its left side.
  Vec3 left = pelvis.col(1);
  left.z() = 0;
  if (left.norm() < 1e-3) left = Vec3::UnitY();
  left.normalize();
  const Vec3 forward = left.cross(Vec3::UnitZ());
  const double c = forward.dot(memory_.direction), s = left.dot(memory_.direction);
  const double ahead = c > 0 ? c * c : 0, back = c < 0 ? c * c : 0, aside = s * s;
  const auto mix = [&](double FallPosture::*angle) {
    return radians(ahead * settings_.ahead.*angle + back * settings_.back.*angle +
                   aside * settings_.aside.*angle);
  };
  return {mix(&FallPosture::hips), mix(&FallPosture::knees), mix(&FallPosture::trunk),
          mix(&FallPosture::neck), mix(&FallPosture::arms),  mix(&FallPosture::forearms)};
}

Vec3 FallController::turn(const Limb& limb, const FallPosture& posture) {
  const int parent = std::max(0, actor_->bodies()[static_cast<std::size_t>(limb.body)].parent);
  const Vec3 bone = dynamics_.body_rotation(limb.body) * limb.bone;
  const auto in_plane_of_fall = [&](double angle) {
    const Vec3 ahead =
        axis_angle(Vec3::UnitZ(), radians(limb.left ? settings_.arms_spread : -settings_.arms_spread)) *
        memory_.direction;
    return Vec3(std::cos(angle) * ahead - std::sin(angle) * Vec3::UnitZ());
  };
  const auto bend = [&](double angle) {
    const Mat3 wanted = axes(parent) * axis_angle(Vec3::UnitY(), limb.share * angle).toRotationMatrix();
    return log_map(Quat(wanted * axes(limb.body).transpose()));
  };
  switch (limb.aim) {
    case Aim::thigh: {
      const Mat3 pelvis = axes(parent);
      return turn_between(bone,
                          std::sin(posture.hips) * pelvis.col(0) - std::cos(posture.hips) * pelvis.col(2));
    }
    case Aim::shank: {
      const Mat3 thigh = axes(parent);
      return turn_between(bone,
                          -std::sin(posture.knees) * thigh.col(0) - std::cos(posture.knees) * thigh.col(2));
    }
    case Aim::spine:
      return bend(posture.trunk);
    case Aim::neck: {  // about the axis across the fall, which is level while the trunk is upright
      const Vec3 across = axes(parent).transpose() * Vec3::UnitZ().cross(memory_.direction);
      const Quat away = exp_map(-limb.share * posture.neck * across);
      return log_map(Quat(axes(parent) * away.toRotationMatrix() * axes(limb.body).transpose()));
    }
    case Aim::upper_arm:
      return turn_between(bone, in_plane_of_fall(posture.arms));
    case Aim::forearm:
      return turn_between(bone, in_plane_of_fall(posture.forearms));
    case Aim::nothing:
      break;
  }
  return Vec3::Zero();
}

void FallController::actuate(const Observation& now, Actuation& out) {
  out.excitation.setZero();
  out.torque.setZero();
  if (memory_.down_since < 0) {
    look_where_it_falls(now);
    for (const ActorContact& contact : now.contacts) {
      const auto body = static_cast<std::size_t>(contact.body);
      if (!contact.support) continue;
      if (is_trunk_[body]) memory_.down_since = now.time;
      if (is_arm_[body]) memory_.arm_down[is_arm_[body] - 1] = true;
    }
  }
  dynamics_.set_state(now.q, now.v);
  const double held =
      memory_.down_since < 0 ? 1 : std::max(0.0, 1 - (now.time - memory_.down_since) / settings_.rest);
  const FallPosture posture = mixed();
  const RowMatX& mass = dynamics_.mass_matrix();
  for (const Limb& limb : limbs_) {
    const double yielded = memory_.arm_down[limb.left ? 1 : 0] ? settings_.arms_yield : 0;
    const double stiffness = held * (limb.part == Part::leg     ? settings_.legs_stiffness
                                     : limb.part == Part::trunk ? settings_.trunk_stiffness
                                                                : (1 - yielded) * settings_.arms_stiffness);
    const double own = limb.part == Part::leg     ? settings_.legs_damping
                       : limb.part == Part::trunk ? settings_.trunk_damping
                                                  : settings_.arms_damping;
    const double damping = held * own + (1 - held) * settings_.limp_damping;
    const ActorBody& body = actor_->bodies()[static_cast<std::size_t>(limb.body)];
    const Vec3 wanted = limb.aim == Aim::nothing ? Vec3::Zero() : turn(limb, posture);
    const Vec3 own_turn = dynamics_.body_rotation(limb.body).conjugate() * wanted;
    for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
      const ActorJoint& joint = actor_->joints()[static_cast<std::size_t>(j)];
      if (joint.type == JointType::free) continue;
      for (int k = 0; k < joint.dofs; ++k) {
        const int dof = joint.v_address + k;
        const double strength = actor_->torque_limits()[dof], inertia = mass(dof, dof);
        double error = 0;
        if (joint.type == JointType::ball) error = own_turn[k];
        if (joint.type == JointType::hinge) error = own_turn.dot(joint.axis);
        const double spring =
            std::min(stiffness * strength, kLargestChange * inertia / (now.timestep * now.timestep));
        const double damper = std::min(damping * strength, kLargestChange * inertia / now.timestep);
        out.torque[dof] = spring * error - damper * now.v[dof];
      }
    }
  }
}

}  // namespace stunt

// Each equation of the paper by a second route.
#include "stunt/control/mcsim/mcsim_paper.h"

#include <gtest/gtest.h>

#include "stunt/control/pd/pd.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "tests/test_performers.h"

namespace stunt {
namespace {

using test::controller_from;

ReferencePtr standing(const ActorPtr& actor) {
  return std::make_shared<SampledReference>(
      actor, 120.0, std::vector<VecX>(3, actor->rest_q()),
      std::vector<std::vector<std::uint8_t>>(3,
                                             std::vector<std::uint8_t>(actor->contact_points().size(), 1)));
}

struct Displaced {
  ActorPtr actor;
  VecX offset, q, v;  // q: the rest pose moved by the offset
  explicit Displaced(const std::string& character, double speed = 1) : actor(Actor::load(character)) {
    Random random(8);
    offset = VecX::NullaryExpr(actor->nv(), [&] { return random.uniform(-0.3, 0.3); });
    integrate(*actor, actor->rest_q(), offset, 1.0, q);
    v = VecX::NullaryExpr(actor->nv(), [&] { return speed * random.uniform(-1, 1); });
  }
  Observation observation(std::span<const ActorContact> contacts = {}) const {
    return {0, 0.001, q, v, contacts, {}};
  }
};

VecX torque_of(Controller& controller, const Observation& now) {
  Actuation out{VecX::Zero(now.v.size()), {}};
  controller.reset(now);
  controller.actuate(now, out);
  return out.torque;
}

TEST(McSimPaper, Equation4PullsEveryJointAndOnlyDampsTheRootsPath) {
  for (const char* character : {"mcsim2d", "mcsim3d"}) {
    const Displaced moment(character);
    McSimPaperSettings settings;
    settings.stiffness = 400;
    McSimPaperController controller(settings, standing(moment.actor));
    torque_of(controller, moment.observation());
    // The offset is the rotation vector from rest; from the displaced pose back it is the same, with the
    // other sign.
    VecX expected = -400 * moment.offset - 40 * moment.v;
    expected.head<3>() = -40 * moment.v.head<3>();
    EXPECT_LT((controller.desired() - expected).norm(), 1e-9 * expected.norm()) << character;
  }
}

// u_b alone: with and without, since the plan does not know of it.
VecX feedback(const Displaced& moment) {
  McSimPaperSettings with, without;
  with.pd_scale = 0.02;
  without.pd_scale = 0;
  McSimPaperController a(with, standing(moment.actor)), b(without, standing(moment.actor));
  return torque_of(a, moment.observation()) - torque_of(b, moment.observation());
}

TEST(McSimPaper, Equation8OnPins) {
  const Displaced moment("mcsim2d");
  const VecX u = feedback(moment);
  EXPECT_EQ(u.head<6>().norm(), 0);
  for (const ActorJoint& joint : moment.actor->joints()) {
    if (joint.type == JointType::free) continue;
    const bool soft =
        joint.name == "head" || joint.name == "chest" || joint.name.ends_with("forearm");  // table 2
    const double k = 0.02 * (soft ? 3000 : 4000);
    const int at = joint.v_address;
    EXPECT_NEAR(u[at], -k * moment.offset[at] - 2 * std::sqrt(k) * moment.v[at], 1e-8) << joint.name;
  }
}

// The print of eq. 8 damps towards rest; towards the reference's velocity the difference is 2 sqrt(k_s) v_r.
TEST(McSimPaper, Equation8AsPrintedLeavesTheReferencesVelocityOut) {
  const Displaced moment("mcsim2d");
  VecX speed = VecX::Constant(moment.actor->nv(), 0.6);
  std::vector<VecX> q(5);
  for (int i = 0; i < 5; ++i) integrate(*moment.actor, moment.actor->rest_q(), speed, i / 120.0, q[i]);
  const auto moving = std::make_shared<SampledReference>(
      moment.actor, 120.0, q,
      std::vector<std::vector<std::uint8_t>>(
          5, std::vector<std::uint8_t>(moment.actor->contact_points().size(), 1)));
  McSimPaperSettings settings, printed;
  printed.reference_velocity = false;
  McSimPaperController a(settings, moving), b(printed, moving);
  Observation now = moment.observation();
  now.time = 2 / 120.0;
  const VecX difference = torque_of(a, now) - torque_of(b, now);
  for (int i = 6; i < moment.actor->nv(); ++i) {
    const double k = 0.02 * paper_stiffness(*moment.actor)[i];
    EXPECT_NEAR(difference[i], 2 * std::sqrt(k) * 0.6, 1e-6) << i;
  }
}

TEST(McSimPaper, Equation10OnBallJointsAtRestIsThePdControllers) {
  const Displaced moment("mcsim3d", 0);
  const VecX u = feedback(moment);
  for (const double k_s : {1000.0, 3000.0, 4000.0}) {
    const PdSettings settings{.stiffness = 0.02 * k_s,
                              .damping_ratio = 0,
                              .stable = false,
                              .gravity_compensation = false,
                              .feet_carry = false};
    PdController pd(settings, standing(moment.actor));
    const VecX expected = torque_of(pd, moment.observation());
    int joints = 0;
    for (const ActorJoint& joint : moment.actor->joints()) {
      const std::string& name = joint.name;
      const bool soft = name == "chest" || name.ends_with("forearm") || name.ends_with("hand");
      const double table = name.ends_with("foot") ? 1000 : soft ? 3000 : 4000;  // table 3
      if (joint.type == JointType::free || table != k_s) continue;
      EXPECT_LT((u - expected).segment<3>(joint.v_address).norm(), 1e-9 * (1 + expected.norm())) << name;
      ++joints;
    }
    EXPECT_GE(joints, 2);
  }
}

TEST(McSimPaper, Equation10DampsWithTheRootOfTheInertia) {
  const Displaced moving("mcsim3d");
  Displaced at_rest = moving;
  at_rest.v.setZero();
  ActorDynamics dynamics(moving.actor);
  dynamics.set_state(moving.q, moving.v);
  // The left shank carries itself, foot and toes.
  const int shank = moving.actor->body(Role::left_shank);
  const ActorJoint& knee = moving.actor->joints()[moving.actor->bodies()[shank].first_joint];
  Mat3 inertia = Mat3::Zero();
  for (const Role role : {Role::left_shank, Role::left_foot, Role::left_toes}) {
    const int b = moving.actor->body(role);
    const ActorBody& body = moving.actor->bodies()[b];
    const Mat3 R = dynamics.body_rotation(b).toRotationMatrix();
    const Vec3 arm = dynamics.point(b, body.com) - dynamics.body_position(shank);
    inertia += R * body.inertia * R.transpose() +
               body.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  const Quat axes = dynamics.body_rotation(shank);
  // Damping of turns about each axis: D, whose square is 4 k I_c.
  Mat3 D;
  for (int axis = 0; axis < 3; ++axis) {
    Displaced turning = at_rest;
    turning.v.segment<3>(knee.v_address) = axes.conjugate() * Vec3(Vec3::Unit(axis));
    D.col(axis) = axes * Vec3((feedback(at_rest) - feedback(turning)).segment<3>(knee.v_address));
  }
  EXPECT_LT((D - D.transpose()).norm(), 1e-6 * D.norm());
  EXPECT_LT((D * D - 4 * 80 * inertia).norm(), 1e-6 * 4 * 80 * inertia.norm());
  EXPECT_GT(D.determinant(), 0);
}

TEST(McSimPaper, Equation11SwingsTheFreeLegForward) {
  for (const char* character : {"mcsim2d", "mcsim3d"}) {
    SCOPED_TRACE(character);
    const ActorPtr actor = Actor::load(character);
    McSimPaperSettings settings;
    settings.hip_distance_gain = 0.5;
    settings.hip_velocity_gain = 0.2;
    McSimPaperController controller(settings, standing(actor));
    VecX v = VecX::Zero(actor->nv());
    v[0] = 0.7;
    ActorDynamics dynamics(actor);
    dynamics.set_state(actor->rest_q(), v);
    const int stance = actor->body(Role::left_foot), knee = actor->body(Role::right_shank),
              hip = actor->body(Role::right_thigh);
    const Vec3 thigh_before = dynamics.body_position(knee) - dynamics.body_position(hip);
    const double distance = actor->rest_q()[0] - dynamics.body_position(stance).x();
    ActorContact touch{
        stance, dynamics.body_position(stance), Vec3::UnitZ(), Vec3::Zero(), Vec3::Zero(), true, 0};
    torque_of(controller, {0, 0.001, actor->rest_q(), v, {&touch, 1}, {}});
    dynamics.set_state(controller.target().q, v);
    const Vec3 thigh = dynamics.body_position(knee) - dynamics.body_position(hip);
    EXPECT_NEAR(std::atan2(thigh.x(), -thigh.z()) - std::atan2(thigh_before.x(), -thigh_before.z()),
                0.5 * distance + 0.2 * 0.7, 1e-9);
    EXPECT_NEAR(thigh.y(), thigh_before.y(), 1e-9);
    // On both feet there is no swing leg.
    torque_of(controller, {0, 0.001, actor->rest_q(), v, {}, {}});
    EXPECT_EQ((controller.target().q - actor->rest_q()).norm(), 0);
  }
}

TEST(McSimPaper, HoldsItsPlanInBetween) {
  const Displaced moment("mcsim3d");
  McSimPaperSettings settings;
  settings.plan_rate = 50;
  settings.pd_scale = 0;
  McSimPaperController controller(settings, standing(moment.actor));
  Observation now = moment.observation();
  const VecX first = torque_of(controller, now);
  for (int step = 1; step < 40; ++step) {
    now.time = 0.001 * step;
    now.v *= 0.9;
    Actuation out{VecX::Zero(now.v.size()), {}};
    controller.actuate(now, out);
    if (step < 20) {
      EXPECT_EQ((out.torque - first).norm(), 0) << step;
    }
    if (step == 20) {
      EXPECT_GT((out.torque - first).norm(), 1);
    }
  }
  EXPECT_EQ(controller.plan_timing()->microseconds.size(), 2u);
}

// A reference that cannot be followed, from 0.05 s on.
class Broken : public Reference {
 public:
  explicit Broken(ReferencePtr inner) : inner_(std::move(inner)) {}
  const ActorPtr& actor() const override { return inner_->actor(); }
  double duration() const override { return inner_->duration(); }
  void sample(double t, ReferenceSample& out) const override {
    inner_->sample(t, out);
    if (t > 0.05) out.a.setConstant(NAN);
  }

 private:
  ReferencePtr inner_;
};

TEST(McSim, BothPresetsCountAPlanThatFailsAndKeepTheLastTorques) {
  for (const char* preset : {"default", "paper"}) {
    SCOPED_TRACE(preset);
    const Displaced moment("mcsim3d");
    const auto controller =
        controller_from(fmt::format("{{type: mcsim, preset: {}, plan_rate: 100, pd_scale: 0}}", preset),
                        std::make_shared<Broken>(standing(moment.actor)));
    Observation now = moment.observation();
    const VecX before = torque_of(*controller, now);
    EXPECT_GT(before.norm(), 1);
    EXPECT_EQ(controller->plan_timing()->relaxed, 0);
    now.time = 0.06;
    Actuation out{VecX::Zero(now.v.size()), {}};
    controller->actuate(now, out);
    EXPECT_EQ((out.torque - before).norm(), 0);
    EXPECT_EQ(controller->plan_timing()->relaxed, 1);
  }
}

TEST(McSimPaper, KnowsItsOwnSettingsOnly) {
  const ReferencePtr reference = standing(Actor::load("mcsim2d"));
  const auto error = [&](const std::string& yaml) -> std::string {
    try {
      controller_from(yaml, reference);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error("{type: mcsim, preset: paper, stiffness: 600, pd_scale: 0.05, hip_velocity_gain: 0.1}"),
            "");
  const std::string paper = error("{type: mcsim, preset: paper, com_weight: 3}");
  EXPECT_NE(paper.find("unknown key 'com_weight'"), std::string::npos) << paper;
  EXPECT_NE(paper.find("hip_distance_gain"), std::string::npos) << paper;
  const std::string other = error("{type: mcsim, hip_distance_gain: 3}");
  EXPECT_NE(other.find("unknown key 'hip_distance_gain'"), std::string::npos) << other;
  EXPECT_NE(other.find("com_weight"), std::string::npos) << other;
  EXPECT_NE(error("{type: mcsim, preset: paper, plan_rate: 250}").find("40 to 100"), std::string::npos);
  EXPECT_EQ(error("{type: pd, preset: paper}"), "test:1: preset: found 'paper', expected one of: default");
  // The whole way from a scene, which asks for some of the keys itself.
  const auto scene = [](const std::string& controller) {
    test::simulation("duration: 0.1\nactors: [{motion: stand, character: mcsim2d, controller: " + controller +
                     "}]\n");
  };
  EXPECT_NO_THROW(scene("{type: mcsim, preset: paper}"));
  EXPECT_THROW(scene("{type: mcsim, preset: paper, balance_reference: true}"), InputError);
  EXPECT_THROW(scene("{type: pd, preset: paper}"), InputError);
}

// Motions on the planar character are projected on its plane, and nothing takes it out of there.
TEST(McSimPaper, ThePlanarCharacterStaysInItsPlane) {
  const auto running = test::simulation(
      "duration: 1\nactors: [{motion: walk, character: mcsim2d, controller: {type: mcsim, preset: "
      "paper}}]\n");
  const Recording r = running->run();
  double worst = 0, way = 0;
  for (int i = 0; i < r.samples(); ++i) {
    const VecX q = r.q(i), first = r.actors[0].reference_q(0);
    const Vec3 root = q.head<3>(), start = first.head<3>();
    const Vec3 left = quat_from_wxyz(&first[3]) * Vec3::UnitY();
    worst = std::max({worst, std::abs(left.dot(root - start)),
                      std::abs((quat_from_wxyz(&q[3]) * Vec3::UnitY() - left).norm())});
    way = std::max(way, (root - start).norm());
  }
  EXPECT_GT(way, 0.3);
  EXPECT_LT(worst, 1e-6);
}

}  // namespace
}  // namespace stunt

#include "stunt/assess/realism/realism.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/assess/realism/realism_summary.h"
#include "stunt/core/error.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

AssessedMotion built_in(const std::string& name) {
  const Clip clip = load_clip(name);
  return motion_of(fit_actor(clip), clip);
}

// A body thrown tumbling and left alone, no torques, no contacts: MuJoCo's own step in small steps.
AssessedMotion thrown(double seconds, double rate_hz) {
  const ActorPtr actor = Actor::load("biped28");
  const ModelPtr model(mj_copyModel(nullptr, &actor->model()));
  model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_SPRING | mjDSBL_DAMPER;
  model->opt.integrator = mjINT_RK4;
  model->opt.timestep = 1 / rate_hz;
  const DataPtr data(mj_makeData(model.get()));
  mju_copy(data->qpos, actor->rest_q().data(), actor->nq());
  for (int i = 0; i < actor->nv(); ++i) data->qvel[i] = i < 6 ? 1.5 : std::sin(3.0 * i);
  AssessedMotion out{.actor = actor, .rate_hz = rate_hz, .gravity = actor->gravity()};
  for (int i = 0; i < seconds * rate_hz; ++i) {
    out.q.emplace_back(VecX::Map(data->qpos, actor->nq()));
    out.supports.emplace_back();
    out.grounds.emplace_back();
    mj_step(model.get(), data.get());
  }
  return out;
}

TEST(Realism, ABallisticFlightNeedsNothing) {
  const Realism flight = assess_realism(thrown(0.3, 2000));
  EXPECT_LT(flight.kappa, 1e-3);
  EXPECT_LT(flight.kappa_max, 0.01);
  for (const RealismFrame& frame : flight.frames) EXPECT_LT(frame.torque.norm(), 2.0);  // Nm
}

// The same flight at half the speed falls with a quarter of g: three quarters of the weight come out of nowhere.
TEST(Realism, ASlowedFlightLacksThreeQuartersOfTheWeight) {
  const Realism slow = assess_realism(thrown(0.3, 2000), {.speed = 0.5});
  EXPECT_NEAR(slow.force_part, 0.75, 0.01);
}

TEST(Realism, AStandingBodyHasItsWeightUnderItsFeet) {
  const ActorPtr actor = Actor::load("biped28");
  ActorDynamics dynamics(actor);
  AssessedMotion motion{.actor = actor, .rate_hz = 120, .gravity = actor->gravity()};
  for (int i = 0; i < 10; ++i) {
    motion.q.push_back(actor->rest_q());
    motion.supports.emplace_back();
    motion.grounds.emplace_back();
    for (const ContactPoint& point : actor->contact_points()) {
      motion.supports.back().push_back(
          {point.body, point.left ? Side::left : Side::right, dynamics.point(point.body, point.position)});
    }
  }
  const Realism standing = assess_realism(motion);
  EXPECT_LT(standing.kappa_max, 1e-9);
  const RealismFrame& frame = standing.frames[5];
  EXPECT_NEAR(frame.ground.total.force.z(), actor->mass() * actor->gravity(), 1e-6);
  EXPECT_LT((frame.ground.centre.head<2>() - dynamics.com().head<2>()).norm(), 1e-9);
  double left = 0;
  for (const PointLoad& load : frame.ground.loads)
    if (load.side == Side::left) left += load.force.z();
  EXPECT_NEAR(left, 0.5 * actor->mass() * actor->gravity(), 1);
}

// Whoever hangs in the air is held by its whole weight.
TEST(Realism, ABodyThatHangsInTheAirHasKappaOne) {
  const ActorPtr actor = Actor::load("biped28");
  AssessedMotion motion{.actor = actor, .rate_hz = 120, .gravity = actor->gravity()};
  motion.q.assign(10, actor->rest_q());
  motion.supports.resize(10);
  motion.grounds.resize(10);
  const Realism hanging = assess_realism(motion);
  EXPECT_NEAR(hanging.force_part, 1, 1e-9);
  ASSERT_EQ(hanging.spans.size(), 1u);
  EXPECT_TRUE(hanging.spans[0].in_flight);
  EXPECT_FALSE(summarize_realism(hanging).possible);
}

TEST(Realism, KappaDoesNotDependOnTheWeight) {
  const AssessedMotion jump = built_in("jump");
  const Realism once = assess_realism(jump), heavy = assess_realism(jump, {.weight = 3});
  EXPECT_NEAR(heavy.kappa, once.kappa, 1e-9);
  EXPECT_NEAR(heavy.mass, 3 * once.mass, 1e-6);
  for (std::size_t i = 0; i < once.frames.size(); ++i) {
    EXPECT_NEAR(heavy.frames[i].kappa(), once.frames[i].kappa(), 1e-8);
    EXPECT_LT((heavy.frames[i].torque - 3 * once.frames[i].torque).norm(), 1e-6);
  }
}

// MuJoCo's own inverse dynamics, with the loads as forces on its bodies.
TEST(Realism, AgreesWithMuJoCosInverseDynamics) {
  const AssessedMotion walk = built_in("walk");
  const Realism judged = assess_realism(walk);
  const Actor& actor = *walk.actor;
  const SampledReference moved(walk.actor, walk.rate_hz, walk.q,
                               std::vector<std::vector<std::uint8_t>>(walk.q.size()));
  const DataPtr data(mj_makeData(&actor.model()));
  for (std::size_t at = 0; at < judged.frames.size(); at += 17) {
    const RealismFrame& frame = judged.frames[at];
    const int i = static_cast<int>(std::lround(frame.time * walk.rate_hz));
    mju_copy(data->qpos, moved.q(i).data(), actor.nq());
    mju_copy(data->qvel, moved.v(i).data(), actor.nv());
    mju_copy(data->qacc, moved.a(i).data(), actor.nv());
    mj_inverse(&actor.model(), data.get());
    VecX tau = VecX::Map(data->qfrc_inverse, actor.nv()) + VecX::Map(data->qfrc_passive, actor.nv()) +
               VecX::Map(data->qfrc_constraint, actor.nv());
    VecX of_ground = VecX::Zero(actor.nv());
    for (const PointLoad& load : frame.ground.loads) {
      const Vec3 twist = load.twist * Vec3::UnitZ();
      mj_applyFT(&actor.model(), data.get(), load.force.data(), twist.data(), load.point.data(),
                 load.body + 1, of_ground.data());
    }
    tau -= of_ground;
    for (int k = 6; k < actor.nv(); ++k) {
      EXPECT_NEAR(frame.torque[k], tau[k] - actor.model().dof_armature[k] * moved.a(i)[k], 1e-6);
    }
    EXPECT_LT((frame.unexplained.force - tau.head<3>()).norm(), 1e-6);
    EXPECT_NEAR(frame.unexplained.torque.norm(), tau.segment<3>(3).norm(), 1e-6);
  }
}

// A simulated body was moved by gravity and ground alone, and the engine knows the force of each foot.
TEST(Realism, FindsTheForcesThatASimulationHad) {
  const Recording recording =
      run_scene(read_scene("", "test", {"actors.0.motion=walk", "duration=2", "name=walk"}));
  const AssessedMotion motion = motion_of(recording, 0);
  const Realism judged = assess_realism(motion);
  EXPECT_LT(judged.kappa, 0.02);
  const ActorTrack& track = recording.actors[0];
  const double weight = judged.mass * judged.gravity;
  double square = 0, xy = 0, xx = 0, yy = 0, x = 0, y = 0;
  const Channel& impulses = track.channels.at("contact_impulse");
  int n = 0;
  for (const RealismFrame& frame : judged.frames) {
    const int i = static_cast<int>(std::lround(frame.time * recording.rate));
    double measured = 0;  // over the two intervals that a second difference looks at
    for (const int at : {i, i + 1}) {
      const auto row = impulses.row<float>(at);
      for (std::size_t b = 0; b < track.slot.actor->bodies().size(); ++b)
        measured += 0.5 * row[3 * b + 2] * recording.rate / weight;
    }
    const double estimated = frame.ground.total.force.z() / weight;
    square += (measured - estimated) * (measured - estimated);
    xy += measured * estimated, xx += measured * measured, yy += estimated * estimated;
    x += measured, y += estimated;
    ++n;
  }
  const double r = (n * xy - x * y) / std::sqrt((n * xx - x * x) * (n * yy - y * y));
  EXPECT_GT(r, 0.95);
  EXPECT_LT(std::sqrt(square / n), 0.1);
}

TEST(Realism, TheVerdictFollowsTheSpeed) {
  const AssessedMotion jump = built_in("jump");
  const Realism once = assess_realism(jump), twice = assess_realism(jump, {.speed = 2});
  EXPECT_TRUE(summarize_realism(once).kappa <= kCapturedKappa);
  EXPECT_GT(twice.kappa, 3 * once.kappa);
  EXPECT_FALSE(summarize_realism(twice).possible);
  EXPECT_NEAR(twice.duration, 0.5 * once.duration, 1e-9);
}

// The muscles' forces make the joints' torques again, by MuJoCo's Jacobians in the place of moment arms.
TEST(Realism, MuscleForcesMakeTheTorques) {
  const AssessedMotion walk = built_in("walk");
  const BodyMuscles body = human_muscles(walk.actor);
  MuscleJudge judge(walk.actor, body, 100);
  ActorDynamics dynamics(walk.actor);
  const Realism judged = assess_realism(walk);
  const int nv = walk.actor->nv();
  for (std::size_t at = 0; at < judged.frames.size(); at += 31) {
    const RealismFrame& frame = judged.frames[at];
    const auto i = static_cast<std::size_t>(std::lround(frame.time * walk.rate_hz));
    dynamics.set_state(walk.q[i], VecX::Zero(nv));
    const MuscleEffort effort = judge.judge(dynamics, frame.torque);
    VecX torque = VecX::Zero(nv);
    Jacobian J;
    for (std::size_t m = 0; m < body.muscles.size(); ++m) {
      const auto& path = body.muscles[m].path;
      EXPECT_GE(effort.use[m], 0);
      for (std::size_t k = 0; k + 1 < path.size(); ++k) {
        const Vec3 from = dynamics.point(path[k].body, path[k].position),
                   to = dynamics.point(path[k + 1].body, path[k + 1].position);
        const Vec3 pull = effort.use[m] * body.muscles[m].max_force * (to - from).normalized();
        dynamics.point_jacobian(path[k].body, from, J);
        torque += J.transpose() * pull;
        dynamics.point_jacobian(path[k + 1].body, to, J);
        torque -= J.transpose() * pull;
      }
    }
    // But for what reserves, bones and ligaments do: those of the feet.
    for (int k = 6; k < nv; ++k) {
      const int b = walk.actor->model().dof_bodyid[k] - 1;
      if (walk.actor->is_foot(b)) continue;
      EXPECT_NEAR(torque[k] + judge.reserve()[k - 6], frame.torque[k], 1e-3) << k;
    }
    EXPECT_NEAR(effort.lambda, frame.muscles.lambda, 1e-6);
  }
}

TEST(Realism, MusclesTireWithTheWeight) {
  const AssessedMotion squat = built_in("squat");
  const Realism once = assess_realism(squat), heavy = assess_realism(squat, {.weight = 6});
  EXPECT_LE(once.lambda, kNoiseLambda);
  EXPECT_TRUE(summarize_realism(once).possible);
  EXPECT_GT(heavy.lambda, kNoiseLambda);
  EXPECT_GT(heavy.effort, 4 * once.effort);
  const RealismSummary summary = summarize_realism(heavy);
  EXPECT_FALSE(summary.possible);
  EXPECT_NE(summary.verdict.at(1).find("times its strength"), std::string::npos) << summary.verdict.at(1);
  // As printed, load is shared without regard to the ends of strength: never less is missing.
  const Realism printed = assess_realism(squat, {.weight = 6, .overload = 0});
  EXPECT_GE(printed.lambda, heavy.lambda);
}

TEST(Realism, RefusesARootThatIsFixedAndMotionsWithoutLength) {
  AssessedMotion one = thrown(0.01, 100);
  EXPECT_THROW(assess_realism(one), InputError);
  one.actor = Actor::from_xml(
      "<mujoco><worldbody><body name='arm'><joint name='a' axis='0 1 0'/><geom size='0.1' mass='1'/></body>"
      "</worldbody></mujoco>",
      "arm", "test");
  EXPECT_THROW(assess_realism(one), InputError);
}

}  // namespace
}  // namespace stunt

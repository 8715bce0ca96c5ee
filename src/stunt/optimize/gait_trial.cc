#include "stunt/optimize/gait_trial.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/random.h"
#include "stunt/world/mujoco/mujoco_state.h"

namespace stunt {
namespace {

constexpr double kPushFor = 0.2, kPushEvery = 2;  // s
constexpr double kTurnFrom = 2, kTurnFor = 3;     // s: straight on at first, then as long to one side

// 0.2 s every 2 s, in directions drawn one after the other.
class Pushes {
 public:
  Pushes(double force, std::uint64_t seed) : force_(force), random_(seed) {}
  Vec3 at(double time, double timestep) {
    if (force_ <= 0 || time <= kPushEvery) return Vec3::Zero();
    const double since = std::fmod(time, kPushEvery);
    if (since < timestep) {
      const double angle = random_.uniform(0, 2 * kPi);
      push_ = force_ * Vec3(std::cos(angle), std::sin(angle), 0);
    }
    return since < kPushFor ? push_ : Vec3::Zero();
  }

 private:
  double force_;
  Random random_;
  Vec3 push_ = Vec3::Zero();
};

// A heading that turns at a steady rate, for a while to one side and then to either.
class Turns {
 public:
  Turns(double heading, double rate, std::uint64_t seed)
      : heading_(heading), rate_(rate), random_(seed ^ 0x7475726e) {}
  double at(double time, double timestep) {
    if (rate_ <= 0 || time < kTurnFrom) return heading_;
    if (time >= next_) {
      side_ = random_.uniform(0, 1) < 0.5 ? -1 : 1;
      next_ = time + kTurnFor;
    }
    return heading_ += side_ * rate_ * timestep;
  }

 private:
  double heading_, rate_, next_ = kTurnFrom, side_ = 1;
  Random random_;
};

}  // namespace

GaitTrial::GaitTrial(CreaturePtr creature, const GaitTask& task)
    : creature_(std::move(creature)), task_(task) {
  make_engine(task_.engine, stage(1, 1)->scene);
}

std::shared_ptr<const GaitTrial::Stage> GaitTrial::stage(std::uint64_t seed, double speed) const {
  const bool level = task_.slope_deg <= 0;
  const std::lock_guard lock(mutex_);
  if (last_ && (level || last_->seed == seed)) return last_;
  auto made = std::make_shared<Stage>();
  made->seed = seed;
  Environment environment;
  environment.engine = task_.engine;
  environment.timestep = task_.timestep;
  environment.ground.friction = task_.friction;
  if (!level) {
    made->terrain.emplace(task_.slope_deg, 1.3 * speed * task_.duration + 2, seed);
    environment.ground.height = -20;
    environment.objects = made->terrain->ramps(task_.friction);
  }
  made->scene = compile(environment, {{.name = "creature", .actor = creature_->actor()}});
  return last_ = made;
}

GaitVerdict GaitTrial::run(const MuscleGaitSettings& settings, std::uint64_t seed,
                           const std::function<void(const GaitSample&)>& watch) const {
  const Actor& actor = *creature_->actor();
  const auto where = stage(seed, settings.speed);
  const CompiledScene& scene = *where->scene;
  const std::unique_ptr<Engine> engine = make_engine(task_.engine, where->scene);
  const ActorSlot& slot = scene.actors.front();
  MuscleGait gait(creature_, settings);
  MuscleBody body(creature_, settings.parameters, settings.ideal);
  GaitJudge judge(task_, settings.speed, actor.mass(), creature_->leg_length());
  Pushes pushes(task_.push, seed);
  Turns turns(radians(settings.heading_deg), radians(task_.turn_deg_s), seed);

  const StartPose start = start_pose(*creature_, settings);
  VecX q = Eigen::Map<const VecX>(engine->q().data(), scene.model->nq), v = VecX::Zero(scene.model->nv);
  q.segment(slot.first_q, slot.nq) = start.q;
  v.segment(slot.first_v, slot.nv) = start.v;
  engine->set_state({q.data(), static_cast<std::size_t>(q.size())},
                    {v.data(), static_cast<std::size_t>(v.size())});
  gait.reset({});

  const auto* known = dynamic_cast<const MujocoState*>(engine.get());  // who has the kinematics already
  if (slot.first_body != 1 || slot.first_v != 0) known = nullptr;
  const int pushed = slot.first_body + std::max(actor.find_body("chest"), 0);
  const int steps = static_cast<int>(std::lround(task_.duration / task_.timestep));
  std::vector<int> foot_of(actor.bodies().size(), -1);
  for (int i = 0; i < 2; ++i) {
    foot_of[static_cast<std::size_t>(gait.foot(i))] = i;
    for (std::size_t b = 0; b < foot_of.size(); ++b) {
      if (actor.bodies()[b].parent == gait.foot(i)) foot_of[b] = i;
    }
  }
  Actuation asked;
  asked.torque = VecX::Zero(slot.nv);
  VecX own_q(slot.nq), own_v(slot.nv), torque(slot.nv);
  int step = 0;
  for (; step < steps; ++step) {
    const double time = step * task_.timestep;
    const bool look = step % GaitJudge::kLookEvery == 0;
    own_q = VecX::Map(engine->q().data() + slot.first_q, slot.nq);
    own_v = VecX::Map(engine->v().data() + slot.first_v, slot.nv);
    if (!own_q.allFinite() || own_v.cwiseAbs().maxCoeff() > 500) {
      judge.end("diverged");
      break;
    }
    if (known) {
      body.sense(known->kinematics());
    } else {
      body.sense(own_q, own_v);
    }
    const MuscleSense& felt = body.felt();
    Vec3 force[2] = {Vec3::Zero(), Vec3::Zero()};
    double sliding = 0;
    int touching = 0;
    for (const Contact& contact : engine->contacts()) {
      for_own_sides(contact, slot, [&](int own, int, double sign) {
        const int foot = foot_of[static_cast<std::size_t>(own)];
        if (foot < 0) return;
        force[foot] += sign * contact.force;
        if (look) {
          const Vec3 velocity = engine->body_velocity_at(slot.first_body + own, contact.point);
          sliding += std::hypot(velocity.x(), velocity.y());
          ++touching;
        }
      });
    }
    const double heading = turns.at(time, task_.timestep);
    gait.set_heading(heading);
    const double load[2] = {force[0].z(), force[1].z()};
    gait.actuate(felt, time, task_.timestep, load, asked.excitation);
    body.drive(own_q, own_v, task_.timestep, asked, torque);
    if (watch) {
      watch({time,
             {own_q.data(), static_cast<std::size_t>(own_q.size())},
             {force[0], force[1]},
             {&gait.leg(0), &gait.leg(1)},
             felt.state->activation,
             &body});
    }
    const double ground = where->terrain ? where->terrain->height(felt.com.x()) : 0;
    const std::string over = judge.see({time,
                                        felt,
                                        gait,
                                        {load[0], load[1]},
                                        ground,
                                        heading,
                                        touching > 0 ? sliding / touching : 0,
                                        look ? body.metabolic_rate() : 0},
                                       look);
    if (!over.empty()) break;
    const Vec3 push = pushes.at(time, task_.timestep);
    if (push != Vec3::Zero())
      engine->apply_force(pushed, push, vec3(&felt.data->xipos[3 * (pushed - slot.first_body + 1)]));
    VecX::Map(engine->joint_forces().data() + slot.first_v, slot.nv) = torque;
    engine->step();
  }
  return judge.verdict(step * task_.timestep);
}

}  // namespace stunt

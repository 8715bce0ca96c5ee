#include "stunt/optimize/gait_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kLowest = 0.9;                   // of the first height of the centre of mass
constexpr double kLargestTurn = 45 * kPi / 180;   // rad off the heading
constexpr double kPushFor = 0.2, kPushEvery = 2;  // s
constexpr int kJudgeEvery = 4;                    // steps between looks at head, soles and effort

// The speed error: known when a step is done, for the time since the last one.
class SpeedMeter {
 public:
  SpeedMeter(double wanted, double middle) : wanted_(wanted), last_middle_(middle) {}
  void touchdown(double time, double middle) {
    if (time - last_time_ < 1e-6) return;
    error_ = std::min(1.0, std::abs(1 - (middle - last_middle_) / (time - last_time_) / wanted_));
    sum_ += error_ * (time - last_time_);
    longest_ = std::max(longest_, time - last_time_);
    last_time_ = time;
    last_middle_ = middle;
  }
  // At the end: the last step is not done; it counts as the one before unless it takes much longer.
  double total(double time) const {
    const double open = time - last_time_;
    return sum_ + (open > 1.5 * std::max(longest_, 0.3) ? 1.0 : error_) * open;
  }

 private:
  double wanted_, last_middle_, last_time_ = 0, error_ = 1, sum_ = 0, longest_ = 0;
};

double beyond(double value, double threshold) { return value < threshold ? 0 : value; }

}  // namespace

void describe(Fields& fields, GaitTask& task) {
  fields("duration", task.duration, {.unit = "s", .bounds = above(0), .help = "of a try"});
  fields("engine", task.engine, {.help = "see `stunt engines`"});
  fields("timestep", task.timestep, {.unit = "s", .bounds = between(1e-4, 0.005), .help = "of the engine"});
  fields("friction", task.friction, {.bounds = above(0), .help = "of the ground"});
  fields("push", task.push,
         {.unit = "N", .bounds = at_least(0), .help = "for 0.2 s every 2 s, from anywhere"});
  fields("slope_deg", task.slope_deg,
         {.unit = "deg", .bounds = between(0, 30), .help = "another each metre, up to this"});
  fields("effort", task.effort, {.bounds = at_least(0), .help = "weight of the effort"});
}

void describe(Fields& fields, GaitVerdict& verdict) {
  fields("cost", verdict.cost, {.help = "what the search makes small"});
  fields("speed", verdict.speed, {.help = "mean part by which the speed is off"});
  fields("head_turn", verdict.head_turn, {.unit = "rad", .help = "mean angle of the head off its target"});
  fields("head_speed", verdict.head_speed,
         {.unit = "m/s", .help = "mean velocity of the head off its target"});
  fields("slide", verdict.slide, {.unit = "m/s", .help = "mean sliding of soles"});
  fields("effort", verdict.effort, {.help = "mean metabolic rate, W/kg"});
  fields("lasted", verdict.lasted, {.unit = "s", .help = "until it ended"});
  fields("travelled", verdict.travelled, {.unit = "m", .help = "along the heading"});
  fields("steps", verdict.steps, {.help = "touchdowns"});
  fields("ended", verdict.ended, {.help = "why it did not last"});
  fields("within", verdict.within, {.help = "all errors below their thresholds"});
}

std::vector<ObjectSpec> ramps(double slope_deg, double length, double friction, std::uint64_t seed) {
  std::vector<ObjectSpec> all;
  Random random(seed);
  double x = -2, z = 0;
  constexpr double kThick = 0.4;
  for (int i = 0; x < length; ++i) {
    const double angle = i < 4 ? 0 : radians(random.uniform(-slope_deg, slope_deg));  // level where it begins
    ObjectSpec ramp;
    ramp.name = fmt::format("ramp{}", i);
    ramp.fixed = true;
    ramp.friction = friction;
    ramp.size = {1.0 + 0.02, 6, kThick};
    ramp.rotation_deg = {0, -degrees(angle), 0};
    const Vec3 along(std::cos(angle), 0, std::sin(angle)), up(-std::sin(angle), 0, std::cos(angle));
    ramp.position = Vec3(x, 0, z) + 0.5 * along - 0.5 * kThick * up;
    x += along.x();
    z += along.z();
    all.push_back(ramp);
  }
  return all;
}

GaitTrial::GaitTrial(CreaturePtr creature, const GaitTask& task)
    : creature_(std::move(creature)), task_(task) {
  flat_ = stage(0);
  make_engine(task_.engine, flat_);
}

std::shared_ptr<const CompiledScene> GaitTrial::stage(std::uint64_t seed) const {
  Environment environment;
  environment.engine = task_.engine;
  environment.timestep = task_.timestep;
  environment.ground.friction = task_.friction;
  if (task_.slope_deg > 0 && seed != 0) {
    environment.ground.height = -20;
    environment.objects = ramps(task_.slope_deg, 3 * task_.duration, task_.friction, seed);
  }
  return compile(environment, {{.name = "creature", .actor = creature_->actor()}});
}

GaitVerdict GaitTrial::run(const MuscleGaitSettings& settings, std::uint64_t seed) const {
  const Actor& actor = *creature_->actor();
  const auto scene = task_.slope_deg > 0 ? stage(seed | 1) : flat_;
  const std::unique_ptr<Engine> engine = make_engine(task_.engine, scene);
  const ActorSlot& slot = scene->actors.front();
  MuscleGait gait(creature_, settings);
  MuscleBody body(creature_, settings.parameters);
  Random random(seed);

  StartPose start = *start_pose(settings, actor);
  VecX q = Eigen::Map<const VecX>(engine->q().data(), scene->model->nq), v = VecX::Zero(scene->model->nv);
  q.segment(slot.first_q, slot.nq) = start.q;
  v.segment(slot.first_v, slot.nv) = start.v;
  engine->set_state({q.data(), static_cast<std::size_t>(q.size())},
                    {v.data(), static_cast<std::size_t>(v.size())});
  gait.reset({});

  GaitVerdict verdict;
  const double heading_wanted = radians(settings.heading_deg);
  const Vec3 onward(std::cos(heading_wanted), std::sin(heading_wanted), 0);
  const int pushed = slot.first_body + std::max(actor.find_body("chest"), 0);
  const int steps = static_cast<int>(std::lround(task_.duration / task_.timestep));
  Actuation asked;
  asked.torque = VecX::Zero(slot.nv);
  VecX own_q(slot.nq), own_v(slot.nv), torque(slot.nv);
  Vec3 push = Vec3::Zero();
  double first_height = 0, effort = 0, head_turn = 0, head_speed = 0, slide = 0, first_x = 0;
  int looks = 0;
  std::optional<SpeedMeter> meter;
  bool stood[2] = {false, true};
  int step = 0;
  for (; step < steps; ++step) {
    const double time = step * task_.timestep;
    own_q = VecX::Map(engine->q().data() + slot.first_q, slot.nq);
    own_v = VecX::Map(engine->v().data() + slot.first_v, slot.nv);
    if (!own_q.allFinite() || own_v.cwiseAbs().maxCoeff() > 500) {
      verdict.ended = "diverged";
      break;
    }
    body.sense(own_q, own_v);
    const MuscleSense& felt = body.felt();
    const mjData& data = *felt.data;
    double load[2] = {0, 0};
    double sliding = 0;
    int touching = 0;
    const bool look = step % kJudgeEvery == 0;
    for (const Contact& contact : engine->contacts()) {
      for_own_sides(contact, slot, [&](int own, int, double sign) {
        for (int i = 0; i < 2; ++i) {
          const int foot = gait.foot(i);
          if (own != foot && actor.bodies()[static_cast<std::size_t>(own)].parent != foot) continue;
          load[i] += sign * contact.force.z();
          if (look) {
            const Vec3 velocity = engine->body_velocity_at(slot.first_body + own, contact.point);
            sliding += std::hypot(velocity.x(), velocity.y());
            ++touching;
          }
        }
      });
    }
    gait.actuate(felt, time, task_.timestep, load, asked.excitation);
    body.drive(own_q, own_v, task_.timestep, asked, torque);

    const auto position = [&](int b) { return vec3(&data.xpos[3 * (b + 1)]); };
    const Vec3 left_foot = position(gait.foot(0)), right_foot = position(gait.foot(1));
    const double middle = 0.5 * (left_foot + right_foot).dot(onward);
    if (step == 0) {
      first_height = felt.com.z();
      first_x = felt.com.dot(onward);
      meter.emplace(settings.speed, middle);
    }
    for (int i = 0; i < 2; ++i) {
      const bool stands = gait.leg(i).phase == LegPhase::stance || gait.leg(i).phase == LegPhase::lift_off;
      if (stands && !stood[i]) {
        meter->touchdown(time, middle);
        ++verdict.steps;
      }
      stood[i] = stands;
    }
    verdict.travelled = felt.com.dot(onward) - first_x;
    if (look) {
      const int head = gait.head() + 1;
      const Vec3 at = vec3(&data.xpos[3 * head]);
      const Vec3 velocity = vec3(&data.cvel[6 * head + 3]) + vec3(&data.cvel[6 * head]).cross(at - felt.com);
      head_turn += angle_between(quat_from_wxyz(&data.xquat[4 * head]), gait.head_target());
      head_speed += (settings.speed * onward - velocity).norm();
      if (touching > 0) slide += sliding / touching;
      effort += body.metabolic_rate() / actor.mass();
      ++looks;
      const double ground = task_.slope_deg > 0 ? std::min(left_foot.z(), right_foot.z()) - 0.07 : 0;
      if (felt.com.z() - ground < kLowest * first_height) verdict.ended = "low";
      const double facing = heading(quat_from_wxyz(&data.xquat[4]));
      if (std::abs(std::remainder(facing - heading_wanted, 2 * kPi)) > kLargestTurn) verdict.ended = "turned";
      const Vec3 left(-std::sin(facing), std::cos(facing), 0);
      if ((left_foot - right_foot).dot(left) < 0) verdict.ended = "crossed";
      if (!verdict.ended.empty()) break;
    }
    if (task_.push > 0) {
      const double since = std::fmod(time, kPushEvery);
      if (time > kPushEvery && since < task_.timestep) {
        const double angle = random.uniform(0, 2 * kPi);
        push = task_.push * Vec3(std::cos(angle), std::sin(angle), 0);
      }
      if (time > kPushEvery && since < kPushFor)
        engine->apply_force(pushed, push, vec3(&data.xipos[3 * (pushed - slot.first_body + 1)]));
    }
    VecX::Map(engine->joint_forces().data() + slot.first_v, slot.nv) = torque;
    engine->step();
  }
  verdict.lasted = step * task_.timestep;
  const double seen = std::max(looks, 1), share = verdict.lasted / task_.duration;
  verdict.speed = (meter ? meter->total(verdict.lasted) : verdict.lasted) / task_.duration + (1 - share);
  verdict.head_turn = head_turn / seen * share;
  verdict.head_speed = head_speed / seen * share;
  verdict.slide = slide / seen * share;
  verdict.effort = effort / seen;
  const double a = beyond(verdict.speed, 0.1), b = beyond(verdict.head_turn, 0.2),
               c = beyond(verdict.head_speed, 0.3), d = beyond(verdict.slide, 0.2);
  verdict.within = verdict.ended.empty() && a + b + c + d == 0;
  verdict.cost = 100 * a + 10 * (b + c + d) + task_.effort * verdict.effort * share;
  if (!std::isfinite(verdict.cost)) verdict.cost = 1e3;
  return verdict;
}

}  // namespace stunt

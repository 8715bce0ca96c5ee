#include "stunt/optimize/gait_judge.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

constexpr double kLowest = 0.9;                  // of the first height of the centre of mass
constexpr double kLargestTurn = 45 * kPi / 180;  // rad off the heading
constexpr double kSoftLanding = 1.1;             // body weights

double beyond(double value, double threshold, bool soft) {
  if (value < threshold) return 0;
  return soft ? value - threshold : value;
}

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
  fields("turn_deg_s", task.turn_deg_s,
         {.bounds = between(0, 360), .help = "the wanted heading turns as fast (deg/s), to and fro"});
  fields("effort", task.effort, {.bounds = at_least(0), .help = "weight of the effort"});
  fields("soft_thresholds", task.soft_thresholds,
         {.help = "only what exceeds a threshold counts, not all of it"});
  fields("impact", task.impact, {.bounds = at_least(0), .help = "weight of hard landings"});
  fields("stride", task.stride, {.bounds = at_least(0), .help = "weight of steps shorter than natural ones"});
}

void describe(Fields& fields, GaitVerdict& verdict) {
  fields("cost", verdict.cost, {.help = "what the search makes small"});
  fields("speed", verdict.speed, {.help = "mean part by which the speed is off"});
  fields("head_turn", verdict.head_turn, {.unit = "rad", .help = "mean angle of the head off its target"});
  fields("head_speed", verdict.head_speed,
         {.unit = "m/s", .help = "mean velocity of the head off its target"});
  fields("slide", verdict.slide, {.unit = "m/s", .help = "mean sliding of soles"});
  fields("effort", verdict.effort, {.help = "mean metabolic rate, W/kg"});
  fields("impact", verdict.impact, {.help = "mean of a step's largest load, body weights"});
  fields("stride", verdict.stride, {.help = "mean length of a step as part of a natural one's"});
  fields("flight", verdict.flight, {.help = "part of the time without a foot on the ground"});
  fields("lasted", verdict.lasted, {.unit = "s", .help = "until it ended"});
  fields("travelled", verdict.travelled, {.unit = "m", .help = "along the heading"});
  fields("steps", verdict.steps, {.help = "touchdowns"});
  fields("ended", verdict.ended, {.help = "why it did not last"});
  fields("within", verdict.within, {.help = "all errors below their thresholds"});
}

double natural_step(double speed, double leg_length) {
  return 1.07 * leg_length * std::pow(speed / std::sqrt(9.81 * leg_length), 0.42);
}

GaitJudge::GaitJudge(const GaitTask& task, double speed, double body_mass, double leg_length)
    : task_(task), wanted_(speed), mass_(body_mass), leg_(leg_length) {}

void GaitJudge::touchdown(double time, const Vec3& middle) {
  if (time - last_time_ < 1e-6) return;
  const double way = (middle - last_middle_).dot(onward_);
  error_ = std::min(1.0, std::abs(1 - way / (time - last_time_) / wanted_));
  sum_ += error_ * (time - last_time_);
  longest_ = std::max(longest_, time - last_time_);
  last_time_ = time;
  last_middle_ = middle;
}

// The last step is not done: it counts as the one before unless it takes much longer.
double GaitJudge::speed_error(double time) const {
  const double open = time - last_time_;
  return sum_ + (open > 1.5 * std::max(longest_, 0.3) ? 1.0 : error_) * open;
}

std::string GaitJudge::see(const Moment& now, bool look) {
  const mjData& data = *now.felt.data;
  const MuscleGait& gait = now.gait;
  const auto position = [&](int b) { return vec3(&data.xpos[3 * (b + 1)]); };
  const Vec3 left_foot = position(gait.foot(0)), right_foot = position(gait.foot(1));
  const Vec3 middle = 0.5 * (left_foot + right_foot);
  onward_ = Vec3(std::cos(now.heading), std::sin(now.heading), 0);
  if (!begun_) {
    begun_ = true;
    first_height_ = now.felt.com.z() - now.ground;
    last_com_ = now.felt.com;
    last_middle_ = middle;
  }
  for (int i = 0; i < 2; ++i) {
    const bool stands = gait.leg(i).phase == LegPhase::stance || gait.leg(i).phase == LegPhase::lift_off;
    if (stands && !stood_[i]) {
      touchdown(now.time, middle);
      ++verdict_.steps;
    }
    if (!stands && stood_[i] && peak_[i] > 0) {
      peaks_ += peak_[i];
      peak_[i] = 0;
      ++landings_;
    }
    peak_[i] = std::max(peak_[i], now.load[i] / (mass_ * 9.81));
    stood_[i] = stands;
  }
  verdict_.travelled += (now.felt.com - last_com_).dot(onward_);
  last_com_ = now.felt.com;
  if (!look) return "";

  const int head = gait.head() + 1;
  const Vec3 at = vec3(&data.xpos[3 * head]);
  const Vec3 velocity = vec3(&data.cvel[6 * head + 3]) + vec3(&data.cvel[6 * head]).cross(at - now.felt.com);
  head_turn_ += angle_between(quat_from_wxyz(&data.xquat[4 * head]), gait.head_target());
  head_speed_ += (wanted_ * onward_ - velocity).norm();
  slide_ += now.sliding;
  effort_ += now.metabolism / mass_;
  flight_ += now.load[0] + now.load[1] <= 0;
  ++looks_;
  if (now.felt.com.z() - now.ground < kLowest * first_height_) return verdict_.ended = "low";
  const double facing = heading(quat_from_wxyz(&data.xquat[4]));
  if (std::abs(std::remainder(facing - now.heading, 2 * kPi)) > kLargestTurn)
    return verdict_.ended = "turned";
  const Vec3 left(-std::sin(facing), std::cos(facing), 0);
  if ((left_foot - right_foot).dot(left) < 0) return verdict_.ended = "crossed";
  return "";
}

GaitVerdict GaitJudge::verdict(double lasted) const {
  GaitVerdict v = verdict_;
  v.lasted = lasted;
  const double seen = std::max(looks_, 1), share = lasted / task_.duration;
  v.speed = speed_error(lasted) / task_.duration + (1 - share);
  v.head_turn = head_turn_ / seen * share;
  v.head_speed = head_speed_ / seen * share;
  v.slide = slide_ / seen * share;
  v.effort = effort_ / seen;
  v.flight = flight_ / seen;
  v.impact = landings_ > 0 ? peaks_ / landings_ : 0;
  v.stride = std::max(v.travelled, 0.0) / std::max(v.steps, 1) / natural_step(wanted_, leg_);
  const bool soft = task_.soft_thresholds;
  const double a = beyond(v.speed, 0.1, soft), b = beyond(v.head_turn, 0.2, soft),
               c = beyond(v.head_speed, 0.3, soft), d = beyond(v.slide, 0.2, soft);
  v.within = v.ended.empty() && a + b + c + d == 0;
  v.cost = 100 * a + 10 * (b + c + d) +
           (task_.effort * v.effort + task_.impact * std::max(0.0, v.impact - kSoftLanding) +
            task_.stride * std::max(0.0, 1 - v.stride)) *
               share;
  if (!std::isfinite(v.cost)) v.cost = 1e3;
  return v;
}

}  // namespace stunt

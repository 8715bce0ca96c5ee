#include "stunt/optimize/learned_set.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/control/parts/feet.h"
#include "stunt/core/embedded.h"

namespace stunt {
namespace {

constexpr const char* kPrefix = "jacobian_transpose_";
constexpr double kNear = 0.25;  // in distance()

}  // namespace

void describe(Fields& fields, MotionFeatures& f) {
  fields("one_foot", f.one_foot, {.help = "share of the time with one foot on the ground"});
  fields("steps", f.steps, {.unit = "1/s", .help = "feet put down"});
  fields("travel", f.travel, {.unit = "m/s", .help = "along the ground"});
  fields("dip", f.dip, {.help = "how much lower the pelvis comes than it was, of its height"});
  fields("lean", f.lean, {.unit = "rad", .help = "of the trunk, at most"});
  fields("high_foot", f.high_foot, {.unit = "m", .help = "over the other foot, at most"});
  fields("hand_speed", f.hand_speed, {.unit = "m/s", .help = "seen from the pelvis"});
}

MotionFeatures features_of(const Reference& motion) {
  constexpr double kRate = 30, kMost = 20;  // Hz, s
  const Actor& actor = *motion.actor();
  const std::vector<Foot> feet = find_feet(actor);
  const int chest = std::max(0, actor.body(Role::chest));
  const std::array hands = {actor.body(Role::left_hand), actor.body(Role::right_hand)};
  ActorDynamics body(motion.actor());
  ReferenceSample sample;
  motion.sample(0, sample);
  body.set_state(sample.q, sample.v);
  const Quat at_first = body.body_rotation(chest);
  const Vec3 up = at_first.conjugate() * Vec3::UnitZ();
  const int samples = 1 + static_cast<int>(std::min(motion.duration(), kMost) * kRate);
  std::array<bool, 2> stood = {true, true};
  MotionFeatures out;
  double highest = 0, lowest = 1e9, hand_speed = 0;
  for (int i = 0; i < samples; ++i) {
    motion.sample(i / kRate, sample);
    body.set_state(sample.q, sample.v);
    int standing = 0;
    double low = 1e9, high = -1e9;
    for (std::size_t f = 0; f < feet.size() && f < stood.size(); ++f) {
      const bool stands_now = stands(actor, feet[f].leg, sample);
      standing += stands_now;
      out.steps += stands_now && !stood[f];
      stood[f] = stands_now;
      const double height = body.body_position(feet[f].leg.foot).z();
      low = std::min(low, height);
      high = std::max(high, height);
    }
    out.one_foot += standing == 1;
    out.high_foot = std::max(out.high_foot, high - low);
    out.travel += sample.v.head<2>().norm();
    highest = std::max(highest, sample.q[2]);
    lowest = std::min(lowest, sample.q[2]);
    const double upright = (body.body_rotation(chest) * up).z();
    out.lean = std::max(out.lean, std::acos(std::clamp(upright, -1.0, 1.0)));
    for (const int hand : hands) {
      if (hand < 0) continue;
      const Vec3 place = body.body_position(hand);
      hand_speed += (body.point_velocity(hand, place) - body.point_velocity(0, place)).squaredNorm();
    }
  }
  const double seconds = samples / kRate;
  out.one_foot /= samples;
  out.steps /= seconds;
  out.travel /= samples;
  out.dip = highest > 0 ? 1 - lowest / highest : 0;
  out.hand_speed = std::sqrt(hand_speed / (2 * samples));
  return out;
}

double distance(const MotionFeatures& a, const MotionFeatures& b) {
  const std::array parts = {(a.one_foot - b.one_foot) / 0.5,  (a.steps - b.steps) / 1.0,
                            (a.travel - b.travel) / 0.5,      (a.dip - b.dip) / 0.3,
                            (a.lean - b.lean) / 0.7,          (a.high_foot - b.high_foot) / 0.4,
                            (a.hand_speed - b.hand_speed) / 2};
  double sum = 0;
  for (const double part : parts) sum += part * part;
  return std::sqrt(sum);
}

void describe(Fields& fields, LearnedSet& set) {
  fields("motion", set.motion, {.help = "that it was found for"});
  fields("reward", set.reward, {.help = "R of eq. 6.18, mean of the tests"});
  fields("passes", set.passes, {.help = "of the tests, with noise that the search never saw"});
  fields("tests", set.tests, {.help = "how many there were"});
  fields("withstood", set.withstood, {.help = "what was made harder meanwhile, and how hard it was at last"});
  fields.group("features", set.features, "of the motion");
  fields.group("controller", set.controller, "the numbers");
}

std::vector<LearnedSet> learned_sets() {
  std::vector<LearnedSet> all;
  for (const std::string& name : embedded_names("controllers")) {
    if (!name.starts_with(kPrefix)) continue;
    Config config = Config::parse(std::string(*embedded_file("controllers/" + name + ".yaml")), name);
    read_settings(config, all.emplace_back());
    config.done();
  }
  return all;
}

std::optional<LearnedSet> learned_set_for(const MotionFeatures& motion) {
  std::optional<LearnedSet> nearest;
  for (LearnedSet& set : learned_sets()) {
    const double far = distance(motion, set.features);
    if (far < (nearest ? distance(motion, nearest->features) : kNear)) nearest = std::move(set);
  }
  return nearest;
}

}  // namespace stunt

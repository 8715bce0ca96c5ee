#include "stunt/optimize/practice.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/routine/routine.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

constexpr double kSettle = 0.6;  // s before a hit
constexpr double kAfter = 1.0;   // s after it

Scene alone(const Scene& scene, const std::string& actor) {
  Scene room = scene;
  std::erase_if(room.actors, [&](const ActorSpec& spec) { return spec.name != actor; });
  if (room.actors.empty()) throw InputError("practice", "'" + actor + "'", "one of the scene's characters");
  room.actors[0].routine.rules.rules.clear();
  room.actors[0].routine.rules.opponent.clear();
  room.pushes.clear();
  room.throws.clear();
  room.commands.clear();
  room.objects.clear();
  room.duration = 30;
  return room;
}

}  // namespace

HitRoom::HitRoom(const Scene& scene, const std::string& actor) : simulation_(alone(scene, actor)) {
  if (!simulation_.acts()[0].performer.routine)
    throw InputError("practice", "'" + actor + "' without a routine", "a character with one");
  while (simulation_.time() < kSettle) simulation_.step();
  start_ = simulation_.save();
}

const Strike& HitRoom::strike(const std::string& segment) const {
  for (const Segment& one : simulation_.acts()[0].performer.routine->segments()) {
    if (one.name == segment && one.strike) return *one.strike;
  }
  throw InputError("practice", "'" + segment + "'", "a segment with a strike");
}

HitOutcome HitRoom::hit(const std::string& segment, bool aimed, const Vec3& offset, double speed,
                        const Vec3& correction) {
  const Strike& strikes = strike(segment);
  simulation_.restore(*start_);
  Simulation::Act& act = simulation_.acts()[0];
  Routine& routine = *act.performer.routine;
  const Observation now = simulation_.seen_now(act);
  const GroundTransform stands = routine.stands(segment, now);
  const Mat3 axes = strikes.axes();
  HitOutcome out;
  out.aimed = stands.apply(strikes.place + axes * offset);
  PlayOrder order;
  order.segment = segment;
  order.speed = speed;
  if (aimed) order.target = stands.apply(strikes.place + axes * (offset - correction));
  routine.obey(order, now, "practice");
  const double due = routine.hit().at;
  out.short_by = routine.hit().short_by;
  while (simulation_.time() < due && !simulation_.done()) simulation_.step();
  // Between the last step and the one before the hand moves by millimetres: back along its velocity.
  const Engine& engine = simulation_.engine();
  const int body = act.slot.first_body + strikes.body;
  const Vec3 place = engine.body_position(body) + engine.body_rotation(body) * strikes.point;
  const Vec3 velocity = engine.body_velocity_at(body, place);
  out.reached = place + (due - simulation_.time()) * velocity;
  out.miss = axes.transpose() * (yaw_rotation(-stands.yaw) * Vec3(out.reached - out.aimed));
  out.speed = velocity.norm();
  while (simulation_.time() < due + kAfter && !simulation_.done()) simulation_.step();
  const Recording& run = simulation_.recording();
  out.fell = run.actors[0].fall.has_value() || !run.diverged.empty();
  return out;
}

std::vector<HitOutcome> hit_grid(HitRoom& room, const std::string& segment, double speed) {
  constexpr double kApart = 0.1;  // m
  std::vector<HitOutcome> hits;
  for (int row = 2; row >= -2; --row) {
    for (int column = -2; column <= 2; ++column)
      hits.push_back(room.hit(segment, true, {0, kApart * column, kApart * row}, speed));
  }
  return hits;
}

void practise(Scene& scene, const std::string& actor, int hits) {
  const auto spec = std::find_if(scene.actors.begin(), scene.actors.end(),
                                 [&](const ActorSpec& a) { return a.name == actor; });
  if (spec == scene.actors.end())
    throw InputError("practice", "'" + actor + "'", "one of the scene's characters");
  constexpr int kPaces = static_cast<int>(kPracticePaces.size());
  auto& segments = spec->routine.segments;
  for (SegmentSpec& segment : segments) segment.strike.miss = segment.strike.speeds = Vec3::Zero();
  // Its speed at three paces; without knowledge a wanted speed becomes the motion's own, scaled.
  const auto try_speeds = [&](bool aimed) {
    HitRoom room(scene, actor);
    for (SegmentSpec& segment : segments) {
      if (segment.strike.with.empty()) continue;
      const Strike& strike = room.strike(segment.name);
      const Vec3 known = strike.spec.speeds;
      for (int i = 0; i < kPaces; ++i) {
        const double wanted =
            known[i] > 0 ? known[i] : strike.velocity.norm() * kPracticePaces[static_cast<std::size_t>(i)];
        segment.strike.speeds[i] = room.hit(segment.name, aimed, Vec3::Zero(), wanted).speed;
      }
    }
  };
  try_speeds(false);
  // The aim, at the speed that the segment wants.
  {
    HitRoom room(scene, actor);
    for (SegmentSpec& segment : segments) {
      if (segment.strike.with.empty()) continue;
      constexpr double kGoodEnough = 0.001;  // m
      Vec3 correction = Vec3::Zero();
      for (int i = 2 * kPaces; i < hits; ++i) {
        const Vec3 miss = room.hit(segment.name, true, Vec3::Zero(), 0, correction).miss;
        correction += miss;
        if (miss.norm() < kGoodEnough) break;
      }
      segment.strike.miss = correction;
    }
  }
  // An arm that is aimed is not as fast as it is by itself.
  try_speeds(true);
}

}  // namespace stunt

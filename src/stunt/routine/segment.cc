#include "stunt/routine/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/core/error.h"
#include "stunt/reference/cleanup/clean_up.h"

namespace stunt {

void describe(Fields& fields, StrikeSpec& strike) {
  fields("with", strike.with, {.help = "the striking body: a role or a body's name; none: it does not hit"});
  fields("point", strike.point,
         {.unit = "m", .bounds = between(-2, 2), .help = "in its axes, from its centre of mass"});
  fields("face", strike.face,
         {.bounds = between(-1, 1), .help = "in its axes: the normal of what it hits with; 0: it has none"});
  fields("at", strike.at,
         {.unit = "s", .bounds = between(0, 1e6), .help = "when, into the segment; 0: when it is fastest"});
  fields("speed", strike.speed,
         {.unit = "m/s", .bounds = between(0, 30), .help = "wanted at the hit; 0: as it comes"});
  fields("reach", strike.reach,
         {.unit = "m", .bounds = between(0, 2), .help = "how far the hit may be moved from its own place"});
  fields("window", strike.window,
         {.unit = "s",
          .bounds = above_to(0, 10),
          .help = "before and after the hit, over which it is moved and sped up"});
  fields(
      "miss", strike.miss,
      {.unit = "m",
       .bounds = between(-1, 1),
       .help = "learned by practice: where it goes less where it is aimed: along the hit, to its left, up"});
  fields("speeds", strike.speeds,
         {.unit = "m/s",
          .bounds = between(0, 100),
          .help = "learned by practice: at the hit, with the clock 0.7, 1 and 1.3 times as fast"});
}

Mat3 Strike::axes() const {
  Vec3 along(velocity.x(), velocity.y(), 0);
  along = along.norm() > 1e-6 ? Vec3(along.normalized()) : Vec3(Vec3::UnitX());
  Mat3 axes;
  axes << along, Vec3::UnitZ().cross(along), Vec3::UnitZ();
  return axes;
}

double Strike::own_speed() const { return spec.speeds[1] > 0 ? spec.speeds[1] : velocity.norm(); }

double Strike::pace_for(double wanted) const {
  constexpr double kSlowest = 0.3, kFastest = 2.5;
  if (wanted <= 0) return 1;
  const Vec3 known =
      spec.speeds.x() > 0
          ? spec.speeds
          : Vec3(velocity.norm() * Vec3(kPracticePaces[0], kPracticePaces[1], kPracticePaces[2]));
  if (!(known[1] > 0)) return 1;
  // Along the lines between what is known, and on.
  const int i = wanted < known[1] ? 0 : 1;
  const auto a = static_cast<std::size_t>(i);
  const double slope = (known[i + 1] - known[i]) / (kPracticePaces[a + 1] - kPracticePaces[a]);
  if (!(slope > 0)) return 1;
  return std::clamp(kPracticePaces[a] + (wanted - known[i]) / slope, kSlowest, kFastest);
}

void study(Segment& segment, bool loops, double length, const StrikeSpec& spec, const std::string& place) {
  const Actor& actor = *segment.motion->actor();
  segment.loops = loops;
  segment.length = length;
  const int frames = static_cast<int>(length * kReferenceRate) + 1;
  ReferenceSample sample;
  for (const bool left : {true, false}) {
    auto& swings = segment.swings[left ? 0 : 1];
    bool up = false;
    for (int i = 0; i < frames; ++i) {
      segment.motion->sample(i / kReferenceRate, sample);
      bool stands = false, known = false;
      for (std::size_t p = 0; p < actor.contact_points().size(); ++p) {
        if (actor.contact_points()[p].left != left) continue;
        known = true;
        stands = stands || sample.contacts[p];
      }
      if (!known) break;
      if (!stands && !up) swings.push_back({i / kReferenceRate, length});
      if (stands && up) swings.back().to = i / kReferenceRate;
      up = !stands;
    }
  }
  segment.motion->sample(0, sample);
  segment.travel = -sample.q.head<3>();
  segment.motion->sample(length, sample);
  segment.travel += sample.q.head<3>();
  segment.travel.z() = 0;
  if (spec.with.empty()) return;
  Strike strike;
  strike.spec = spec;
  strike.body = actor.find_part(spec.with);
  if (strike.body < 0)
    throw InputError(place, "'" + spec.with + "'", "a body of the character to strike with");
  strike.point = actor.bodies()[static_cast<std::size_t>(strike.body)].com + spec.point;
  if (loops) throw InputError(place, "a hit in a segment that loops", "one that ends");
  if (spec.at >= length)
    throw InputError(place, fmt::format("a hit at {} s", spec.at),
                     fmt::format("one within {:.3f} s", length));
  ActorDynamics dynamics(segment.motion->actor());
  const auto speed_at = [&](double t) {
    segment.motion->sample(t, sample);
    dynamics.set_state(sample.q, sample.v);
    return dynamics.point_velocity(strike.body, dynamics.point(strike.body, strike.point)).norm();
  };
  strike.at = spec.at;
  if (strike.at == 0) {
    // The fastest while it goes away from the body, not on its way back.
    const auto distance = [&](double t) {
      segment.motion->sample(t, sample);
      dynamics.set_state(sample.q, sample.v);
      return (dynamics.point(strike.body, strike.point) - sample.q.head<3>()).norm();
    };
    double farthest = 0, most = -1, turn = 0;
    for (int i = 0; i < frames; ++i) {
      if (const double d = distance(i / kReferenceRate); d > farthest)
        farthest = d, turn = i / kReferenceRate;
    }
    for (int i = 1; i + 1 < frames && i / kReferenceRate <= turn; ++i) {
      if (const double v = speed_at(i / kReferenceRate); v > most) most = v, strike.at = i / kReferenceRate;
    }
  }
  segment.motion->sample(strike.at, sample);
  dynamics.set_state(sample.q, sample.v);
  strike.q = sample.q;
  strike.place = dynamics.point(strike.body, strike.point);
  strike.velocity = dynamics.point_velocity(strike.body, strike.place);
  if (!spec.face.isZero()) strike.face = dynamics.body_rotation(strike.body) * spec.face.normalized();
  strike.window = std::min({spec.window, strike.at, length - strike.at});
  segment.strike = std::move(strike);
}

}  // namespace stunt

// A piece of motion that a routine plays: prepared once, with what is known of its feet and of its hit.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stunt/reference/reference.h"
#include "stunt/routine/strike_spec.h"
#include "stunt/routine/time_scale.h"

namespace stunt {

constexpr std::array<double, 3> kPracticePaces = {0.7, 1.0, 1.3};

// The same on an actor.
struct Strike {
  StrikeSpec spec;
  int body = -1;                 // of the actor
  Vec3 point = Vec3::Zero();     // m, in the body's axes, from its origin
  double at = 0, window = 0;     // s
  VecX q;                        // nq, the motion's pose at the hit
  Vec3 place = Vec3::Zero();     // m, of the point in that pose
  Vec3 velocity = Vec3::Zero();  // m/s, of the point in the motion then
  Vec3 face = Vec3::Zero();      // unit: where what it hits with faces in that pose; zero: it has no face

  Mat3 axes() const;  // columns: along the hit over the ground, to its left, up

  double own_speed()
      const;  // m/s at the hit, as the motion goes: as practice found it, where there was practice

  // How many times as fast the motion's clock has to run for this speed (m/s) at the hit.
  double pace_for(double wanted) const;
  TimeScale scale_for(double pace) const { return {at, window, pace}; }
};

struct Segment {
  struct Swing {
    double from, to;  // s
  };
  std::string name;
  std::string blend;    // the name of those that it was made with (blend.h); empty: it was not
  ReferencePtr motion;  // the first pose is that at 0
  double length = 0;    // s; of one round where it loops
  bool loops = false;
  double ease = 0.2;  // s, over which it is blended in
  std::optional<Strike> strike;
  std::array<std::vector<Swing>, 2> swings;  // of the left and the right foot: where they are in the air

  Vec3 travel = Vec3::Zero();  // m, of the root over the ground, from its first pose to its last

  bool steps() const { return !swings[0].empty() && !swings[1].empty(); }  // each foot is lifted once
};

// Fills length, swings and strike of a segment whose motion is set. Throws InputError.
void study(Segment& segment, bool loops, double length, const StrikeSpec& strike, const std::string& place);

}  // namespace stunt

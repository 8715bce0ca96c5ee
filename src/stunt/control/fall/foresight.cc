#include "stunt/control/fall/foresight.h"

#include <algorithm>
#include <cmath>

namespace stunt {

void describe(Fields& fields, ForesightSettings& settings) {
  fields("reach", settings.reach,
         {.bounds = above(0),
          .help = "leg lengths that the capture point is further from the soles than in the motion"});
  fields("tilt", settings.tilt,
         {.unit = "deg", .bounds = above_to(0, 180), .help = "of the trunk against the motion's"});
  fields("drop", settings.drop,
         {.bounds = between(0, 1), .help = "of the centre of mass, as a part of its height in the motion"});
  fields("doubt", settings.doubt, {.unit = "s", .bounds = between(0, 10), .help = "for which it must be so"});
}

Foresight::Foresight(const ForesightSettings& settings, ReferencePtr reference)
    : settings_(settings),
      reference_(std::move(reference)),
      ours_(reference_->actor()),
      theirs_(reference_->actor()),
      legs_{find_leg(*reference_->actor(), true), find_leg(*reference_->actor(), false)} {
  const Actor& actor = *reference_->actor();
  support_.reserve(actor.contact_points().size());
  top_ = actor.body(Role::chest) >= 0 ? actor.body(Role::chest) : actor.body(Role::head);
}

Foresight::Side Foresight::seen(ActorDynamics& body) {
  Side side;
  side.com = body.com();
  side.velocity = body.com_velocity();
  side.up = (body.body_position(top_) - body.body_position(0)).normalized();
  support_.clear();
  double floor = 1e9;
  for (const auto& leg : legs_) {
    support_.add_sole(*leg, body);
    floor = std::min(floor, body.body_position(leg->foot).z());
  }
  side.height = side.com.z() - floor;
  const double rate = pendulum_rate(body.actor().gravity(), side.height);
  side.outside = support_.distance(capture_point(side.com, side.velocity, rate));
  return side;
}

const FallSigns& Foresight::look(const Observation& now) {
  state.time = now.time;
  if (!legs_[0] || !legs_[1] || top_ <= 0) return state.signs;
  reference_->sample(now.time, target_);
  ours_.set_state(now.q, now.v);
  theirs_.set_state(target_.q, target_.v);
  const Side own = seen(ours_), wanted = seen(theirs_);
  const double leg = 0.5 * (legs_[0]->length + legs_[1]->length);
  state.signs.reach = (own.outside - wanted.outside) / leg;
  state.signs.tilt = std::acos(std::clamp(own.up.dot(wanted.up), -1.0, 1.0));
  state.signs.drop = 1 - own.height / std::max(wanted.height, 0.1);
  const bool bad = state.signs.reach > settings_.reach || degrees(state.signs.tilt) > settings_.tilt ||
                   state.signs.drop > settings_.drop;
  if (!bad) state.since = -1;
  if (bad && state.since < 0) state.since = now.time;
  return state.signs;
}

bool Foresight::will_fall() const { return state.since >= 0 && state.time - state.since >= settings_.doubt; }

}  // namespace stunt

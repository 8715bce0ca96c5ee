#include "stunt/control/parts/footwork_settings.h"

namespace stunt {

void describe(Fields& fields, FootworkSettings& s) {
  fields("anchor", s.anchor, {.help = "the reference moves with the feet that carry it"});
  fields("placement", s.placement, {.help = "the swing foot steps to where the body falls"});
  fields("clearance", s.clearance, {.help = "the swing foot is lifted a little"});
  fields("balance_reference", s.balance_reference,
         {.help = "the reference is made possible before it is followed"});
  fields("recovery", s.recovery, {.help = "a step is made where balance is lost"});
  fields("anchor_time", s.anchor_time,
         {.unit = "s", .bounds = above(0), .help = "how slowly the anchor follows the feet"});
  fields("anchor_speed", s.anchor_speed, {.unit = "m/s", .bounds = at_least(0), .help = "at most"});
  fields("contact_distance", s.contact_distance,
         {.unit = "m",
          .bounds = at_least(0),
          .help = "a foot that the reference has on the ground is led down gently from this height on"});
  fields("touch_distance", s.touch_distance,
         {.unit = "m", .bounds = at_least(0), .help = "and may push from this height on"});
  fields("landing_hold", s.landing_hold,
         {.bounds = between(0, 1), .help = "of the no-slip cost, for leading a foot down"});
  fields("landing_rate", s.landing_rate,
         {.unit = "1/s", .bounds = at_least(0), .help = "descent of a landing foot per height"});
  fields("landing_speed", s.landing_speed,
         {.unit = "m/s", .bounds = at_least(0), .help = "its descent at the ground"});
  fields("contact_rise", s.contact_rise,
         {.unit = "s", .bounds = at_least(0), .help = "how gradually a new contact is trusted with load"});
  fields("leaving_reluctance", s.leaving_reluctance,
         {.bounds = above(0),
          .help = "factor on the cost of pushing with a foot that the reference has in the air"});
  fields(
      "look_ahead", s.look_ahead,
      {.unit = "s", .bounds = at_least(0), .help = "a foot that lands within this time counts as landing"});
  fields("forward_velocity_gain", s.forward_velocity_gain,
         {.unit = "s",
          .help = "placement: step further by this per error of speed",
          .search = SearchRange{0.35, 0.1}});
  fields("forward_position_gain", s.forward_position_gain,
         {.help = "placement: likewise per error of position", .search = SearchRange{0.3, 0.1}});
  fields("sideways_velocity_gain", s.sideways_velocity_gain,
         {.unit = "s", .help = "the same sideways", .search = SearchRange{0.45, 0.1}});
  fields("sideways_position_gain", s.sideways_position_gain,
         {.help = "the same sideways", .search = SearchRange{0.5, 0.1}});
  fields("largest_placement", s.largest_placement,
         {.unit = "m", .bounds = at_least(0), .help = "of a step's change"});
  fields(
      "feet_apart", s.feet_apart,
      {.unit = "m",
       .bounds = at_least(0),
       .help = "placement: nearer sideways to the foot that stands a step is not led; 0: it may cross over"});
  fields("clearance_height", s.clearance_height,
         {.unit = "m", .bounds = at_least(0), .help = "by which the swing foot is lifted"});
  fields("settling_time", s.settling_time,
         {.unit = "s",
          .bounds = at_least(0),
          .help = "before a foot lands: its clearance is given up from then on; 0: not before it lands"});
  fields("shift_rate", s.shift_rate,
         {.unit = "1/s", .bounds = above(0), .help = "placement: larger moves the swing foot sooner"});
  fields("lift_rate", s.lift_rate, {.unit = "1/s", .bounds = above(0), .help = "likewise its clearance"});
  fields("placement_speed", s.placement_speed,
         {.bounds = between(0, 1),
          .help = "how much of the speed that these moves give the leg's joints is foreseen"});
}

AnchorSettings FootworkSettings::for_anchor() const { return {.time = anchor_time, .speed = anchor_speed}; }

FootContactSettings FootworkSettings::for_contacts() const {
  return {.distance = contact_distance,
          .touch = touch_distance,
          .rise = contact_rise,
          .dearest = leaving_reluctance,
          .landing_hold = landing_hold,
          .landing_rate = landing_rate,
          .landing_speed = landing_speed};
}

FootPlacementSettings FootworkSettings::for_placement() const {
  return {.shift = placement,
          .lift = clearance,
          .forward_velocity_gain = forward_velocity_gain,
          .forward_position_gain = forward_position_gain,
          .sideways_velocity_gain = sideways_velocity_gain,
          .sideways_position_gain = sideways_position_gain,
          .largest = largest_placement,
          .clearance = clearance_height,
          .settling = settling_time,
          .shift_rate = shift_rate,
          .lift_rate = lift_rate,
          .joint_speed = placement_speed,
          .return_time = anchor_time,
          .apart = feet_apart};
}

}  // namespace stunt

// How a tracker's feet behave where it goes beyond the reference: which contacts it trusts, how the reference moves
// with the feet that stand, where swinging feet go. Part of the settings of every controller that uses these parts;
// the keys stand among the controller's own.
#pragma once

#include "stunt/control/parts/anchor.h"
#include "stunt/control/parts/foot_contacts.h"
#include "stunt/control/parts/foot_placement.h"
#include "stunt/core/settings.h"

namespace stunt {

struct FootworkSettings {
  bool anchor = true;
  bool placement = true;
  bool clearance = true;
  bool balance_reference = true;
  bool recovery = true;
  double anchor_time = 0.1;         // s
  double anchor_speed = 0.5;        // m/s at most
  double contact_distance = 0.02;   // m: a foot the reference has on the ground is led down from here on
  double touch_distance = 0.003;    // m: and may push from this height on
  double landing_hold = 0.1;        // of the no-slip cost, for leading a foot down
  double landing_rate = 15;         // 1/s, descent per height
  double landing_speed = 0.2;       // m/s, descent at the ground
  double contact_rise = 0.015;      // s: how gradually a new contact is trusted with load and held
  double leaving_reluctance = 300;  // how much dearer it is to push with a foot that should be in the air
  double look_ahead = 0.08;         // s: a foot that lands within this time counts as landing
  double forward_velocity_gain = 0.35, forward_position_gain = 0.30;  // s, 1: of the placement
  double sideways_velocity_gain = 0.45, sideways_position_gain = 0.50;
  double largest_placement = 0.3;          // m
  double feet_apart = 0;                   // m, sideways; 0: they may cross
  double clearance_height = 0.03;          // m
  double settling_time = 0.2;              // s before a foot lands: its clearance is given up from then on
  double shift_rate = 70, lift_rate = 80;  // 1/s, of the swing foot's moves
  double placement_speed = 0.7;            // how much of the speed that they give the joints is foreseen

  AnchorSettings for_anchor() const;
  FootContactSettings for_contacts() const;
  FootPlacementSettings for_placement() const;
};
void describe(Fields& fields, FootworkSettings& settings);

}  // namespace stunt

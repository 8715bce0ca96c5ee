#include "stunt/control/modal/modal_settings.h"

namespace stunt {

ModalPaperSettings::ModalPaperSettings() {
  plan_rate = 120;
  window = 12;
  high_window = 1;
  low_frequency = 100;
  carry_load = hold_contacts = velocity_forces = true_momentum = false;
  answer_contacts = impulses_at_once = detected_contacts = true;
  com_position_weight = 0.1;
  force_weight = 0.1;
  impulse_weight = 5e-3;
  friction = 1;
  balance_reference = anchor = placement = clearance = recovery = false;
  clearance_height = 0.02;
}

ModalLinearisedSettings::ModalLinearisedSettings() {
  force_weight = 1e-5;
  low_frequency = 0;
  low_modes = 24;
  detected_contacts = false;
  clearance = balance_reference = anchor = true;
  true_momentum = velocity_forces = true;
}

void describe(Fields& fields, ModalSettings& s) {
  fields("plan_rate", s.plan_rate, {.unit = "Hz", .bounds = above(0), .help = "how often a plan is made"});
  fields("frame_time", s.frame_time, {.unit = "s", .bounds = above(0), .help = "of one frame of the window"});
  fields("window", s.window,
         {.bounds = between(1, kModalMostFrames), .help = "frames that a plan looks ahead"});
  fields("window_reach", s.window_reach,
         {.unit = "m",
          .bounds = at_least(0),
          .help = "0: the window is as long as it says; else as long as the body goes no further than this"});
  fields("longest_window", s.longest_window,
         {.bounds = between(1, kModalMostFrames), .help = "frames, with a window_reach"});
  fields("high_window", s.high_window,
         {.bounds = between(1, kModalMostFrames),
          .help = "frames in which the stiff modes are matched; 1: as published"});
  fields(
      "frames_per_force", s.frames_per_force,
      {.bounds = between(1, kModalMostFrames), .help = "frames of the window that share one contact force"});
  fields("low_modes", s.low_modes,
         {.bounds = at_least(0),
          .help = "how many of the modes, from the softest on, look ahead the whole window"});
  fields("first_low_mode", s.first_low_mode,
         {.bounds = at_least(0), .help = "the softest of these; 0: the softest of all"});
  fields("low_frequency", s.low_frequency,
         {.unit = "1/s^2",
          .bounds = at_least(0),
          .help = "the modes with a squared frequency below look ahead; 0: as many as low_modes says"});
  fields("scattered_modes", s.scattered_modes,
         {.bounds = at_least(0),
          .help = "which low_modes of all modes look ahead is drawn by this number; 0: the softest do"});
  fields("carry_load", s.carry_load,
         {.help = "effort is counted from the forces that carry the body; no: as published, modes sag"});
  fields("hold_contacts", s.hold_contacts,
         {.help = "torques that keep the feet that touch in place; no: the modes' own"});
  fields("answer_contacts", s.answer_contacts,
         {.help = "on engine linearised: torques answer within the step to forces other than planned"});
  fields("answer_cost", s.answer_cost,
         {.bounds = above(0), .help = "W_a: larger lets the soft modes give way to such forces"});
  fields("velocity_forces", s.velocity_forces,
         {.help = "plans know the forces of moving limbs on each other; no: as published"});
  fields("true_momentum", s.true_momentum,
         {.help = "aim at the reference's centre of mass and momentum; no: at their linearisation"});
  fields("impulses_at_once", s.impulses_at_once,
         {.help = "an impulse acts when its frame begins, as published; no: all through it"});
  fields("detected_contacts", s.detected_contacts,
         {.help = "the first frame of a window has the contacts that there are; no: the reference's"});
  fields("reaction_delay", s.reaction_delay,
         {.unit = "s",
          .bounds = at_least(0),
          .help = "for this long after a push plans go on as if nothing had happened"});
  fields("com_position_weight", s.com_position_weight,
         {.bounds = above(0), .help = "W_1 of the centre of mass: larger brings it back sooner"});
  fields("com_velocity_weight", s.com_velocity_weight,
         {.bounds = above(0), .help = "W_2 of the centre of mass"});
  fields("turn_weight", s.turn_weight, {.bounds = above(0), .help = "W_1 of the body's mean rotation"});
  fields("turn_rate_weight", s.turn_rate_weight,
         {.bounds = above(0), .help = "W_2 of the body's mean rotation"});
  fields("force_weight", s.force_weight, {.bounds = above(0), .help = "W_3: larger pushes less"});
  fields("position_weight", s.position_weight,
         {.bounds = above(0), .help = "w_4: modes end where the reference is"});
  fields("velocity_weight", s.velocity_weight, {.bounds = above(0), .help = "w_5: and as fast"});
  fields("impulse_weight", s.impulse_weight, {.bounds = above(0), .help = "W_6: larger is softer"});
  fields("mass_damping", s.mass_damping,
         {.unit = "1/s", .bounds = at_least(0), .help = "alpha: modes are damped by alpha M + beta K"});
  fields("stiffness_damping", s.stiffness_damping, {.unit = "s", .bounds = at_least(0), .help = "beta"});
  fields("friction", s.friction, {.bounds = above(0), .help = "of the planned contacts"});
  fields("joint_weight", s.joint_weight,
         {.bounds = above(0), .help = "hold_contacts: of the joints' accelerations"});
  fields("root_weight", s.root_weight, {.bounds = above(0), .help = "hold_contacts: of the root's"});
  fields("com_weight", s.com_weight,
         {.bounds = at_least(0), .help = "hold_contacts: of the centre of mass's"});
  fields("spin_weight", s.spin_weight,
         {.bounds = at_least(0), .help = "hold_contacts: of the rate of the angular momentum"});
  fields("hold_weight", s.hold_weight,
         {.bounds = at_least(0), .help = "hold_contacts: of feet that must not slip"});
  fields("hold_damping", s.hold_damping,
         {.unit = "1/s", .bounds = at_least(0), .help = "how fast a slipping foot is stopped"});
  describe(fields, static_cast<FootworkSettings&>(s));
}

}  // namespace stunt

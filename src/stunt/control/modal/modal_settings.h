// The numbers of modal-space control, and what its presets make of them.
#pragma once

#include "stunt/control/controller.h"
#include "stunt/control/parts/footwork_settings.h"

namespace stunt {

constexpr int kModalMostFrames = 64;  // of a window

struct ModalSettings : FootworkSettings {
  ModalSettings() { feet_apart = 0.08; }

  double plan_rate = 250;         // Hz
  double frame_time = 1.0 / 120;  // s, dt
  int window = 9;                 // frames
  double window_reach = 0;        // m; 0: the window is as long as it is
  int longest_window = 36;        // frames, of one that adapts
  int high_window = 6;            // frames, of the high modes; 1: eq. 22
  int frames_per_force = 1;       // of the window
  int low_modes = 16, first_low_mode = 0;
  double low_frequency = 0;  // 1/s^2, squared; 0: by number
  int scattered_modes = 0;   // seed; 0: not scattered
  bool carry_load = true;
  bool hold_contacts = true;
  bool answer_contacts = false;
  bool velocity_forces = true;
  bool true_momentum = true;
  bool impulses_at_once = false;
  bool detected_contacts = false;
  double reaction_delay = 0;  // s
  // of the window
  double com_position_weight = 0.03, com_velocity_weight = 1;  // W_1, W_2 of the translations
  double turn_weight = 0.5, turn_rate_weight = 1;              // W_1, W_2 of the turns
  double force_weight = 1e-4;                                  // W_3
  double position_weight = 0.5, velocity_weight = 2;           // w_4, w_5
  double impulse_weight = 1e-3;                                // W_6
  double mass_damping = 0, stiffness_damping = 0;              // alpha (1/s), beta (s): D = alpha M + beta K
  double friction = 0.9;
  double answer_cost = 1e-3;  // W_a
  // of the torques that hold the contacts
  double joint_weight = 1;
  double root_weight = 1;
  double com_weight = 100;
  double spin_weight = 1;
  double hold_weight = 3;
  double hold_damping = 20;  // 1/s
};
void describe(Fields& fields, ModalSettings& settings);
std::unique_ptr<Controller> make_controller(const ModalSettings& settings, const ControllerTask& task);
inline ReferenceWishes reference_wishes(const ModalSettings& settings) {
  return {.balanced = settings.balance_reference};
}

// As published, for the engine `linearised` with its step of one frame: the printed weights, modes split at 100 (rad/s)^2, the
// contacts of the first frame as they are, the others as the reference has them, and none of our parts. Each can be switched on.
struct ModalPaperSettings : ModalSettings {
  ModalPaperSettings();
};
inline ReferenceWishes reference_wishes(const ModalPaperSettings& settings) {
  return {.balanced = settings.balance_reference};
}

// The print with what makes it track in its own world (docs/modal-space.md has a row for each change).
struct ModalLinearisedSettings : ModalPaperSettings {
  ModalLinearisedSettings();
};
inline ReferenceWishes reference_wishes(const ModalLinearisedSettings& settings) {
  return {.balanced = settings.balance_reference};
}

}  // namespace stunt

// Watches one character while it rehearses: whether it fails by the rules of `tracked` (assess/tracking/verdict.h), and how
// far from the motion it is in what will grow into a fall.
//
//   distance = 100 |d|^2 + 30 |c|^2 + 100 (c_z^2 + 0.01 c_z'^2) + 10 (tilt^2 + 0.3 turn^2) + 100 |L|^2 + 10 p + 10 f
//     d     capture point (m); c   centre of mass (m; horizontal, c_z up), against the reference moved along with the
//           feet (control/parts/anchor.h); tilt, turn   of the root (rad); L   angular momentum per mass (m^2/s)
//     p     mean square of the joints (rad); f   sum of squares of the feet's places (m)
//   and 5 more while the motion flies and the character stands
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "stunt/assess/tracking/pose_rules.h"
#include "stunt/control/parts/anchor.h"
#include "stunt/simulate/observer.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

// A flight of the motion that must be flown.
struct Flight {
  double from, to;  // s
};
// Those longer than 0.1 s, between two contacts, up to `duration` (s). Who lies or is on hands and knees does not fly.
std::vector<Flight> find_flights(const Reference& shown, double duration, const GroundSpec& ground);

class Critic : public Observer {
 public:
  // What it carries from one stretch to the next.
  struct Memory {
    PoseRules rules;
    Anchor anchor;
    std::vector<int> flown;  // samples in the air, per flight
    double end_capture =
        1e9;  // m, least so far of the end: how much further outside the support than the motion's
  };

  // Of the simulation's first character, which has a motion.
  Critic(Simulation& simulation, std::vector<Flight> flights);

  void begin(const Memory& memory);  // a new stretch
  void sampled(Simulation& simulation, const Moment& moment) override;

  const Memory& memory() const { return memory_; }
  std::optional<double> stumbled_at() const { return stumbled_at_; }  // s, in this stretch
  double mean() const { return count_ > 0 ? sum_ / count_ : 0; }      // distance, over the stretch
  double last() const { return last_; }

 private:
  void check_flights(double t, bool in_the_air);
  void check_end(double t, std::span<const ActorContact> contacts);
  void keep_distance(const Simulation::Act& act, bool flies_wrongly);

  std::vector<Flight> flights_;
  GroundSpec ground_;
  double rate_, duration_;  // Hz, s
  Memory memory_;
  std::optional<double> stumbled_at_;
  double sum_ = 0, last_ = 0;
  int count_ = 0, samples_ = 0;

  ActorDynamics own_, shown_, followed_;
  std::vector<Foot> feet_;
  std::vector<Vec2> support_;
  Figure own_figure_, shown_figure_;
  ReferenceSample shown_target_, followed_target_;
  VecX q_, v_, difference_;
};

}  // namespace stunt

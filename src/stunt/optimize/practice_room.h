// Many short simulations from saved moments, at once: the room in which a rehearsal plays its stretches. Every thread has
// simulations of its own; what comes out does not depend on how many there are.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "stunt/control/parts/nudges.h"
#include "stunt/optimize/critic.h"
#include "stunt/optimize/evaluator.h"
#include "stunt/simulate/simulation.h"

namespace stunt {

constexpr double kKnot = 0.15;  // s from knot to knot, and the length of a stretch
// Of knot k, s: the double nearest to the decimal number, so that it is written short.
inline double knot_time(int k) { return 15 * k / 100.0; }

// A moment to go on from.
struct Take {
  std::shared_ptr<const Simulation::State> state;
  Critic::Memory memory;
};

struct Stretch {
  Take end;
  double mean = 0, last = 0;        // distance from the motion (critic.h)
  std::optional<double> failed_at;  // s: it fell or stumbled; nothing follows
};

// Of what one double is: as it is, or with noise in its torques.
struct Member {
  bool noisy;
  Take start;
};

class PracticeRoom {
 public:
  // The scene has one actor, with a motion and a controller that takes offsets. Noise: of the torques, as a part of them.
  PracticeRoom(const Scene& scene, Performer performer, double noise, int threads);
  ~PracticeRoom();

  // As it is, then with noise from seeds of their own.
  std::vector<Member> members(int noisy, std::uint64_t seed);

  struct Piece {
    const Take* from;
    bool noisy;
    int first, last;       // knots
    const Nudges* nudges;  // from `first` on
  };
  // Every piece, stretch by stretch until it fails or ends.
  std::vector<std::vector<Stretch>> play(const std::vector<Piece>& pieces);

  double duration() const { return duration_; }
  int knots() const;                           // stretches of the whole run
  long rollouts() const { return rollouts_; }  // stretches played so far
  bool stumbles_count = true;                  // false: only falls fail
  std::function<void()> meanwhile;             // called now and then while others play

 private:
  struct Player;
  Performer again(const Performer& performer) const;  // with a controller of its own
  std::unique_ptr<Player> make_player(bool noisy, std::uint64_t seed) const;
  std::unique_ptr<Player> take_player(bool noisy);
  void give_back(bool noisy, std::unique_ptr<Player> player);

  Scene scene_, noisy_scene_;
  Performer performer_;
  std::vector<Flight> flights_;
  double duration_ = 0;
  std::unique_ptr<Evaluator> evaluator_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Player>> idle_[2];
  long rollouts_ = 0;
};

}  // namespace stunt

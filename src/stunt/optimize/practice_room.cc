#include "stunt/optimize/practice_room.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {

// A simulation and who watches it.
struct PracticeRoom::Player {
  Simulation simulation;
  Critic critic;

  Player(const Scene& scene, Performer performer, const std::vector<Flight>& flights)
      : simulation(scene, alone(std::move(performer))), critic(simulation, flights) {
    simulation.watch(critic);
  }
  static std::vector<Performer> alone(Performer performer) {
    std::vector<Performer> all;
    all.push_back(std::move(performer));
    return all;
  }
  Nudges& nudges() { return *simulation.acts().front().performer.controller->nudges(); }
  Take now() const { return {simulation.save(), critic.memory()}; }

  std::vector<Stretch> play(const Piece& piece, bool stumbles_count) {
    simulation.restore(*piece.from->state);
    critic.begin(piece.from->memory);
    nudges() = *piece.nudges;
    std::vector<Stretch> stretches;
    for (int k = piece.first; k < piece.last; ++k) {
      Stretch stretch = play_to(knot_time(k + 1), stumbles_count);
      stretch.mean = critic.mean();
      stretch.last = critic.last();
      if (!stretch.failed_at) stretch.end = now();
      stretches.push_back(std::move(stretch));
      if (stretches.back().failed_at) break;
      critic.begin(critic.memory());
    }
    return stretches;
  }

 private:
  Stretch play_to(double end, bool stumbles_count) {
    const Recording& recording = simulation.recording();
    Stretch stretch;
    while (simulation.time() < end - 0.5 * recording.timestep && !simulation.done()) {
      simulation.step();
      if (const auto& fall = recording.actors.front().fall) {
        stretch.failed_at = fall->time;
      } else if (!recording.diverged.empty()) {
        stretch.failed_at = simulation.time();
      } else if (stumbles_count) {
        stretch.failed_at = critic.stumbled_at();
      }
      if (stretch.failed_at) break;
    }
    return stretch;
  }
};

PracticeRoom::PracticeRoom(const Scene& scene, Performer performer, double noise, int threads)
    : scene_(scene),
      noisy_scene_(scene),
      performer_(std::move(performer)),
      evaluator_(thread_evaluator(threads)) {
  double& level = noisy_scene_.actors.front().plant.torque_noise;
  if (level == 0) level = noise;
  duration_ = Simulation(scene_, Player::alone(again(performer_))).duration();
  flights_ = find_flights(*performer_.shown, duration_, scene_.ground);
  for (int i = 0; i < threads; ++i) {
    for (const bool noisy : {false, true}) idle_[noisy].push_back(make_player(noisy, scene_.seed));
  }
}

PracticeRoom::~PracticeRoom() = default;

int PracticeRoom::knots() const { return static_cast<int>(std::ceil(duration_ / kKnot - 1e-9)); }

Performer PracticeRoom::again(const Performer& performer) const {
  Performer copy;
  copy.spec = performer.spec;
  copy.actor = performer.actor;
  copy.source = performer.source;
  copy.shown = performer.shown;
  copy.followed = performer.followed;
  make_controller(copy);
  return copy;
}

std::unique_ptr<PracticeRoom::Player> PracticeRoom::make_player(bool noisy, std::uint64_t seed) const {
  Scene scene = noisy ? noisy_scene_ : scene_;
  scene.seed = seed;
  Performer performer = again(performer_);
  performer.spec.plant = scene.actors.front().plant;
  return std::make_unique<Player>(scene, std::move(performer), flights_);
}

std::unique_ptr<PracticeRoom::Player> PracticeRoom::take_player(bool noisy) {
  const std::lock_guard lock(mutex_);
  auto player = std::move(idle_[noisy].back());
  idle_[noisy].pop_back();
  return player;
}

void PracticeRoom::give_back(bool noisy, std::unique_ptr<Player> player) {
  const std::lock_guard lock(mutex_);
  idle_[noisy].push_back(std::move(player));
}

std::vector<Member> PracticeRoom::members(int noisy, std::uint64_t seed) {
  // Who made a state stays, because the state refers to it.
  const auto start = [&](bool is_noisy, std::uint64_t own_seed) {
    auto player = make_player(is_noisy, own_seed);
    Member member{is_noisy, player->now()};
    give_back(is_noisy, std::move(player));
    return member;
  };
  std::vector<Member> members{start(false, scene_.seed)};
  Random seeds(seed);
  for (int i = 0; i < noisy; ++i) members.push_back(start(true, seeds.next()));
  return members;
}

std::vector<std::vector<Stretch>> PracticeRoom::play(const std::vector<Piece>& pieces) {
  std::vector<std::vector<Stretch>> out(pieces.size());
  const auto work = [&](int i) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    auto player = take_player(piece.noisy);
    out[static_cast<std::size_t>(i)] = player->play(piece, stumbles_count);
    give_back(piece.noisy, std::move(player));
    return std::string();
  };
  const auto outcomes = evaluator_->evaluate(static_cast<int>(pieces.size()), work, [&](int) {
    if (meanwhile) meanwhile();
    return true;
  });
  for (const auto& outcome : outcomes) {
    if (!outcome.error.empty()) throw RunError(outcome.error);
  }
  for (const auto& stretches : out) rollouts_ += static_cast<long>(stretches.size());
  return out;
}

}  // namespace stunt

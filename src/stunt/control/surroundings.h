// What a character sees of the rest of the scene: where the other bodies are and how they move. Read-only; a controller
// learns what others do, never what they plan, nor which engine runs.
#pragma once

#include <string>
#include <vector>

#include "stunt/world/ball_flight.h"

namespace stunt {

class Surroundings {
 public:
  explicit Surroundings(const Engine& engine) : engine_(&engine) {}

  // A body of a character by its role ("chest") or its own name; with `actor` empty an object, ball, platform or seesaw
  // by its name. -1 where there is none.
  int find(const std::string& actor, const std::string& body) const;
  int actor_of(int body) const;  // which of the scene's characters a body belongs to; -1: none

  Vec3 position(int body) const;  // m, of the body's origin
  Vec3 centre(int body) const;    // m, its centre of mass
  Quat rotation(int body) const;
  Vec3 velocity_at(int body, const Vec3& world_point) const;  // m/s

  // Balls that bounce; those that were not thrown yet are not seen. What the things of the scene are made of is known.
  const std::vector<BallSlot>& balls() const { return engine_->scene().balls; }
  bool flies(const BallSlot& ball) const { return !waits(*engine_, ball); }
  Ball ball(const BallSlot& slot) const { return ball_now(*engine_, slot); }
  BallFlight flight(const BallSlot& slot) const { return {engine_->scene(), slot, engine_->timestep()}; }
  const CompiledScene& things() const { return engine_->scene(); }

 private:
  const Engine* engine_;
};

}  // namespace stunt

// What a character sees of the rest of the scene: where the other bodies are and how they move. Read-only; a controller
// learns what others do, never what they plan, nor which engine runs.
#pragma once

#include <string>

#include "stunt/core/rotation.h"

namespace stunt {

class Engine;

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

 private:
  const Engine* engine_;
};

}  // namespace stunt

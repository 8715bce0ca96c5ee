// What of a body, other than its feet, is on the floor: hands, knees and a trunk that carry it. They have no labels of
// their own as feet do (contacts.h); the shapes of the body and where they are tell.
#pragma once

#include <vector>

#include "stunt/actor/dynamics.h"
#include "stunt/reference/cleanup/contacts.h"

namespace stunt {

struct FloorTouch {
  int body;    // of the actor
  Vec3 point;  // m, world: a lowest point of one of its shapes
};

// The captured surface of a body is only known to a few centimetres: nearer to the floor than this it carries.
constexpr double kCarriesBelow = 0.05;  // m

class FloorTouches {
 public:
  explicit FloorTouches(ActorPtr actor);

  // At this pose, over a level floor at height 0: the points lower than `below` (m), lowest points of capsules' ends and
  // spheres, corners of boxes. Not those of feet, nor of shanks where a foot is, nor of what hands hold. Valid until the
  // next call.
  const std::vector<FloorTouch>& find(const VecX& q, double below = kCarriesBelow);
  bool any(const VecX& q, double below = kCarriesBelow) { return !find(q, below).empty(); }

 private:
  void add(int body, const Vec3& point, double below);

  ActorPtr actor_;
  DataPtr kinematics_;
  std::vector<Vec3> ankles_;  // m, world
  std::vector<FloorTouch> found_;
};

// The times in which something other than the feet carries: it is on the floor for at least 0.1 s.
std::vector<TimeSpan> carried_times(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz);

// A foot of a leg that lies or kneels, or of a body that lies on its pelvis, stands only on its sole: its labels are taken
// away where it lies on its back, its side or its toes, unless it kneels on that knee alone. Changes `contacts`.
void unlabel_lying_feet(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                        const std::vector<TimeSpan>& carried, ContactTable& contacts);

}  // namespace stunt

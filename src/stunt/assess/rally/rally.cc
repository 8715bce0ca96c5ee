#include "stunt/assess/rally/rally.h"

#include <limits>

namespace stunt {

std::vector<Return> find_rally(const Recording& recording) {
  constexpr double kInReach = 1.2, kLost = 0.3;  // m
  constexpr double kSlow = 0.3;                  // m/s: slower it has no way to turn back from
  std::vector<Return> rally;
  if (recording.scene->balls.empty()) return rally;
  const mjModel& m = *recording.scene->model;
  const int body = recording.scene->balls.front().body;
  const int first_q = m.jnt_qposadr[m.body_jntadr[body]], first_v = m.body_dofadr[body];
  for (int i = 2; i < recording.samples(); ++i) {
    // A sample may lie within the step of the hit.
    const Vec3 before = recording.v(i - 2).segment<3>(first_v), after = recording.v(i).segment<3>(first_v);
    const Vec3 place = recording.q(i).segment<3>(first_q);
    const bool flew = before.head<2>().norm() > kSlow;
    if (flew && place.z() < kLost) break;
    if (!flew || after.head<2>().norm() < kSlow || before.head<2>().dot(after.head<2>()) >= 0) continue;
    Return hit{recording.time[static_cast<std::size_t>(i)], -1};
    double nearest = kInReach;
    for (std::size_t a = 0; a < recording.actors.size(); ++a) {
      const double far = (recording.q(i, recording.actors[a]).head<2>() - place.head<2>()).norm();
      if (far >= nearest) continue;
      nearest = far;
      hit.actor = static_cast<int>(a);
    }
    if (hit.actor < 0) continue;
    if (!rally.empty() && rally.back().actor == hit.actor) break;
    rally.push_back(hit);
    i += 2;
  }
  return rally;
}

}  // namespace stunt

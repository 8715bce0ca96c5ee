#include "stunt/simulate/apart_at_start.h"

#include <fmt/format.h>

#include "stunt/core/error.h"

namespace stunt {

void check_apart_at_start(const CompiledScene& scene, const VecX& q) {
  constexpr double kDeepest = 0.02;  // m: skin
  if (scene.actors.size() < 2) return;
  const mjModel& m = *scene.model;
  const DataPtr data(mj_makeData(&m));
  VecX::Map(data->qpos, m.nq) = q;
  mj_fwdPosition(&m, data.get());
  const mjContact* deepest = nullptr;
  for (int i = 0; i < data->ncon; ++i) {
    const mjContact& contact = data->contact[i];
    const int one = scene.actor_of(m.geom_bodyid[contact.geom[0]]);
    const int other = scene.actor_of(m.geom_bodyid[contact.geom[1]]);
    if (one < 0 || other < 0 || one == other || contact.dist > -kDeepest) continue;
    if (!deepest || contact.dist < deepest->dist) deepest = &contact;
  }
  if (!deepest) return;
  const auto part = [&](int side) {
    const int body = m.geom_bodyid[deepest->geom[side]];
    const ActorSlot& slot = scene.actors[static_cast<std::size_t>(scene.actor_of(body))];
    return fmt::format("{} of '{}'", slot.actor->bodies()[static_cast<std::size_t>(slot.own(body))].name,
                       slot.name);
  };
  throw InputError("actors",
                   fmt::format("{} starts {:.0f} cm inside {}", part(0), -100 * deepest->dist, part(1)),
                   "characters that start apart: give one another position or heading_deg");
}

}  // namespace stunt

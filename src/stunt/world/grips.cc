#include "stunt/world/grips.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "stunt/core/easing.h"
#include "stunt/world/nearest.h"

namespace stunt {

Handhold handhold(const mjModel& m, int body, const Vec3& position, const Quat& rotation, const Vec3& palm) {
  Handhold best{position, std::numeric_limits<double>::infinity()};
  for (int g = m.body_geomadr[body]; g < m.body_geomadr[body] + m.body_geomnum[body]; ++g) {
    const Vec3 centre = position + rotation * vec3(m.geom_pos + 3 * g);
    const Quat turn = rotation * quat_from_wxyz(m.geom_quat + 4 * g);
    const Nearest nearest = nearest_on(m, g, centre, turn, palm);
    const double distance = std::max(nearest.distance, 0.0);
    if (distance >= best.distance) continue;
    const double *size = m.geom_size + 3 * g, half = size[1];
    const bool bar =
        (m.geom_type[g] == mjGEOM_CAPSULE || m.geom_type[g] == mjGEOM_CYLINDER) && half > size[0];
    const Vec3 axis = turn * Vec3::UnitZ();
    best = {bar ? Vec3(centre + std::clamp(axis.dot(palm - centre), -half, half) * axis)
                : Vec3(palm - nearest.distance * nearest.normal),
            distance};
  }
  return best;
}

void Grips::update(double t, Engine& engine) {
  const double h = engine.timestep();
  for (std::size_t i = 0; i < grips_.size(); ++i) {
    Grip& grip = grips_[i];
    const GripSlot& slot = scene_->grips[i];
    const GripSpec& spec = slot.spec;
    const int index = static_cast<int>(i);
    if (grip.stage == Stage::waiting) {
      if (t + 1e-9 < spec.from || (spec.to && t >= *spec.to)) continue;
      const Vec3 hand = engine.body_position(slot.hand), object = engine.body_position(slot.object);
      const Quat hand_turn = engine.body_rotation(slot.hand), turn = engine.body_rotation(slot.object);
      const Handhold hold = handhold(*scene_->model, slot.object, object, turn, hand + hand_turn * slot.palm);
      if (hold.distance < grip.nearest) {
        grip.nearest = hold.distance;
        grip.nearest_at = t;
      }
      if (hold.distance > spec.reach) continue;
      grip.stage = Stage::holding;
      grip.closed_at = t;
      grip.force = 0;
      grip.on_hand = hand_turn.conjugate() * (hold.place - hand);
      grip.on_object = turn.conjugate() * (hold.place - object);
    } else if (grip.stage != Stage::holding) {
      continue;
    }

    for (const Contact& contact : engine.contacts()) {
      if (contact.grip == index) grip.force += approach(h, kYield) * (contact.force.norm() - grip.force);
    }
    grip.peak = std::max(grip.peak, grip.force);
    const bool slips = grip.force > spec.strength;
    if (slips || (spec.to && t + 1e-9 >= *spec.to)) {
      grip.stage = slips ? Stage::slipped : Stage::let_go;
      grip.opened_at = t;
      engine.open_grip(index);
      continue;
    }
    const double drawn = quintic_ease(std::min((t - grip.closed_at) / kDrawIn, 1.0));
    engine.close_grip(index, grip.on_hand + drawn * (slot.palm - grip.on_hand), grip.on_object);
  }
}

void Grips::let_go(int actor, double t, Engine& engine) {
  for (std::size_t i = 0; i < grips_.size(); ++i) {
    if (scene_->grips[i].actor != actor || grips_[i].stage != Stage::holding) continue;
    grips_[i].stage = Stage::waiting;
    grips_[i].opened_at = t;
    engine.open_grip(static_cast<int>(i));
  }
}

void Grips::describe(int actor, double end, std::vector<std::string>& notes,
                     std::vector<std::string>& warnings) const {
  for (std::size_t i = 0; i < grips_.size(); ++i) {
    const Grip& grip = grips_[i];
    const GripSpec& spec = scene_->grips[i].spec;
    if (scene_->grips[i].actor != actor) continue;
    switch (grip.stage) {
      case Stage::waiting:
        if (grip.nearest < 1e9) {
          warnings.push_back(
              fmt::format("The grip of {} never closed: at its nearest, at {:.2f} s, {} was {:.2f} m away, "
                          "and its reach is {} m.",
                          spec.body, grip.nearest_at, spec.object, grip.nearest, spec.reach));
        }
        break;
      case Stage::holding:
      case Stage::let_go:
        notes.push_back(fmt::format("{} held {} from {:.2f} to {:.2f} s, with up to {:.0f} N.", spec.body,
                                    spec.object, grip.closed_at,
                                    grip.stage == Stage::holding ? end : grip.opened_at, grip.peak));
        break;
      case Stage::slipped:
        warnings.push_back(
            fmt::format("{} slipped off {} at {:.2f} s: {:.0f} N pulled at a grip of {:.0f} N.", spec.body,
                        spec.object, grip.opened_at, grip.peak, spec.strength));
        break;
    }
  }
}

}  // namespace stunt

#include "stunt/control/surroundings.h"

#include <cstddef>

#include "stunt/world/engine.h"

namespace stunt {

int Surroundings::find(const std::string& actor, const std::string& body) const {
  const CompiledScene& scene = engine_->scene();
  if (actor.empty()) {
    const int found = mj_name2id(scene.model.get(), mjOBJ_BODY, body.c_str());
    return found > 0 && scene.actor_of(found) < 0 ? found : -1;
  }
  for (const ActorSlot& slot : scene.actors) {
    if (slot.name != actor) continue;
    const int part = slot.actor->find_part(body);
    return part < 0 ? -1 : slot.first_body + part;
  }
  return -1;
}

int Surroundings::actor_of(int body) const { return engine_->scene().actor_of(body); }
Vec3 Surroundings::position(int body) const { return engine_->body_position(body); }
Vec3 Surroundings::centre(int body) const {
  return engine_->body_position(body) +
         engine_->body_rotation(body) *
             vec3(engine_->scene().model->body_ipos + 3 * static_cast<std::ptrdiff_t>(body));
}
Quat Surroundings::rotation(int body) const { return engine_->body_rotation(body); }
Vec3 Surroundings::velocity_at(int body, const Vec3& world_point) const {
  return engine_->body_velocity_at(body, world_point);
}

}  // namespace stunt

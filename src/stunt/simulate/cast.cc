#include "stunt/simulate/cast.h"

#include "stunt/core/error.h"
#include "stunt/motion/load.h"
#include "stunt/reference/prepare.h"
#include "stunt/reference/wrappers.h"

namespace stunt {
namespace {

// The actor of a cast member, and how its bodies follow the clip's joints.
FittedActor actor_for(const ActorSpec& spec, const Clip& clip) {
  if (spec.character == "fit") return fit_actor(clip, {.mass_kg = spec.mass_kg});
  throw InputError("character", "'" + spec.character + "'", "fit");
}

}  // namespace

Cast make_cast(const Scene& scene) {
  Cast cast;
  for (const ActorSpec& spec : scene.actors) {
    CastSource source{load_clip(spec.motion.source), {}};
    source.fitted = actor_for(spec, source.clip);
    ReferencePtr reference = prepare(source.fitted, source.clip).reference;
    if (spec.motion.start >= reference->duration()) {
      throw InputError("motion.start", std::to_string(spec.motion.start) + " s",
                       "less than the motion's " + std::to_string(reference->duration()) + " s");
    }
    if (spec.motion.loop || source.clip.loops) reference = looped(reference);
    reference = timed(placed(reference, spec.position, radians(spec.heading_deg)), spec.motion.start, spec.motion.speed);

    CastMember member;
    member.name = spec.name.empty() ? source.clip.name : spec.name;
    member.motion = source.clip.name;
    member.character = spec.character;
    member.actor = source.fitted.actor;
    member.reference = reference;
    member.controller = make_controller(spec.controller, reference);
    Config names = spec.controller;
    member.controller_name = "pd";
    names("type", member.controller_name);
    names("preset", member.preset);
    cast.members.push_back(std::move(member));
    cast.sources.push_back(std::move(source));
  }
  return cast;
}

}  // namespace stunt

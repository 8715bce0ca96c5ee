#include "stunt/simulate/cast.h"

#include "stunt/core/error.h"
#include "stunt/motion/load.h"
#include "stunt/reference/feasible.h"
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
    const auto prepared = prepare(source.fitted, source.clip).reference;
    if (spec.motion.start >= prepared->duration()) {
      throw InputError("motion.start", std::to_string(spec.motion.start) + " s",
                       "less than the motion's " + std::to_string(prepared->duration()) + " s");
    }
    const auto staged = [&](ReferencePtr reference) {
      if (spec.motion.loop || source.clip.loops) reference = looped(reference);
      return timed(placed(reference, spec.position, radians(spec.heading_deg)), spec.motion.start, spec.motion.speed);
    };
    Config controller = spec.controller;
    std::string type = "mcsim", preset = "default";
    bool feasible = true;
    controller("type", type)("preset", preset)("feasible", feasible);
    // What is shown and scored is the motion as prepared; a controller that plans forces follows one that forces can make.
    const bool change = type == "mcsim" && feasible;
    const ReferencePtr shown = staged(prepared);
    const ReferencePtr followed = change ? staged(make_feasible(*prepared)) : shown;

    CastMember member;
    member.name = spec.name.empty() ? source.clip.name : spec.name;
    member.motion = source.clip.name;
    member.character = spec.character;
    member.actor = source.fitted.actor;
    member.reference = shown;
    member.controller = make_controller(spec.controller, followed);
    member.controller_name = type;
    member.preset = preset;
    cast.members.push_back(std::move(member));
    cast.sources.push_back(std::move(source));
  }
  return cast;
}

}  // namespace stunt

#include "stunt/simulate/cast.h"

#include "stunt/core/error.h"
#include "stunt/motion/edit/edit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/balance_reference.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/retarget/retarget.h"
#include "stunt/reference/staging/apply_edits.h"
#include "stunt/reference/staging/slope.h"
#include "stunt/reference/staging/staging.h"

namespace stunt {
namespace {

// The motion on the character that the scene names.
std::shared_ptr<const SampledReference> motion_for(const ActorSpec& spec, CastSource& source) {
  source.retargeted = spec.character != "fit";
  if (source.retargeted && spec.mass_kg > 0) {
    throw InputError("mass_kg", "a mass for the character '" + spec.character + "'",
                     "character: fit with it");
  }
  const ActorPtr character = source.retargeted ? Actor::load(spec.character) : nullptr;
  source.fitted = fit_actor(source.clip, {.mass_kg = spec.mass_kg});
  const auto prepared = clean_up(source.fitted, source.clip).reference;
  return apply_slopes(source.retargeted ? retarget(*prepared, character) : prepared, spec.motion.edits);
}

// The same poses on another actor of the same joints.
std::shared_ptr<const SampledReference> on_actor(const std::shared_ptr<const SampledReference>& reference,
                                                 ActorPtr actor) {
  if (actor == reference->actor()) return reference;
  std::vector<VecX> q;
  std::vector<std::vector<std::uint8_t>> contacts;
  for (int i = 0; i < reference->size(); ++i) {
    q.push_back(reference->q(i));
    contacts.push_back(reference->contacts(i));
  }
  return std::make_shared<SampledReference>(std::move(actor), reference->rate(), std::move(q),
                                            std::move(contacts));
}

// A looped motion is cleaned and made possible three times in a row, and the middle one is repeated: so its
// end goes over into its beginning like any other moment of it.
constexpr int kCycles = 3;
Clip in_cycles(const Clip& clip) { return as_loop(clip, std::min(0.25, 0.25 * clip.duration()), kCycles); }

}  // namespace

Cast make_cast(const Scene& scene) {
  Cast cast;
  for (const ActorSpec& spec : scene.actors) {
    CastSource source{apply_edits(load_clip(spec.motion.source), spec.motion.edits), {}};
    if (spec.motion.loop) source.clip = in_cycles(source.clip);
    const auto prepared = motion_for(spec, source);
    if (spec.motion.start >= prepared->duration()) {
      throw InputError("motion.start", std::to_string(spec.motion.start) + " s",
                       "less than the motion's " + std::to_string(prepared->duration()) + " s");
    }
    const GroundSpec& ground = scene.ground;
    const auto staged = [&](std::shared_ptr<const SampledReference> motion) {
      // A motion that was given the slope by an edit, feet and all, is not lifted a second time.
      const double slope = has_slope(spec.motion.edits) ? 0 : ground.slope_deg;
      const bool legs =
          motion->actor()->body(Role::left_foot) >= 0 && motion->actor()->body(Role::right_foot) >= 0;
      if (slope != 0 && legs) {
        motion = legs_adapted_to_plane(*motion, plane_rising(slope, ground.direction_deg - spec.heading_deg));
      }
      ReferencePtr reference = motion;
      const double period = motion->duration() / kCycles;
      if (spec.motion.loop) reference = looped(motion, period, period);
      reference = placed(reference, spec.position, radians(spec.heading_deg));
      reference = timed(reference, spec.motion.start, spec.motion.speed);
      if (ground.slope_deg == 0 && ground.height == 0) return reference;
      return on_slope(reference, ground.height, plane_rising(slope, ground.direction_deg).slope);
    };
    Config controller = spec.controller;
    std::string type = "mcsim", preset = "default";
    bool balance = true, pedestal = false;
    controller("type", type)("pedestal", pedestal);
    if (type == "mcsim") controller("preset", preset);
    // What is shown and scored is the motion as prepared; a controller that plans forces follows one that
    // forces can make.
    const bool can_change = type == "mcsim" && preset == "default";
    if (can_change) controller("balance_reference", balance);
    const bool change = can_change && balance;
    const ReferencePtr shown = staged(prepared);
    Variation model = spec.model.body;
    model.gravity = scene.gravity;
    const auto believed = on_actor(prepared, vary(prepared->actor(), model));
    const ReferencePtr followed = change ? staged(balance_reference(*believed)) : staged(believed);

    CastMember member;
    member.name = spec.name.empty() ? source.clip.name : spec.name;
    member.motion = source.clip.name;
    member.character = spec.character;
    member.actor = vary(prepared->actor(), spec.plant.body);
    member.reference = shown;
    member.followed = followed;
    member.controller = make_controller(spec.controller, followed, spec.model.friction);
    member.controller_name = type;
    member.preset = preset;
    member.pedestal = pedestal;
    cast.members.push_back(std::move(member));
    cast.sources.push_back(std::move(source));
  }
  return cast;
}

}  // namespace stunt

#include "stunt/actor/fit/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "stunt/actor/fit/parts.h"
#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr double kBodyMassIndex = 22.9;  // kg/m^2: 70 kg at 1.75 m

std::string model_name(const std::string& clip) {
  std::string out;
  for (const char c : clip) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out.empty() ? "actor" : out;
}

// The character's rest pose stands on the ground: the soles' lowest point at height 0.
void stand_on_ground(std::vector<FitSegment>& segments) {
  double lowest = 1e9;
  for (const FitSegment& segment : segments) {
    for (const FitGeom& geom : segment.geoms) {
      if (geom.use != FitGeom::Use::sole) continue;
      lowest =
          std::min(lowest, (segment.rest_position + segment.rest_rotation * geom.from).z() - geom.radius);
    }
  }
  for (FitSegment& segment : segments) segment.rest_position.z() -= lowest;
}

}  // namespace

FittedActor fit_actor(const Clip& clip, const FitOptions& options) {
  if (clip.skeleton.joints.empty()) throw InputError(clip.name, "no joints", "a skeleton");
  if (options.mass_kg < 0) {
    throw InputError("mass", fmt::format("{} kg", options.mass_kg), "above 0, or 0 to estimate it");
  }
  FittedActor fitted;
  const Roles roles = recognise_roles(clip.skeleton);
  const SampledPoses samples = sample_poses(clip);
  std::vector<FitSegment> segments = choose_segments(clip, roles, samples, fitted.notes);
  fitted.height_m = estimate_height(segments);
  const double mass =
      options.mass_kg > 0 ? options.mass_kg : kBodyMassIndex * fitted.height_m * fitted.height_m;

  const Soles soles = find_soles(segments, samples, fitted.height_m, clip.skeleton.stance.empty());
  lay_toes_flat(segments, soles);
  choose_joints(segments, soles, fitted.notes);
  shape_feet(segments, soles, fitted.height_m);
  give_masses(segments, mass, fitted.height_m);
  give_shapes(segments, fitted.height_m);
  stand_on_ground(segments);

  if (options.mass_kg == 0) {
    fitted.notes.push_back(
        fmt::format("The length of the legs suggests a height of {:.2f} m; a mass of {:.0f} kg is assumed.",
                    fitted.height_m, mass));
  }
  for (const auto& [sole, side] : {std::pair{soles.left, "left"}, {soles.right, "right"}}) {
    if (!sole.seen) {
      fitted.notes.push_back(
          fmt::format("The {} foot never stands in this clip, so its sole is placed as {}.", side,
                      sole.as_at_rest ? "it stands in the rest pose" : "on an average foot"));
    }
  }
  fitted.actor =
      Actor::from_xml(to_mjcf(segments, model_name(clip.name), mass, options.strength), clip.name, clip.name);
  for (const ActorBody& body : fitted.actor->bodies()) {
    for (const FitSegment& segment : segments) {
      if (segment.name == body.name) fitted.clip_joint.push_back(segment.joint);
    }
  }
  return fitted;
}

}  // namespace stunt

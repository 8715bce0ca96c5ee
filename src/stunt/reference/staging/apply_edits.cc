#include "stunt/reference/staging/apply_edits.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/pose_map.h"
#include "stunt/motion/edit/clip_ik.h"
#include "stunt/motion/edit/edit.h"
#include "stunt/motion/edit/keys.h"
#include "stunt/motion/load.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/retarget/retarget.h"
#include "stunt/reference/staging/slope.h"

namespace stunt {
namespace {

double leg_length(const Skeleton& skeleton) {
  const RestPose rest(skeleton);
  const auto way = [&](Role from, Role to) {
    return (rest.world.positions[rest.roles[to]] - rest.world.positions[rest.roles[from]]).norm();
  };
  return way(Role::left_thigh, Role::left_shank) + way(Role::left_shank, Role::left_foot);
}

// As the clip has it: nothing smoothed or planted.
CleanMotion as_captured(const FittedActor& fitted, const Clip& clip, bool level) {
  return clean_up(fitted, clip, {.spikes = false, .low_pass_hz = -1, .floor = level, .feet = false});
}

// Poses of a reference on the skeleton that its actor was fitted to, at the clip's rate. Joints without a
// body move as in `source`, or stay as in its first frame where `still`.
Clip as_clip(const SampledReference& reference, const FittedActor& fitted, const Clip& source, bool still) {
  Clip out = source;
  out.frames.clear();
  const int count = static_cast<int>(std::floor(reference.duration() * source.fps + 1e-6)) + 1;
  ReferenceSample at;
  for (int i = 0; i < count; ++i) {
    const double t = i / source.fps;
    reference.sample(t, at);
    out.frames.push_back(q_to_pose(fitted, source, at.q, sample(source, still ? 0 : t)));
  }
  return out;
}

Clip other_for(const Clip& clip, const std::string& name) { return on_skeleton_of(clip, load_clip(name)); }

struct Apply {
  Clip& clip;
  void operator()(const CropEdit& edit) { clip = cropped(clip, edit.from, edit.to); }
  void operator()(const MirrorEdit&) { clip = mirrored(clip); }
  void operator()(const ResampleEdit& edit) { clip = resampled(clip, edit.hz); }
  void operator()(const SpeedEdit& edit) { clip = at_speed(clip, edit.factor); }
  void operator()(const LoopEdit& edit) { clip = as_loop(clip, edit.seam, edit.cycles); }
  void operator()(const StrideEdit& edit) {
    clip = with_stride(clip, edit.by != 0 ? 1 + edit.by / step_length(clip) : edit.factor);
  }
  void operator()(const WarpEdit& edit) {
    clip = retimed(
        clip, [&](double t) { return warped_time(edit, t).own; }, clip.duration() + warp_delay(edit));
  }
  void operator()(const KeysEdit& edit) { clip = interpolated(clip, edit.keys); }
  void operator()(const TransitionEdit& edit) {
    clip = transition(clip, other_for(clip, edit.motion), edit.at, edit.duration);
  }
  void operator()(const BlendEdit& edit) {
    const double end = edit.end > 0 ? edit.end : clip.duration();
    clip = blended(clip, other_for(clip, edit.motion), edit.weight, edit.start, end, edit.ramp);
  }
  void operator()(const LayerEdit& edit) { clip = layered(clip, other_for(clip, edit.motion)); }
  void operator()(const ReachTarget& edit) { clip = with_target(clip, edit); }
  void operator()(const SlopeEdit&) {}  // apply_slopes
};

}  // namespace

Clip on_skeleton_of(const Clip& like, const Clip& motion) {
  if (same_skeleton(like.skeleton, motion.skeleton)) {
    Clip out = like;
    out.name = motion.name;
    out.fps = motion.fps;
    out.loops = motion.loops;
    out.frames = motion.frames;
    const double scale = leg_length(like.skeleton) / leg_length(motion.skeleton);
    for (Pose& pose : out.frames) pose.root_position *= scale;
    return out;
  }
  const FittedActor fitted = fit_actor(like);
  const auto reference = as_captured(fit_actor(motion), motion, true).reference;
  Clip out = as_clip(*retarget(*reference, fitted.actor), fitted, like, true);
  out.name = motion.name;
  out.loops = motion.loops;
  return out;
}

Clip apply_edits(Clip clip, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) std::visit(Apply{clip}, edit);
  return clip;
}

bool has_slope(const std::vector<Edit>& edits) {
  return std::any_of(edits.begin(), edits.end(),
                     [](const Edit& edit) { return std::holds_alternative<SlopeEdit>(edit); });
}

std::shared_ptr<const SampledReference> apply_slopes(std::shared_ptr<const SampledReference> motion,
                                                     const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    if (const auto* slope = std::get_if<SlopeEdit>(&edit)) {
      motion = adapted_to_plane(*motion, plane_rising(slope->slope_deg, slope->direction_deg));
    }
  }
  return motion;
}

Clip apply_slopes(const Clip& clip, const std::vector<Edit>& edits) {
  if (!has_slope(edits)) return clip;
  const FittedActor fitted = fit_actor(clip);
  return as_clip(*apply_slopes(as_captured(fitted, clip, true).reference, edits), fitted, clip, false);
}

}  // namespace stunt

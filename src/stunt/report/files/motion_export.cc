#include "stunt/report/files/motion_export.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/actor/fit/pose_map.h"
#include "stunt/motion/interpret.h"

namespace stunt {
namespace {

// An actor's q at any time of a recording.
class ActorPath {
 public:
  ActorPath(const Recording& recording, int actor)
      : recording_(recording), track_(recording.actors[static_cast<std::size_t>(actor)]) {
    while (samples_ < recording.samples() && at(samples_).allFinite()) ++samples_;
  }

  // How many frames at this rate fit in. A run that reached its end has all frames of its clip, which may last (s) a little
  // longer than the samples of it.
  int frames(double fps, double clip_end = 0) const {
    if (samples_ == 0) return 0;
    const bool whole = recording_.duration - (samples_ - 1) / recording_.rate < 1 / recording_.rate;
    double end = whole ? recording_.duration : (samples_ - 1) / recording_.rate;
    if (whole && clip_end > end && clip_end - end < 1 / recording_.rate) end = clip_end;
    return 1 + static_cast<int>(std::floor(end * fps + 1e-6));
  }

  // Between two samples along the shortest way.
  const VecX& sample(double t) {
    const double place = std::clamp(t * recording_.rate, 0.0, samples_ - 1.0);
    const int nearest = static_cast<int>(std::lround(place));
    if (std::abs(place - nearest) < 1e-6) return q_ = at(nearest);
    const int first = static_cast<int>(place);
    from_ = at(first);
    to_ = at(first + 1);
    difference(*track_.slot.actor, from_, to_, step_);
    integrate(*track_.slot.actor, from_, step_, place - first, q_);
    return q_;
  }

 private:
  Eigen::Map<const VecX> at(int sample) const { return recording_.q(sample, track_); }

  const Recording& recording_;
  const ActorTrack& track_;
  int samples_ = 0;
  VecX q_, from_, to_, step_;
};

Vec3 anchor(const Actor& actor, const ActorBody& body) {
  return body.joint_count == 0 ? Vec3(Vec3::Zero()) : actor.joints()[body.first_joint].anchor;
}

}  // namespace

Clip simulated_clip(const Recording& recording, int actor_index, double fps) {
  const Actor& actor = *recording.actors[static_cast<std::size_t>(actor_index)].slot.actor;
  const auto& bodies = actor.bodies();
  Clip clip;
  clip.name = recording.actors[actor_index].name;
  clip.fps = fps > 0 ? fps : recording.rate;
  clip.source.unit_m = 0.01;
  clip.source.up_axis = std::string(1, 'y');  // "y" as a literal trips a false warning of GCC 12
  clip.source.to_stunt = axes_to_stunt("y", "", clip.name);

  // rest[i]: the body's axes in the world in the rest pose. The clip's axes are the world's there.
  std::vector<Quat> rest;
  std::vector<bool> is_leaf(bodies.size(), true);
  for (const ActorBody& body : bodies) {
    SkeletonJoint joint;
    joint.name = body.name;
    joint.parent = body.parent;
    if (body.parent >= 0) {
      is_leaf[body.parent] = false;
      // The anchor stays where it is in the parent, whatever the joint does.
      joint.offset = rest[body.parent] *
                     (body.offset + body.rest * anchor(actor, body) - anchor(actor, bodies[body.parent]));
    }
    rest.push_back(body.parent < 0 ? body.rest : rest[body.parent] * body.rest);
    clip.skeleton.joints.push_back(std::move(joint));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!is_leaf[i]) continue;
    clip.skeleton.ends.push_back(
        {static_cast<int>(i), rest[i] * (2 * (bodies[i].com - anchor(actor, bodies[i])))});
  }

  ActorPath path(recording, actor_index);
  ActorDynamics dynamics(recording.actors[static_cast<std::size_t>(actor_index)].slot.actor);
  const VecX at_rest = VecX::Zero(actor.nv());
  for (int frame = 0; frame < path.frames(clip.fps); ++frame) {
    dynamics.set_state(path.sample(frame / clip.fps), at_rest);
    Pose pose;
    pose.root_position = dynamics.point(0, anchor(actor, bodies[0]));
    std::vector<Quat> world;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      world.push_back((dynamics.body_rotation(static_cast<int>(i)) * rest[i].conjugate()).normalized());
      const int parent = bodies[i].parent;
      pose.rotations.push_back(parent < 0 ? world[i] : (world[parent].conjugate() * world[i]).normalized());
    }
    clip.frames.push_back(std::move(pose));
  }
  return clip;
}

Clip simulated_clip(const Recording& recording, int actor, const MotionSource& motion) {
  const Clip& source = motion.clip;
  Clip clip;
  clip.name = source.name;
  clip.skeleton = source.skeleton;
  clip.fps = source.fps;
  clip.source = source.source;
  ActorPath path(recording, actor);
  VecX q;
  const double clip_end = motion.loop ? 0 : (source.duration() - motion.start) / motion.speed;
  for (int frame = 0, count = path.frames(clip.fps, clip_end); frame < count; ++frame) {
    const double t = frame / clip.fps;
    double source_time = motion.start + motion.speed * t;
    if (motion.loop && source.duration() > 0) source_time = std::fmod(source_time, source.duration());
    q = path.sample(t);
    unlevel(motion.floor, q);  // back to where the file had its floor
    clip.frames.push_back(q_to_pose(motion.fitted, source, q, sample(source, source_time)));
  }
  return clip;
}

}  // namespace stunt

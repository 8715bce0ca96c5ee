#include "stunt/simulate/performer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "stunt/motion/edit/edit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/bodies_apart.h"
#include "stunt/reference/cleanup/balance_reference.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/retarget/retarget.h"
#include "stunt/reference/staging/apply_edits.h"
#include "stunt/reference/staging/slope.h"
#include "stunt/reference/staging/staging.h"
#include "stunt/routine/routine.h"

namespace stunt {
namespace {

constexpr std::uint64_t kRoutineSeed = 0x726f7574696e65;  // apart from the sequences of throws and noise

using SampledPtr = std::shared_ptr<const SampledReference>;

// A looped motion is cleaned and made possible three times in a row, and the middle one is repeated: so its
// end goes over into its beginning like any other moment of it.
constexpr int kCycles = 3;
Clip in_cycles(const Clip& clip) { return as_loop(clip, std::min(0.25, 0.25 * clip.duration()), kCycles); }

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void check_start(const MotionSpec& motion, const Reference& reference) {
  if (motion.start < reference.duration()) return;
  throw InputError("motion.start", std::to_string(motion.start) + " s",
                   "less than the motion's " + std::to_string(reference.duration()) + " s");
}

// Reads the motion and cleans it, on the body fitted to it. Fills `source`, notes and warnings.
SampledPtr clean_motion(Performer& performer, const MotionSpec& motion, MotionSource& source) {
  source.clip = apply_edits(load_clip(motion.source, motion.import), motion.edits);
  if (motion.loop) source.clip = in_cycles(source.clip);
  source.start = motion.start;
  source.speed = motion.speed;
  source.loop = motion.loop;
  source.fitted = fit_actor(source.clip, {.mass_kg = performer.spec.mass_kg});
  const CleanMotion clean = clean_up(source.fitted, source.clip, motion.cleanup);
  if (motion.cleanup.floor) source.floor = clean.floor;
  append(performer.notes, source.clip.notes);
  append(performer.notes, source.fitted.notes);
  append(performer.notes, clean.notes);
  append(performer.warnings, source.clip.warnings);
  append(performer.warnings, clean.warnings);
  check_start(motion, *clean.reference);
  return clean.reference;
}

// What several characters of a scene have in common is made once.
class Shared {
 public:
  SampledPtr clean(Performer& performer, const MotionSpec& motion, MotionSource& source) {
    MotionSpec alike = motion;
    alike.start = 0;
    alike.speed = 1;
    const std::string key = fmt::format("{}\n{}", write_settings(alike), performer.spec.mass_kg);
    const auto known = cleaned_.find(key);
    if (known == cleaned_.end()) {
      const SampledPtr made = clean_motion(performer, motion, source);
      cleaned_.insert({key, {source, made, performer.notes, performer.warnings}});
      return made;
    }
    const Cleaned& made = known->second;
    source = made.source;
    source.start = motion.start;
    source.speed = motion.speed;
    performer.notes = made.notes;
    performer.warnings = made.warnings;
    check_start(motion, *made.reference);
    return made.reference;
  }
  SampledPtr balanced(const SampledPtr& motion) {
    SampledPtr& made = balanced_[motion];
    if (!made) made = balance_reference(*motion);
    return made;
  }

 private:
  struct Cleaned {
    MotionSource source;
    SampledPtr reference;
    std::vector<std::string> notes, warnings;
  };
  std::map<std::string, Cleaned> cleaned_;
  std::map<SampledPtr, SampledPtr> balanced_;
};

// The same poses on another actor of the same joints.
SampledPtr on_actor(const SampledPtr& reference, ActorPtr actor) {
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

// Standing still in the rest pose: what a character without a motion is asked to do.
SampledPtr rest_pose(const ActorPtr& actor) {
  return std::make_shared<SampledReference>(
      actor, kReferenceRate, std::vector<VecX>(3, actor->rest_q()),
      std::vector<std::vector<std::uint8_t>>(3,
                                             std::vector<std::uint8_t>(actor->contact_points().size(), 1)));
}

// A character without a motion that is on the move when it begins.
class StartReference : public Reference {
 public:
  StartReference(ActorPtr actor, StartPose start, const Eigen::Vector2d& position, double heading)
      : actor_(std::move(actor)), start_(std::move(start)) {
    const Quat yaw = yaw_rotation(heading);
    quat_to_wxyz(yaw * quat_from_wxyz(&start_.q[3]), &start_.q[3]);
    start_.q.head<3>() = yaw * Vec3(start_.q.head<3>()) + Vec3(position.x(), position.y(), 0);
    start_.v.head<3>() = yaw * Vec3(start_.v.head<3>());
  }
  const ActorPtr& actor() const override { return actor_; }
  double duration() const override { return 0; }
  void sample(double t, ReferenceSample& out) const override {
    out.q = start_.q;
    out.v = start_.v;
    if (t > 0) out.v.setZero();
    out.a.setZero(actor_->nv());
    out.contacts.assign(actor_->contact_points().size(), 1);
  }

 private:
  ActorPtr actor_;
  StartPose start_;
};

// The motion where the scene has it: on its slope, at its place, from its start on.
ReferencePtr staged(SampledPtr motion, const ActorSpec& spec, const GroundSpec& ground) {
  // A motion that was given the slope by an edit, feet and all, is not lifted a second time.
  const double slope = has_slope(spec.motion.edits) ? 0 : ground.slope_deg;
  const Actor& actor = *motion->actor();
  if (slope != 0 && actor.body(Role::left_foot) >= 0 && actor.body(Role::right_foot) >= 0) {
    motion = legs_adapted_to_plane(*motion, plane_rising(slope, ground.direction_deg - spec.heading_deg));
  }
  ReferencePtr reference = motion;
  const double period = motion->duration() / kCycles;
  if (spec.motion.loop) reference = looped(motion, period, period);
  reference = placed(reference, spec.position, radians(spec.heading_deg));
  reference = timed(reference, spec.motion.start, spec.motion.speed);
  if (ground.slope_deg == 0 && ground.height == 0) return reference;
  return on_slope(reference, ground.height, plane_rising(slope, ground.direction_deg).slope);
}

// What is shown and scored is the motion as cleaned; a controller that plans forces follows one that forces can make,
// on the body it believes to have.
void set_references(Performer& performer, const SampledPtr& clean, const Scene& scene, Shared& shared) {
  const ActorSpec& spec = performer.spec;
  Variation model = spec.model.body;
  model.gravity = scene.gravity;
  const SampledPtr believed = on_actor(clean, vary(clean->actor(), model));
  performer.shown = staged(clean, spec, scene.ground);
  performer.followed =
      staged(spec.controller.settings().wishes().balanced ? shared.balanced(believed) : believed, spec,
             scene.ground);
}

// A segment of a routine, at its own speed, on the body that the controller believes to have.
Segment make_segment(Performer& performer, const SegmentSpec& spec, const ActorPtr& body,
                     const Scene& scene) {
  MotionSource source;
  SampledPtr motion = clean_motion(performer, spec.motion, source);
  motion = on_actor(apply_slopes(retarget(*motion, performer.actor), spec.motion.edits), body);
  const double end = spec.end > 0 ? std::min(spec.end, motion->duration()) : motion->duration();
  const double speed = spec.motion.speed, length = (end - spec.motion.start) / speed;
  constexpr double kShortest = 0.1;  // s
  if (length < kShortest) {
    throw InputError(spec.place, fmt::format("{:.3f} s of motion", length),
                     fmt::format("at least {} s", kShortest));
  }
  std::vector<VecX> q;
  std::vector<std::vector<std::uint8_t>> contacts;
  ReferenceSample sample;
  for (int i = 0; i <= static_cast<int>(length * kReferenceRate + 1e-6); ++i) {
    motion->sample(spec.motion.start + speed * i / kReferenceRate, sample);
    sample.q[2] += scene.ground.height;
    q.push_back(sample.q);
    contacts.push_back(sample.contacts);
  }
  motion = std::make_shared<SampledReference>(body, kReferenceRate, std::move(q), std::move(contacts));
  if (performer.spec.controller.settings().wishes().balanced) motion = balance_reference(*motion);
  Segment segment;
  segment.name = spec.name;
  segment.ease = spec.ease;
  segment.motion = motion;
  const double period = motion->duration() / kCycles;
  if (spec.motion.loop) segment.motion = looped(motion, period, period);
  study(segment, spec.motion.loop, spec.motion.loop ? period : motion->duration(), spec.strike, spec.place);
  return segment;
}

// A character with a routine is shown and scored by what the routine composes.
void set_routine(Performer& performer, const Scene& scene, std::uint64_t seed) {
  const ActorSpec& spec = performer.spec;
  if (scene.ground.slope_deg != 0) throw InputError("routine", "a slope under it", "level ground");
  Variation model = spec.model.body;
  model.gravity = scene.gravity;
  const ActorPtr body = vary(performer.actor, model);
  auto segments = std::make_shared<Segments>();
  int ready = 0;
  for (const SegmentSpec& segment : spec.routine.segments) {
    if (segment.name == spec.routine.rules.ready) ready = static_cast<int>(segments->size());
    segments->push_back(make_segment(performer, segment, body, scene));
  }
  ReferenceSample first;
  (*segments)[static_cast<std::size_t>(ready)].motion->sample(0, first);
  const Vec3 start(first.q[0], first.q[1], 0);
  const double yaw = radians(spec.heading_deg);
  const GroundTransform place{
      yaw, start - yaw_rotation(yaw) * start + Vec3(spec.position.x(), spec.position.y(), 0)};
  performer.routine = std::make_shared<Routine>(spec.routine.rules, spec.name, segments, place, seed);
  performer.shown = performer.followed = performer.routine->tape();
}

Performer make_performer(const ActorSpec& spec, const Scene& scene, std::uint64_t seed, Shared& shared) {
  Performer performer;
  performer.spec = spec;
  const bool retargeted = spec.character != "fit";
  if (retargeted && spec.mass_kg > 0) {
    throw InputError("mass_kg", "a mass for the character '" + spec.character + "'",
                     "character: fit with it");
  }
  const ActorPtr character = retargeted ? Actor::load(spec.character) : nullptr;
  if (spec.motion.source.empty()) {
    Variation model = spec.model.body;
    model.gravity = scene.gravity;
    const ActorPtr equipped = attach(character, spec.attach);
    ReferencePtr rest = rest_pose(vary(equipped, model));
    if (const auto start = spec.controller.settings().start(*rest->actor())) {
      rest =
          std::make_shared<StartReference>(rest->actor(), *start, spec.position, radians(spec.heading_deg));
    } else if (character->has_free_root()) {
      rest = placed(rest, spec.position, radians(spec.heading_deg));
    }
    performer.followed = rest;
    performer.actor = vary(equipped, spec.plant.body);
  } else {
    if (character && !character->has_free_root()) {
      throw InputError(spec.character, "a character whose root is not free, with a motion",
                       "a free root (<freejoint/>), or no motion");
    }
    auto source = std::make_shared<MotionSource>();
    SampledPtr clean = shared.clean(performer, spec.motion, *source);
    source->retargeted = retargeted;
    clean = apply_slopes(retargeted ? retarget(*clean, character) : clean, spec.motion.edits);
    clean = on_actor(clean, attach(clean->actor(), spec.attach));
    performer.actor = clean->actor();
    if (spec.routine.any()) {
      set_routine(performer, scene, seed);
    } else {
      set_references(performer, clean, scene, shared);
    }
    performer.actor = vary(clean->actor(), spec.plant.body);
    if (spec.self_collision) performer.touching = bodies_apart(*clean);
    performer.source = std::move(source);
  }
  make_controller(performer);
  return performer;
}

}  // namespace

void make_controller(Performer& performer) {
  performer.controller =
      make_controller(performer.spec.controller, performer.followed, performer.spec.model.friction);
}

std::vector<Performer> make_performers(const Scene& scene) {
  check_files(scene);
  std::vector<Performer> performers;
  Shared shared;
  Random seeds(scene.seed ^ kRoutineSeed);
  for (const ActorSpec& spec : scene.actors) {
    try {
      performers.push_back(make_performer(spec, scene, seeds.next(), shared));
    } catch (const InputError& error) {
      if (spec.place.empty()) throw;
      throw InputError(spec.place, error.what());
    }
  }
  return performers;
}

void change_motion(Performer& performer, const Scene& scene, const MotionSpec& motion, double at,
                   double blend) {
  if (!performer.followed->actor()->has_free_root()) {
    throw InputError(performer.spec.character, "a character whose root is not free",
                     "a free root for another motion");
  }
  const ReferencePtr old_followed = performer.followed;
  const ReferencePtr old_shown = performer.shown ? performer.shown : performer.followed;
  performer.spec.motion = motion;
  MotionSource source;
  SampledPtr clean = clean_motion(performer, motion, source);
  clean = apply_slopes(retarget(*clean, old_shown->actor()), motion.edits);
  Shared alone;
  set_references(performer, clean, scene, alone);
  performer.shown = continued(old_shown, performer.shown, at, blend);
  performer.followed = continued(old_followed, performer.followed, at, blend);
  const std::any memory = performer.controller->save();
  make_controller(performer);
  performer.controller->restore(memory);
}

}  // namespace stunt

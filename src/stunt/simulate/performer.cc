#include "stunt/simulate/performer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "stunt/actor/shape.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "stunt/motion/edit/edit.h"
#include "stunt/motion/load.h"
#include "stunt/reference/bodies_apart.h"
#include "stunt/reference/cleanup/balance_reference.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/cleanup/unseen_support.h"
#include "stunt/reference/retarget/retarget.h"
#include "stunt/reference/staging/apply_edits.h"
#include "stunt/reference/staging/feasibility.h"
#include "stunt/reference/staging/handholds.h"
#include "stunt/reference/staging/live_edit.h"
#include "stunt/reference/staging/seat.h"
#include "stunt/reference/staging/slope.h"
#include "stunt/reference/staging/staging.h"
#include "stunt/routine/blend.h"
#include "stunt/routine/routine.h"
#include "stunt/simulate/prepared_motions.h"

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

// When hands carry a character, in seconds of a motion that it begins at `at` (s): while a grip of the scene may hold
// something that stays where it is.
std::vector<TimeSpan> held_times(const Scene& scene, const std::string& actor, const MotionSpec& motion,
                                 double at) {
  constexpr double kForEver = 1e9;  // s
  std::vector<TimeSpan> held;
  for (const GripSpec& grip : scene.grips) {
    const bool gives_way = std::any_of(scene.objects.begin(), scene.objects.end(), [&](const ObjectSpec& o) {
      return o.name == grip.object && !o.fixed && !o.hangs_from;
    });
    if (grip.actor != actor || gives_way || (grip.to && *grip.to < at)) continue;
    if (motion.loop) {  // in its own time, round after round
      held.push_back({0, kForEver});
      continue;
    }
    held.push_back({motion.start + motion.speed * (grip.from - at),
                    grip.to ? motion.start + motion.speed * (*grip.to - at) : kForEver});
  }
  return held;
}

// When fixed boxes of the scene carry a character, in seconds of its motion.
std::vector<TimeSpan> seated_times(const Scene& scene, const ActorSpec& spec, const SampledPtr& clean) {
  std::vector<SeatBox> boxes;
  for (const ObjectSpec& object : scene.objects) {
    if (object.fixed && object.shape == "box")
      boxes.push_back({object.position, 0.5 * object.size, turned_deg(object.rotation_deg)});
  }
  if (boxes.empty() || spec.motion.loop) return {};
  return seated_times(*placed(clean, spec.position, radians(spec.heading_deg)), boxes);
}

// Says what a scene could give the hands to hold, or the body to sit on, where it seems to be carried by something that
// the file does not have.
void suggest_support(Performer& performer, const MotionSource& source, CleanupSettings cleanup,
                     const SampledReference& clean) {
  std::vector<VecX> q;
  ContactTable contacts;
  for (int i = 0; i < clean.size(); ++i) {
    q.push_back(clean.q(i));
    contacts.push_back(clean.contacts(i));
  }
  cleanup.held = unseen_support(clean.actor(), q, clean.rate(), contacts);
  // Hands that carried the body in between carried it all the time.
  for (std::size_t i = 0; i + 1 < cleanup.held.size();) {
    if (cleanup.held[i + 1].begin - cleanup.held[i].end > 1.5) {
      ++i;
      continue;
    }
    cleanup.held[i].end = cleanup.held[i + 1].end;
    cleanup.held.erase(cleanup.held.begin() + static_cast<long>(i) + 1);
  }
  if (const auto seat = find_seat(clean, cleanup.held)) {
    performer.warnings.push_back(
        "It seems to sit on something. A scene with this key gives it a seat, and so does --set:\n" +
        seat_keys(*seat));
    return;
  }
  // As it would be with hands that hold: nothing is brought down to the floor.
  const CleanMotion hanging = clean_up(source.fitted, source.clip, cleanup);
  const std::string keys = handhold_keys(find_handholds(*hanging.reference, cleanup.held));
  if (!keys.empty())
    performer.warnings.push_back(
        "The hands seem to hold something. A scene with these keys gives it to them:\n" + keys);
}

// Reads the motion and cleans it, on the body fitted to it. Fills `source`, notes and warnings.
SampledPtr clean_motion(Performer& performer, const MotionSpec& motion, MotionSource& source,
                        const std::vector<TimeSpan>& held = {}) {
  source.clip = apply_edits(load_clip(motion.source, motion.import), motion.edits);
  if (motion.loop) source.clip = in_cycles(source.clip);
  source.start = motion.start;
  source.speed = motion.speed;
  source.loop = motion.loop;
  source.fitted = fit_actor(source.clip, {.mass_kg = performer.spec.mass_kg});
  CleanupSettings cleanup = motion.cleanup;
  cleanup.held = held;
  const CleanMotion clean = clean_up(source.fitted, source.clip, cleanup);
  if (motion.cleanup.floor) source.floor = clean.floor;
  append(performer.notes, source.clip.notes);
  append(performer.notes, source.fitted.notes);
  append(performer.notes, clean.notes);
  append(performer.warnings, source.clip.warnings);
  append(performer.warnings, clean.warnings);
  if (!clean.warnings.empty() && held.empty()) suggest_support(performer, source, cleanup, *clean.reference);
  check_start(motion, *clean.reference);
  return clean.reference;
}

}  // namespace

// What several characters have in common is made once.
class SharedMotions {
 public:
  SampledPtr clean(Performer& performer, const MotionSpec& motion, MotionSource& source,
                   const std::vector<TimeSpan>& held) {
    MotionSpec alike = motion;
    alike.start = 0;
    alike.speed = 1;
    std::string key = fmt::format("{}\n{}", write_settings(alike), performer.spec.mass_kg);
    for (const TimeSpan& span : held) key += fmt::format("\nheld {} {}", span.begin, span.end);
    const auto known = cleaned_.find(key);
    if (known == cleaned_.end()) {
      const SampledPtr made = clean_motion(performer, motion, source, held);
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
  SampledPtr balanced(const SampledPtr& motion, const std::vector<TimeSpan>& held) {
    std::string when;
    for (const TimeSpan& span : held) when += fmt::format("{} {} ", span.begin, span.end);
    SampledPtr& made = balanced_[{motion, when}];
    if (!made) made = balance_reference(*motion, {.held = held});
    return made;
  }
  // The library of a routine: the same for characters that differ in place, rules and name alone.
  std::shared_ptr<const Segments> segments(const ActorSpec& spec, const Scene& scene,
                                           const std::function<std::shared_ptr<const Segments>()>& make) {
    Scene alike;
    alike.gravity = scene.gravity;
    alike.ground = scene.ground;
    alike.actors = {spec};
    ActorSpec& actor = alike.actors[0];
    actor.name.clear();
    actor.position.setZero();
    actor.heading_deg = 0;
    actor.routine.rules = {};
    std::shared_ptr<const Segments>& made = segments_[write_settings(alike)];
    if (!made) made = make();
    return made;
  }

 private:
  struct Cleaned {
    MotionSource source;
    SampledPtr reference;
    std::vector<std::string> notes, warnings;
  };
  std::map<std::string, Cleaned> cleaned_;
  std::map<std::pair<SampledPtr, std::string>, SampledPtr> balanced_;  // of a motion and when it is held
  std::map<std::string, std::shared_ptr<const Segments>> segments_;    // of a character's settings
};

namespace {

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
void set_references(Performer& performer, const SampledPtr& clean, const std::vector<TimeSpan>& held,
                    const Scene& scene, SharedMotions& shared) {
  const ActorSpec& spec = performer.spec;
  Variation model = spec.model.body;
  model.gravity = scene.gravity;
  const SampledPtr believed = on_actor(clean, vary(clean->actor(), model));
  const SampledPtr possible =
      spec.controller.settings().wishes().balanced ? shared.balanced(believed, held) : believed;
  if (!spec.motion.edits.empty()) {
    const std::string doubt = infeasible_text(infeasible_stretches(*possible, {.held = held}));
    if (!doubt.empty()) performer.warnings.push_back(doubt);
  }
  performer.shown = staged(clean, spec, scene.ground);
  performer.followed = staged(possible, spec, scene.ground);
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

std::shared_ptr<const Segments> make_segments(Performer& performer, const Scene& scene) {
  const ActorSpec& spec = performer.spec;
  Variation model = spec.model.body;
  model.gravity = scene.gravity;
  const ActorPtr body = vary(performer.actor, model);
  auto segments = std::make_shared<Segments>();
  for (const SegmentSpec& segment : spec.routine.segments)
    segments->push_back(make_segment(performer, segment, body, scene));
  for (const BlendSpec& blend : spec.routine.blends) {
    std::vector<const Segment*> examples;
    for (const std::string& name : words(blend.of)) {
      examples.push_back(&*std::find_if(segments->begin(), segments->end(),
                                        [&](const Segment& segment) { return segment.name == name; }));
    }
    std::vector<Segment> between = blend_segments(examples, blend.steps, blend.name, blend.place);
    segments->insert(segments->end(), between.begin(), between.end());
  }
  return segments;
}

// A character with a routine is shown and scored by what the routine composes.
void set_routine(Performer& performer, const Scene& scene, std::uint64_t seed, SharedMotions& shared) {
  const ActorSpec& spec = performer.spec;
  if (scene.ground.slope_deg != 0) throw InputError("routine", "a slope under it", "level ground");
  const auto segments = shared.segments(spec, scene, [&] { return make_segments(performer, scene); });
  const auto named = std::find_if(segments->begin(), segments->end(), [&](const Segment& segment) {
    return segment.name == spec.routine.rules.ready;
  });
  const std::size_t ready =
      named == segments->end() ? 0 : static_cast<std::size_t>(named - segments->begin());
  ReferenceSample first;
  (*segments)[ready].motion->sample(0, first);
  const Vec3 start(first.q[0], first.q[1], 0);
  const double yaw = radians(spec.heading_deg);
  const GroundTransform place{
      yaw, start - yaw_rotation(yaw) * start + Vec3(spec.position.x(), spec.position.y(), 0)};
  performer.routine = std::make_shared<Routine>(spec.routine.rules, spec.name, segments, place, seed);
  performer.shown = performer.followed = performer.routine->tape();
}

Performer make_performer(const ActorSpec& spec, const Scene& scene, std::uint64_t seed,
                         SharedMotions& shared) {
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
    std::vector<TimeSpan> held = held_times(scene, spec.name, spec.motion, 0);
    SampledPtr clean = shared.clean(performer, spec.motion, *source, held);
    if (const auto seated = seated_times(scene, spec, clean); !seated.empty()) {
      held.insert(held.end(), seated.begin(), seated.end());
      performer.notes.clear();
      performer.warnings.clear();
      clean = shared.clean(performer, spec.motion, *source, held);
    }
    source->retargeted = retargeted;
    clean = apply_slopes(retargeted ? retarget(*clean, character) : clean, spec.motion.edits);
    clean = on_actor(clean, attach(clean->actor(), spec.attach));
    performer.actor = clean->actor();
    if (spec.routine.any()) {
      set_routine(performer, scene, seed, shared);
    } else {
      set_references(performer, clean, held, scene, shared);
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

PreparedMotions::PreparedMotions() : shared_(std::make_unique<SharedMotions>()) {}
PreparedMotions::~PreparedMotions() = default;

std::vector<Performer> make_performers(const Scene& scene, PreparedMotions& prepared) {
  check_files(scene);
  std::vector<Performer> performers;
  Random seeds(scene.seed ^ kRoutineSeed);
  for (const ActorSpec& spec : scene.actors) {
    try {
      performers.push_back(make_performer(spec, scene, seeds.next(), *prepared.shared_));
    } catch (const InputError& error) {
      if (spec.place.empty()) throw;
      throw InputError(spec.place, error.what());
    }
  }
  return performers;
}

std::vector<Performer> make_performers(const Scene& scene) {
  PreparedMotions alone;
  return make_performers(scene, alone);
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
  const std::vector<TimeSpan> held = held_times(scene, performer.spec.name, motion, at);
  SampledPtr clean = clean_motion(performer, motion, source, held);
  clean = apply_slopes(retarget(*clean, old_shown->actor()), motion.edits);
  SharedMotions alone;
  set_references(performer, clean, held, scene, alone);
  performer.shown = continued(old_shown, performer.shown, at, blend);
  performer.followed = continued(old_followed, performer.followed, at, blend);
  const std::any memory = performer.controller->save();
  make_controller(performer);
  performer.controller->restore(memory);
}

void edit_motion(Performer& performer, const Edit& edit, double at, double end, double blend) {
  performer.edited = true;
  if (const auto* warp = std::get_if<WarpEdit>(&edit)) {
    const bool same = performer.shown == performer.followed;
    performer.shown = warped(performer.shown, *warp, at);
    performer.followed = same ? performer.shown : warped(performer.followed, *warp, at);
  } else {
    constexpr double kBeyond = 1;  // s: controllers look ahead
    const double last = std::min(end, performer.shown->duration()) + kBeyond;
    if (last <= at + blend) throw InputError("edit", "a motion that is over by then", "one that goes on");
    const SampledPtr now = edited(*excerpt(*performer.shown, at, last), edit);
    const bool balanced = performer.spec.controller.settings().wishes().balanced;
    const SampledPtr believed = on_actor(now, performer.followed->actor());
    performer.shown = continued(performer.shown, now, at, blend);
    performer.followed =
        continued(performer.followed, balanced ? balance_reference(*believed) : believed, at, blend);
  }
  const std::any memory = performer.controller->save();
  make_controller(performer);
  performer.controller->restore(memory);
}

}  // namespace stunt

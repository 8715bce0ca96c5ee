#include "stunt/routine/tape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stunt/core/easing.h"
#include "stunt/reference/cleanup/clean_up.h"
#include "stunt/reference/legs/leg_ik.h"

namespace stunt {
namespace {

constexpr int kLead = 4;           // ticks before time 0
constexpr double kSettle = 0.4;    // s, at least, for the place of the root
constexpr double kAimTime = 0.12;  // s, from one aim to the next

double yaw_between(const Vec3& from, const Vec3& to) {
  return std::atan2(from.x() * to.y() - from.y() * to.x(), from.x() * to.x() + from.y() * to.y());
}

}  // namespace

double Tape::time_of(int number) { return (number - kLead) / kReferenceRate; }
int Tape::next_tick(double now) const {
  return std::min(memory_.written, static_cast<int>(std::ceil(now * kReferenceRate - 1e-9)) + kLead + 1);
}

Tape::Tape(std::shared_ptr<const Segments> segments)
    : segments_(std::move(segments)), dynamics_((*segments_)[0].motion->actor()) {
  const Actor& body = *actor();
  for (const bool left : {true, false}) {
    if (auto leg = find_leg(body, left)) legs_.push_back(*std::move(leg));
  }
  if (legs_.size() < 2) legs_.clear();
  zero_ = way_ = between_ = VecX::Zero(body.nv());
  for (Tick& t : memory_.ticks) {
    t.q = body.rest_q();
    t.v = t.a = zero_;
    t.contacts.assign(body.contact_points().size(), 0);
  }
  aim_from_ = aim_to_ = zero_;
  spare_ = spare_before_ = spare_after_ = memory_.ticks[0];
  for (Entry& entry : memory_.entries) entry.aim_from = entry.aim_to = zero_;
  begins_.resize(segments_->size());
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    (*segments_)[i].motion->sample(0, part_);
    find_standing(part_.q, part_.contacts, begins_[i]);
  }
  begin(0, {});
}

double Tape::duration() const { return std::numeric_limits<double>::infinity(); }

void Tape::begin(int segment, const GroundTransform& place) {
  Entry& first = memory_.entries[0];
  memory_.count = 1;
  memory_.written = 0;
  first.segment = segment;
  first.start = 0;
  first.ease = first.settle = 0;
  first.place = first.base = place;
  first.steps = false;
  first.scale = {};
  first.aim_from = first.aim_to = zero_;
  first.hold = {};
  memory_.stood = {};
  write(0);
}

double Tape::ends() const {
  const Entry& entry = memory_.entries[last()];
  if (of(entry).loops) return std::numeric_limits<double>::infinity();
  return entry.start + entry.scale.taken(of(entry).length);
}

double Tape::hits_at(double pace) const {
  const Entry& entry = memory_.entries[last()];
  const auto& strike = of(entry).strike;
  return strike ? entry.start + strike->scale_for(pace).taken(strike->at)
                : std::numeric_limits<double>::infinity();
}

bool Tape::stands(int foot, const std::vector<std::uint8_t>& contacts) const {
  const auto& points = actor()->contact_points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].left == (foot == 0) && contacts[i]) return true;
  }
  return false;
}

void Tape::feet_of(const VecX& q, std::array<FootPose, 2>& feet) {
  dynamics_.set_state(q, zero_);
  for (std::size_t f = 0; f < legs_.size(); ++f) feet[f] = foot_pose(dynamics_, legs_[f]);
}

void Tape::find_standing(const VecX& q, const std::vector<std::uint8_t>& contacts, Standing& out) {
  out.q = q;
  if (legs_.empty()) return;
  feet_of(q, out.feet);
  for (int f = 0; f < 2; ++f) out.down[static_cast<std::size_t>(f)] = stands(f, contacts);
}

// So that its feet are where those of `now` are; by the one foot that stands in both, or by the root, where there are not
// two.
GroundTransform Tape::placed(int segment, const Standing& now) const {
  const Standing& begin = begins_[static_cast<std::size_t>(segment)];
  const std::array<bool, 2> both = {begin.down[0] && now.down[0], begin.down[1] && now.down[1]};
  if (legs_.empty() || (!both[0] && !both[1])) return ground_transform(begin.q, now.q);
  GroundTransform place;
  if (both[0] && both[1]) {
    place.yaw = yaw_between(begin.feet[0].position - begin.feet[1].position,
                            now.feet[0].position - now.feet[1].position);
    place.shift = 0.5 * (now.feet[0].position + now.feet[1].position) -
                  yaw_rotation(place.yaw) * Vec3(0.5 * (begin.feet[0].position + begin.feet[1].position));
  } else {
    const std::size_t f = both[0] ? 0 : 1;
    place.yaw =
        yaw_between(begin.feet[f].rotation * legs_[f].forward, now.feet[f].rotation * legs_[f].forward);
    place.shift = now.feet[f].position - yaw_rotation(place.yaw) * begin.feet[f].position;
  }
  place.shift.z() = 0;
  return place;
}

// The stance of what is played, not where its feet are held: a foot put aside does not turn the body. Only while one is
// lifted it counts where they are.
const Tape::Standing& Tape::standing_now(double now) {
  const int number = next_tick(now) - 1;
  const Tick& here = tick(number);
  const Entry& entry = memory_.entries[last()];
  const double own = entry.scale.own(std::max(0.0, time_of(number) - entry.start));
  bool lifted = false, landed = true;
  for (const auto& swings : of(entry).swings) {
    for (const Segment::Swing& swing : swings) {
      lifted = lifted || own > swing.from;
      landed = landed && own >= swing.to;
    }
  }
  if (lifted && !landed) {
    find_standing(here.q, here.contacts, now_);
  } else {
    of(entry).motion->sample(own, part_);
    move_root(lifted ? entry.place : entry.base, part_);
    find_standing(part_.q, part_.contacts, now_);
  }
  return now_;
}

GroundTransform Tape::placed_now(int segment, double now) { return placed(segment, standing_now(now)); }

// The feet as they really are, in the tape's place.
void Tape::stance_now(const Tick& here, std::array<FootPose, 2>& feet) {
  feet_of(here.q, feet);
  for (std::size_t f = 0; f < legs_.size(); ++f) {
    if (!stands(static_cast<int>(f), here.contacts)) continue;
    feet[f].position += memory_.stood[f].shift;
    feet[f].rotation = yaw_rotation(memory_.stood[f].yaw) * feet[f].rotation;
  }
}

void Tape::stand(const VecX& q, double now) {
  if (legs_.empty()) return;
  const Tick& here = tick(next_tick(now) - 1);
  memory_.stood = {};
  if (!stands(0, here.contacts) || !stands(1, here.contacts)) return;
  feet_of(q, feet_);
  feet_of(here.q, other_feet_);
  Vec3 together = Vec3::Zero();
  for (std::size_t f = 0; f < 2; ++f) together += 0.5 * (feet_[f].position - other_feet_[f].position);
  for (std::size_t f = 0; f < 2; ++f) {
    Hold& stood = memory_.stood[f];
    stood.shift = feet_[f].position - other_feet_[f].position - together;
    stood.shift.z() = 0;
    stood.yaw = yaw_between(other_feet_[f].rotation * legs_[f].forward, feet_[f].rotation * legs_[f].forward);
  }
}

double Tape::aside() const { return std::max(memory_.stood[0].shift.norm(), memory_.stood[1].shift.norm()); }

double Tape::out_of_stance(int segment, double now) {
  if (legs_.empty()) return 0;
  const GroundTransform place = placed_now(segment, now);
  stance_now(tick(next_tick(now) - 1), feet_);
  double most = 0;
  for (std::size_t f = 0; f < 2; ++f) {
    const Vec3 home = place.apply(begins_[static_cast<std::size_t>(segment)].feet[f].position);
    most = std::max(most, (feet_[f].position - home).head<2>().norm());
  }
  return most;
}

void Tape::play(int segment, double now, double pace, const GroundTransform& step) {
  const int first = next_tick(now);
  const Segment& next = (*segments_)[static_cast<std::size_t>(segment)];
  const Tick& here = tick(first - 1);
  const GroundTransform base = placed_now(segment, now);
  GroundTransform place = base;
  if (next.steps() && !legs_.empty() && (step.yaw != 0 || !step.shift.isZero())) {
    const auto& feet = begins_[static_cast<std::size_t>(segment)].feet;
    const Vec3 middle = base.apply(0.5 * (feet[0].position + feet[1].position));
    GroundTransform about{step.yaw, middle - yaw_rotation(step.yaw) * middle + step.shift};
    about.shift.z() = 0;
    place = base.then(about);
  }
  // Those that nothing is seen of any more make room.
  auto& entries = memory_.entries;
  const double start = time_of(first - 1);
  int covered = 0;
  for (int i = 1; i < memory_.count; ++i) {
    const Entry& e = entries[static_cast<std::size_t>(i)];
    if (start >= e.start + e.settle + kTicks / kReferenceRate) covered = i;
  }
  if (memory_.count - covered == kEntries) ++covered;
  if (covered > 0) {
    std::rotate(entries.begin(), entries.begin() + covered, entries.end());
    memory_.count -= covered;
  }
  Entry& entry = entries[static_cast<std::size_t>(memory_.count++)];
  entry.segment = segment;
  entry.start = start;
  entry.ease = std::min(next.ease, next.length);
  entry.settle = std::max(entry.ease, std::min(kSettle, next.length));
  entry.place = place;
  entry.base = base;
  entry.steps = false;
  entry.scale = next.strike ? next.strike->scale_for(pace) : TimeScale{};
  entry.aim_from = entry.aim_to = zero_;
  entry.aimed = start;
  entry.hold = {};
  if (!legs_.empty()) {
    next.motion->sample(0, part_);
    move_root(place, part_);
    stance_now(here, feet_);
    feet_of(part_.q, other_feet_);
    const std::array<Vec3, 2> from = {feet_[0].position, feet_[1].position};
    for (int f = 0; f < 2; ++f) {
      const auto i = static_cast<std::size_t>(f);
      if (!stands(f, here.contacts) || !stands(f, part_.contacts)) continue;
      entry.hold[i].shift = feet_[i].position - other_feet_[i].position;
      entry.hold[i].shift.z() = 0;
      entry.hold[i].yaw =
          yaw_between(other_feet_[i].rotation * legs_[i].forward, feet_[i].rotation * legs_[i].forward);
    }
    if (next.steps()) prepare_step(entry, from);
  }
  memory_.stood = {};
  rewrite(first);
}

// The weight goes from the middle of the feet as they stand (`from`, m) over the second one, over the first in its new
// place, and to the middle of the new places.
void Tape::prepare_step(Entry& entry, const std::array<Vec3, 2>& from) {
  constexpr double kOn = 0.06, kOff = 0.04;  // s, before a foot is lifted and after it has landed
  const Segment& segment = of(entry);
  const std::size_t first = segment.swings[0][0].from <= segment.swings[1][0].from ? 0 : 1,
                    second = 1 - first;
  const Segment::Swing a = segment.swings[first][0], b = segment.swings[second][0];
  segment.motion->sample(0, part_);
  move_root(entry.base, part_);
  feet_of(part_.q, feet_);
  std::array<Vec3, 2> stand, land;
  for (std::size_t f = 0; f < 2; ++f) stand[f] = from[f] - feet_[f].position;
  const double height = part_.q[2];
  segment.motion->sample(segment.length, part_);
  const GroundTransform go = entry.base.inverse().then(entry.place);
  move_root(entry.base, part_);
  const Vec3 root = part_.q.head<3>();
  feet_of(part_.q, feet_);
  for (std::size_t f = 0; f < 2; ++f) land[f] = go.apply(feet_[f].position) - feet_[f].position;
  const Vec3 middle = 0.5 * (land[0] + land[1]);
  entry.rest = go.apply(root) - root - middle;
  entry.shift.at = {0.0, a.from - kOn, a.to + kOff, b.from - kOn, b.to + kOff, segment.length};
  const std::array<Vec3, 6> by = {
      Vec3(0.5 * (stand[0] + stand[1])), stand[second], stand[second], land[first], land[first], middle};
  for (std::size_t k = 0; k < by.size(); ++k) {
    entry.shift.by[k] = by[k].head<2>();
    if (k > 0) entry.shift.at[k] = std::max(entry.shift.at[k], entry.shift.at[k - 1] + 1e-3);
    entry.steps = entry.steps || entry.shift.by[k].norm() > 5e-4;
  }
  entry.steps = entry.steps || std::abs(go.yaw) > 1e-3;
  entry.shift.rate = std::sqrt(std::max(0.5, actor()->gravity()) / std::max(0.3, height));
}

// The root of part_, which is at the entry's place, to where the feet have it.
void Tape::lead_root(const Entry& entry, double own) {
  const double gone = step_weight(entry, own);
  const Quat there = quat_from_wxyz(&part_.q[3]);
  move_root(entry.place.inverse().then(entry.base), part_);
  const Vec2 shift = entry.shift(own);
  part_.q.head<3>() += Vec3(shift.x(), shift.y(), 0) + gone * entry.rest;
  quat_to_wxyz(quat_from_wxyz(&part_.q[3]).slerp(gone, there), &part_.q[3]);
}

bool Tape::may_change_pace(double now) const {
  const Entry& entry = memory_.entries[last()];
  return of(entry).strike && now < entry.start + entry.scale.hit - entry.scale.window;
}

void Tape::change_pace(double now, double pace) {
  Entry& entry = memory_.entries[last()];
  entry.scale.factor = pace;
  rewrite(next_tick(now));
}

void Tape::aim(double now, const VecX& offset) {
  const int from = next_tick(now);
  Entry& entry = memory_.entries[last()];
  const double start = time_of(from - 1);
  const double done = quintic_ease((start - entry.aimed) / kAimTime);
  entry.aim_from += done * (entry.aim_to - entry.aim_from);
  entry.aim_to = offset;
  entry.aimed = start;
  rewrite(from);
}

void Tape::at_hit(double pace, const VecX& offset, VecX& q, VecX& v) {
  Entry& entry = memory_.entries[last()];
  const double as_it_is = entry.scale.factor;
  std::swap(entry.aim_from, aim_from_);
  std::swap(entry.aim_to, aim_to_);
  entry.scale.factor = pace;
  entry.aim_from = entry.aim_to = offset;
  const double at = hits_at(pace);
  compose(at - 1 / kReferenceRate, spare_before_);
  compose(at, spare_);
  compose(at + 1 / kReferenceRate, spare_after_);
  entry.scale.factor = as_it_is;
  std::swap(entry.aim_from, aim_from_);
  std::swap(entry.aim_to, aim_to_);
  q = spare_.q;
  difference(*actor(), spare_before_.q, spare_after_.q, v);
  v *= 0.5 * kReferenceRate;
}

void Tape::rewrite(int from) {
  const int until = memory_.written;
  memory_.written = from;
  while (memory_.written < until) write_tick(memory_.written);
}

void Tape::write(double now) {
  while (time_of(memory_.written) <= now + kAhead) write_tick(memory_.written);
}

void Tape::write_tick(int number) {
  compose(time_of(number), tick(number));
  memory_.written = number + 1;
  if (number < 2) return;
  // Central differences of the tick before.
  Tick &before = tick(number - 2), &middle = tick(number - 1), &after = tick(number);
  difference(*actor(), before.q, middle.q, way_);
  difference(*actor(), middle.q, after.q, after.v);
  middle.v = 0.5 * kReferenceRate * (way_ + after.v);
  middle.a = kReferenceRate * kReferenceRate * (after.v - way_);
  after.v *= kReferenceRate;
  after.a = middle.a;
  if (number == 2) before.v = middle.v, before.a = middle.a;
}

double Tape::hold_weight(const Entry& entry, int foot, double own) const {
  const auto& swings = of(entry).swings[static_cast<std::size_t>(foot)];
  if (swings.empty() || own <= swings[0].from) return 1;
  return 1 - quintic_ease((own - swings[0].from) / std::max(1e-3, swings[0].to - swings[0].from));
}

// How far the body has gone along with the step: it stays over the foot that stands until the second one is lifted.
double Tape::step_weight(const Entry& entry, double own) const {
  const auto& swings = of(entry).swings;
  const double first = std::min(swings[0][0].from, swings[1][0].from);
  const double second = std::max(swings[0][0].from, swings[1][0].from);
  return quintic_ease((own - first) / std::max(1e-3, second - first));
}

// The pose of one entry, into part_; its feet are where the step takes them, its root on the way there.
void Tape::pose(const Entry& entry, double t) {
  const Segment& segment = of(entry);
  const double own = entry.scale.own(std::max(0.0, t - entry.start));
  segment.motion->sample(own, part_);
  move_root(entry.place, part_);
  if (!segment.strike) return;
  const double weight = hit_weight((own - segment.strike->at) / segment.strike->window);
  if (weight == 0) return;
  const double turned = quintic_ease((t - entry.aimed) / kAimTime);
  way_ = weight * (entry.aim_from + turned * (entry.aim_to - entry.aim_from));
  integrate(*actor(), part_.q, way_, 1, mixed_);
  part_.q = mixed_;
}

void Tape::compose(double t, Tick& out) {
  bool held = false;  // feet are not where the joints have them
  for (int i = 0; i < memory_.count; ++i) {
    const Entry& entry = memory_.entries[static_cast<std::size_t>(i)];
    if (i > 0 && t <= entry.start) break;
    const double weight = i == 0 ? 1 : quintic_ease((t - entry.start) / std::max(entry.ease, 1e-6));
    const double settled = i == 0 ? 1 : quintic_ease((t - entry.start) / std::max(entry.settle, 1e-6));
    // Whatever lies under one that is fully there need not be looked at.
    if (i + 1 < memory_.count) {
      const Entry& next = memory_.entries[static_cast<std::size_t>(i) + 1];
      if (t >= next.start + next.settle) continue;
    }
    pose(entry, t);
    const bool alone = settled >= 1;
    const double own = entry.scale.own(std::max(0.0, t - entry.start));
    bool holds = entry.steps;
    for (int f = 0; f < 2; ++f)
      holds = holds || (!entry.hold[static_cast<std::size_t>(f)].none() && hold_weight(entry, f, own) > 0);
    if (!legs_.empty() && (!alone || holds || i + 1 < memory_.count)) {
      feet_of(part_.q, other_feet_);
      for (int f = 0; f < 2; ++f) {
        const auto k = static_cast<std::size_t>(f);
        const double w = hold_weight(entry, f, own);
        other_feet_[k].position += w * entry.hold[k].shift;
        other_feet_[k].rotation = yaw_rotation(w * entry.hold[k].yaw) * other_feet_[k].rotation;
        feet_[k].position =
            alone ? other_feet_[k].position
                  : Vec3(feet_[k].position + weight * (other_feet_[k].position - feet_[k].position));
        feet_[k].rotation =
            alone ? other_feet_[k].rotation : feet_[k].rotation.slerp(weight, other_feet_[k].rotation);
      }
      held = holds || !alone;
      if (entry.steps) lead_root(entry, own);
    } else {
      held = false;
    }
    if (alone) {
      out.q = part_.q;
      out.contacts = part_.contacts;
    } else {
      difference(*actor(), out.q, part_.q, way_);
      way_.head<3>() *= weight > 0 ? settled / weight : 0;
      integrate(*actor(), out.q, way_, weight, mixed_);
      out.q = mixed_;
      if (weight >= 0.5) out.contacts = part_.contacts;
    }
  }
  if (!held) return;
  for (std::size_t f = 0; f < legs_.size(); ++f) put_foot(dynamics_, legs_[f], feet_[f], out.q);
}

void Tape::sample(double t, ReferenceSample& out) const {
  const int oldest = std::max(1, memory_.written - kTicks + 1), newest = memory_.written - 2;
  const double at = t * kReferenceRate + kLead;
  const double inside = std::clamp(at, static_cast<double>(oldest), static_cast<double>(newest));
  const int i = std::min(static_cast<int>(inside), newest - 1);
  const double blend = inside - i;
  const Tick &a = tick(i), &b = tick(i + 1);
  difference(*actor(), a.q, b.q, between_);
  integrate(*actor(), a.q, between_, blend, out.q);
  out.v = (1 - blend) * a.v + blend * b.v;
  out.a = (1 - blend) * a.a + blend * b.a;
  out.contacts = blend < 0.5 ? a.contacts : b.contacts;
}

}  // namespace stunt

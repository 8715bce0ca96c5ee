#include "stunt/assess/realism/assessed_motion.h"

#include <algorithm>
#include <cmath>

#include "stunt/reference/cleanup/contacts.h"

namespace stunt {
namespace {

Side foot_side(const Actor& actor, int body) {
  if (body == actor.body(Role::left_foot) || body == actor.body(Role::left_toes)) return Side::left;
  if (body == actor.body(Role::right_foot) || body == actor.body(Role::right_toes)) return Side::right;
  return Side::middle;
}

std::vector<SupportPoint> loaded_points(const Actor& actor, std::span<const std::uint8_t> contacts,
                                        const std::vector<Vec3>& points) {
  std::vector<SupportPoint> out;
  for (std::size_t p = 0; p < contacts.size(); ++p) {
    const ContactPoint& point = actor.contact_points()[p];
    if (contacts[p]) out.push_back({point.body, point.left ? Side::left : Side::right, points[p]});
  }
  return out;
}

Vec3 normal_of(const GroundSpec& ground) {
  const double z = ground.height_at(0, 0);
  return Vec3(z - ground.height_at(1, 0), z - ground.height_at(0, 1), 1).normalized();
}

Vec3 middle(const std::vector<SupportPoint>& supports) {
  Vec3 sum = Vec3::Zero();
  for (const SupportPoint& support : supports) sum += support.position;
  return supports.empty() ? sum : Vec3(sum / static_cast<double>(supports.size()));
}

std::vector<SupportPoint> touched(const Recording& recording, const ActorSlot& slot, int sample) {
  std::vector<SupportPoint> out;
  for (const RecordedContact& contact : recording.contacts_of(sample)) {
    for_own_sides(contact, slot, [&](int body, int other, double) {
      if (recording.scene->is_support(other))
        out.push_back(
            {body, foot_side(*slot.actor, body), Vec3(contact.point[0], contact.point[1], contact.point[2])});
    });
  }
  return out;
}

// Frames without support get that of the nearest frame within kTouchLasts.
void let_touch_last(AssessedMotion& motion) {
  const int n = static_cast<int>(motion.q.size());
  const int around = static_cast<int>(std::lround(kTouchLasts * motion.rate_hz));
  const std::vector<std::vector<SupportPoint>> as_seen = motion.supports;
  for (int i = 0; i < n; ++i) {
    std::vector<SupportPoint>& supports = motion.supports[static_cast<std::size_t>(i)];
    for (int d = 1; d <= around && supports.empty(); ++d) {
      for (const int other : {i - d, i + d}) {
        if (other >= 0 && other < n && supports.empty()) supports = as_seen[static_cast<std::size_t>(other)];
      }
    }
  }
}

}  // namespace

AssessedMotion motion_of(const SampledReference& reference) {
  AssessedMotion out{
      .actor = reference.actor(), .rate_hz = reference.rate(), .gravity = reference.actor()->gravity()};
  for (int i = 0; i < reference.size(); ++i) out.q.push_back(reference.q(i));
  const PointPaths points = contact_point_paths(*out.actor, out.q);
  for (int i = 0; i < reference.size(); ++i)
    out.supports.push_back(
        loaded_points(*out.actor, reference.contacts(i), points[static_cast<std::size_t>(i)]));
  out.grounds.assign(out.q.size(), Ground{});
  let_touch_last(out);
  return out;
}

AssessedMotion motion_of(const FittedActor& fitted, const Clip& clip, const CleanupSettings& cleanup) {
  AssessedMotion out = motion_of(*clean_up(fitted, clip, cleanup).reference);
  CleanupSettings as_captured = cleanup;
  as_captured.feet = false;
  const CleanMotion captured = clean_up(fitted, clip, as_captured);
  for (int i = 0; i < captured.reference->size(); ++i)
    out.q[static_cast<std::size_t>(i)] = captured.reference->q(i);
  return out;
}

AssessedMotion motion_of(const Recording& recording, int index, bool reference) {
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(index)];
  AssessedMotion out{.actor = track.slot.actor,
                     .rate_hz = recording.rate,
                     .gravity = -recording.scene->model->opt.gravity[2]};
  for (int i = 0; i < recording.samples(); ++i)
    out.q.emplace_back(reference ? VecX(track.reference_q(i)) : VecX(recording.q(i, track)));
  const GroundSpec& plane = recording.scene->ground;
  const Vec3 normal = normal_of(plane);
  PointPaths points;
  if (reference) points = contact_point_paths(*out.actor, out.q);
  const Channel* contacts = reference ? track.channels.find("reference_contacts") : nullptr;
  for (int i = 0; i < recording.samples(); ++i) {
    if (contacts) {
      out.supports.push_back(
          loaded_points(*out.actor, contacts->row<std::uint8_t>(i), points[static_cast<std::size_t>(i)]));
    } else {
      out.supports.push_back(reference ? std::vector<SupportPoint>() : touched(recording, track.slot, i));
    }
    if (!reference) out.torques.emplace_back(track.torque(i).cast<double>());
  }
  let_touch_last(out);
  for (const std::vector<SupportPoint>& supports : out.supports) {
    const Vec3 on = supports.empty() ? Vec3(0, 0, plane.height_at(0, 0)) : middle(supports);
    out.grounds.push_back({on, normal, plane.friction});
  }
  return out;
}

}  // namespace stunt

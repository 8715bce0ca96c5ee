#include "stunt/reference/cleanup/floor_touch.h"

#include <algorithm>
#include <cmath>

#include "stunt/reference/legs/leg.h"

namespace stunt {

FloorTouches::FloorTouches(ActorPtr actor)
    : actor_(std::move(actor)), kinematics_(mj_makeData(&actor_->model())) {}

void FloorTouches::add(int body, const Vec3& point, double below) {
  constexpr double kAtTheFoot = 0.15;  // m: the end of a shank that is as low as the foot it ends in
  if (point.z() >= below) return;
  for (const Vec3& ankle : ankles_) {
    if ((point - ankle).norm() < kAtTheFoot) return;
  }
  found_.push_back({body, point});
}

const std::vector<FloorTouch>& FloorTouches::find(const VecX& q, double below) {
  const mjModel& m = actor_->model();
  mjData& d = *kinematics_;
  mju_copy(d.qpos, q.data(), static_cast<int>(m.nq));
  mj_kinematics(&m, &d);
  found_.clear();
  ankles_.clear();
  for (const Role role : {Role::left_foot, Role::right_foot}) {
    if (const int foot = actor_->body(role); foot >= 0) ankles_.push_back(vec3(&d.xpos[3 * (foot + 1)]));
  }
  for (int g = 0; g < m.ngeom; ++g) {
    const int body = m.geom_bodyid[g] - 1;
    if (body < 0 || (m.geom_contype[g] == 0 && m.geom_conaffinity[g] == 0)) continue;
    if (actor_->is_foot(body) || actor_->bodies()[static_cast<std::size_t>(body)].attached) continue;
    const Vec3 centre = vec3(&d.geom_xpos[3 * g]), size = vec3(&m.geom_size[3 * g]);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(&d.geom_xmat[9 * g]);
    switch (m.geom_type[g]) {
      case mjGEOM_CAPSULE:
        for (const double end : {-1.0, 1.0})
          add(body, centre + end * size[1] * axes.col(2) - size[0] * Vec3::UnitZ(), below);
        break;
      case mjGEOM_BOX:
        for (int corner = 0; corner < 8; ++corner) {
          const Vec3 local((corner & 1 ? 1 : -1) * size[0], (corner & 2 ? 1 : -1) * size[1],
                           (corner & 4 ? 1 : -1) * size[2]);
          add(body, centre + axes * local, below);
        }
        break;
      default:
        add(body, centre - (m.geom_type[g] == mjGEOM_SPHERE ? size[0] : m.geom_rbound[g]) * Vec3::UnitZ(),
            below);
    }
  }
  return found_;
}

std::vector<TimeSpan> carried_times(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz) {
  constexpr double kShortest = 0.1;  // s
  FloorTouches touches(actor);
  std::vector<TimeSpan> spans;
  bool carried = false;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double t = static_cast<double>(i) / rate_hz;
    const bool now = touches.any(q[i]);
    if (now && !carried) spans.push_back({t, t});
    if (now) spans.back().end = t;
    carried = now;
  }
  std::erase_if(spans, [](const TimeSpan& span) { return span.end - span.begin < kShortest; });
  return spans;
}

void unlabel_lying_feet(const ActorPtr& actor, const std::vector<VecX>& q, double rate_hz,
                        const std::vector<TimeSpan>& carried, ContactTable& contacts) {
  constexpr double kOnItsSole = 0.5;  // cosine of how far a sole may be turned from level
  if (carried.empty()) return;
  ActorDynamics dynamics(actor);
  FloorTouches touches(actor);
  const VecX still = VecX::Zero(actor->nv());
  const ContactTable labelled = contacts;
  const auto on_sole = [&](const Leg& leg) {
    return (foot_pose(dynamics, leg).rotation * leg.sole_normal).z() > kOnItsSole;
  };
  for (const bool left : {true, false}) {
    const auto leg = find_leg(*actor, left), other = find_leg(*actor, !left);
    if (!leg) continue;
    const auto of_leg = [&](const FloorTouch& touch) {
      return touch.body == leg->thigh || touch.body == leg->shank;
    };
    const auto lies = [&](const FloorTouch& touch) { return touch.body == 0 || of_leg(touch); };
    // Who kneels on one knee alone, the other foot in front of it, stands on the toes behind too.
    const auto kneels = [&](std::size_t i, const std::vector<FloorTouch>& others) {
      const auto down = [&](int point) { return labelled[i][static_cast<std::size_t>(point)] != 0; };
      return other && on_sole(*other) && std::any_of(other->ball.begin(), other->ball.end(), down) &&
             std::all_of(others.begin(), others.end(), of_leg);
    };
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!any_holds(carried, static_cast<double>(i) / rate_hz)) continue;
      dynamics.set_state(q[i], still);
      if (on_sole(*leg)) continue;
      const auto& others = touches.find(q[i]);
      if (std::none_of(others.begin(), others.end(), lies) || kneels(i, others)) continue;
      for (std::size_t p = 0; p < contacts[i].size(); ++p) {
        if (actor->contact_points()[p].left == left) contacts[i][p] = 0;
      }
    }
  }
}

}  // namespace stunt

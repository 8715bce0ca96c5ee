#include "stunt/simulate/fall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stunt {
namespace {
constexpr double kLowFraction = 0.6, kLowFor = 0.2;              // pelvis rule: of the reference's height; s
constexpr double kTouchFor = 0.1, kClearanceInReference = 0.10;  // touch rule: s; m
}  // namespace

double lowest_point(const mjModel& m, const mjData& d, int body) {
  double lowest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < m.body_geomnum[body]; ++i) {
    const int geom = m.body_geomadr[body] + i;
    if (m.geom_contype[geom] == 0 && m.geom_conaffinity[geom] == 0) continue;
    const double* size = &m.geom_size[3 * geom];
    const double* axes = &d.geom_xmat[9 * geom];  // row-major; the third row is z in the geom's axes
    double reach = 0;
    switch (m.geom_type[geom]) {
      case mjGEOM_SPHERE:
        reach = size[0];
        break;
      case mjGEOM_CAPSULE:
        reach = size[0] + std::abs(axes[8]) * size[1];
        break;
      case mjGEOM_CYLINDER:
        reach = std::hypot(axes[6], axes[7]) * size[0] + std::abs(axes[8]) * size[1];
        break;
      case mjGEOM_ELLIPSOID:
        reach = std::sqrt(std::pow(axes[6] * size[0], 2) + std::pow(axes[7] * size[1], 2) +
                          std::pow(axes[8] * size[2], 2));
        break;
      case mjGEOM_BOX:
        reach = std::abs(axes[6]) * size[0] + std::abs(axes[7]) * size[1] + std::abs(axes[8]) * size[2];
        break;
      default:
        reach = m.geom_rbound[geom];
    }
    lowest = std::min(lowest, d.geom_xpos[3 * geom + 2] - reach);
  }
  return lowest;
}

FallWatch::FallWatch(const ActorSlot& slot, const GroundSpec& ground)
    : slot_(slot),
      ground_(ground),
      reference_(mj_makeData(&slot.actor->model())),
      surface_(slot.actor->bodies().size(), -1.0) {
  state_.touching_since.assign(slot.actor->bodies().size(), -1.0);
}

Vec3 FallWatch::root(const double* q) {
  if (slot_.actor->has_free_root()) return Vec3(q[0], q[1], q[2]);
  const mjModel& model = slot_.actor->model();
  mju_copy(reference_->qpos, q, static_cast<int>(model.nq));
  mj_kinematics(&model, reference_.get());
  return vec3(&reference_->xpos[3]);
}

std::optional<Fall> FallWatch::update(double t, const double* q, const double* reference_q, Engine& engine) {
  if (state_.fallen) return std::nullopt;
  const Actor& actor = *slot_.actor;
  if (!reference_q) {
    if (state_.first_q.size() == 0) state_.first_q = Eigen::Map<const VecX>(q, actor.nq());
    reference_q = state_.first_q.data();
  }

  const Vec3 at = root(q), wanted = root(reference_q);
  const double floor = ground_.height_at(wanted.x(), wanted.y());
  const double height = at.z() - ground_.height_at(at.x(), at.y()), expected = wanted.z() - floor;
  if (height >= kLowFraction * expected) {
    state_.low_since = -1;
  } else if (state_.low_since < 0) {
    state_.low_since = t;
  } else if (t - state_.low_since >= kLowFor) {
    state_.fallen = true;
    const std::string root_name =
        actor.body(Role::pelvis) >= 0 ? std::string(name(Role::pelvis)) : actor.bodies()[0].name;
    return Fall{state_.low_since, fmt::format("{} at {:.2f} m, below 0.6 of the reference's {:.2f} m",
                                              root_name, height, expected)};
  }

  constexpr double kTop = 0.7;  // of a normal that points up
  std::fill(surface_.begin(), surface_.end(), -1.0);
  bool any = false;
  const CompiledScene& scene = engine.scene();
  const auto is_handhold = [&](int other) {
    return std::any_of(scene.grips.begin(), scene.grips.end(),
                       [&](const GripSlot& grip) { return grip.object == other; });
  };
  for (const Contact& contact : engine.contacts()) {
    for_own_sides(contact, slot_, [&](int body, int other, double sign) {
      if (!scene.is_support(other) || actor.is_foot(body) || actor.is_hand(body) || is_handhold(other))
        return;
      const Vec3& p = contact.point;
      const double top =
          sign * contact.normal.z() > kTop ? std::max(0.0, p.z() - ground_.height_at(p.x(), p.y())) : 0;
      double& surface = surface_[static_cast<std::size_t>(body)];
      surface = std::max(surface, top);
      any = true;
    });
  }
  if (any) {
    const mjModel& model = actor.model();
    mju_copy(reference_->qpos, reference_q, static_cast<int>(model.nq));
    mj_kinematics(&model, reference_.get());
  }
  for (std::size_t body = 0; body < surface_.size(); ++body) {
    double& since = state_.touching_since[body];
    if (surface_[body] < 0 ||
        lowest_point(actor.model(), *reference_, static_cast<int>(body) + 1) - floor - surface_[body] <=
            kClearanceInReference) {
      since = -1;
    } else if (since < 0) {
      since = t;
    } else if (t - since >= kTouchFor) {
      state_.fallen = true;
      return Fall{since, fmt::format("{} touches the ground", actor.bodies()[body].name)};
    }
  }
  return std::nullopt;
}

}  // namespace stunt

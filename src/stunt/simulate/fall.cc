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

double ground_height(const GroundSpec& ground, double x, double y) {
  const double direction = radians(ground.direction_deg);
  return ground.height +
         std::tan(radians(ground.slope_deg)) * (x * std::cos(direction) + y * std::sin(direction));
}

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
      touching_since_(slot.actor->bodies().size(), -1.0),
      touches_(slot.actor->bodies().size(), 0) {}

std::optional<Fall> FallWatch::update(double t, const double* q, const VecX& reference_q, Engine& engine) {
  if (fallen_) return std::nullopt;
  const Actor& actor = *slot_.actor;

  const double height = q[2] - ground_height(ground_, q[0], q[1]);
  const double expected = reference_q[2] - ground_height(ground_, reference_q[0], reference_q[1]);
  if (height >= kLowFraction * expected) {
    low_since_ = -1;
  } else if (low_since_ < 0) {
    low_since_ = t;
  } else if (t - low_since_ >= kLowFor) {
    fallen_ = true;
    return Fall{low_since_,
                fmt::format("pelvis at {:.2f} m, below 0.6 of the reference's {:.2f} m", height, expected)};
  }

  std::fill(touches_.begin(), touches_.end(), std::uint8_t{0});
  bool any = false;
  const CompiledScene& scene = engine.scene();
  for (const Contact& contact : engine.contacts()) {
    for (const auto& [own, other] :
         {std::pair(contact.body1, contact.body2), std::pair(contact.body2, contact.body1)}) {
      const int body = own - slot_.first_body;
      if (body < 0 || body >= static_cast<int>(actor.bodies().size()) || !scene.is_support(other)) continue;
      if (actor.is_foot(body) || actor.is_hand(body)) continue;
      touches_[body] = 1;
      any = true;
    }
  }
  if (any) {
    const mjModel& model = actor.model();
    mju_copy(reference_->qpos, reference_q.data(), static_cast<int>(model.nq));
    mj_kinematics(&model, reference_.get());
  }
  const double floor = ground_height(ground_, reference_q[0], reference_q[1]);
  for (std::size_t body = 0; body < touches_.size(); ++body) {
    if (!touches_[body] || lowest_point(actor.model(), *reference_, static_cast<int>(body) + 1) - floor <=
                               kClearanceInReference) {
      touching_since_[body] = -1;
    } else if (touching_since_[body] < 0) {
      touching_since_[body] = t;
    } else if (t - touching_since_[body] >= kTouchFor) {
      fallen_ = true;
      return Fall{touching_since_[body], fmt::format("{} touches the ground", actor.bodies()[body].name)};
    }
  }
  return std::nullopt;
}

}  // namespace stunt

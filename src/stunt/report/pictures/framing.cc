#include "stunt/report/pictures/framing.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"
#include "stunt/report/mannequin/anatomy.h"

namespace stunt {
namespace {

constexpr int kMostSamples = 120;    // of a run that are looked at
constexpr double kMargin = 1.12;     // of the picture, for what is nearer to the camera than the middle
constexpr double kGhostApart = 0.4;  // m: a reference further away than this need not be seen

struct Extent {
  double low = 1e9, high = -1e9;
  void add(double centre, double half) {
    low = std::min(low, centre - half);
    high = std::max(high, centre + half);
  }
  bool empty() const { return low > high; }
};

// How far a geom reaches to each side of its box's middle, in a direction.
void add_geom(const mjModel& m, const mjData& data, int geom, const Vec3& direction, Extent& extent) {
  const Mat3 turn = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data.geom_xmat + 9 * geom);
  const Vec3 centre = vec3(data.geom_xpos + 3 * geom) + turn * vec3(m.geom_aabb + 6 * geom);
  const Vec3 half = vec3(m.geom_aabb + 6 * geom + 3);
  extent.add(centre.dot(direction), (turn.transpose() * direction).cwiseAbs().dot(half));
}

}  // namespace

double mean_heading(const Recording& run) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero(), first = Eigen::Vector2d::Zero();
  const CompiledScene& scene = *run.scene;
  double weights = 0;
  for (const ActorSlot& slot : scene.actors) {
    if (!slot.actor->has_free_root()) continue;
    const Anatomy anatomy(*slot.actor);
    const Vec3 forward = anatomy.rest_direction(0, anatomy.forward());
    const Vec3 up = anatomy.rest_direction(0, anatomy.up());
    for (int i = 0; i < run.samples(); i += std::max(1, run.samples() / kMostSamples)) {
      const Quat turn = quat_from_wxyz(run.q(i).data() + slot.first_q + 3);
      if (!turn.coeffs().allFinite()) break;
      const Vec3 ahead = turn * forward;
      // Who lies on the back faces the way the head does not point to, and the other way round.
      const Vec3 upright = turn * up;
      const Eigen::Vector2d flat = upright.z() > 0.5 ? Eigen::Vector2d(ahead.head<2>())
                                   : ahead.z() > 0   ? Eigen::Vector2d(-upright.head<2>())
                                                     : Eigen::Vector2d(upright.head<2>());
      if (flat.norm() < 1e-3) continue;
      const double weight = std::max(0.02, upright.z());
      if (weights == 0) first = flat;
      sum += weight * flat.normalized();
      weights += weight;
    }
  }
  if (weights > 0 && sum.norm() > 0.3 * weights) return std::atan2(sum.y(), sum.x());
  return weights > 0 ? std::atan2(first.y(), first.x()) : 0;
}

Framing::Framing(const Recording& recording, const std::string& camera, bool ghost)
    : run_(&recording), top_(camera == "top") {
  double turn = 0;
  elevation_ = -8;
  if (camera == "side") {
    turn = 90;
  } else if (camera == "front") {
    turn = 180;
  } else if (camera == "corner") {
    turn = 135;
    elevation_ = -12;
  } else if (camera == "top") {
    turn = 90;
    elevation_ = -89.9;
  } else {
    throw InputError("camera", "'" + camera + "'", "side, front, corner or top");
  }
  azimuth_ = degrees(mean_heading(recording)) + turn;
  const double line = radians(azimuth_);
  right_ = Vec3(std::sin(line), -std::cos(line), 0);
  measure(ghost);
}

Vec3 Framing::roots(int sample) const {
  const CompiledScene& scene = *run_->scene;
  if (scene.actors.empty()) return Vec3(0, 0, 1);
  Vec3 sum = Vec3::Zero();
  for (const ActorSlot& slot : scene.actors) sum += vec3(run_->q(sample).data() + slot.first_q);
  return sum / static_cast<double>(scene.actors.size());
}

Vec3 Framing::middle(int sample) const {
  const int reach = std::max(1, static_cast<int>(0.25 * run_->rate));
  Vec3 sum = Vec3::Zero();
  double weights = 0;
  for (int i = std::max(0, sample - reach); i <= std::min(run_->samples() - 1, sample + reach); i += 4) {
    const double weight = 1 + std::cos(kPi * (i - sample) / (reach + 1));
    sum += weight * roots(i);
    weights += weight;
  }
  return weights > 0 ? Vec3(sum / weights) : roots(sample);
}

void Framing::measure(bool ghost) {
  const CompiledScene& scene = *run_->scene;
  const mjModel& m = *scene.model;
  const DataPtr data(mj_makeData(&m));
  const Vec3 depth = right_.cross(Vec3::UnitZ());
  Extent heights, rises;
  double across = 0;
  for (int i = 0; i < run_->samples(); i += std::max(1, run_->samples() / kMostSamples)) {
    const Vec3 centre = middle(i);
    for (const bool reference : {false, true}) {
      if (reference && !ghost) continue;
      std::copy_n(run_->q(i).data(), m.nq, data->qpos);
      std::vector<bool> shown(scene.actors.size(), true);
      for (std::size_t a = 0; reference && a < scene.actors.size(); ++a) {
        const ActorSlot& slot = scene.actors[a];
        shown[a] = run_->actors[a].has_reference();
        if (!shown[a]) continue;
        const auto q = run_->actors[a].reference_q(i);
        shown[a] = (q.head<3>() - vec3(data->qpos + slot.first_q)).norm() < kGhostApart;
        std::copy_n(q.data(), slot.nq, data->qpos + slot.first_q);
      }
      if (!Eigen::Map<const VecX>(data->qpos, m.nq).allFinite()) continue;
      mj_kinematics(&m, data.get());
      for (int g = 0; g < m.ngeom; ++g) {
        const int actor = scene.actor_of(m.geom_bodyid[g]);
        if (actor < 0 || !shown[static_cast<std::size_t>(actor)]) continue;
        Extent height, wide, deep;
        add_geom(m, *data, g, Vec3::UnitZ(), height);
        add_geom(m, *data, g, right_, wide);
        heights.add(height.low, 0);
        heights.add(height.high, 0);
        rises.add(height.low - centre.z(), 0);
        rises.add(height.high - centre.z(), 0);
        across = std::max({across, wide.high - centre.dot(right_), centre.dot(right_) - wide.low});
        if (!top_) continue;
        add_geom(m, *data, g, depth, deep);
        across = std::max({across, deep.high - centre.dot(depth), centre.dot(depth) - deep.low});
      }
    }
  }
  if (heights.empty()) return;
  follow_height_ = heights.high - heights.low > 1.4 * (rises.high - rises.low);
  low_ = follow_height_ ? rises.low : heights.low;
  high_ = follow_height_ ? rises.high : heights.high;
  half_width_ = across;
}

View Framing::at(int sample) const {
  View view;
  view.centre = middle(sample);
  const double between = 0.5 * (low_ + high_);
  if (top_) {
    view.centre.z() = 0;
    view.tall = view.wide = 2 * kMargin * half_width_;
    return view;
  }
  view.centre.z() = follow_height_ ? view.centre.z() + between : between;
  view.tall = kMargin * (high_ - low_);
  view.wide = 2 * kMargin * half_width_;
  return view;
}

View Framing::together(const std::vector<int>& samples) const {
  Vec3 low = Vec3::Constant(1e9), high = -low;
  Extent along;
  View all{};
  for (const int sample : samples) {
    all = at(sample);
    low = low.cwiseMin(all.centre);
    high = high.cwiseMax(all.centre);
    along.add(all.centre.dot(right_), 0);
  }
  all.centre = 0.5 * (low + high);
  all.wide += along.high - along.low;
  all.tall += high.z() - low.z();
  if (top_) all.tall += (high - low).head<2>().norm();
  return all;
}

}  // namespace stunt

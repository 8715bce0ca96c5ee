#include "stunt/actor/muscle/muscle_paths.h"

#include <algorithm>

namespace stunt {
namespace {

// Bodies from `body` up to the root, itself first.
std::vector<int> bodies_up(const Actor& actor, int body) {
  std::vector<int> out;
  for (; body >= 0; body = actor.bodies()[static_cast<std::size_t>(body)].parent) out.push_back(body);
  return out;
}

bool has(const std::vector<int>& all, int one) { return std::find(all.begin(), all.end(), one) != all.end(); }

}  // namespace

MusclePaths::MusclePaths(ActorPtr actor, std::span<const Muscle> muscles) : actor_(std::move(actor)) {
  const mjModel& model = actor_->model();
  length_ = VecX::Zero(static_cast<Eigen::Index>(muscles.size()));
  for (std::size_t m = 0; m < muscles.size(); ++m) {
    const auto& path = muscles[m].path;
    first_point_.push_back(static_cast<int>(local_.size()));
    local_.insert(local_.end(), path.begin(), path.end());
    const auto own = static_cast<std::ptrdiff_t>(crossings_.size());
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
      Segment segment{first_point_.back() + static_cast<int>(i), static_cast<int>(uses_.size()), 0,
                      static_cast<int>(m)};
      const std::vector<int> begin = bodies_up(*actor_, path[i].body),
                             end = bodies_up(*actor_, path[i + 1].body);
      const auto cross = [&](int body, double sign) {
        const int dofs = model.body_dofnum[body + 1];
        if (dofs == 0) return;
        auto found = std::find_if(crossings_.begin() + own, crossings_.end(),
                                  [&](const Crossing& one) { return one.body == body; });
        if (found == crossings_.end()) {
          crossings_.push_back(
              {static_cast<int>(m), body, model.body_dofadr[body + 1], dofs, static_cast<int>(arms_.size())});
          arms_.resize(arms_.size() + static_cast<std::size_t>(dofs));
          found = crossings_.end() - 1;
        }
        uses_.push_back({static_cast<int>(found - crossings_.begin()), sign});
        ++segment.crossings;
      };
      for (const int body : end) {
        if (!has(begin, body)) cross(body, 1);
      }
      for (const int body : begin) {
        if (!has(end, body)) cross(body, -1);
      }
      segments_.push_back(segment);
    }
  }
  first_point_.push_back(static_cast<int>(local_.size()));
  positions_.resize(local_.size(), Vec3::Zero());
}

void MusclePaths::update(const mjData& data) {
  const mjModel& model = actor_->model();
  for (std::size_t i = 0; i < local_.size(); ++i) {
    const int body = local_[i].body + 1;
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> rotation(data.xmat + 9 * body);
    positions_[i] = vec3(data.xpos + 3 * body) + rotation * local_[i].position;
  }
  std::fill(arms_.begin(), arms_.end(), 0.0);
  length_.setZero();
  for (const Segment& segment : segments_) {
    const Vec3& begin = positions_[static_cast<std::size_t>(segment.point)];
    const Vec3 way = positions_[static_cast<std::size_t>(segment.point) + 1] - begin;
    const double length = way.norm();
    length_[segment.muscle] += length;
    if (segment.crossings == 0 || length < 1e-9) continue;
    const Vec3 direction = way / length;
    const int root = model.body_rootid[local_[static_cast<std::size_t>(segment.point)].body + 1];
    const Vec3 moment = (begin - vec3(data.subtree_com + 3 * root)).cross(direction);
    for (int u = 0; u < segment.crossings; ++u) {
      const Use& use = uses_[static_cast<std::size_t>(segment.crossing + u)];
      const Crossing& crossing = crossings_[static_cast<std::size_t>(use.crossing)];
      for (int k = 0; k < crossing.count; ++k) {
        const double* dof = data.cdof + 6 * (crossing.dof + k);
        arms_[static_cast<std::size_t>(crossing.first + k)] +=
            use.sign * (moment.dot(vec3(dof)) + direction.dot(vec3(dof + 3)));
      }
    }
  }
}

double MusclePaths::arm(int muscle, int dof) const {
  for (const Crossing& crossing : crossings_) {
    if (crossing.muscle == muscle && dof >= crossing.dof && dof < crossing.dof + crossing.count)
      return arms_[static_cast<std::size_t>(crossing.first + dof - crossing.dof)];
  }
  return 0;
}

void MusclePaths::lengthening(const VecX& v, VecX& rate) const {
  rate.setZero(size());
  for (const Crossing& crossing : crossings_) {
    for (int k = 0; k < crossing.count; ++k)
      rate[crossing.muscle] += arms_[static_cast<std::size_t>(crossing.first + k)] * v[crossing.dof + k];
  }
}

void MusclePaths::add_torques(const VecX& force, VecX& torque) const {
  for (const Crossing& crossing : crossings_) {
    for (int k = 0; k < crossing.count; ++k)
      torque[crossing.dof + k] -=
          force[crossing.muscle] * arms_[static_cast<std::size_t>(crossing.first + k)];
  }
}

std::span<const Vec3> MusclePaths::points(int muscle) const {
  const auto m = static_cast<std::size_t>(muscle);
  return std::span(positions_)
      .subspan(static_cast<std::size_t>(first_point_[m]),
               static_cast<std::size_t>(first_point_[m + 1] - first_point_[m]));
}

}  // namespace stunt

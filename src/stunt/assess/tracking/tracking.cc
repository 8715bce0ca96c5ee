#include "stunt/assess/tracking/tracking.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

#include "stunt/actor/dynamics.h"

namespace stunt {
namespace {

constexpr double kLoaded = 1.0;         // N: a contact that carries load
constexpr double kNearGround = 0.03;    // m
constexpr double kGroundWindow = 0.5;   // s, before and after
constexpr double kSmallestJerk = 30.0;  // m/s^3: of somebody who stands nearly still

Vec3 vec3(const float* p) { return Vec3(p[0], p[1], p[2]); }

// Everything the scores need of one character at one sample.
struct Pose {
  Vec3 root, com;
  double heading;
  std::vector<Vec3> centres;          // of the joints
  std::vector<Quat> joint_rotations;  // of the bodies with rotating joints, relative to the parent
};

class PoseReader {
 public:
  explicit PoseReader(const Actor& actor) {
    for (int b = 0; b < static_cast<int>(actor.bodies().size()); ++b) {
      const ActorBody& body = actor.bodies()[b];
      if (body.joint_count == 0) continue;
      centres_.push_back(b);
      for (int j = body.first_joint; j < body.first_joint + body.joint_count; ++j) {
        const JointType type = actor.joints()[j].type;
        if (type != JointType::ball && type != JointType::hinge) continue;
        if (body.parent >= 0) rotations_.push_back(b);
        break;
      }
    }
  }

  void read(ActorDynamics& dynamics, Pose& pose) const {
    const Actor& actor = dynamics.actor();
    pose.root = dynamics.body_position(0);
    // The rest pose faces X whatever axes the root body has.
    pose.heading = heading(dynamics.body_rotation(0) * actor.bodies()[0].rest.conjugate());
    pose.com = dynamics.com();
    pose.centres.clear();
    for (const int b : centres_) {
      pose.centres.push_back(dynamics.point(b, actor.joints()[actor.bodies()[b].first_joint].anchor));
    }
    pose.joint_rotations.clear();
    for (const int b : rotations_) {
      pose.joint_rotations.push_back(dynamics.body_rotation(actor.bodies()[b].parent).conjugate() *
                                     dynamics.body_rotation(b));
    }
  }

 private:
  std::vector<int> centres_, rotations_;
};

// The third differences of the joint centres relative to the root.
class Jerk {
 public:
  void add(const Pose& pose) {
    std::vector<Vec3>& newest = last_[count_ % 4];
    newest.resize(pose.centres.size());
    for (std::size_t i = 0; i < newest.size(); ++i) newest[i] = pose.centres[i] - pose.root;
    ++count_;
    if (count_ < 4) return;
    for (std::size_t i = 0; i < newest.size(); ++i) {
      const Vec3 difference = last_[(count_ - 1) % 4][i] - 3 * last_[(count_ - 2) % 4][i] +
                              3 * last_[(count_ - 3) % 4][i] - last_[count_ % 4][i];
      squares_.push_back(difference.squaredNorm());
    }
  }
  // Root of the mean square, the largest hundredth cut down to the 99th percentile (winsorised): a pop of a few frames
  // neither counts nor excuses. NaN where there are too few samples.
  double robust_rms(double rate) const {
    if (squares_.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> squares = squares_;
    const auto rank = static_cast<long>(0.99 * static_cast<double>(squares.size() - 1));
    std::nth_element(squares.begin(), squares.begin() + rank, squares.end());
    const double largest = squares[static_cast<std::size_t>(rank)];
    double sum = 0;
    for (const double square : squares) sum += std::min(square, largest);
    return std::sqrt(sum / static_cast<double>(squares.size())) * rate * rate * rate;
  }

 private:
  std::vector<Vec3> last_[4];
  std::size_t count_ = 0;
  std::vector<double> squares_;
};

// A plane z = height + slope . (x, y).
struct GroundPlane {
  Eigen::Vector2d slope = {0, 0};
  double height = 0;
  double at(const Vec3& point) const { return height + slope.dot(point.head<2>()); }
};

std::vector<GroundPlane> planes_to_try(const mjModel& scene) {
  std::vector<GroundPlane> planes{GroundPlane{}};
  for (int g = 0; g < scene.ngeom; ++g) {
    if (scene.geom_type[g] != mjGEOM_PLANE || scene.geom_bodyid[g] != 0) continue;
    const Vec3 normal = quat_from_wxyz(&scene.geom_quat[4 * g]) * Vec3::UnitZ();
    if (normal.z() < 0.2 || normal.z() > 0.99999) continue;  // a wall, or level
    GroundPlane plane;
    plane.slope = -normal.head<2>() / normal.z();
    const double* at = &scene.geom_pos[3 * g];
    plane.height = at[2] - plane.slope.dot(Eigen::Vector2d(at[0], at[1]));
    planes.push_back(plane);
  }
  return planes;
}

// The reference's foot points of all samples, to decide which stand on something.
class ReferenceSupport {
 public:
  ReferenceSupport(const Actor& actor, const mjModel& scene, double rate)
      : actor_(actor),
        planes_(planes_to_try(scene)),
        window_(static_cast<int>(std::lround(kGroundWindow * rate))) {}

  void add(ActorDynamics& dynamics) {
    for (const ContactPoint& point : actor_.contact_points()) {
      points_.push_back(dynamics.point(point.body, point.position) - Vec3(0, 0, point.radius));
    }
    ++samples_;
  }

  // The centre of support at each sample; NaN in flight.
  std::vector<Vec3> centres() const {
    const int per_sample = static_cast<int>(actor_.contact_points().size());
    std::vector<Vec3> best(samples_, Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
    std::vector<int> best_count(samples_, 0);
    std::vector<double> lowest(samples_);
    for (const GroundPlane& plane : planes_) {
      for (int i = 0; i < samples_; ++i) {
        lowest[i] = std::numeric_limits<double>::infinity();
        for (int k = 0; k < per_sample; ++k) {
          const Vec3& point = points_[i * per_sample + k];
          lowest[i] = std::min(lowest[i], point.z() - plane.at(point));
        }
      }
      for (int i = 0; i < samples_; ++i) {
        const auto first = lowest.begin() + std::max(0, i - window_);
        const auto last = lowest.begin() + std::min(samples_, i + window_ + 1);
        const double ground = *std::min_element(first, last);
        Vec3 sum = Vec3::Zero();
        int count = 0;
        for (int k = 0; k < per_sample; ++k) {
          const Vec3& point = points_[i * per_sample + k];
          if (point.z() - plane.at(point) > ground + kNearGround) continue;
          sum += point;
          ++count;
        }
        if (count > best_count[i]) {
          best[i] = sum / count;
          best_count[i] = count;
        }
      }
    }
    return best;
  }

 private:
  const Actor& actor_;
  std::vector<GroundPlane> planes_;
  int window_;  // samples
  int samples_ = 0;
  std::vector<Vec3> points_;
};

// How fast the surface of a support moves. The whole scene's kinematics run only for supports that can move.
class SupportMotion {
 public:
  explicit SupportMotion(const Recording& recording)
      : recording_(recording), model_(*recording.scene->model) {}

  Vec3 velocity(int sample, int body, const Vec3& point) {
    if (model_.body_weldid[body] == 0) return Vec3::Zero();
    if (!data_) data_.reset(mj_makeData(&model_));
    if (sample != sample_) {
      sample_ = sample;
      mju_copy(data_->qpos, recording_.q(sample).data(), static_cast<int>(model_.nq));
      mju_copy(data_->qvel, recording_.v(sample).data(), static_cast<int>(model_.nv));
      mj_kinematics(&model_, data_.get());
      mj_comPos(&model_, data_.get());
      mj_comVel(&model_, data_.get());
    }
    double twist[6];  // rotation, translation, at the body's origin, world axes
    mj_objectVelocity(&model_, data_.get(), mjOBJ_XBODY, body, twist, 0);
    const Vec3 arm = point - Eigen::Map<const Vec3>(&data_->xpos[3 * body]);
    return Vec3(twist[3], twist[4], twist[5]) + Vec3(twist[0], twist[1], twist[2]).cross(arm);
  }

 private:
  const Recording& recording_;
  const mjModel& model_;
  DataPtr data_;
  int sample_ = -1;
};

struct Mean {
  double sum = 0;
  std::size_t count = 0;
  void add(double x) { sum += x, ++count; }
  double value() const { return count == 0 ? 0.0 : sum / static_cast<double>(count); }
};

struct MeanAndMax {
  Mean mean;
  double max = 0;
  void add(double x) {
    mean.add(x);
    max = std::max(max, x);
  }
  MeanMax value() const { return {mean.value(), max}; }
};

// Angles of the joints and places of their centres, against those of the reference.
struct PoseErrors {
  MeanAndMax joint;
  Mean global, root_relative;

  void add(const Pose& pose, const Pose& wanted) {
    for (std::size_t k = 0; k < pose.joint_rotations.size(); ++k) {
      joint.add(angle_between(pose.joint_rotations[k], wanted.joint_rotations[k]));
    }
    const Quat unturn = yaw_rotation(-pose.heading), unturn_wanted = yaw_rotation(-wanted.heading);
    for (std::size_t k = 0; k < pose.centres.size(); ++k) {
      global.add((pose.centres[k] - wanted.centres[k]).norm());
      root_relative.add(
          (unturn * (pose.centres[k] - pose.root) - unturn_wanted * (wanted.centres[k] - wanted.root))
              .norm());
    }
  }
};

// The centre of mass over the support, against that of the reference, and how the feet slide on what carries them.
class SupportErrors {
 public:
  SupportErrors(const Recording& recording, const ActorSlot& slot)
      : recording_(recording), slot_(slot), support_motion_(recording) {}

  // `dynamics` at the simulated state; `wanted_support`: the centre of the reference's, NaN in flight.
  void add(int sample, ActorDynamics& dynamics, const Pose& pose, const Pose& wanted,
           const Vec3& wanted_support) {
    const Vec3 from = simulated_support(sample, dynamics).value_or(pose.root);
    const Vec3 wanted_from = wanted_support.allFinite() ? wanted_support : wanted.root;
    com_error_.add(((pose.com - from) - (wanted.com - wanted_from)).head<2>().norm());
  }
  MeanMax com_error() const { return com_error_.value(); }
  double skate() const { return skate_.value(); }

 private:
  // The mean of the points where a foot presses on something; empty in flight.
  std::optional<Vec3> simulated_support(int sample, ActorDynamics& dynamics) {
    const Actor& actor = *slot_.actor;
    Vec3 sum = Vec3::Zero();
    int loaded = 0;
    for (const RecordedContact& contact : recording_.contacts_of(sample)) {
      for_own_sides(contact, slot_, [&](int body, int other, double) {
        if (!actor.is_foot(body) || !recording_.scene->is_support(other)) return;
        if (vec3(contact.force).norm() < kLoaded) return;
        const Vec3 point = vec3(contact.point);
        sum += point;
        ++loaded;
        const Vec3 slip =
            dynamics.point_velocity(body, point) - support_motion_.velocity(sample, other, point);
        skate_.add(slip.head<2>().norm());
      });
    }
    if (loaded == 0) return std::nullopt;
    return Vec3(sum / loaded);
  }

  const Recording& recording_;
  const ActorSlot& slot_;
  SupportMotion support_motion_;
  MeanAndMax com_error_;
  Mean skate_;
};

int judged_samples(const Recording& recording, const ActorTrack& track) {
  int n = 0;
  for (; n < recording.samples(); ++n) {
    if (track.fall && recording.time[n] >= track.fall->time) break;
    if (!recording.q(n, track).allFinite() || !recording.v(n, track).allFinite()) break;
  }
  return n;
}

// NaN where there are too few samples for a jerk.
double roughness(double simulated_jerk, double reference_jerk) {
  if (std::isnan(simulated_jerk) || std::isnan(reference_jerk)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::max(simulated_jerk, kSmallestJerk) / std::max(reference_jerk, kSmallestJerk);
}

}  // namespace

TrackingScore score_tracking(const Recording& recording, int actor_index) {
  const CompiledScene& scene = *recording.scene;
  const mjModel& model = *scene.model;
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(actor_index)];
  const ActorSlot& slot = track.slot;
  if (!track.has_reference()) return {};

  ActorDynamics dynamics(slot.actor);
  const PoseReader reader(*slot.actor);
  const int n = judged_samples(recording, track);

  // The reference first: which of its foot points stand on something needs the samples around.
  std::vector<Pose> reference(n);
  ReferenceSupport reference_support(*slot.actor, model, recording.rate);
  const VecX at_rest = VecX::Zero(slot.nv);
  VecX q, v;
  for (int i = 0; i < n; ++i) {
    q = track.reference_q(i);
    dynamics.set_state(q, at_rest);
    reader.read(dynamics, reference[i]);
    reference_support.add(dynamics);
  }
  const std::vector<Vec3> reference_centres = reference_support.centres();

  PoseErrors poses;
  SupportErrors supports(recording, slot);
  Jerk simulated_jerk, reference_jerk;
  Pose pose;
  for (int i = 0; i < n; ++i) {
    q = recording.q(i, track);
    v = recording.v(i, track);
    dynamics.set_state(q, v);
    reader.read(dynamics, pose);
    poses.add(pose, reference[i]);
    supports.add(i, dynamics, pose, reference[i], reference_centres[i]);
    simulated_jerk.add(pose);
    reference_jerk.add(reference[i]);
  }
  return {.samples = n,
          .joint_error_rad = poses.joint.value(),
          .mpjpe_global_m = poses.global.value(),
          .mpjpe_root_relative_m = poses.root_relative.value(),
          .com_error_m = supports.com_error(),
          .roughness =
              roughness(simulated_jerk.robust_rms(recording.rate), reference_jerk.robust_rms(recording.rate)),
          .foot_skate_m_s = supports.skate()};
}

}  // namespace stunt

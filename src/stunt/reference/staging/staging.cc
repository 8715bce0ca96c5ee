#include "stunt/reference/staging/staging.h"

#include <cmath>
#include <limits>

#include "stunt/core/easing.h"

namespace stunt {
namespace {

class Staged : public Reference {
 public:
  explicit Staged(ReferencePtr inner) : inner_(std::move(inner)) {}
  const ActorPtr& actor() const override { return inner_->actor(); }
  double duration() const override { return inner_->duration(); }

 protected:
  ReferencePtr inner_;
};

class Placed : public Staged {
 public:
  Placed(ReferencePtr inner, const Eigen::Vector2d& position, double heading) : Staged(std::move(inner)) {
    ReferenceSample first;
    inner_->sample(0, first);
    const Vec3 start(first.q[0], first.q[1], 0);
    transform_ = {heading, start - yaw_rotation(heading) * start + Vec3(position.x(), position.y(), 0)};
  }
  void sample(double t, ReferenceSample& out) const override {
    inner_->sample(t, out);
    move_root(transform_, out);
  }

 private:
  GroundTransform transform_;
};

class Looped : public Staged {
 public:
  Looped(ReferencePtr inner, double from, double period)
      : Staged(std::move(inner)), from_(from), period_(period) {
    ReferenceSample first, last;
    inner_->sample(from_, first);
    inner_->sample(from_ + period_, last);
    cycle_ = ground_transform(first.q, last.q);
    if (from_ > 0) start_ = cycle_.inverse();
  }
  double duration() const override { return std::numeric_limits<double>::infinity(); }
  void sample(double t, ReferenceSample& out) const override {
    const int cycle = std::max(0, static_cast<int>(std::floor(t / period_)));
    inner_->sample(from_ + t - cycle * period_, out);
    move_root(start_.then(power(cycle)), out);
  }

 private:
  GroundTransform power(int n) const {
    GroundTransform result, square = cycle_;
    for (; n > 0; n >>= 1, square = square.then(square)) {
      if (n & 1) result = result.then(square);
    }
    return result;
  }
  double from_, period_;
  GroundTransform cycle_, start_;
};

class Timed : public Staged {
 public:
  Timed(ReferencePtr inner, double start, double speed)
      : Staged(std::move(inner)), start_(start), speed_(speed) {}
  double duration() const override { return (inner_->duration() - start_) / speed_; }
  void sample(double t, ReferenceSample& out) const override {
    inner_->sample(start_ + speed_ * t, out);
    out.v *= speed_;
    out.a *= speed_ * speed_;
  }

 private:
  double start_, speed_;
};

class OnSlope : public Staged {
 public:
  OnSlope(ReferencePtr inner, double height, const Eigen::Vector2d& gradient)
      : Staged(std::move(inner)), height_(height), gradient_(gradient) {}
  void sample(double t, ReferenceSample& out) const override {
    inner_->sample(t, out);
    out.q[2] += height_ + gradient_.dot(out.q.head<2>());
    out.v[2] += gradient_.dot(out.v.head<2>());
    out.a[2] += gradient_.dot(out.a.head<2>());
  }

 private:
  double height_;
  Eigen::Vector2d gradient_;
};

class Continued : public Staged {
 public:
  Continued(ReferencePtr first, ReferencePtr next, double at, double blend)
      : Staged(std::move(next)), first_(std::move(first)), at_(at), blend_(blend) {
    ReferenceSample from, to;
    first_->sample(at_, to);
    inner_->sample(0, from);
    transform_ = ground_transform(from.q, to.q);
  }
  double duration() const override { return at_ + inner_->duration(); }
  void sample(double t, ReferenceSample& out) const override {
    if (t < at_) return first_->sample(t, out);
    inner_->sample(t - at_, out);
    move_root(transform_, out);
    if (t >= at_ + blend_) return;
    // The old motion goes on meanwhile and fades; speeds and accelerations fade with it.
    const double weight = quintic_ease((t - at_) / blend_);
    first_->sample(t, old_);
    difference(*actor(), old_.q, out.q, step_);
    integrate(*actor(), old_.q, step_, weight, mixed_);
    out.q = mixed_;
    out.v = (1 - weight) * old_.v + weight * out.v;
    out.a = (1 - weight) * old_.a + weight * out.a;
    if (weight < 0.5) out.contacts = old_.contacts;
  }

 private:
  ReferencePtr first_;
  double at_, blend_;
  GroundTransform transform_;
  mutable ReferenceSample old_;  // so that sampling allocates nothing
  mutable VecX step_, mixed_;
};

}  // namespace

GroundTransform GroundTransform::then(const GroundTransform& next) const {
  return {yaw + next.yaw, yaw_rotation(next.yaw) * shift + next.shift};
}

GroundTransform GroundTransform::inverse() const { return {-yaw, -(yaw_rotation(-yaw) * shift)}; }

void move_root(const GroundTransform& transform, ReferenceSample& sample) {
  const Quat turn = yaw_rotation(transform.yaw);
  sample.q.head<3>() = transform.apply(sample.q.head<3>());
  quat_to_wxyz(turn * quat_from_wxyz(&sample.q[3]), &sample.q[3]);
  sample.v.head<3>() = turn * Vec3(sample.v.head<3>());
  sample.a.head<3>() = turn * Vec3(sample.a.head<3>());
}

GroundTransform ground_transform(const VecX& q_from, const VecX& q_to) {
  const double yaw = heading(quat_from_wxyz(&q_to[3])) - heading(quat_from_wxyz(&q_from[3]));
  Vec3 shift = Vec3(q_to.head<3>()) - yaw_rotation(yaw) * Vec3(q_from.head<3>());
  shift.z() = 0;
  return {yaw, shift};
}

ReferencePtr placed(ReferencePtr inner, const Eigen::Vector2d& position, double heading) {
  return std::make_shared<Placed>(std::move(inner), position, heading);
}
ReferencePtr looped(ReferencePtr inner, double from, double period) {
  return std::make_shared<Looped>(std::move(inner), from, period);
}
ReferencePtr timed(ReferencePtr inner, double start, double speed) {
  return std::make_shared<Timed>(std::move(inner), start, speed);
}

ReferencePtr continued(ReferencePtr first, ReferencePtr next, double at, double blend) {
  return std::make_shared<Continued>(std::move(first), std::move(next), at, blend);
}

ReferencePtr on_slope(ReferencePtr inner, double height, const Eigen::Vector2d& gradient) {
  return std::make_shared<OnSlope>(std::move(inner), height, gradient);
}

}  // namespace stunt

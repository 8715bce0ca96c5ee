// What a controller is asked to follow: pose, velocity, acceleration and ground contact at any time, on one actor.
// An edit is a Reference wrapped around another.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stunt/actor/actor.h"

namespace stunt {

struct ReferenceSample {
  VecX q, v, a;                        // nq, nv, nv: see actor.h for the layout
  std::vector<std::uint8_t> contacts;  // per contact point of the actor: 1 where it carries load
};

class Reference {
 public:
  virtual ~Reference() = default;
  virtual const ActorPtr& actor() const = 0;
  virtual double duration() const = 0;  // s; infinity for a looped motion
  // At time t (s); before 0 and after the end the first and last pose, at rest. Allocates only when `out` is new.
  virtual void sample(double t, ReferenceSample& out) const = 0;
};
using ReferencePtr = std::shared_ptr<const Reference>;

// A reference sampled at a fixed rate; in between, rotations follow the exponential map and the rest is linear.
class SampledReference : public Reference {
 public:
  // q: one row of nq numbers per sample. Velocities and accelerations are central differences on the manifold.
  // contacts: one row per sample and one entry per contact point.
  SampledReference(ActorPtr actor, double rate_hz, std::vector<VecX> q,
                   std::vector<std::vector<std::uint8_t>> contacts);

  const ActorPtr& actor() const override { return actor_; }
  double duration() const override;
  void sample(double t, ReferenceSample& out) const override;

  int size() const { return static_cast<int>(q_.size()); }
  double rate() const { return rate_; }
  const VecX& q(int i) const { return q_[i]; }
  const VecX& v(int i) const { return v_[i]; }
  const VecX& a(int i) const { return a_[i]; }
  const std::vector<std::uint8_t>& contacts(int i) const { return contacts_[i]; }

 private:
  ActorPtr actor_;
  double rate_;
  std::vector<VecX> q_, v_, a_;
  std::vector<std::vector<std::uint8_t>> contacts_;
};

}  // namespace stunt

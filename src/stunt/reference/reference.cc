#include "stunt/reference/reference.h"

#include <algorithm>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {

SampledReference::SampledReference(ActorPtr actor, double rate_hz, std::vector<VecX> q,
                                   std::vector<std::vector<std::uint8_t>> contacts)
    : actor_(std::move(actor)), rate_(rate_hz), q_(std::move(q)), contacts_(std::move(contacts)) {
  const int n = size();
  if (n < 2) throw InputError("motion", std::to_string(n) + " frames", "at least 2");
  std::vector<VecX> between(n - 1);  // velocity from each sample to the next
  for (int i = 0; i + 1 < n; ++i) {
    difference(*actor_, q_[i], q_[i + 1], between[i]);
    between[i] *= rate_;
  }
  v_.resize(n);
  a_.resize(n);
  for (int i = 0; i < n; ++i) {
    const VecX& before = between[std::max(i - 1, 0)];
    const VecX& after = between[std::min(i, n - 2)];
    v_[i] = 0.5 * (before + after);
    a_[i] = (after - before) * rate_;
  }
  a_.front() = a_[1];
  a_.back() = a_[n - 2];
}

double SampledReference::duration() const { return (size() - 1) / rate_; }

void SampledReference::sample(double t, ReferenceSample& out) const {
  const double last = size() - 1;
  const double at = std::clamp(t * rate_, 0.0, last);
  const int i = std::min(static_cast<int>(at), size() - 2);
  const double blend = at - i;
  difference(*actor_, q_[i], q_[i + 1], out.v);  // used as the step from one sample to the next
  integrate(*actor_, q_[i], out.v, blend, out.q);
  const bool outside = t < 0 || t * rate_ > last + 1e-9;
  if (outside) {
    out.v.setZero();
    out.a.setZero(actor_->nv());
  } else {
    out.v = (1 - blend) * v_[i] + blend * v_[i + 1];
    out.a = (1 - blend) * a_[i] + blend * a_[i + 1];
  }
  out.contacts = contacts_[blend < 0.5 ? i : i + 1];
}

}  // namespace stunt

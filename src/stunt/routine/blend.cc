#include "stunt/routine/blend.h"

#include <fmt/format.h>

#include <algorithm>

#include "stunt/actor/dynamics.h"
#include "stunt/core/error.h"

namespace stunt {

BlendedMotion::BlendedMotion(std::vector<Example> examples) : examples_(std::move(examples)) {
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    hit_ += examples_[i].weight * examples_[i].hit;
    length_ += examples_[i].weight * examples_[i].length;
    if (examples_[i].weight > examples_[main_].weight) main_ = i;
  }
}

void BlendedMotion::sample(double t, ReferenceSample& out) const {
  const bool before = t < hit_;
  double sum = 0;
  for (std::size_t i = 0; i < examples_.size(); ++i) {
    const Example& example = examples_[i];
    const double rate = before ? example.hit / hit_ : (example.length - example.hit) / (length_ - hit_);
    example.motion->sample(example.hit + rate * (t - hit_), one_);
    const double weight = example.weight;
    sum += weight;
    if (i == 0) {
      out.q = one_.q;
      out.v = weight * rate * one_.v;
      out.a = weight * rate * rate * one_.a;
    } else {
      difference(*actor(), out.q, one_.q, way_);
      integrate(*actor(), out.q, way_, sum > 0 ? weight / sum : 1, mixed_);
      out.q = mixed_;
      out.v += weight * rate * one_.v;
      out.a += weight * rate * rate * one_.a;
    }
    if (i == main_) out.contacts = one_.contacts;
  }
}

namespace {

Segment blend(const std::vector<const Segment*>& examples, const std::vector<double>& weights,
              ActorDynamics& dynamics) {
  std::vector<BlendedMotion::Example> parts;
  std::size_t most = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    if (weights[i] > weights[most]) most = i;
    if (weights[i] > 0)
      parts.push_back({examples[i]->motion, weights[i], examples[i]->strike->at, examples[i]->length});
  }
  Segment out = *examples[most];
  const auto motion = std::make_shared<BlendedMotion>(std::move(parts));
  out.motion = motion;
  out.length = motion->duration();
  out.travel.setZero();
  Strike& strike = *out.strike;
  strike.spec.miss.setZero();
  strike.spec.speeds.setZero();
  strike.at = motion->hit();
  bool practised = true;
  double window = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const StrikeSpec& spec = examples[i]->strike->spec;
    out.travel += weights[i] * examples[i]->travel;
    strike.spec.miss += weights[i] * spec.miss;
    strike.spec.speeds += weights[i] * spec.speeds;
    practised = practised && (weights[i] == 0 || spec.speeds.x() > 0);
    window += weights[i] * examples[i]->strike->window;
  }
  if (!practised) strike.spec.speeds.setZero();
  strike.window = std::min({window, strike.at, out.length - strike.at});
  ReferenceSample sample;
  motion->sample(strike.at, sample);
  dynamics.set_state(sample.q, sample.v);
  strike.q = sample.q;
  strike.place = dynamics.point(strike.body, strike.point);
  strike.velocity = dynamics.point_velocity(strike.body, strike.place);
  if (!strike.spec.face.isZero())
    strike.face = dynamics.body_rotation(strike.body) * strike.spec.face.normalized();
  return out;
}

}  // namespace

std::vector<Segment> blend_segments(const std::vector<const Segment*>& examples, int steps,
                                    const std::string& name, const std::string& place) {
  if (examples.size() != 2 && examples.size() != 4)
    throw InputError(place, fmt::format("{} examples to blend", examples.size()), "2 or 4");
  for (const Segment* example : examples) {
    if (!example->strike)
      throw InputError(place, "'" + example->name + "' without a hit", "segments with one");
    if (example->strike->body != examples[0]->strike->body)
      throw InputError(place, "'" + example->name + "', which hits with another body", "hits of one body");
  }
  const bool grid = examples.size() == 4;
  ActorDynamics dynamics(examples[0]->motion->actor());
  std::vector<Segment> out;
  for (int i = 0; i <= (grid ? steps : 0); ++i) {
    for (int j = 0; j <= steps; ++j) {
      if (i % steps == 0 && j % steps == 0) continue;  // an example
      const double x = static_cast<double>(j) / steps, y = static_cast<double>(i) / steps;
      std::vector<double> weights = {(1 - x) * (1 - y), x * (1 - y)};
      if (grid) weights.insert(weights.end(), {(1 - x) * y, x * y});
      out.push_back(blend(examples, weights, dynamics));
      out.back().blend = name;
      out.back().name = fmt::format("{}_{}", name, out.size());
    }
  }
  return out;
}

}  // namespace stunt

#include "stunt/experiment/gait_cycles.h"

#include <cmath>
#include <limits>

namespace stunt {
namespace {

constexpr int kKeepEvery = 4;  // steps

}  // namespace

CycleRecorder::CycleRecorder(const Creature& creature, double from)
    : from_(from), weight_(creature.actor()->mass() * creature.actor()->gravity()) {
  const mjModel& model = creature.actor()->model();
  const std::array<const char*, 3> names{"left_hip_bend", "left_knee", "left_ankle_bend"};
  for (std::size_t i = 0; i < names.size(); ++i)
    joints_[i] = model.jnt_qposadr[mj_name2id(&model, mjOBJ_JOINT, names[i])];
}

void CycleRecorder::see(const GaitSample& now) {
  const auto stands = [&](int i) {
    return now.legs[i]->phase == LegPhase::stance || now.legs[i]->phase == LegPhase::lift_off;
  };
  const bool lands = stands(0) && !stood_;
  stood_ = stands(0);
  if (now.time < from_) return;
  if (!lands && calls_++ % kKeepEvery != 0) return;
  if (lands) starts_.push_back(rows_.size());
  Row row{now.time, now.q[0], now.legs[0]->touches && now.legs[1]->touches, {}, {}};
  for (std::size_t i = 0; i < 3; ++i) row.values[i] = degrees(now.q[static_cast<std::size_t>(joints_[i])]);
  row.values[3] = now.ground_force[0].z() / weight_;
  row.values[4] = now.ground_force[0].x() / weight_;
  for (Eigen::Index m = 0; m < now.activation.size(); m += 2) row.activation.push_back(now.activation[m]);
  rows_.push_back(std::move(row));
}

GaitCycles CycleRecorder::mean() const {
  GaitCycles cycles;
  if (starts_.size() < 2) return cycles;
  cycles.strides = static_cast<int>(starts_.size()) - 1;
  const std::size_t muscles = rows_.front().activation.size();
  std::vector<GaitCycles::Curve> sums(5 + muscles, GaitCycles::Curve(kCyclePoints, 0.0));
  for (std::size_t s = 0; s + 1 < starts_.size(); ++s) {
    std::size_t at = starts_[s];
    const double begin = rows_[at].time, length = rows_[starts_[s + 1]].time - begin;
    for (int i = 0; i < kCyclePoints; ++i) {
      const double time = begin + length * i / kCyclePoints;
      while (rows_[at + 1].time < time) ++at;
      const Row &one = rows_[at], &next = rows_[at + 1];
      const double part = (time - one.time) / (next.time - one.time);
      const auto add = [&](std::size_t curve, double a, double b) {
        sums[curve][static_cast<std::size_t>(i)] += (a + part * (b - a)) / cycles.strides;
      };
      for (std::size_t k = 0; k < 5; ++k) add(k, one.values[k], next.values[k]);
      for (std::size_t m = 0; m < muscles; ++m) add(5 + m, one.activation[m], next.activation[m]);
    }
  }
  cycles.hip = sums[0];
  cycles.knee = sums[1];
  cycles.ankle = sums[2];
  cycles.vertical = sums[3];
  cycles.forward = sums[4];
  cycles.activation.assign(sums.begin() + 5, sums.end());
  const Row &first = rows_[starts_.front()], &last = rows_[starts_.back()];
  cycles.cadence = 120 * cycles.strides / (last.time - first.time);
  cycles.stride_m = (last.x - first.x) / cycles.strides;
  int both = 0;
  for (std::size_t i = starts_.front(); i < starts_.back(); ++i) both += rows_[i].both;
  cycles.double_support = static_cast<double>(both) / static_cast<double>(starts_.back() - starts_.front());
  return cycles;
}

double difference_to_norm(const GaitCycles::Curve& curve, const std::array<double, 10>& norm) {
  if (curve.empty()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = 0; i < norm.size(); ++i) sum += std::pow(curve[i * kCyclePoints / 10] - norm[i], 2);
  return std::sqrt(sum / static_cast<double>(norm.size()));
}

}  // namespace stunt

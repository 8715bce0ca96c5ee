#include <cmath>

#include "stunt/experiment/experiment.h"
#include "stunt/experiment/plan_times.h"
#include "stunt/report/files/summary.h"
#include "stunt/simulate/cast.h"

namespace stunt {
namespace {

using nlohmann::ordered_json;

constexpr double kCurveRate = 30;  // Hz
constexpr int kPlannedStates = 400;

ordered_json time_plans(const Trial& trial) {
  Scene scene = read_scene(
      "", "experiment", {"actors.0.motion=" + trial.motion, "actors.0.character=" + trial.setup.character});
  const Cast cast = make_cast(scene);
  ordered_json rows = ordered_json::array();
  for (const PlanTimes& times : plan_times(*cast.members[0].reference, kPlannedStates)) {
    rows.push_back({{"contacts", times.contacts},
                    {"states", times.states},
                    {"dummy_variables", times.dummy_variables},
                    {"dummy_us", times.dummy_us},
                    {"plain_variables", times.plain_variables},
                    {"plain_us", times.plain_us},
                    {"dual_us", times.dual_us},
                    {"largest_difference", times.largest_difference}});
  }
  return {{"plans", rows}};
}

}  // namespace

std::vector<double> squared_error(const Recording& recording, int actor) {
  const ActorSlot& slot = recording.scene->actors[actor];
  const ActorTrack& track = recording.actors[actor];
  const int nq = recording.scene->model->nq;
  std::vector<double> errors;
  VecX error;
  for (int i = 0; i < recording.samples(); ++i) {
    const VecX q = VecX::Map(&recording.q[static_cast<std::size_t>(i) * nq + slot.first_q], slot.nq);
    const VecX wanted = VecX::Map(&track.reference_q[static_cast<std::size_t>(i) * slot.nq], slot.nq);
    difference(*slot.actor, q, wanted, error);
    errors.push_back(error.tail(slot.nv - 3).squaredNorm());
  }
  return errors;
}

ordered_json run_trial(const Trial& trial) {
  try {
    if (trial.part == "table4") return time_plans(trial);
    const Scene scene =
        trial.scene.empty() ? read_scene("", "experiment", trial.keys) : load_scene(trial.scene, trial.keys);
    Cast cast = make_cast(scene);
    const Recording recording = Simulation(scene, std::move(cast.members)).run();
    const ordered_json summary = summarize(recording);
    const std::vector<double> errors = squared_error(recording, 0);
    const double end =
        summary["fell_at_s"].is_number() ? summary["fell_at_s"].get<double>() : recording.time.back();
    double sum = 0;
    int count = 0;
    ordered_json curve = ordered_json::array();
    const int every = static_cast<int>(std::lround(recording.rate / kCurveRate));
    for (int i = 0; i < recording.samples() && recording.time[i] <= end; ++i) {
      sum += errors[i];
      ++count;
      if (trial.curve && i % every == 0) curve.push_back(errors[i]);
    }
    const auto scaled = [](const ordered_json& value, double factor) {
      return value.is_number() ? ordered_json(factor * value.get<double>()) : ordered_json();
    };
    ordered_json outcome = {
        {"completed", summary["completed"]},
        {"fell_at_s", summary["fell_at_s"]},
        {"reason", summary["diverged"].is_string() ? summary["diverged"] : summary["fall_reason"]},
        {"simulated_s", summary["simulated_s"]},
        {"joint_error_deg", scaled(summary["joint_error_rad"]["mean"], 180 / kPi)},
        {"position_error_cm", scaled(summary["mpjpe_m"]["root_relative"], 100)},
        {"squared_error", count > 0 ? ordered_json(sum / count) : ordered_json()},
        {"plan_us", summary["plan_us"]["mean"]}};
    if (trial.curve) outcome["curve"] = curve;
    return outcome;
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace stunt

#include <cmath>

#include "stunt/assess/run_summary.h"
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/plan_times.h"
#include "stunt/simulate/performer.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

using nlohmann::ordered_json;

constexpr double kCurveRate = 30;  // Hz
constexpr int kPlannedStates = 400;

ordered_json time_plans(const Trial& trial) {
  Scene scene = read_scene(
      "", "experiment", {"actors.0.motion=" + trial.motion, "actors.0.character=" + trial.setup.character});
  const std::vector<Performer> performers = make_performers(scene);
  ordered_json rows = ordered_json::array();
  for (const PlanTimes& times : plan_times(*performers[0].shown, kPlannedStates)) {
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
  const ActorTrack& track = recording.actors[static_cast<std::size_t>(actor)];
  const ActorSlot& slot = track.slot;
  std::vector<double> errors;
  VecX error;
  for (int i = 0; i < recording.samples(); ++i) {
    const VecX q = recording.q(i, track);
    const VecX wanted = track.reference_q(i);
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
    const Recording recording = run_scene(scene);
    const RunSummary run = summarize(recording);
    const ActorSummary& actor = run.actors.at(0);
    const std::vector<double> errors = squared_error(recording, 0);
    const double end = actor.fell_at_s.value_or(recording.time.back());
    double sum = 0;
    int count = 0;
    ordered_json curve = ordered_json::array();
    const int every = static_cast<int>(std::lround(recording.rate / kCurveRate));
    for (int i = 0; i < recording.samples() && recording.time[i] <= end; ++i) {
      sum += errors[i];
      ++count;
      if (trial.curve && i % every == 0) curve.push_back(errors[i]);
    }
    const bool scored = actor.score.samples > 0;
    const auto number = [](bool known, double value) { return known ? ordered_json(value) : ordered_json(); };
    const std::string& reason = run.diverged.empty() ? actor.fall_reason : run.diverged;
    ordered_json outcome = {
        {"completed", actor.completed},
        {"fell_at_s", number(actor.fell_at_s.has_value(), actor.fell_at_s.value_or(0))},
        {"reason", reason.empty() ? ordered_json() : ordered_json(reason)},
        {"simulated_s", run.simulated_s},
        {"joint_error_deg", number(scored, 180 / kPi * actor.score.joint_error_rad.mean)},
        {"position_error_cm", number(scored, 100 * actor.score.mpjpe_root_relative_m)},
        {"squared_error", number(count > 0, sum / count)},
        {"plan_us", number(actor.plans.mean_us.has_value(), actor.plans.mean_us.value_or(0))}};
    if (trial.curve) outcome["curve"] = curve;
    return outcome;
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace stunt

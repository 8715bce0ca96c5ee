#include <cmath>
#include <set>

#include "stunt/assess/run_summary.h"
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/plan_times.h"
#include "stunt/optimize/objective.h"
#include "stunt/simulate/performer.h"
#include "stunt/simulate/prepared_motions.h"
#include "stunt/simulate/simulation.h"

namespace stunt {
namespace {

constexpr int kPlannedStates = 400;

std::vector<PlanTimes> time_plans(const Trial& trial) {
  Scene scene = read_scene(
      "", "experiment", {"actors.0.motion=" + trial.motion, "actors.0.character=" + trial.setup.character});
  return plan_times(*make_performers(scene)[0].shown, kPlannedStates);
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

static void describe(Fields& fields, PlanTimes& times) {
  fields("contacts", times.contacts)("states", times.states)("dummy_variables", times.dummy_variables);
  fields("plain_variables", times.plain_variables)("dummy_us", times.dummy_us)("plain_us", times.plain_us);
  fields("dual_us", times.dual_us)("largest_difference", times.largest_difference);
}

static void describe(Fields& fields, MeasuredNumber& measured) {
  fields("name", measured.name)("value", measured.value);
}

static void describe(Fields& fields, MeasuredLine& line) {
  fields("name", line.name);
  fields.list("x", line.x, "", [](Fields& inner, double& value) { inner("value", value); });
  fields.list("y", line.y, "", [](Fields& inner, double& value) { inner("value", value); });
}

void describe(Fields& fields, TrialOutcome& outcome) {
  fields("completed", outcome.completed)("fell_at_s", outcome.fell_at_s)("reason", outcome.reason);
  fields("simulated_s", outcome.simulated_s)("joint_error_deg", outcome.joint_error_deg);
  fields("position_error_cm", outcome.position_error_cm)("squared_error", outcome.squared_error);
  fields("plan_us", outcome.plan_us)("reward", outcome.reward)("error", outcome.error);
  fields.list("curve", outcome.curve, "", [](Fields& inner, double& value) { inner("value", value); });
  fields.list("plans", outcome.plans, "");
  fields.list("measured", outcome.measured, "");
  fields.list("lines", outcome.lines, "");
}

static Scene scene_of(const Trial& trial) {
  return trial.scene.empty() ? read_scene("", "experiment", trial.keys) : load_scene(trial.scene, trial.keys);
}

void prepare_motions(const Experiment& experiment, PreparedMotions& prepared) {
  std::set<std::string> known;
  for (const Trial& trial : experiment.trials) {
    if (trial.run || trial.part == "table4" ||
        !known.insert(trial.scene + "\n" + trial.motion + "\n" + trial.setup.text()).second)
      continue;
    try {
      make_performers(scene_of(trial), prepared);
    } catch (const std::exception&) {
    }
  }
}

TrialOutcome run_trial(const Trial& trial, PreparedMotions* prepared) {
  TrialOutcome outcome;
  try {
    if (trial.part == "table4") {
      outcome.plans = time_plans(trial);
      return outcome;
    }
    if (trial.run) return trial.run();
    const Scene scene = scene_of(trial);
    PreparedMotions alone;
    Simulation simulation(scene, make_performers(scene, prepared ? *prepared : alone));
    if (trial.wanted > 0) {
      ObjectiveSpec objective;
      objective.duration = scene.duration;
      objective.measures = trial.measures;
      const Judgement judgement = run_and_judge(simulation, objective);
      outcome.reward = judgement.reward;
      outcome.completed = judgement.reward >= trial.wanted;
      outcome.reason = judgement.ended;
      outcome.simulated_s = judgement.lasted_s;
      return outcome;
    }
    const Recording recording = simulation.run();
    const RunSummary run = summarize(recording, false);
    const ActorSummary& actor = run.actors.at(0);
    outcome.completed = actor.completed;
    outcome.fell_at_s = actor.fell_at_s;
    outcome.reason = run.diverged.empty() ? actor.fall_reason : run.diverged;
    outcome.simulated_s = run.simulated_s;
    if (actor.score.samples > 0) {
      outcome.joint_error_deg = 180 / kPi * actor.score.joint_error_rad.mean;
      outcome.position_error_cm = 100 * actor.score.mpjpe_root_relative_m;
    }
    outcome.plan_us = actor.plans.mean_us;

    const std::vector<double> errors = squared_error(recording, 0);
    const double end = actor.fell_at_s.value_or(recording.time.back());
    const int every = static_cast<int>(std::lround(recording.rate / kCurveRate));
    double sum = 0;
    int count = 0;
    for (int i = 0; i < recording.samples() && recording.time[static_cast<std::size_t>(i)] <= end; ++i) {
      sum += errors[static_cast<std::size_t>(i)];
      ++count;
      if (trial.curve && i % every == 0) outcome.curve.push_back(errors[static_cast<std::size_t>(i)]);
    }
    if (count > 0) outcome.squared_error = sum / count;
    if (trial.measure) trial.measure(recording, outcome);
  } catch (const std::exception& error) {
    outcome.error = error.what();
  }
  return outcome;
}

}  // namespace stunt

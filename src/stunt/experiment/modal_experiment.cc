// What section 7 and 8 of Jain and Liu 2011 show, counted: pushes, slopes, windows, which modes look ahead, and what our
// changes against the print do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stunt/assess/run_summary.h"
#include "stunt/core/error.h"
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/modal_balance.h"
#include "stunt/experiment/modal_spectra.h"
#include "stunt/simulate/performer.h"
#include "stunt/simulate/run_scene.h"
#include "stunt/world/engine.h"

namespace stunt {
namespace {

constexpr double kFrame = 1.0 / 120;         // s
constexpr double kWalkStride = 128.0 / 120;  // s, of the built-in walk
constexpr double kWatchedAfter = 3;          // s after a push, without which it was not survived
const std::string kController = "actors.0.controller.";

const std::vector<ExperimentPart> kModalParts = {
    {.name = "pushes",
     .title = "Pushes while walking",
     .axis = "force (N)",
     .note =
         "10 frames on the torso, 8 directions x 8 phases of the stride. Survived: still walking 3 s later.",
     .paper = "100 to 175 N for 10 frames are shown"},
    {.name = "latency",
     .title = "Pushes while walking, answered 200 ms late",
     .axis = "force (N)",
     .note = "The same in four phases of the stride, with a reaction delay of 0.2 s.",
     .paper = "the same pushes; 200 ms in all its examples"},
    {.name = "squat",
     .title = "Pushes while squatting",
     .axis = "force (N)",
     .note = "20 frames on chest, pelvis and head, 8 directions x 4 moments (MuJoCo; elsewhere two).",
     .paper = "75 to 250 N for 20 frames are shown"},
    {.name = "swing",
     .title = "Pushes while swinging on a bar",
     .axis = "force (N)",
     .note = "20 frames on chest, pelvis and head, 8 directions x 4 moments (MuJoCo; elsewhere two); scene "
             "high_bar.",
     .paper = "75 to 175 N for 20 frames are shown"},
    {.name = "slopes",
     .title = "Slopes",
     .axis = "slope (deg)",
     .note = "The walk on ground that rises (+) or falls (-), 10 s; nobody edits the motion.",
     .paper = "+3 and -5 degrees, with the motion edited"},
    {.name = "strides",
     .title = "Stride length",
     .axis = "step longer by (cm)",
     .note = "The walk, 10 s; its steps are edited after 2 s. \"x 1.1\": 10 % faster from the start, too.",
     .paper = "+10 and -15 cm; +15 cm with 10 % faster"},
    {.name = "slow_down",
     .title = "Pushed back, and slowed down",
     .axis = "force (N)",
     .note = "0.2 s backwards on the chest while walking, 8 phases of the stride: as it is, and with the "
             "motion a "
             "quarter slower for a second.",
     .paper = "a strong push fells it, and not where the motion is slowed down"},
    {.name = "barbell",
     .title = "Figure 3: a barbell of 30 kg",
     .axis = "window (frames)",
     .note = "Scene barbell. How far the pelvis is behind that of the motion, and how much further it leans "
             "back, "
             "while the barbell is off the floor.",
     .paper = "12 picks it up and topples forward; 36 leans back and holds it"},
    {.name = "windows",
     .title = "Windows",
     .axis = "window (frames)",
     .note = "Walk, squat and jump with windows of other length; the time of a plan is in the table.",
     .paper = "1 is stiff and falls; 10 to 15 walk, 16 squats, 24 swings; 4 to 10 plans per second at 12, 30 "
              "to 40 at 16 and 24 with forces held over some frames"},
    {.name = "speed",
     .title = "How fast it is",
     .axis = "window (frames)",
     .note = "The whole loop, controller and engine, on one core: walk for 10 s, squat for 4 s; the median "
             "of three "
             "runs.",
     .paper = "walking with 12: 3 to 10 % of real time; squat with 16: 25 to 30 %"},
    {.name = "balance",
     .title = "Do the forces make the motion?",
     .axis = "motion",
     .note =
         "m dv/dt - (contact + gravity + push) at every step on engine linearised, pushed for ten steps in "
         "every second: "
         "in the step's own linearisation, and with true kinematics before and after the step."},
    {.name = "modes",
     .title = "Figure 5: which modes look ahead",
     .axis = "softest planned mode",
     .note = "13 modes from this one on are planned over the whole window, the others over the short one.",
     .curves = true,
     .paper = "the error of the root's orientation grows with the number of the first mode"},
    {.name = "random_modes",
     .title = "Modes chosen at random",
     .axis = "draw",
     .note = "13 modes drawn at random look ahead.",
     .paper = "becomes unstable within a few frames"},
    {.name = "threshold",
     .title = "How many modes look ahead",
     .axis = "modes",
     .note = "The softest ones; the preset has 16.",
     .paper = "works within 3 to 4 modes of its choice of 14"},
    {.name = "spectra",
     .title = "Figure 1: how fast components and modes move",
     .axis = "motion",
     .note = "Four strides of the walk.",
     .paper = "the strongest components are slow, the weakest spread towards high frequencies",
     .x_label = "frequency (Hz)",
     .y_label = "amplitude, relative"},
    {.name = "print",
     .title = "The print, and what makes it track",
     .axis = "change",
     .note = "Preset paper on engine linearised: as printed, and with each change alone and all together.",
     .paper = "walks, squats"},
    {.name = "changes",
     .title = "What each change against the print does",
     .axis = "without",
     .note = "Walk, squat and march with one thing taken away from the preset."}};

std::vector<std::string> pick(const char* option, const std::vector<std::string>& wanted,
                              const std::vector<std::string>& all) {
  for (const std::string& name : wanted) {
    if (std::find(all.begin(), all.end(), name) == all.end())
      throw InputError(option, "'" + name + "'", fmt::format("one of: {}", fmt::join(all, ", ")));
  }
  return wanted.empty() ? all : wanted;
}

class ModalMaker {
 public:
  explicit ModalMaker(const ExperimentOptions& options) : options_(options) {
    experiment_.title = "Modal space";
  }

  Experiment make() {
    std::vector<std::string> names, engine_names;
    for (const ExperimentPart& part : kModalParts) names.push_back(part.name);
    for (const auto& engine : engines()) engine_names.push_back(engine.name);
    const auto parts = pick("--only", options_.parts, names);
    auto chosen = pick("--engine", options_.engines, engine_names);
    if (options_.engines.empty()) chosen = {"linearised", "mujoco", "ode"};
    pick("--preset", options_.presets, {"default"});
    pick("--character", options_.characters, {"fit"});
    for (const ExperimentPart& part : kModalParts) {
      if (std::find(parts.begin(), parts.end(), part.name) == parts.end()) continue;
      experiment_.parts.push_back(part);
      if (part.name == "spectra" || part.name == "print" || part.name == "balance") {
        setup_ = part.name == "spectra"
                     ? Setup{"none", "default", "fit"}
                     : Setup{"linearised", part.name == "print" ? "paper" : "linearised", "fit"};
        add_part(part);
        continue;
      }
      for (const std::string& engine : chosen) {
        setup_ = {engine, engine == "linearised" ? "linearised" : "default", "fit"};
        add_part(part);
      }
    }
    return std::move(experiment_);
  }

 private:
  void add(const ExperimentPart& part, const std::string& motion, const std::string& value,
           const std::string& detail, const std::vector<std::string>& keys) {
    Trial trial{part.name, setup_, motion, value, detail, "", {}, part.curves};
    if (part.name == "modes" || part.name == "random_modes") trial.measure = measure_root;
    trial.keys = {"name=trial",
                  "engine=" + setup_.engine,
                  fmt::format("seed={}", options_.seed),
                  kController + "type=modal",
                  kController + "preset=" + setup_.preset,
                  "actors.0.motion.source=" + motion};
    trial.keys.insert(trial.keys.end(), keys.begin(), keys.end());
    trial.keys.insert(trial.keys.end(), options_.keys.begin(), options_.keys.end());
    experiment_.trials.push_back(std::move(trial));
  }

  // A built-in scene with the setup's controller.
  void add_scene(const ExperimentPart& part, const std::string& scene, const std::string& value,
                 const std::string& detail, const std::vector<std::string>& keys) {
    Trial trial{part.name, setup_, scene, value, detail, scene, {}, part.curves};
    if (part.name == "barbell") trial.measure = measure_lean;
    trial.keys = {"engine=" + setup_.engine, fmt::format("seed={}", options_.seed),
                  kController + "type=modal", kController + "preset=" + setup_.preset};
    trial.keys.insert(trial.keys.end(), keys.begin(), keys.end());
    trial.keys.insert(trial.keys.end(), options_.keys.begin(), options_.keys.end());
    experiment_.trials.push_back(std::move(trial));
  }

  // On `body`, from `start` (s) for some frames, towards one of 8 directions.
  static std::vector<std::string> push(const std::string& body, int force, int direction, double start,
                                       int frames) {
    const double angle = direction * kPi / 4;
    return {
        fmt::format("pushes.0.force=[{:.4f}, {:.4f}, 0]", force * std::cos(angle), force * std::sin(angle)),
        "pushes.0.body=" + body,
        fmt::format("pushes.0.start={:.4f}", start),
        fmt::format("pushes.0.duration={:.6f}", frames * kFrame),
        fmt::format("duration={:.4f}", start + kWatchedAfter),
        "actors.0.motion.loop=true"};
  }

  // The short window of a setup, in a window of this many frames.
  int window_high(int window) const { return setup_.preset == "default" ? std::min(window, 6) : 1; }

  std::vector<std::string> in_window(int window) const {
    return {fmt::format("{}window={}", kController, window),
            fmt::format("{}high_window={}", kController, window_high(window))};
  }
  static std::vector<std::string> stride(int centimetres) {
    return {"duration=10", "actors.0.motion.loop=true", "commands.0.at=2",
            fmt::format("commands.0.edit.stride.by={}", 0.01 * centimetres)};
  }

  void add_part(const ExperimentPart& part) {
    if (part.name == "pushes" || part.name == "latency") {
      for (const int force : {100, 175}) {
        const bool late = part.name == "latency";
        for (int i = 0; i < 64; ++i) {
          if (late && i / 8 % 2 != 0) continue;
          std::vector<std::string> keys = push("chest", force, i % 8, 2 + i / 8 * kWalkStride / 8, 10);
          if (late) keys.push_back(kController + "reaction_delay=0.2");
          add(part, "walk", fmt::format("{}", force),
              fmt::format("towards {} deg, phase {}/8", 45 * (i % 8), i / 8), keys);
        }
      }
    }
    if (part.name == "squat") {
      for (const int force : {75, 150, 250}) {
        for (const char* body : {"chest", "pelvis", "head"}) {
          for (int i = 0; i < 32; ++i) {
            if (setup_.engine != "mujoco" && i / 8 % 2 == 0) continue;
            add(part, "squat", fmt::format("{}", force),
                fmt::format("{}, towards {} deg, moment {}/4", body, 45 * (i % 8), i / 8),
                push(body, force, i % 8, 1 + 0.5 * (i / 8), 20));
          }
        }
      }
    }
    if (part.name == "swing") {
      for (const int force : {75, 125, 175}) {
        for (const char* body : {"chest", "pelvis", "head"}) {
          for (int i = 0; i < 32; ++i) {
            if (setup_.engine != "mujoco" && i / 8 % 2 == 0) continue;
            std::vector<std::string> keys = push(body, force, i % 8, 0.5 + 0.5 * (i / 8), 20);
            keys.resize(4);  // the scene's own length, and no loop
            add_scene(part, "high_bar", fmt::format("{}", force),
                      fmt::format("{}, towards {} deg, moment {}/4", body, 45 * (i % 8), i / 8), keys);
          }
        }
      }
    }
    if (part.name == "strides") {
      for (const int by : {-25, -15, -10, 0, 10, 15, 25})
        add(part, "walk", fmt::format("{:+}", by), "", stride(by));
      std::vector<std::string> keys = stride(15);
      keys.push_back("actors.0.motion.speed=1.1");
      add(part, "walk", "+15, x 1.1", "", keys);
    }
    if (part.name == "slow_down") {
      for (const int force : {100, 150, 200, 250}) {
        for (const bool slower : {false, true}) {
          for (int i = 0; i < 8; ++i) {
            const double start = 3 + i * kWalkStride / 8;
            std::vector<std::string> keys = {fmt::format("pushes.0.force=[{}, 0, 0]", -force),
                                             fmt::format("pushes.0.start={:.4f}", start)};
            keys.push_back(slower ? fmt::format("commands.0.at={:.4f}", start + 0.2) : "commands=[]");
            add_scene(part, "slow_down", fmt::format("{}{}", force, slower ? ", slowed down" : ""),
                      fmt::format("phase {}/8", i), keys);
          }
        }
      }
    }
    if (part.name == "barbell") {
      for (const int window : {6, 9, 12, 16, 24, 36})
        add_scene(part, "barbell", fmt::format("{}", window), "", in_window(window));
    }
    if (part.name == "slopes") {
      for (const double slope : {-10.0, -7.5, -5.0, -3.0, 0.0, 3.0, 5.0, 7.5, 10.0})
        add(part, "walk", fmt::format("{}", slope), "",
            {fmt::format("ground.slope_deg={}", slope), "actors.0.motion.loop=true", "duration=10"});
    }
    if (part.name == "windows") {
      for (const int window : {1, 4, 6, 9, 12, 16, 24, 36}) {
        for (const char* motion : {"walk", "squat", "jump"})
          add(part, motion, fmt::format("{}", window), "", in_window(window));
      }
    }
    if (part.name == "speed") {
      for (const int window : {12, 16, 36}) {
        for (const char* motion : {"walk", "squat"}) {
          std::vector<std::string> keys = in_window(window);
          if (motion == std::string("walk"))
            keys.insert(keys.end(), {"actors.0.motion.loop=true", "duration=10"});
          add(part, motion, fmt::format("{}", window), "", keys);
          Trial& trial = experiment_.trials.back();
          trial.run = [keys = trial.keys] { return time_run(read_scene("", "experiment", keys)); };
        }
      }
    }
    if (part.name == "balance") {
      for (const char* motion : {"walk", "squat", "march"}) {
        add(part, motion, motion, "", {});
        Trial& trial = experiment_.trials.back();
        trial.run = [keys = trial.keys] {
          const MomentumBalance found = momentum_balance(read_scene("", "experiment", keys));
          TrialOutcome outcome;
          outcome.completed = true;
          outcome.simulated_s = found.seconds;
          outcome.measured = {{"left over, worst, of the weight", found.linear_worst},
                              {"true kinematics, mean (% of the weight)", 100 * found.true_mean},
                              {"true kinematics, worst (% of the weight)", 100 * found.true_worst}};
          return outcome;
        };
      }
    }
    if (part.name == "modes") {
      for (const int first : {0, 3, 6, 9, 12, 15, 18})
        add(part, "walk", fmt::format("{}", first), "",
            {fmt::format("{}first_low_mode={}", kController, first), kController + "low_modes=13"});
    }
    if (part.name == "random_modes") {
      for (const int draw : {1, 2, 3, 4, 5})
        add(part, "walk", fmt::format("{}", draw), "",
            {fmt::format("{}scattered_modes={}", kController, draw), kController + "low_modes=13"});
    }
    if (part.name == "threshold") {
      for (const int modes : {4, 8, 12, 14, 16, 18, 20, 24, 30}) {
        for (const char* motion : {"walk", "squat", "march"})
          add(part, motion, fmt::format("{}", modes), "",
              {fmt::format("{}low_modes={}", kController, modes)});
      }
    }
    if (part.name == "spectra") {
      Trial trial{part.name, setup_, "walk", "walk", "", "", {}, false};
      trial.run = [] {
        const Scene scene =
            read_scene("", "experiment", {"actors.0.motion.source=walk", "actors.0.motion.loop=true"});
        const ModalSpectra found =
            modal_spectra(*make_performers(scene)[0].shown, kWalkStride, 4 * kWalkStride);
        TrialOutcome outcome;
        outcome.completed = true;
        outcome.lines = found.lines;
        outcome.measured = found.numbers;
        return outcome;
      };
      experiment_.trials.push_back(std::move(trial));
    }
    if (part.name == "print") {
      const std::vector<std::pair<const char*, std::vector<std::string>>> rows = {
          {"as printed", {}},
          {"W_3 1e-5", {"force_weight=1e-5"}},
          {"16 low modes", {"low_frequency=0", "low_modes=16"}},
          {"the reference's contacts", {"detected_contacts=false"}},
          {"clearance 2 cm", {"clearance=true"}},
          {"all four",
           {"force_weight=1e-5", "low_frequency=0", "low_modes=16", "detected_contacts=false",
            "clearance=true"}},
          {"preset linearised", {"preset=linearised"}}};
      for (const auto& [name, changes] : rows) {
        std::vector<std::string> keys;
        for (const std::string& change : changes) keys.push_back(kController + change);
        for (const char* motion : {"stand", "squat", "walk", "march"}) add(part, motion, name, "", keys);
      }
    }
    if (part.name == "changes") {
      for (const std::string change :
           {"", "carry_load=false", "hold_contacts=false", "high_window=1", "balance_reference=false",
            "velocity_forces=false", "true_momentum=false", "anchor=false", "placement=false",
            "clearance=false", "recovery=false", "force_weight=0.1"}) {
        const std::vector<std::string> keys =
            change.empty() ? std::vector<std::string>{} : std::vector<std::string>{kController + change};
        for (const char* motion : {"walk", "squat", "march"})
          add(part, motion, change.empty() ? "nothing" : change, "", keys);
      }
    }
  }

  static TrialOutcome time_run(const Scene& scene) {
    constexpr int kRuns = 3;
    std::vector<double> speeds, plans;
    TrialOutcome outcome;
    for (int i = 0; i < kRuns; ++i) {
      const RunSummary run = summarize(run_scene(scene), false);
      speeds.push_back(run.realtime_factor.value_or(0));
      plans.push_back(run.actors.at(0).plans.mean_us.value_or(0));
      outcome.completed = run.completed;
      outcome.fell_at_s = run.actors.at(0).fell_at_s;
      outcome.simulated_s = run.simulated_s;
    }
    std::sort(speeds.begin(), speeds.end());
    std::sort(plans.begin(), plans.end());
    outcome.plan_us = plans[kRuns / 2];
    outcome.measured.push_back({"times real time", speeds[kRuns / 2]});
    return outcome;
  }

  // The paper's measure: the error of the root's orientation.
  static void measure_root(const Recording& recording, TrialOutcome& outcome) {
    const ActorTrack& track = recording.actors.at(0);
    const double end = outcome.fell_at_s.value_or(recording.time.back());
    double sum = 0;
    int count = 0;
    for (int i = 0; i < recording.samples() && recording.time[static_cast<std::size_t>(i)] <= end; ++i) {
      const VecX q = recording.q(i, track), wanted = track.reference_q(i);
      sum += degrees(angle_between(quat_from_wxyz(&q[3]), quat_from_wxyz(&wanted[3])));
      ++count;
    }
    outcome.measured.push_back({"root's orientation (deg)", sum / std::max(count, 1)});
  }

  // Between the lift and the moment it is put down, or until a fall.
  static void measure_lean(const Recording& recording, TrialOutcome& outcome) {
    constexpr double kLifted = 2.5, kPutDown = 6;  // s
    const ActorTrack& track = recording.actors.at(0);
    const double end = std::min(outcome.fell_at_s.value_or(kPutDown), kPutDown);
    double behind = 0, lean = 0;
    int count = 0;
    const auto pitch = [](const VecX& q) {
      const Vec3 up = quat_from_wxyz(&q[3]) * Vec3::UnitZ();
      return degrees(std::atan2(up.x(), up.z()));
    };
    for (int i = 0; i < recording.samples(); ++i) {
      const double time = recording.time[static_cast<std::size_t>(i)];
      if (time < kLifted || time > end) continue;
      const VecX q = recording.q(i, track), wanted = track.reference_q(i);
      behind += 100 * (wanted[0] - q[0]);
      lean += pitch(wanted) - pitch(q);
      ++count;
    }
    outcome.measured.push_back({"pelvis behind the motion's (cm)", behind / std::max(count, 1)});
    outcome.measured.push_back({"leans further back (deg)", lean / std::max(count, 1)});
  }

  const ExperimentOptions& options_;
  Experiment experiment_;
  Setup setup_;
};

}  // namespace

Experiment modal_experiment(const ExperimentOptions& options) { return ModalMaker(options).make(); }

}  // namespace stunt

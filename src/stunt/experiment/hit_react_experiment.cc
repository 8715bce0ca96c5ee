// The figures of Zordan and Hodgins 2002: tracking, reacting and balance (3, 7 and 8) are measured here, hits, fights and
// games in hit_react_games.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/core/error.h"
#include "stunt/experiment/experiment.h"
#include "stunt/experiment/hit_react_games.h"

namespace stunt {
namespace {

constexpr double kHitAt = 1;  // s

const std::vector<ExperimentPart> kHitReactParts = {
    {"figure3", "Figure 3: a bob and weave", "motion",
     "The right shoulder's angles, data and simulated. Delay: by how much the simulated angles must be moved "
     "back to "
     "match the data best.",
     false, "a plot: the data is followed closely, with a small delay", "time (s)",
     "rotation of the shoulder (deg)"},
    {"figure4", "Figure 4, right: the speed of the racket", "swing",
     "At the hit, wanted from 0.7 to 1.3 times the swing's own in seven steps. Completed: never off by more "
     "than 5 %.",
     false, "a plot: speeds reached are near those predicted", "wanted (m/s)", "reached (m/s)"},
    {"landing", "Figure 4, left: where the ball lands", "target (m)",
     "Balls fed in different ways, returned to nine places on the other half. Completed: down within 15 cm.",
     false, "a plot of three targets", "along the table (m)", "across (m)"},
    {"figure5", "Figure 5: punches on the 0.1 m grid", "punch",
     "25 targets across the punch's own place, after at most 10 practice hits. Completed: 2 cm off on "
     "average, 5 cm at "
     "most.",
     false, "a plot of two styles", "across (m)", "up (m)"},
    {"figure6", "Figure 6: states of a routine over time", "scene",
     "The share of the time that the first character spends in each of its states.", false,
     "bars for punching and for swinging a racket", "time (s)", "state"},
    {"figure7", "Figure 7: a hit to the side of the head", "k_r / k_t, delay",
     "A ball of 1.5 kg at 5 m/s against the head of a boxer on guard. Moved: the head relative to the "
     "pelvis, against where it was before "
     "the hit. Back: when that is below 2 cm for good.",
     false,
     "a plot of eight reactions: lower ratios and longer delays let the head swing further and return later",
     "time after the hit (s)", "head moved (cm)"},
    {"figure8", "Figure 8: velocity of the centre of mass", "balance",
     "Followed without falling, and how far the velocity of the centre of mass is from the data's.", false,
     "a plot of a dance: offsets follow the data's centre of mass, the virtual actuator the centre of the "
     "support; the "
     "data-driven one lagged in fast motions such as boxing",
     "time (s)", "velocity, left to right (m/s)"},
    {"blows", "Blows to a standing boxer", "blow",
     "0.1 s from 8 directions. Completed: still on its feet 4 s later. Back: when the mean distance of the "
     "joints from "
     "the motion is below 5 cm for good.",
     false, "not given"},
    {"boxing", "Two boxers for a minute", "scene",
     "They move, hit, cover up, step and react; one run for each seed. Completed: nobody fell. A blow: glove "
     "on head or "
     "trunk with at least 2 m/s. Back: the mean distance of the joints from the motion is below 5 cm again.",
     false, "boxers exchange blows; how long is not given"},
    {"sparring", "Two boxers, jab after jab, for a minute", "scene",
     "Ten seeds, each with another start of the second boxer. Completed: nobody fell.", false,
     "boxers exchange blows; how long is not given"},
    {"rally", "Two players keep a table-tennis ball in play", "scene",
     "Ten seeds, 30 s each; the places where the ball is returned to are varied at random. Completed: 20 "
     "returns in a row.",
     false, "a controlled volley; how long is not given"},
    {"figure11", "Figure 11: where the racket meets the ball", "swing",
     "The racket's place at the hit of each swing as it goes, not aimed, from the player's first place.",
     false, "pictures of rackets at the contact, raw and blended swings", "to the left (m)", "up (m)"},
};

// The samples of a recording at which a character stands as `q` says.
struct Poses {
  explicit Poses(const Recording& recording)
      : recording_(recording),
        track_(recording.actors.at(0)),
        ours(track_.slot.actor),
        data(track_.slot.actor) {}

  void set(int sample) {
    ours.set_state(recording_.q(sample, track_), recording_.v(sample, track_));
    const VecX q = track_.reference_q(sample);
    const int before = std::max(0, sample - 1), after = std::min(recording_.samples() - 1, sample + 1);
    VecX v;
    difference(*track_.slot.actor, track_.reference_q(before), track_.reference_q(after), v);
    data.set_state(q, v * (recording_.rate / std::max(1, after - before)));
  }
  // How long the recording can be compared with the data.
  int count() const {
    const double end = track_.fall ? track_.fall->time : recording_.duration;
    return std::min(recording_.samples(), static_cast<int>(end * recording_.rate));
  }
  // m: of a body's origin from where the data has it, both seen from the pelvis.
  Vec3 away(int body) {
    return (ours.body_position(body) - ours.body_position(0)) -
           (data.body_position(body) - data.body_position(0));
  }

 private:
  const Recording& recording_;
  const ActorTrack& track_;

 public:
  ActorDynamics ours, data;
};

// s: by how much `late` must be moved back to match `data` best.
double delay_of(const std::vector<std::vector<double>>& late, const std::vector<std::vector<double>>& data,
                double rate) {
  const int most = static_cast<int>(0.3 * rate);
  double best = 0, least = -1;
  for (int shift = 0; shift <= most; ++shift) {
    double sum = 0;
    int count = 0;
    for (std::size_t line = 0; line < late.size(); ++line) {
      for (std::size_t i = 0; i + most < data[line].size(); ++i, ++count)
        sum += std::pow(late[line][i + static_cast<std::size_t>(shift)] - data[line][i], 2);
    }
    if (count > 0 && (least < 0 || sum < least)) least = sum, best = shift / rate;
  }
  return best;
}

double rms_between(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t line = 0; line < a.size(); ++line) {
    for (std::size_t i = 0; i < a[line].size(); ++i, ++count) sum += std::pow(a[line][i] - b[line][i], 2);
  }
  return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

// The last moment after `from` (s) at which `values` (one per sample) are above `limit`; from itself where none is.
double settled_after(const std::vector<double>& values, double limit, double from, double rate) {
  double last = from;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] > limit && static_cast<double>(i) / rate > from) last = static_cast<double>(i) / rate;
  }
  return last - from;
}

void add_line(TrialOutcome& outcome, const std::string& name, const std::vector<double>& y, double from,
              double rate) {
  MeasuredLine line{name, {}, y};
  for (std::size_t i = 0; i < y.size(); ++i) line.x.push_back(static_cast<double>(i) / rate + from);
  outcome.lines.push_back(std::move(line));
}

// Figure 3.
void measure_shoulder(const Recording& recording, TrialOutcome& outcome) {
  const Actor& actor = *recording.actors.at(0).slot.actor;
  const int arm = actor.body(Role::right_upper_arm);
  if (arm < 0) return;
  const int chest = actor.bodies()[static_cast<std::size_t>(arm)].parent;
  Poses poses(recording);
  std::vector<std::vector<double>> ours(3), data(3);
  for (int i = 0; i < poses.count(); ++i) {
    poses.set(i);
    const auto angles = [&](ActorDynamics& body) {
      return Vec3(180 / kPi * log_map(body.body_rotation(chest).conjugate() * body.body_rotation(arm)));
    };
    const Vec3 our = angles(poses.ours), wanted = angles(poses.data);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ours[axis].push_back(our[static_cast<Eigen::Index>(axis)]);
      data[axis].push_back(wanted[static_cast<Eigen::Index>(axis)]);
    }
  }
  outcome.measured.push_back({"shoulder error (deg rms)", rms_between(ours, data)});
  outcome.measured.push_back({"delay (ms)", 1000 * delay_of(ours, data, recording.rate)});
  const char* axes[] = {"x", "y", "z"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    add_line(outcome, fmt::format("data {}", axes[axis]), data[axis], 0, recording.rate);
    add_line(outcome, fmt::format("simulated {}", axes[axis]), ours[axis], 0, recording.rate);
  }
}

// Figure 7.
void measure_head(const std::string& name, const Recording& recording, TrialOutcome& outcome) {
  const Actor& actor = *recording.actors.at(0).slot.actor;
  const int head = actor.body(Role::head);
  // The hit: the first contact of the head.
  double hit = -1;
  for (int i = 0; i < recording.samples() && hit < 0; ++i) {
    for (const RecordedContact& contact : recording.contacts_of(i)) {
      const int scene_head = recording.actors[0].slot.first_body + head;
      if (contact.body1 == scene_head || contact.body2 == scene_head)
        hit = recording.time[static_cast<std::size_t>(i)];
    }
  }
  if (head < 0 || hit < 0) return;
  // Against where it was in the half second before.
  Poses poses(recording);
  std::vector<Vec3> away;
  Vec3 usual = Vec3::Zero();
  int before = 0;
  for (int i = 0; i < poses.count(); ++i) {
    poses.set(i);
    away.push_back(poses.away(head));
    const double time = i / recording.rate;
    if (time < hit && time >= hit - 0.5) usual += away.back(), ++before;
  }
  std::vector<double> moved, after;
  for (std::size_t i = 0; i < away.size(); ++i) {
    moved.push_back((away[i] - usual / std::max(1, before)).norm());
    if (static_cast<double>(i) / recording.rate >= hit) after.push_back(100 * moved.back());
  }
  if (after.empty()) return;
  outcome.measured.push_back({"head moved (cm)", *std::max_element(after.begin(), after.end())});
  outcome.measured.push_back({"back after (s)", settled_after(moved, 0.02, hit, recording.rate)});
  after.resize(std::min(after.size(), static_cast<std::size_t>(1.5 * recording.rate)));
  add_line(outcome, name, after, 0, recording.rate);
}

// Figure 8.
void measure_center(const std::string& name, const Recording& recording, TrialOutcome& outcome) {
  Poses poses(recording);
  std::vector<std::vector<double>> ours(2), data(2);
  for (int i = 0; i < poses.count(); ++i) {
    poses.set(i);
    const Vec3 our = poses.ours.com_velocity(), wanted = poses.data.com_velocity();
    for (Eigen::Index axis = 0; axis < 2; ++axis) {
      ours[static_cast<std::size_t>(axis)].push_back(our[axis]);
      data[static_cast<std::size_t>(axis)].push_back(wanted[axis]);
    }
  }
  outcome.measured.push_back({"velocity error (m/s rms)", rms_between(ours, data)});
  outcome.measured.push_back({"delay (ms)", 1000 * delay_of(ours, data, recording.rate)});
  outcome.measured.push_back({"followed (s)", poses.count() / recording.rate});
  add_line(outcome, name, ours[1], 0, recording.rate);
  if (name == "virtual actuator, support") add_line(outcome, "data", data[1], 0, recording.rate);
}

void measure_return(const Recording& recording, TrialOutcome& outcome) {
  if (!outcome.completed) return;
  Poses poses(recording);
  const auto bodies = static_cast<int>(recording.actors.at(0).slot.actor->bodies().size());
  std::vector<double> distance;
  for (int i = 0; i < poses.count(); ++i) {
    poses.set(i);
    double sum = 0;
    for (int body = 0; body < bodies; ++body) sum += poses.away(body).norm() / bodies;
    distance.push_back(sum);
  }
  outcome.measured.push_back({"back within 5 cm (s)", settled_after(distance, 0.05, kHitAt, recording.rate)});
}

class HitReactExperiment {
 public:
  explicit HitReactExperiment(const ExperimentOptions& options) : options_(options) {
    experiment_.title = "Hit and react";
    std::vector<std::string> names;
    for (const ExperimentPart& part : kHitReactParts) names.push_back(part.name);
    check("--only", options.parts, names);
    check("--engine", options.engines, {"mujoco", "ode"});
    check("--preset", options.presets, {"paper", "default"});
    check("--character", options.characters, {"fit"});
    if (!options.motions.empty())
      throw InputError("--motions", "a folder", "none: these figures are made of built-in motions");
    for (const ExperimentPart& part : kHitReactParts) {
      if (chosen(options.parts, part.name)) experiment_.parts.push_back(part);
    }
    experiment_.notes.push_back(
        "Comparisons with video (figure 9, part of figure 10) need footage of the captured people and are "
        "left out.");
  }

  Experiment make() {
    for (const char* engine : {"mujoco", "ode"}) {
      for (const char* preset : {"paper", "default"}) {
        if (!chosen(options_.engines, engine) || !chosen(options_.presets, preset)) continue;
        setup_ = {engine, preset, "fit"};
        add_figure3();
        add_figure7();
        if (setup_.preset == "paper") add_figure8();
        add_blows();
        if (setup_.preset == "paper") continue;
        add_hits();
        add_landing();
        add_runs("figure6", "boxing", "guard", {}, measure_states, 1);
        add_runs("figure6", "table_tennis", "table_tennis_ready", {}, measure_states, 1);
        add_runs("boxing", "boxing", "guard", {}, measure_fight, options_.seeds);
        add_sparring();
        add_runs("rally", "table_tennis", "table_tennis_ready", {"duration=30"}, measure_rally,
                 options_.seeds);
      }
    }
    return std::move(experiment_);
  }

 private:
  static bool chosen(const std::vector<std::string>& wanted, const std::string& name) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  }
  static void check(const char* option, const std::vector<std::string>& wanted,
                    const std::vector<std::string>& known) {
    for (const std::string& name : wanted) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError(option, "'" + name + "'", fmt::format("one of: {}", fmt::join(known, ", ")));
    }
  }
  bool has(const char* part) const {
    return std::any_of(experiment_.parts.begin(), experiment_.parts.end(),
                       [&](const ExperimentPart& p) { return p.name == part; });
  }
  void add(const std::string& part, const std::string& motion, const std::string& value,
           const std::string& detail, std::vector<std::string> keys,
           std::function<void(const Recording&, TrialOutcome&)> measure) {
    Trial trial;
    trial.part = part;
    trial.setup = setup_;
    trial.motion = motion;
    trial.value = value;
    trial.detail = detail;
    trial.keys = {"engine=" + setup_.engine, fmt::format("seed={}", options_.seed),
                  "actors.0.motion.source=" + motion, "actors.0.controller.type=hit_react",
                  "actors.0.controller.preset=" + setup_.preset};
    trial.keys.insert(trial.keys.end(), keys.begin(), keys.end());
    trial.keys.insert(trial.keys.end(), options_.keys.begin(), options_.keys.end());
    trial.measure = std::move(measure);
    experiment_.trials.push_back(std::move(trial));
  }

  void add_figure3() {
    if (has("figure3")) add("figure3", "bob_and_weave", "bob_and_weave", "", {}, measure_shoulder);
  }

  void add_figure7() {
    if (!has("figure7")) return;
    for (const double ratio : {0.5, 0.25, 0.1, 0.03}) {
      for (const double delay : {0.1, 0.3}) {
        const std::string name = fmt::format("{}, {} s", ratio, delay);
        add("figure7", "guard", name, "",
            {"actors.0.motion.loop=true", "duration=5",
             fmt::format("actors.0.controller.reaction.neck={}", ratio),
             fmt::format("actors.0.controller.reaction.trunk={}", ratio),
             fmt::format("actors.0.controller.reaction.delay={}", delay),
             "throws=[{body: head, size: 0.2, mass: 1.5, speed: 5, distance: 1, from_deg: 90, height: 1.6, "
             "start: 1}]"},
            [name](const Recording& recording, TrialOutcome& outcome) {
              measure_head(name, recording, outcome);
            });
      }
    }
  }

  void add_figure8() {
    if (!has("figure8")) return;
    for (const char* motion : {"dance", "hips", "jab"}) {
      for (const auto& [balance, center] :
           {std::pair("virtual_actuator", "support"), std::pair("offsets", "data"),
            std::pair("virtual_actuator", "data"), std::pair("offsets", "support")}) {
        std::string name = fmt::format("{}, {}", balance, center);
        std::replace(name.begin(), name.end(), '_', ' ');
        add("figure8", motion, fmt::format("{}: {}", motion, name), "",
            {fmt::format("actors.0.controller.balance={}", balance),
             fmt::format("actors.0.controller.center={}", center)},
            [name](const Recording& recording, TrialOutcome& outcome) {
              measure_center(name, recording, outcome);
            });
      }
    }
  }

  void add_blows() {
    if (!has("blows")) return;
    for (const auto& [body, force] :
         {std::pair("head", 150), std::pair("head", 300), std::pair("head", 600), std::pair("chest", 300),
          std::pair("chest", 600), std::pair("chest", 1200)}) {
      for (int direction = 0; direction < 8; ++direction) {
        const double angle = 2 * kPi * direction / 8;
        add("blows", "guard", fmt::format("{} {} N", body, force),
            fmt::format("towards {} deg", 45 * direction),
            {"actors.0.motion.loop=true", "duration=5",
             fmt::format("pushes=[{{body: {}, force: [{:.6f}, {:.6f}, 0], start: {}, duration: 0.1}}]", body,
                         force * std::cos(angle), force * std::sin(angle), kHitAt)},
            measure_return);
      }
    }
  }

  void add_sparring() {
    for (int i = 0; i < options_.seeds; ++i) {
      const double start = 0.05 + 0.09 * i;  // s
      add_run("sparring", "sparring", "jab", i, fmt::format("second boxer from {:.2f} s on", start),
              {fmt::format("actors.1.motion.start={:.2f}", start)}, measure_fight);
    }
  }

  // A built-in scene with seeds one after the other.
  void add_runs(const std::string& part, const std::string& scene, const std::string& motion,
                const std::vector<std::string>& keys,
                const std::function<void(const Recording&, TrialOutcome&)>& measure, int runs) {
    for (int i = 0; i < runs; ++i) add_run(part, scene, motion, i, "", keys, measure);
  }
  void add_run(const std::string& part, const std::string& scene, const std::string& motion, int run,
               const std::string& detail, const std::vector<std::string>& keys,
               std::function<void(const Recording&, TrialOutcome&)> measure) {
    if (!has(part.c_str())) return;
    const std::uint64_t seed = options_.seed + static_cast<std::uint64_t>(run);
    Trial trial = of_scene(part, scene, motion, scene, seed);
    trial.detail = detail.empty() ? fmt::format("seed {}", seed) : detail;
    trial.keys.insert(trial.keys.end() - static_cast<std::ptrdiff_t>(options_.keys.size()), keys.begin(),
                      keys.end());
    trial.measure = std::move(measure);
    experiment_.trials.push_back(std::move(trial));
  }
  Trial of_scene(const std::string& part, const std::string& scene, const std::string& motion,
                 const std::string& value, std::uint64_t seed) const {
    Trial trial;
    trial.part = part;
    trial.setup = setup_;
    trial.motion = motion;
    trial.value = value;
    trial.scene = scene;
    trial.keys = {"engine=" + setup_.engine, fmt::format("seed={}", seed)};
    trial.keys.insert(trial.keys.end(), options_.keys.begin(), options_.keys.end());
    return trial;
  }

  // Hits that are tried alone.
  void add_hits() {
    const auto add_hit = [&](const char* part, const char* scene, const char* actor,
                             const std::string& segment, TrialOutcome (*run)(const HitTrial&)) {
      Trial trial = of_scene(part, scene, segment, segment, options_.seed);
      trial.run = [run, hit = HitTrial{scene, actor, segment, trial.keys}] { return run(hit); };
      experiment_.trials.push_back(std::move(trial));
    };
    if (has("figure5")) {
      for (const char* punch : {"jab", "cross", "hook", "uppercut"})
        add_hit("figure5", "boxing", "red", punch, run_grid);
    }
    if (!has("figure4") && !has("figure11")) return;
    for (const char* side : {"forehand", "backhand"}) {
      for (const char* height : {"low", "middle", "high"}) {
        for (const char* reach : {"near", "wide"}) {
          const std::string swing = fmt::format("{}_{}_{}", side, height, reach);
          if (has("figure4")) add_hit("figure4", "table_tennis", "near", swing, run_speeds);
          if (has("figure11")) add_hit("figure11", "table_tennis", "near", swing, run_place);
        }
      }
    }
  }

  void add_landing() {
    if (!has("landing")) return;
    constexpr std::uint64_t kFeeds = 20;
    for (const Vec3& to : landing_targets()) {
      for (std::uint64_t feed = 0; feed < kFeeds; ++feed) {
        Trial trial = of_scene("landing", "table_tennis", "table_tennis_ready",
                               fmt::format("({:.1f}, {:.2f})", to.x(), to.y()), options_.seed);
        trial.detail = fmt::format("feed {}", feed + 1);
        trial.run = [fed = FedBall{trial.keys, to, options_.seed * 1000 + feed}] { return run_feed(fed); };
        experiment_.trials.push_back(std::move(trial));
      }
    }
  }

  ExperimentOptions options_;
  Experiment experiment_;
  Setup setup_;
};

}  // namespace

Experiment hit_react_experiment(const ExperimentOptions& options) {
  return HitReactExperiment(options).make();
}

}  // namespace stunt

#include "stunt/experiment/realism_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "stunt/assess/realism/realism_summary.h"
#include "stunt/core/error.h"
#include "stunt/experiment/emg.h"
#include "stunt/motion/load.h"

namespace stunt {
namespace {

constexpr double kStudyMass = 72;    // kg, of the thesis' subject
constexpr double kStudyLowPass = 4;  // Hz
constexpr double kNoise = 0.003;     // of the excess: below is noise (the thesis' for muscles)
constexpr double kLeastLoad = 0.2;   // body weights: with less the centre of pressure means little

// Fifteen built-in motions of the thesis' kinds: walking, jumping, bending the knees, waving, ...
const std::vector<std::string> kStudyMotions = {
    "walk", "walk_backwards", "walk_turn", "walk_start_stop", "run",  "march", "sneak", "limp",
    "jump", "squat",          "bow",       "stand",           "wave", "jab",   "cross"};

std::vector<double> multipliers() {
  std::vector<double> out;
  for (int i = 1; i <= 15; ++i) out.push_back(0.2 * i);
  return out;
}

AssessedMotion read_motion(const std::string& source, double mass_kg) {
  const Clip clip = load_clip(source);
  return motion_of(fit_actor(clip, {.mass_kg = mass_kg}), clip);
}

std::string short_name(const std::string& source) { return std::filesystem::path(source).stem().string(); }

// Largest multiplier up to which all are at most noise.
double largest(const std::vector<std::pair<double, double>>& excess) {
  double most = 0;
  for (const auto& [multiplier, value] : excess) {
    if (multiplier >= 1 - 1e-9 && value > kNoise) break;
    most = multiplier;
  }
  return most;
}

class RealismStudy {
 public:
  RealismStudy(const ExperimentOptions& options, const std::function<bool(double)>& progress)
      : options_(options), progress_(progress) {
    if (!options.engines.empty() || !options.presets.empty() || !options.characters.empty() ||
        !options.keys.empty()) {
      throw InputError("realism", "an engine, preset, character or scene key",
                       "--only, --motions and --plates alone: nothing is simulated");
    }
  }

  Study run() {
    Study study{.title = "Realism of motions: Geijtenbeek 2013, chapter 4"};
    study.notes.push_back(
        "Lambda is the muscle error (4.14) with our own template of muscles; excess is the same by joint "
        "torques: "
        "what "
        "they would need beyond the strength of the character's motors, as a share of the strength of all "
        "joints.");
    if (wanted("weight") || wanted("speed") || wanted("most")) add_multipliers(study);
    if (wanted("captures")) add_captures(study);
    if (wanted("plates")) add_plates(study);
    if (wanted("emg")) add_emg(study);
    return study;
  }

 private:
  bool wanted(const std::string& part) const {
    return options_.parts.empty() ||
           std::find(options_.parts.begin(), options_.parts.end(), part) != options_.parts.end();
  }
  void tell(double share) const {
    if (progress_ && !progress_(share)) throw RunError("interrupted; nothing was written");
  }

  void add_multipliers(Study& study) {
    StudyPart weight{
        "weight", "Figure 4.2: muscle error over the weight multiplier",
        "The thesis: the muscle error grows with the weight, most for jumps and knee bends, least for "
        "waving; the dynamics error does not change."};
    StudyPart speed{
        "speed", "Figures 4.3 and 4.4: muscle error and dynamics error over the speed multiplier",
        "The thesis: kappa grows when a walk or a jump is sped up or slowed down, and hardly for quiet "
        "motions."};
    StudyPart most{
        "most", "Figure 4.5: the largest multipliers with a muscle error of at most 0.003",
        "Multipliers end at 3. With excess torque in the place of the muscle error: the last two columns."};
    Plot by_weight{"muscle error lambda", "weight multiplier", "lambda", {}, true};
    Plot by_speed{"muscle error lambda", "speed multiplier", "lambda", {}, true};
    Plot kappas{"dynamics error kappa", "speed multiplier", "kappa", {}, true};
    for (std::size_t m = 0; m < kStudyMotions.size(); ++m) {
      tell(0.9 * static_cast<double>(m) / static_cast<double>(kStudyMotions.size()));
      const std::string& name = kStudyMotions[m];
      const AssessedMotion motion = read_motion(name, kStudyMass);
      std::vector<std::pair<double, double>> of_weight, of_speed, kappa, torque_weight, torque_speed;
      for (const double factor : multipliers()) {
        const Realism heavy = assess_realism(motion, {.weight = factor, .low_pass_hz = kStudyLowPass});
        of_weight.emplace_back(factor, heavy.lambda);
        torque_weight.emplace_back(factor, heavy.torque_excess);
        weight.rows.push_back({{"motion", name},
                               {"weight", factor},
                               {"lambda", heavy.lambda},
                               {"reserve", heavy.lambda_reserve},
                               {"excess", heavy.torque_excess},
                               {"kappa", heavy.kappa},
                               {"strength_ratio", heavy.demands.at(0).ratio}});
        const Realism fast = assess_realism(motion, {.speed = factor, .low_pass_hz = kStudyLowPass});
        of_speed.emplace_back(factor, fast.lambda);
        torque_speed.emplace_back(factor, fast.torque_excess);
        kappa.emplace_back(factor, fast.kappa);
        speed.rows.push_back({{"motion", name},
                              {"speed", factor},
                              {"lambda", fast.lambda},
                              {"reserve", fast.lambda_reserve},
                              {"excess", fast.torque_excess},
                              {"kappa", fast.kappa},
                              {"strength_ratio", fast.demands.at(0).ratio}});
      }
      most.rows.push_back({{"motion", name},
                           {"weight", largest(of_weight)},
                           {"speed", largest(of_speed)},
                           {"weight by torque", largest(torque_weight)},
                           {"speed by torque", largest(torque_speed)}});
      by_weight.lines.push_back({name, std::move(of_weight)});
      by_speed.lines.push_back({name, std::move(of_speed)});
      kappas.lines.push_back({name, std::move(kappa)});
    }
    weight.plots = {by_weight};
    speed.plots = {by_speed, kappas};
    if (wanted("weight")) study.parts.push_back(std::move(weight));
    if (wanted("speed")) study.parts.push_back(std::move(speed));
    if (wanted("most")) study.parts.push_back(std::move(most));
  }

  void add_captures(Study& study) {
    if (options_.motions.empty()) {
      study.notes.emplace_back("No captures were judged: --motions names a folder with some.");
      return;
    }
    StudyPart part{"captures", "Kappa of captured motions, at their own speed and twice as fast",
                   "As clean-up leaves them, load split exactly and as printed."};
    for (const std::string& source : options_.motions) {
      tell(0.9);
      const AssessedMotion motion = read_motion(source, 0);
      const Realism once = assess_realism(motion);
      part.rows.push_back({{"motion", short_name(source)},
                           {"kappa", once.kappa},
                           {"force", once.force_part},
                           {"moment", once.moment_part},
                           {"median", once.kappa_median},
                           {"paper", assess_realism(motion, {.split = "paper"}).kappa},
                           {"4 Hz", assess_realism(motion, {.low_pass_hz = kStudyLowPass}).kappa},
                           {"twice as fast", assess_realism(motion, {.speed = 2}).kappa},
                           {"lambda", once.lambda},
                           {"reserve", once.lambda_reserve},
                           {"excess", once.torque_excess}});
    }
    study.parts.push_back(std::move(part));
  }

  void add_plates(Study& study) {
    if (options_.plates.empty()) {
      study.notes.emplace_back(
          "No force plates were compared: --plates names a folder with OpenSim's "
          "example3DWalking.");
      return;
    }
    StudyPart part{
        "plates", "Estimated ground reaction against force plates",
        "OpenSim's example3DWalking, 1.35 s at 1.25 m/s, its coordinates on a character fitted to its "
        "skeleton. With its own scaled model others have r .986 to .996 and 1.4 to 2.6 % up, r .96 to .99 "
        "ahead, 14 to 26 mm."};
    const PlateWalk walk = read_plate_walk(options_.plates);
    for (const double hz : {0.0, 6.0, 4.0}) {
      const PlateValidation found = validate_on_plates(walk, hz);
      for (const PlateComparison& row : found.rows) {
        part.rows.push_back({{"smoothed", hz > 0 ? fmt::format("{:g} Hz more", hz) : "as cleaned up"},
                             {"feet", row.what},
                             {"r up", row.r.z()},
                             {"% up", row.rms.z()},
                             {"r ahead", row.r.x()},
                             {"% ahead", row.rms.x()},
                             {"r aside", row.r.y()},
                             {"% aside", row.rms.y()},
                             {"centre ahead mm", 1000 * row.centre_ahead},
                             {"centre aside mm", 1000 * row.centre_aside},
                             {"kappa", found.kappa}});
      }
      if (hz == 0) part.plots = found.plots;
    }
    study.parts.push_back(std::move(part));
  }

  void add_emg(Study& study) {
    if (options_.plates.empty()) return;  // said above
    const PlateWalk walk = read_plate_walk(options_.plates);
    study.parts.push_back(compare_with_emg(walk, options_.plates));
  }

  const ExperimentOptions& options_;
  const std::function<bool(double)>& progress_;
};

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const Eigen::ArrayXd x = Eigen::Map<const Eigen::ArrayXd>(a.data(), static_cast<int>(a.size()));
  const Eigen::ArrayXd y = Eigen::Map<const Eigen::ArrayXd>(b.data(), static_cast<int>(b.size()));
  const Eigen::ArrayXd u = x - x.mean(), w = y - y.mean();
  return (u * w).sum() / std::sqrt((u * u).sum() * (w * w).sum());
}

struct FootReaction {
  Vec3 force = Vec3::Zero(), centre = Vec3::Zero();
};

FootReaction of_side(const GroundReaction& ground, Side side) {
  FootReaction out;
  for (const PointLoad& load : ground.loads) {
    if (load.side != side) continue;
    out.force += load.force;
    out.centre += load.force.z() * load.point;
  }
  if (out.force.z() > 0) out.centre /= out.force.z();
  return out;
}

}  // namespace

PlateValidation validate_on_plates(const PlateWalk& walk, double low_pass_hz) {
  const FittedActor fitted = fit_actor(walk.clip, {.mass_kg = walk.mass_kg});
  const AssessedMotion motion = motion_of(fitted, walk.clip);
  const Realism judged = assess_realism(motion, {.low_pass_hz = low_pass_hz});
  const double weight = judged.mass * judged.gravity;
  PlateValidation out;
  out.kappa = judged.kappa;
  for (const int feet : {2, 0, 1}) {  // both, left, right
    PlateComparison row;
    row.what = feet == 2 ? "both" : feet == 0 ? "left" : "right";
    std::vector<double> measured[3], estimated[3];
    Plot plot{row.what + ": up", "s", "body weights", {{"plates", {}}, {"estimated", {}}}};
    Plot ahead{row.what + ": ahead", "s", "body weights", {{"plates", {}}, {"estimated", {}}}};
    Eigen::Array2d centre = Eigen::Array2d::Zero();
    int loaded = 0;
    for (const RealismFrame& frame : judged.frames) {
      const double t = walk.start + frame.time, half = 0.5 / motion.rate_hz;
      const PlateSample plates = walk.mean(t - half, t + half);
      FootReaction real, ours;
      if (feet == 2) {
        real.force = plates.force[0] + plates.force[1];
        if (real.force.z() > 0)
          real.centre = (plates.force[0].z() * plates.centre[0] + plates.force[1].z() * plates.centre[1]) /
                        real.force.z();
        ours = {frame.ground.total.force, frame.ground.centre};
      } else {
        real = {plates.force[feet], plates.centre[feet]};
        ours = of_side(frame.ground, feet == 0 ? Side::left : Side::right);
      }
      for (int k = 0; k < 3; ++k) {
        measured[k].push_back(real.force[k] / weight);
        estimated[k].push_back(ours.force[k] / weight);
        row.rms[k] += std::pow((real.force[k] - ours.force[k]) / weight, 2);
      }
      plot.lines[0].points.emplace_back(t, real.force.z() / weight);
      plot.lines[1].points.emplace_back(t, ours.force.z() / weight);
      ahead.lines[0].points.emplace_back(t, real.force.x() / weight);
      ahead.lines[1].points.emplace_back(t, ours.force.x() / weight);
      if (std::min(real.force.z(), ours.force.z()) > kLeastLoad * weight) {
        centre += (real.centre - ours.centre).head<2>().array().square();
        ++loaded;
      }
    }
    row.frames = static_cast<int>(judged.frames.size());
    for (int k = 0; k < 3; ++k) {
      row.r[k] = correlation(measured[k], estimated[k]);
      row.rms[k] = 100 * std::sqrt(row.rms[k] / row.frames);
    }
    centre = (centre / std::max(1, loaded)).sqrt();
    row.centre_ahead = centre.x();
    row.centre_aside = centre.y();
    out.rows.push_back(std::move(row));
    out.plots.push_back(std::move(plot));
    out.plots.push_back(std::move(ahead));
  }
  return out;
}

Study realism_study(const ExperimentOptions& options, const std::function<bool(double)>& progress) {
  return RealismStudy(options, progress).run();
}

}  // namespace stunt

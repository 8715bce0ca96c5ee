#include "stunt/experiment/emg.h"

#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/fit.h"
#include "stunt/assess/realism/realism.h"
#include "stunt/experiment/sto_table.h"

namespace stunt {
namespace {

// A column of the file and our muscles under that electrode.
struct Electrode {
  const char* column;
  std::vector<std::string> muscles;
};
const std::vector<Electrode> kElectrodes = {
    {"soleus", {"soleus"}},
    {"gastrocnemius", {"gastrocnemius, medial"}},
    {"tibialis_anterior", {"tibialis anterior"}},
    {"medial_hamstrings", {"semimembranosus", "semitendinosus"}},
    {"biceps_femoris", {"biceps femoris, long head"}},
    {"vastus_lateralis", {"vastus lateralis"}},
    {"vastus_medius", {"vastus medialis"}},
    {"rectus_femoris", {"rectus femoris"}},
    {"gluteus_maximus", {"gluteus maximus, upper", "gluteus maximus, middle", "gluteus maximus, lower"}},
    {"gluteus_medius", {"gluteus medius, front", "gluteus medius, middle", "gluteus medius, back"}}};

constexpr double kLongestLag =
    0.12;                    // s: force comes after the signal, by the electromechanical delay and more
constexpr double kOn = 0.3;  // of its own largest value: the muscle is on

double similarity(const VecX& a, const VecX& b) {
  const VecX x = a.array() - a.mean(), y = b.array() - b.mean();
  const double size = x.norm() * y.norm();
  return size > 0 ? x.dot(y) / size : 0;
}

// How much of the time both are on, of the time that either is.
double overlap(const VecX& a, const VecX& b) {
  const auto on_a = a.array() > kOn * a.maxCoeff(), on_b = b.array() > kOn * b.maxCoeff();
  const double either = static_cast<double>((on_a || on_b).count());
  return either > 0 ? static_cast<double>((on_a && on_b).count()) / either : 0;
}

}  // namespace

StudyPart compare_with_emg(const PlateWalk& walk, const std::filesystem::path& folder) {
  StudyPart part{
      "emg", "When muscles work, against electromyography",
      "Right leg; force over strength of each muscle by static optimisation, and the rectified and smoothed "
      "signal, each over its own largest value. r: their correlation; lag: by how much ours comes later "
      "where "
      "they agree best (up to 120 ms; force comes 30 to 100 ms after the signal), r then, and how much of "
      "the "
      "time both are on of the time that either is (on: above 0.3)."};
  const Realism judged =
      assess_realism(motion_of(fit_actor(walk.clip, {.mass_kg = walk.mass_kg}), walk.clip));
  const StoTable emg(folder / "electromyography.sto");
  const std::size_t time = emg.column("time");
  const double emg_start = emg.at(0, time), emg_step = emg.at(1, time) - emg.at(0, time);
  const auto n = static_cast<Eigen::Index>(judged.frames.size());
  for (const Electrode& electrode : kElectrodes) {
    const std::size_t column = emg.column(electrode.column);
    const auto signal = [&](double t) {
      const double row = std::clamp((t - emg_start) / emg_step, 0.0, static_cast<double>(emg.size() - 1));
      return emg.at(static_cast<std::size_t>(std::lround(row)), column);
    };
    VecX ours = VecX::Zero(n);
    double strength = 0;
    for (std::size_t m = 0; m < judged.muscles.muscles.size(); ++m) {
      const Muscle& muscle = judged.muscles.muscles[m];
      for (const std::string& name : electrode.muscles) {
        if (muscle.name != "right " + name) continue;
        strength += muscle.max_force;
        for (Eigen::Index i = 0; i < n; ++i)
          ours[i] += muscle.max_force * judged.frames[static_cast<std::size_t>(i)].muscles.use[m];
      }
    }
    if (strength <= 0) continue;
    ours /= strength;
    const auto measured = [&](double lag) {
      VecX out(n);
      for (Eigen::Index i = 0; i < n; ++i)
        out[i] = signal(walk.start + judged.frames[static_cast<std::size_t>(i)].time - lag);
      return out;
    };
    const VecX now = measured(0);
    double best_lag = 0;
    for (double lag = 0; lag <= kLongestLag; lag += 0.005)
      if (similarity(ours, measured(lag)) > similarity(ours, measured(best_lag))) best_lag = lag;
    part.rows.push_back({{"muscle", electrode.column},
                         {"r", similarity(ours, now)},
                         {"lag ms", 1000 * best_lag},
                         {"r with lag", similarity(ours, measured(best_lag))},
                         {"both on", overlap(ours, measured(best_lag))},
                         {"largest use", ours.maxCoeff()}});
    Plot plot{electrode.column, "s", "of its largest", {{"signal", {}}, {"ours", {}}}};
    for (Eigen::Index i = 0; i < n; ++i) {
      const double t = walk.start + judged.frames[static_cast<std::size_t>(i)].time;
      plot.lines[0].points.emplace_back(t, now[i] / std::max(1e-9, now.maxCoeff()));
      plot.lines[1].points.emplace_back(t, ours[i] / std::max(1e-9, ours.maxCoeff()));
    }
    part.plots.push_back(std::move(plot));
  }
  return part;
}

}  // namespace stunt

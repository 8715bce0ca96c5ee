#include "stunt/experiment/injury_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "stunt/experiment/injury_falling.h"
#include "stunt/optimize/evaluator.h"

namespace stunt {
namespace {

constexpr int kFalls = 30;
constexpr double kLowest = 1.5, kHighest = 4.5;  // m, of the centre of mass
constexpr double kSpring = 10, kDamper = 2;      // Nm/rad, Nm s/rad
constexpr double kLargestSpeed = 500;            // m/s, rad/s: beyond it diverged
constexpr double kThesisContact = 0.0049;        // s: 1.67e6 N/m, what ERP 0.5 and CFM 0.001 mean at 0.3 ms
constexpr double kUsualContact = 0.008;          // s: what scenes have
constexpr double kTissueContact = 0.024;         // s: 71 kN/m (Robinovitch et al. 1991)
constexpr double kSteps[] = {0.0001, 0.0002, 0.0003, 0.0005, 0.001};  // s
constexpr int kRepeated = 6;                                          // falls at every step
constexpr double kRepeatedTime = 2;                                   // s of each

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

double correlation_of(const std::vector<double>& x, const std::vector<double>& y) {
  double mx = 0, my = 0, xy = 0, xx = 0, yy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mx += x[i] / n;
    my += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mx) * (y[i] - my);
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
  }
  return xy / std::sqrt(xx * yy);
}

class InjuryStudy {
 public:
  InjuryStudy(const ExperimentOptions& options, const std::function<bool(double)>& progress)
      : options_(options), progress_(progress) {
    if (!options.presets.empty() || !options.characters.empty() || !options.keys.empty() ||
        !options.plates.empty()) {
      throw InputError("injury", "a preset, character, plate or scene key",
                       "--only, --engine, --motions, --seed and --jobs alone");
    }
    for (const std::string& name : options.engines) {
      if (name != "ode" && name != "mujoco") throw InputError("--engine", "'" + name + "'", "ode or mujoco");
    }
    engines_ = options.engines.empty() ? std::vector<std::string>{"ode", "mujoco"} : options.engines;
  }

  Study run() {
    Study study{.title = "Injury in falls: Geijtenbeek 2013, chapter 5"};
    study.notes.emplace_back(
        "Nobody was asked how bad a fall looked: figures 5.3, 5.4 and 5.6 of the thesis are not made again.");
    if (wanted("falls") || wanted("trials")) add_falls(study);
    if (wanted("steps")) add_steps(study);
    if (wanted("protect")) add_falling_well(study, options_, engines_, progress_);
    return study;
  }

 private:
  bool wanted(const std::string& part) const {
    return options_.parts.empty() ||
           std::find(options_.parts.begin(), options_.parts.end(), part) != options_.parts.end();
  }

  std::vector<FallOutcome> run_all(const std::vector<FallSpec>& specs, double from, double to) {
    const auto evaluator = process_evaluator(options_.jobs);
    const int count = static_cast<int>(specs.size());
    const auto results = evaluate<FallOutcome>(
        *evaluator, count, [&](int i) { return run_fall(specs[static_cast<std::size_t>(i)]); },
        [&](int done) { return !progress_ || progress_(from + (to - from) * done / count); });
    std::vector<FallOutcome> out;
    for (const auto& [value, error] : results) {
      if (!error.empty()) throw RunError("a fall could not be run: " + error);
      out.push_back(value);
    }
    return out;
  }

  void add_falls(Study& study) {
    StudyPart falls{
        "falls", "Figure 5.5: each measure over the thirty falls",
        "The thesis: neck compression has the highest mean and the widest spread, because of landings on the "
        "head. A value of 1 is the threshold of serious injury. The last rows correlate the combined "
        "measures "
        "with the height of the fall; the thesis has 0.603 between D_AVG and what people see, and 0.466 "
        "between height and that."};
    StudyPart trials{"trials", "The thirty falls", "Height of the centre of mass, and what came of it."};
    Plot bars{"mean of each measure", "number of the measure, in the thesis' order", "times the limit", {}};
    for (const std::string& engine : engines_) {
      std::vector<FallSpec> specs;
      for (int i = 0; i < kFalls; ++i)
        specs.push_back({.engine = engine, .number = i, .seed = options_.seed});
      const std::vector<FallOutcome> outcomes =
          run_all(specs, engine == engines_[0] ? 0 : 0.25, engine == engines_[0] ? 0.25 : 0.5);
      for (const bool paper : {true, false}) {
        const auto of = [&](const FallOutcome& outcome) -> const Injury& {
          return paper ? outcome.paper : outcome.standard;
        };
        const std::string preset = paper ? "paper" : "default";
        PlotLine line{engine + ", " + preset, {}};
        std::vector<double> heights, average, worst3, square;
        for (const FallOutcome& outcome : outcomes) {
          if (outcome.diverged) continue;
          heights.push_back(outcome.height);
          average.push_back(of(outcome).d_avg);
          worst3.push_back(of(outcome).d_worst3);
          square.push_back(of(outcome).d_square);
        }
        const auto row = [&](const std::string& symbol, const std::string& name,
                             const std::vector<double>& values) {
          double mean = 0, variance = 0;
          const auto n = static_cast<double>(values.size());
          for (const double value : values) mean += value / n;
          for (const double value : values) variance += (value - mean) * (value - mean) / n;
          falls.rows.push_back({{"engine", engine},
                                {"preset", preset},
                                {"measure", symbol},
                                {"of", name},
                                {"mean", mean},
                                {"deviation", std::sqrt(variance)},
                                {"median", median_of(values)},
                                {"largest", *std::max_element(values.begin(), values.end())},
                                {"r with height", correlation_of(heights, values)}});
          return mean;
        };
        if (heights.empty()) throw RunError("every fall diverged on " + engine);
        const std::size_t measures = of(outcomes[0]).measures.size();
        for (std::size_t m = 0; m < measures; ++m) {
          std::vector<double> values;
          for (const FallOutcome& outcome : outcomes)
            if (!outcome.diverged) values.push_back(of(outcome).measures[m].value);
          const InjuryMeasure& first = of(outcomes[0]).measures[m];
          line.points.emplace_back(static_cast<double>(m + 1), row(first.symbol, first.name, values));
        }
        row("D_AVG", "all", average);
        row("D_3", "the three highest", worst3);
        row("D_2", "root of the mean square", square);
        bars.lines.push_back(std::move(line));
      }
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const FallOutcome& outcome = outcomes[i];
        const InjuryMeasure worst = worst_measures(outcome.standard, 1)[0];
        trials.rows.push_back({{"engine", engine},
                               {"fall", static_cast<int>(i) + 1},
                               {"height m", outcome.height},
                               {"turn x deg", degrees(outcome.turn_x)},
                               {"turn y deg", degrees(outcome.turn_y)},
                               {"D_AVG paper", outcome.paper.d_avg},
                               {"D_AVG default", outcome.standard.d_avg},
                               {"HIC15", outcome.standard.hic},
                               {"worst", worst.name},
                               {"its value", worst.value},
                               {"diverged", outcome.diverged}});
      }
    }
    falls.plots = {bars};
    if (wanted("falls")) study.parts.push_back(std::move(falls));
    if (wanted("trials")) study.parts.push_back(std::move(trials));
  }

  void add_steps(Study& study) {
    StudyPart part{"steps", "Does a measure depend on the time step?",
                   "Median over six falls of a measure, divided by its value at 0.1 ms. Contacts as stiff as "
                   "the thesis' "
                   "(1.67 MN/m), as scenes have them (8 ms: 0.63 MN/m), and as soft as the tissue over a hip "
                   "(71 kN/m, Robinovitch, Hayes and McMahon 1991), each for 40 kg."};
    Plot plot{"D_AVG, default, by time step", "ms", "times its value at 0.1 ms", {}};
    struct Contact {
      const char* name;
      double time_constant;
    };
    constexpr Contact kContacts[] = {
        {"thesis", kThesisContact}, {"scene", kUsualContact}, {"tissue", kTissueContact}};
    std::vector<FallSpec> specs;
    for (const std::string& engine : engines_)
      for (const Contact& contact : kContacts)
        for (const double step : kSteps)
          for (int i = 0; i < kRepeated; ++i)
            specs.push_back({engine, i, options_.seed, step, contact.time_constant, kRepeatedTime});
    const std::vector<FallOutcome> outcomes = run_all(specs, 0.5, 1);
    std::size_t at = 0;
    for (const std::string& engine : engines_) {
      for (const Contact& contact : kContacts) {
        const std::size_t finest = at;
        PlotLine line{engine + ", " + contact.name, {}};
        for (const double step : kSteps) {
          std::vector<double> paper, standard, hic, each;
          for (int i = 0; i < kRepeated; ++i) {
            const FallOutcome& one = outcomes[at + static_cast<std::size_t>(i)];
            const FallOutcome& fine = outcomes[finest + static_cast<std::size_t>(i)];
            if (one.diverged || fine.diverged) continue;
            paper.push_back(one.paper.d_avg / fine.paper.d_avg);
            standard.push_back(one.standard.d_avg / fine.standard.d_avg);
            hic.push_back(one.standard.hic / fine.standard.hic);
            for (std::size_t m = 0; m < one.standard.measures.size(); ++m) {
              const double a = one.standard.measures[m].value, b = fine.standard.measures[m].value;
              if (b > 0.1) each.push_back(std::abs(std::log2(std::max(a, 1e-6) / b)));
            }
          }
          part.rows.push_back({{"engine", engine},
                               {"contact", contact.name},
                               {"step ms", 1000 * step},
                               {"D_AVG default", median_of(standard)},
                               {"D_AVG paper", median_of(paper)},
                               {"HIC15", median_of(hic)},
                               {"a measure changes by, median", std::exp2(median_of(each))},
                               {"falls", static_cast<int>(standard.size())}});
          line.points.emplace_back(1000 * step, median_of(standard));
          at += kRepeated;
        }
        plot.lines.push_back(std::move(line));
      }
    }
    part.plots = {plot};
    study.parts.push_back(std::move(part));
  }

  const ExperimentOptions& options_;
  const std::function<bool(double)>& progress_;
  std::vector<std::string> engines_;
};

}  // namespace

void describe(Fields& fields, FallOutcome& outcome) {
  fields("height", outcome.height)("turn_x", outcome.turn_x)("turn_y", outcome.turn_y);
  fields("diverged", outcome.diverged);
  fields.group("standard", outcome.standard, "").group("paper", outcome.paper, "");
}

FallOutcome run_fall(const FallSpec& spec) {
  FallOutcome out;
  Random random(spec.seed * 1000 + static_cast<std::uint64_t>(spec.number));
  out.turn_x = random.uniform(-kPi, kPi);
  out.turn_y = random.uniform(-kPi, kPi);
  out.height = random.uniform(kLowest, kHighest);

  const ActorPtr actor = Actor::load("injury");
  Environment world;
  world.engine = spec.engine;
  world.timestep = spec.timestep;
  world.contact.time_constant = spec.time_constant;
  const auto scene = compile(world, {{"faller", actor}});
  const auto engine = make_engine(spec.engine, scene);
  const ActorSlot& slot = scene->actors[0];

  VecX q = actor->rest_q(), v = VecX::Zero(actor->nv());
  quat_to_wxyz(axis_angle(Vec3::UnitY(), out.turn_y) * axis_angle(Vec3::UnitX(), out.turn_x), &q[3]);
  ActorDynamics dynamics(actor);
  dynamics.set_state(q, v);
  q[2] += out.height - dynamics.com().z();
  engine->set_state({q.data(), static_cast<std::size_t>(q.size())},
                    {v.data(), static_cast<std::size_t>(v.size())});

  InjuryMeter standard(slot, spec.timestep, InjuryPreset::standard);
  InjuryMeter paper(slot, spec.timestep, InjuryPreset::paper);
  const VecX& limits = actor->torque_limits();
  VecX back;
  for (int i = 0; i < std::lround(spec.duration / spec.timestep); ++i) {
    q = VecX::Map(engine->q().data(), actor->nq());
    v = VecX::Map(engine->v().data(), actor->nv());
    if (!q.allFinite() || !v.allFinite() || v.cwiseAbs().maxCoeff() > kLargestSpeed) {
      out.diverged = true;
      break;
    }
    difference(*actor, q, actor->rest_q(), back);
    const VecX torque = (kSpring * back - kDamper * v).cwiseMin(limits).cwiseMax(-limits);
    VecX::Map(engine->joint_forces().data(), actor->nv()) = torque;  // the root's limits are zero
    engine->step();
    standard.stepped(*engine);
    paper.stepped(*engine);
  }
  out.standard = standard.result();
  out.paper = paper.result();
  return out;
}

Study injury_study(const ExperimentOptions& options, const std::function<bool(double)>& progress) {
  return InjuryStudy(options, progress).run();
}

}  // namespace stunt

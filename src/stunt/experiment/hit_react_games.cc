#include "stunt/experiment/hit_react_games.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/dynamics.h"
#include "stunt/assess/blows/blows.h"
#include "stunt/assess/rally/rally.h"
#include "stunt/core/error.h"
#include "stunt/core/random.h"
#include "stunt/optimize/practice.h"
#include "stunt/simulate/run_scene.h"

namespace stunt {
namespace {

constexpr double kFast = 2;       // m/s: a blow that counts comes at least so fast
constexpr double kShoved = 0.03;  // m, by which it moves head or chest
constexpr double kBack = 0.05;    // m, mean distance of the joints from the motion
constexpr double kInTime = 1.5;   // s

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

// m, at every sample: the mean distance of the joints from the motion, seen from the pelvis and its heading.
std::vector<double> joint_distances(const Recording& recording, const ActorTrack& track) {
  ActorDynamics ours(track.slot.actor), data(track.slot.actor);
  const VecX still = VecX::Zero(track.slot.nv);
  const auto bodies = static_cast<int>(track.slot.actor->bodies().size());
  std::vector<double> distances;
  for (int i = 0; i < recording.samples(); ++i) {
    const VecX q = recording.q(i, track), wanted = track.reference_q(i);
    ours.set_state(q, still);
    data.set_state(wanted, still);
    const Quat ours_yaw = yaw_rotation(-heading(quat_from_wxyz(&q[3])));
    const Quat data_yaw = yaw_rotation(-heading(quat_from_wxyz(&wanted[3])));
    double sum = 0;
    for (int b = 0; b < bodies; ++b) {
      sum += (ours_yaw * Vec3(ours.body_position(b) - ours.body_position(0)) -
              data_yaw * Vec3(data.body_position(b) - data.body_position(0)))
                 .norm();
    }
    distances.push_back(sum / bodies);
  }
  return distances;
}

// s after sample `from`: when the values are below kBack for 0.1 s; as long as there are values where they never are.
double back_after(const std::vector<double>& values, std::size_t from, double rate) {
  const auto calm = static_cast<std::size_t>(0.1 * rate);
  std::size_t below = 0;
  for (std::size_t i = from; i < values.size(); ++i) {
    below = values[i] < kBack ? below + 1 : 0;
    if (below > calm) return static_cast<double>(i - calm - from) / rate;
  }
  return static_cast<double>(values.size() - from) / rate;
}

}  // namespace

void measure_fight(const Recording& recording, TrialOutcome& outcome) {
  double standing = recording.time.back();
  for (const ActorTrack& track : recording.actors) {
    if (track.fall) standing = std::min(standing, track.fall->time);
  }
  outcome.completed = recording.diverged.empty() && standing == recording.time.back();
  std::vector<std::vector<double>> distances;
  for (const ActorTrack& track : recording.actors) distances.push_back(joint_distances(recording, track));
  std::vector<double> impulses, back;
  int shoved = 0, in_time = 0;
  for (const Blow& blow : find_blows(recording)) {
    if (blow.closing < kFast || blow.time > standing) continue;
    impulses.push_back(blow.impulse);
    shoved += blow.moved >= kShoved;
    const double after = back_after(distances[static_cast<std::size_t>(blow.to)],
                                    static_cast<std::size_t>(blow.time * recording.rate), recording.rate);
    if (blow.time + kInTime > standing) continue;
    back.push_back(after);
    in_time += after <= kInTime;
  }
  const auto n = static_cast<double>(impulses.size());
  outcome.measured.push_back({"both standing (s)", standing});
  outcome.measured.push_back({"blows a minute", n / standing * 60});
  outcome.measured.push_back({"real time (x)", recording.time.back() / recording.wall_s});
  if (impulses.empty()) return;
  outcome.measured.push_back({"median impulse (N s)", median(impulses)});
  outcome.measured.push_back({"move head or chest by 3 cm (%)", 100 * shoved / n});
  if (back.empty()) return;
  outcome.measured.push_back({"back within 5 cm, median (s)", median(back)});
  outcome.measured.push_back({"back within 1.5 s (%)", 100.0 * in_time / static_cast<double>(back.size())});
}

void measure_rally(const Recording& recording, TrialOutcome& outcome) {
  constexpr std::size_t kLong = 20;
  const std::size_t returns = find_rally(recording).size();
  outcome.completed = recording.diverged.empty() && returns >= kLong;
  outcome.measured.push_back({"returns in a row", static_cast<double>(returns)});
}

void measure_states(const Recording& recording, TrialOutcome& outcome) {
  const ActorTrack& track = recording.actors.at(0);
  const Channel* states = track.channels.find("state");
  if (!states || recording.samples() == 0) return;
  std::vector<double> share(track.states.size(), 0);
  MeasuredLine line{recording.name, {}, {}};
  for (int i = 0; i < recording.samples(); ++i) {
    const std::size_t state = states->row<std::uint8_t>(i)[0];
    share[state] += 100.0 / recording.samples();
    line.x.push_back(recording.time[static_cast<std::size_t>(i)]);
    line.y.push_back(static_cast<double>(state));
  }
  for (std::size_t s = 0; s < share.size(); ++s)
    outcome.measured.push_back({fmt::format("{} (%)", track.states[s]), share[s]});
  outcome.lines.push_back(std::move(line));
}

TrialOutcome run_speeds(const HitTrial& trial) {
  constexpr int kSpeeds = 7;
  constexpr double kClose = 0.05;  // of the speed
  HitRoom room(load_scene(trial.scene, trial.keys), trial.actor);
  const double own = room.strike(trial.segment).own_speed();
  MeasuredLine line{trial.segment, {}, {}};
  double sum = 0, worst = 0;
  for (int i = 0; i < kSpeeds; ++i) {
    const double wanted = own * (0.7 + 0.1 * i);
    const double reached = room.hit(trial.segment, true, Vec3::Zero(), wanted).speed;
    line.x.push_back(wanted);
    line.y.push_back(reached);
    const double off = std::abs(reached / wanted - 1);
    sum += off / kSpeeds;
    worst = std::max(worst, off);
  }
  TrialOutcome outcome;
  outcome.completed = worst <= kClose;
  outcome.measured = {{"off, mean (%)", 100 * sum}, {"off, at most (%)", 100 * worst}};
  outcome.lines.push_back(std::move(line));
  return outcome;
}

TrialOutcome run_grid(const HitTrial& trial) {
  constexpr double kMean = 0.02, kWorst = 0.05;  // m
  Scene scene = load_scene(trial.scene, trial.keys);
  for (ActorSpec& actor : scene.actors) {
    for (SegmentSpec& segment : actor.routine.segments) {
      if (segment.name != trial.segment) segment.strike = {};
    }
    actor.routine.rules.rules.clear();
  }
  practise(scene, trial.actor);
  HitRoom room(scene, trial.actor);
  TrialOutcome outcome;
  MeasuredLine line{trial.segment, {}, {}};
  double sum = 0, worst = 0, speed = 0;
  bool fell = false;
  const std::vector<HitOutcome> hits = hit_grid(room, trial.segment);
  const Vec3 across = hits[14].aimed - hits[10].aimed, middle = hits[12].aimed;
  for (const HitOutcome& hit : hits) {
    sum += hit.error();
    worst = std::max(worst, hit.error());
    speed += hit.speed;
    fell = fell || hit.fell;
    line.x.push_back(across.normalized().dot(hit.reached - middle));
    line.y.push_back(hit.reached.z() - middle.z());
  }
  const auto n = static_cast<double>(hits.size());
  outcome.completed = !fell && sum / n <= kMean && worst <= kWorst;
  outcome.measured = {
      {"off, mean (cm)", 100 * sum / n}, {"off, at most (cm)", 100 * worst}, {"speed (m/s)", speed / n}};
  outcome.lines.push_back(std::move(line));
  return outcome;
}

TrialOutcome run_place(const HitTrial& trial) {
  HitRoom room(load_scene(trial.scene, trial.keys), trial.actor);
  const HitOutcome hit = room.hit(trial.segment, false);
  TrialOutcome outcome;
  outcome.completed = !hit.fell;
  outcome.measured = {{"forward (m)", hit.reached.x()},
                      {"to the left (m)", hit.reached.y()},
                      {"up (m)", hit.reached.z()},
                      {"from the motion's place (cm)", 100 * hit.error()},
                      {"speed (m/s)", hit.speed}};
  outcome.lines.push_back({trial.segment, {hit.reached.y()}, {hit.reached.z()}});
  return outcome;
}

std::vector<Vec3> landing_targets() {
  std::vector<Vec3> targets;
  for (const double x : {2.8, 3.1, 3.4}) {
    for (const double y : {-0.45, 0.0, 0.45}) targets.emplace_back(x, y, 0.78);
  }
  return targets;
}

TrialOutcome run_feed(const FedBall& fed) {
  constexpr double kNear = 0.15;  // m
  Scene scene = load_scene("table_tennis", fed.keys);
  scene.actors.resize(1);
  RuleSpec& rule = scene.actors[0].routine.rules.rules.at(0);
  rule.to = fed.to;
  rule.scatter.setZero();
  ThrowSpec& ball = scene.throws.at(0);
  Random random(0x66656564 + fed.feed);
  *ball.velocity += Vec3(random.uniform(-0.15, 0.15), random.uniform(-0.25, 0.25), random.uniform(-0.1, 0.1));
  scene.duration = ball.start + 2;
  const Recording recording = run_scene(scene);
  TrialOutcome outcome;
  outcome.simulated_s = recording.time.back();
  const std::vector<Return> rally = find_rally(recording);
  if (rally.empty()) {
    outcome.reason = "not returned";
    return outcome;
  }
  // The first bounce after the return.
  const mjModel& m = *recording.scene->model;
  const int body = recording.scene->balls.front().body;
  const int first_q = m.jnt_qposadr[m.body_jntadr[body]], first_v = m.body_dofadr[body];
  for (int i = 1; i < recording.samples(); ++i) {
    if (recording.time[static_cast<std::size_t>(i)] <= rally[0].time) continue;
    if (recording.v(i - 1)[first_v + 2] >= 0 || recording.v(i)[first_v + 2] < 0) continue;
    // Between the samples: on to the table from the one before.
    const Vec3 before = recording.q(i - 1).segment<3>(first_q), way = recording.v(i - 1).segment<3>(first_v);
    const double drop = before.z() - fed.to.z();
    const Vec3 landed = before + std::clamp(drop / -way.z(), 0.0, 1 / recording.rate) * way;
    const double off = (landed - fed.to).head<2>().norm();
    outcome.completed = off <= kNear && std::abs(landed.z() - fed.to.z()) < 0.05;
    outcome.measured.push_back({"from the target (cm)", 100 * off});
    outcome.lines.push_back(
        {fmt::format("({:g}, {:g})", fed.to.x(), fed.to.y()), {landed.x()}, {landed.y()}});
    break;
  }
  return outcome;
}

}  // namespace stunt

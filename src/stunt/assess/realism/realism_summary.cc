#include "stunt/assess/realism/realism_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stunt {
namespace {

constexpr std::size_t kSpansKept = 3, kJointsKept = 5, kMusclePartsKept = 8, kPartsSaid = 3,
                      kReservesKept = 5;
constexpr double kLasting = 0.05;  // s: a shorter need for more strength is noise of the capture

std::string multipliers(const RealismSettings& settings) {
  std::string text;
  if (settings.speed != 1) text += fmt::format(" at {:.3g} times its speed", settings.speed);
  if (settings.weight != 1) text += fmt::format(" with {:.3g} times the weight", settings.weight);
  return text;
}

std::string span_text(const UnexplainedSpan& span, const Realism& realism) {
  const std::string when = fmt::format("From {:.2f} to {:.2f} s ", span.begin, span.end);
  if (span.in_flight)
    return when +
           fmt::format(
               "the ground cannot help, because it flies or would have to pull itself down: {:.2g} times its "
               "weight would have to come out of nowhere.",
               span.force);
  if (span.force > span.moment) {
    return when + fmt::format(
                      "the ground under it cannot give the force that it needs: {:.2g} times its "
                      "weight is missing.",
                      span.force);
  }
  return when + fmt::format("something unseen would have to hold it upright, with {:.0f} Nm.",
                            span.moment * realism.mass * realism.gravity * realism.height);
}

std::string part_text(const MuscleSummary& part) {
  const bool several = part.part != part.muscle && part.part.ends_with('s');  // "the toe flexors"
  return fmt::format("at {:.2f} s the {} would need {:.2g} times {} strength", part.at_s, part.part,
                     part.ratio, several ? "their" : "its");
}

// "left calf" and "right calf" are both "calf".
std::string without_side(const std::string& part) { return part.substr(part.find(' ') + 1); }

// What the muscles would say to it.
void add_muscle_words(const RealismSummary& summary, std::vector<std::string>& out) {
  const std::string whose = summary.model.empty() ? "an average adult" : "'" + summary.model + "'";
  std::vector<std::string> over, said;  // of a part that is there twice, the worse side
  for (const MuscleSummary& part : summary.muscle_parts) {
    const std::string name = without_side(part.part);
    if (part.over_s <= kLasting || over.size() == kPartsSaid ||
        std::find(said.begin(), said.end(), name) != said.end())
      continue;
    over.push_back(part_text(part));
    said.push_back(name);
  }
  std::string text;
  for (const std::string& one : over) text += "; " + one;
  if (summary.lambda > kNoiseLambda) {
    out.push_back(fmt::format("It is too much for the muscles of {} (lambda {:.4f}; up to {} is noise){}.",
                              whose, summary.lambda, kNoiseLambda, text));
    if (summary.lambda_reserve > 0.5 * summary.lambda)
      out.emplace_back(
          "Most of what is missing are torques that no muscle could give there, however strong.");
  } else if (!over.empty()) {
    out.push_back(
        fmt::format("It is possible for {}: what muscles lack is no more than such a judgement can miss "
                    "(lambda {:.4f}; up to {} is noise). Hardest: {}.",
                    whose, summary.lambda, kNoiseLambda, text.substr(2)));
  } else {
    const MuscleSummary& most = summary.muscle_parts.front();
    out.push_back(
        fmt::format("It is possible for {} (lambda {:.4f}): most is asked of the {}, {:.0f} % of the "
                    "strength of the {} at {:.2f} s.",
                    whose, summary.lambda, most.part, 100 * most.ratio, most.muscle, most.at_s));
  }
  if (summary.model.empty() || summary.reserves.empty()) return;
  const ReserveSummary& most = summary.reserves.front();
  out.push_back(fmt::format(
      "Reserves, for what no muscle of it can do, are {:.0f} % of lambda; most in the {}: {:.1f} Nm on "
      "average, {:.0f} Nm at {:.2f} s.",
      summary.lambda > 0 ? 100 * summary.lambda_reserve / summary.lambda : 0, most.joint, most.mean,
      most.most, most.at_s));
}

std::vector<std::string> words(const Realism& realism, RealismSummary& summary) {
  std::vector<std::string> out;
  const std::string with = multipliers(realism.settings);
  const bool weak = std::any_of(summary.strength.begin(), summary.strength.end(),
                                [](const StrengthSummary& s) { return s.over_s > kLasting; });
  const double kappa = summary.kappa;
  const bool human = summary.muscles > 0;
  summary.possible = kappa <= kUnphysicalKappa && (human ? summary.lambda <= kNoiseLambda : !weak);
  if (kappa <= kCapturedKappa) {
    out.push_back(
        fmt::format("The motion{} obeys physics as a captured one does: gravity and the ground "
                    "explain all but {:.1f} % of it (kappa {:.3f}).",
                    with, 100 * kappa, kappa));
  } else if (kappa <= kUnphysicalKappa) {
    out.push_back(
        fmt::format("The motion{} nearly obeys physics: gravity and the ground leave {:.0f} % "
                    "unexplained (kappa {:.3f}; captured motions have less than {:.2f}).",
                    with, 100 * kappa, kappa, kCapturedKappa));
  } else {
    out.push_back(
        fmt::format("The motion{} is not physically possible: gravity and the ground leave {:.0f} % "
                    "unexplained (kappa {:.3f}; captured motions have less than {:.2f}).",
                    with, 100 * kappa, kappa, kCapturedKappa));
  }
  if (kappa > kCapturedKappa) {
    for (const UnexplainedSpan& span : summary.spans) out.push_back(span_text(span, realism));
  }
  if (human) {
    add_muscle_words(summary, out);
    return out;
  }
  for (const StrengthSummary& joint : summary.strength) {
    if (joint.over_s <= kLasting) continue;
    out.push_back(
        fmt::format("At {:.2f} s the {} would need {:.2g} times its strength ({:.0f} of {:.0f} Nm).",
                    joint.at_s, joint.joint, joint.ratio, std::abs(joint.torque_nm), joint.limit_nm));
  }
  if (!weak && !summary.strength.empty()) {
    const StrengthSummary& most = summary.strength.front();
    out.push_back(fmt::format("{}; most is asked of the {}: {:.0f} of {:.0f} Nm at {:.2f} s.",
                              most.ratio > 1 ? "No joint needs more than its strength for longer than a blink"
                                             : "Every joint is strong enough for it",
                              most.joint, std::abs(most.torque_nm), most.limit_nm, most.at_s));
  }
  return out;
}

}  // namespace

static void describe(Fields& fields, UnexplainedSpan& span) {
  fields("begin", span.begin)("end", span.end)("force", span.force)("moment", span.moment)("in_flight",
                                                                                           span.in_flight);
}

static void describe(Fields& fields, StrengthSummary& joint) {
  fields("joint", joint.joint)("ratio", joint.ratio)("torque_nm", joint.torque_nm)("limit_nm",
                                                                                   joint.limit_nm);
  fields("at_s", joint.at_s)("over_s", joint.over_s);
}

static void describe(Fields& fields, MuscleSummary& part) {
  fields("part", part.part)("muscle", part.muscle)("ratio", part.ratio)("at_s", part.at_s)("over_s",
                                                                                           part.over_s);
}

static void describe(Fields& fields, ReserveSummary& joint) {
  fields("joint", joint.joint)("mean", joint.mean)("most", joint.most)("at_s", joint.at_s);
}

void describe(Fields& fields, RealismSummary& summary) {
  fields("frames", summary.frames)("kappa", summary.kappa)("force_part", summary.force_part)(
      "moment_part", summary.moment_part);
  fields("kappa_median", summary.kappa_median)("kappa_max", summary.kappa_max);
  fields("kappa_max_at_s", summary.kappa_max_at_s)("weight", summary.weight)("speed", summary.speed);
  fields.list("spans", summary.spans, "",
              [](Fields& inner, UnexplainedSpan& span) { describe(inner, span); });
  fields.list("strength", summary.strength, "",
              [](Fields& inner, StrengthSummary& joint) { describe(inner, joint); });
  fields("muscles", summary.muscles)("lambda", summary.lambda)("lambda_reserve", summary.lambda_reserve);
  fields("lambda_max", summary.lambda_max)("lambda_max_at_s", summary.lambda_max_at_s)("effort",
                                                                                       summary.effort);
  fields.list("muscle_parts", summary.muscle_parts, "",
              [](Fields& inner, MuscleSummary& part) { describe(inner, part); });
  fields("model", summary.model);
  fields.list("reserves", summary.reserves, "",
              [](Fields& inner, ReserveSummary& joint) { describe(inner, joint); });
  fields("possible", summary.possible);
  fields.list("verdict", summary.verdict, "", [](Fields& inner, std::string& text) { inner("text", text); });
}

std::string joint_words(const Actor& actor, int joint) {
  static constexpr std::pair<std::string_view, std::string_view> kJointOfPart[] = {
      {"thigh", "hip"},          {"shank", "knee"},       {"foot", "ankle"}, {"toes", "toes"},
      {"upper_arm", "shoulder"}, {"forearm", "elbow"},    {"hand", "wrist"}, {"clavicle", "collar bone"},
      {"spine", "lower back"},   {"chest", "upper back"}, {"neck", "neck"},  {"head", "top of the neck"}};
  const int body = actor.joints()[static_cast<std::size_t>(joint)].body;
  for (int r = 0; r < kRoleCount; ++r) {
    if (actor.body(static_cast<Role>(r)) != body) continue;
    const std::string_view role = name(static_cast<Role>(r));
    for (const auto& [part, word] : kJointOfPart) {
      if (role.ends_with(part)) {
        const std::string side = role.starts_with("left")    ? "left "
                                 : role.starts_with("right") ? "right "
                                                             : "";
        return side + std::string(word);
      }
    }
  }
  std::string own = actor.joints()[static_cast<std::size_t>(joint)].name;
  std::replace(own.begin(), own.end(), '_', ' ');
  return "joint " + own;
}

RealismSummary summarize_realism(const Realism& realism) {
  RealismSummary out{.frames = static_cast<int>(realism.frames.size()),
                     .kappa = realism.kappa,
                     .force_part = realism.force_part,
                     .moment_part = realism.moment_part,
                     .kappa_median = realism.kappa_median,
                     .kappa_max = realism.kappa_max,
                     .kappa_max_at_s = realism.kappa_max_at,
                     .weight = realism.settings.weight,
                     .speed = realism.settings.speed,
                     .muscles = static_cast<int>(realism.muscles.muscles.size()),
                     .lambda = realism.lambda,
                     .lambda_reserve = realism.lambda_reserve,
                     .lambda_max = realism.lambda_max,
                     .lambda_max_at_s = realism.lambda_max_at,
                     .effort = realism.effort,
                     .model = realism.model};
  out.spans.assign(realism.spans.begin(), realism.spans.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                      kSpansKept, realism.spans.size())));
  for (const MuscleDemand& demand : realism.muscle_demands) {
    if (out.muscle_parts.size() == kMusclePartsKept) break;
    out.muscle_parts.push_back({demand.part,
                                realism.muscles.muscles[static_cast<std::size_t>(demand.muscle)].name,
                                demand.ratio, demand.time, demand.time_over});
  }
  for (const JointDemand& demand : realism.demands) {
    if (out.strength.size() == kJointsKept) break;
    out.strength.push_back({joint_words(*realism.actor, demand.joint), demand.ratio, demand.torque,
                            demand.limit, demand.time, demand.time_over});
  }
  for (const ReserveDemand& demand : realism.reserves) {
    if (out.reserves.size() == kReservesKept) break;
    // The words for a joint of several axes would not tell one axis from another.
    const std::string joint =
        realism.model.empty()
            ? joint_words(*realism.actor, demand.joint)
            : "joint " + realism.actor->joints()[static_cast<std::size_t>(demand.joint)].name;
    out.reserves.push_back({joint, demand.mean, demand.most, demand.time});
  }
  out.verdict = words(realism, out);
  return out;
}

}  // namespace stunt

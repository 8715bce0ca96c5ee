#include "stunt/report/files/assessment.h"

namespace stunt {

nlohmann::ordered_json realism_json(const RealismSummary& realism) {
  using Json = nlohmann::ordered_json;
  if (realism.frames == 0) return nullptr;
  Json spans = Json::array(), joints = Json::array(), parts = Json::array(), reserves = Json::array();
  for (const ReserveSummary& joint : realism.reserves)
    reserves.push_back(
        {{"joint", joint.joint}, {"mean_nm", joint.mean}, {"most_nm", joint.most}, {"at_s", joint.at_s}});
  for (const MuscleSummary& part : realism.muscle_parts) {
    parts.push_back({{"part", part.part},
                     {"muscle", part.muscle},
                     {"ratio", part.ratio},
                     {"at_s", part.at_s},
                     {"over_s", part.over_s}});
  }
  const auto of_muscles = [&](double value) { return realism.muscles > 0 ? Json(value) : Json(nullptr); };
  for (const UnexplainedSpan& span : realism.spans) {
    spans.push_back({{"from_s", span.begin},
                     {"to_s", span.end},
                     {"force", span.force},
                     {"moment", span.moment},
                     {"in_flight", span.in_flight}});
  }
  for (const StrengthSummary& joint : realism.strength) {
    joints.push_back({{"joint", joint.joint},
                      {"ratio", joint.ratio},
                      {"torque_nm", joint.torque_nm},
                      {"limit_nm", joint.limit_nm},
                      {"at_s", joint.at_s},
                      {"over_s", joint.over_s}});
  }
  return {{"possible", realism.possible},
          {"kappa", realism.kappa},
          {"kappa_force", realism.force_part},
          {"kappa_moment", realism.moment_part},
          {"kappa_median", realism.kappa_median},
          {"kappa_max", realism.kappa_max},
          {"kappa_max_at_s", realism.kappa_max_at_s},
          {"weight", realism.weight},
          {"speed", realism.speed},
          {"unexplained", spans},
          {"strength_by", realism.muscles > 0 ? "muscles" : "joint torques"},
          {"model", realism.model.empty() ? Json(nullptr) : Json(realism.model)},
          {"muscles", realism.muscles},
          {"lambda", of_muscles(realism.lambda)},
          {"lambda_reserve", of_muscles(realism.lambda_reserve)},
          {"lambda_max", of_muscles(realism.lambda_max)},
          {"lambda_max_at_s", of_muscles(realism.lambda_max_at_s)},
          {"effort", of_muscles(realism.effort)},
          {"muscle_parts", parts},
          {"reserves", reserves},
          {"strength", joints},
          {"verdict", realism.verdict}};
}

nlohmann::ordered_json injury_json(const Injury& injury) {
  using Json = nlohmann::ordered_json;
  if (injury.measures.empty()) return nullptr;
  Json worst = Json::array(), measures = Json::array();
  for (const InjuryMeasure& measure : worst_measures(injury, 3)) worst.push_back(measure.name);
  for (const InjuryMeasure& measure : injury.measures) {
    measures.push_back({{"name", measure.name},
                        {"symbol", measure.symbol},
                        {"value", measure.value},
                        {"at_s", measure.at_s}});
  }
  return {{"preset", injury.preset},     {"d_avg", injury.d_avg},
          {"d_worst3", injury.d_worst3}, {"worst", worst},
          {"hic", injury.hic},           {"nij", injury.preset == "paper" ? Json(nullptr) : Json(injury.nij)},
          {"measures", measures},        {"verdict", injury_words(injury)}};
}

}  // namespace stunt

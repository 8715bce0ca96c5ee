#include "stunt/routine/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace stunt {
namespace {

void describe_rule(Fields& fields, RuleSpec& rule, const std::vector<std::string>& segments) {
  fields.require(!segments.empty(), "", "a rule, and no segment", "segments to play");
  fields(
      "when", rule.when,
      {.help =
           "idle: nothing else to do; in_reach: a hit can reach the opponent past its guard; threatened: its "
           "hand comes at head or chest; out_of_place: distance, facing or feet are off; ball: one comes "
           "that a hit reaches "
           "after it bounced once",
       .choices = {"idle", "in_reach", "threatened", "out_of_place", "ball"}});
  fields("do", rule.play, {.help = "segments, of which one is chosen: names with spaces between them"});
  fields.require(!rule.when.empty(), "when", "nothing", "idle, in_reach, threatened, out_of_place or ball");
  fields.require(!words(rule.play).empty(), "do", "no segment", "at least one");
  for (const std::string& name : words(rule.play)) {
    fields.require(std::find(segments.begin(), segments.end(), name) != segments.end(), "do",
                   "the unknown segment '" + name + "'",
                   fmt::format("some of: {}", fmt::join(segments, ", ")));
  }
  fields("at", rule.at,
         {.help = "bodies of the opponent that hits are aimed at: roles or names, with spaces between them"});
  fields("to", rule.to,
         {.unit = "m", .bounds = between(-1e4, 1e4), .help = "where a ball is returned to, world axes"});
  fields.require(rule.when != "ball" || !rule.to.isZero(), "to", "nothing, for a ball",
                 "a place for it to come down");
  fields("scatter", rule.scatter,
         {.unit = "m", .bounds = between(0, 100), .help = "to each side, by which that is varied at random"});
  fields("pause", rule.pause,
         {.unit = "s",
          .bounds = between(0, 1e6),
          .help = "between the end of one and the next; varied at random by half of it"});
  fields("chance", rule.chance, {.bounds = between(0, 1), .help = "of obeying, at each occasion"});
}

}  // namespace

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

void describe(Fields& fields, RoutineRules& rules, const std::vector<std::string>& segments) {
  fields("opponent", rules.opponent, {.help = "the character that it watches; none: nobody"});
  if (rules.ready.empty() && !segments.empty()) rules.ready = segments.front();
  fields("ready", rules.ready,
         {.help = "the segment played when nothing else is; default: the first", .choices = segments});
  fields("distance", rules.distance,
         {.unit = "m", .bounds = between(0, 100), .help = "to keep from the opponent; 0: any"});
  fields("tolerance", rules.tolerance,
         {.unit = "m", .bounds = above_to(0, 10), .help = "of distance and feet, before out_of_place holds"});
  fields("facing_deg", rules.facing_deg,
         {.unit = "deg", .bounds = between(1, 180), .help = "by how much it may face past the opponent"});
  fields.list("rules", rules.rules, "what is played when, the most important first",
              [&](Fields& inner, RuleSpec& rule) { describe_rule(inner, rule, segments); });
}

}  // namespace stunt

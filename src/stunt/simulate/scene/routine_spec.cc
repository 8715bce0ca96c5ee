#include "stunt/simulate/scene/routine_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace stunt {
namespace {

void describe_segment(Fields& fields, SegmentSpec& segment, const std::vector<std::string>& taken) {
  if (fields.reading()) segment.place = fields.where();
  fields.group("motion", segment.motion, "what it plays; start and end cut it out", "source");
  fields.require(!segment.motion.source.empty(), "motion", "no motion", "a built-in name or a file");
  if (segment.name.empty()) segment.name = std::filesystem::path(segment.motion.source).stem().string();
  fields("name", segment.name, {.help = "default: the motion's"});
  fields.require(words(segment.name).size() == 1, "name", "'" + segment.name + "'", "one word");
  fields.require(std::find(taken.begin(), taken.end(), segment.name) == taken.end(), "name",
                 "'" + segment.name + "' a second time", "a name of its own");
  fields("end", segment.end,
         {.unit = "s", .bounds = between(0, 1e6), .help = "where it stops, into the motion; 0: at its end"});
  const MotionSpec& motion = segment.motion;
  fields.require(segment.end == 0 || segment.end > motion.start, "end",
                 fmt::format("{} s, no time after the start at {} s", segment.end, motion.start),
                 "a later end");
  fields.require(!motion.loop || (segment.end == 0 && motion.start == 0), "motion.loop",
                 "a part of a motion, looped", "the whole motion; an edit can crop it");
  fields("ease", segment.ease,
         {.unit = "s", .bounds = above_to(0, 10), .help = "over which it is blended in"});
  fields.group("strike", segment.strike, "the hit in it, where it has one", "with");
}

void describe_blend(Fields& fields, BlendSpec& blend, const std::vector<std::string>& segments,
                    const std::vector<std::string>& taken) {
  if (fields.reading()) blend.place = fields.where();
  fields("name", blend.name, {.help = "of all of them together, for rules"});
  fields.require(words(blend.name).size() == 1, "name", "'" + blend.name + "'", "one word");
  fields.require(std::find(taken.begin(), taken.end(), blend.name) == taken.end(), "name",
                 "'" + blend.name + "' a second time", "a name of its own");
  fields("of", blend.of,
         {.help = "two segments, or four of which the first two and the last two are neighbours: names with "
                  "spaces between them"});
  const std::vector<std::string> of = words(blend.of);
  fields.require(of.size() == 2 || of.size() == 4, "of", fmt::format("{} segments", of.size()), "2 or 4");
  for (const std::string& name : of) {
    fields.require(std::find(segments.begin(), segments.end(), name) != segments.end(), "of",
                   "the unknown segment '" + name + "'",
                   fmt::format("some of: {}", fmt::join(segments, ", ")));
  }
  fields("steps", blend.steps, {.bounds = between(2, 50), .help = "from one example to the next"});
}

}  // namespace

void describe(Fields& fields, RoutineSpec& routine) {
  std::vector<std::string> names;
  fields.list("segments", routine.segments, "pieces of motions that it plays; none: no routine",
              [&](Fields& inner, SegmentSpec& segment) {
                describe_segment(inner, segment, names);
                names.push_back(segment.name);
              });
  const std::vector<std::string> segments = names;
  fields.list("blends", routine.blends, "more segments, mixed of those with their hits at the same time",
              [&](Fields& inner, BlendSpec& blend) {
                describe_blend(inner, blend, segments, names);
                names.push_back(blend.name);
              });
  describe(fields, routine.rules, names);
  const RoutineRules& rules = routine.rules;
  const char* key = !rules.opponent.empty() ? "opponent" : rules.distance > 0 ? "distance" : "";
  fields.require(!names.empty() || !*key, "segments", fmt::format("no segment, with '{}'", key),
                 "at least one segment to play");
}

void describe(Fields& fields, PlayOrder& order) {
  fields("segment", order.segment, {.help = "of its routine"});
  fields.require(!order.segment.empty(), "segment", "nothing", "a segment of its routine");
  fields("body", order.body, {.help = "of its opponent, to aim at: a role or a name"});
  fields("target", order.target,
         {.unit = "m", .bounds = between(-1e4, 1e4), .help = "or a place in the world"});
  fields.require(order.body.empty() || !order.target, "target", "both a body and a target", "one of them");
  fields("facing", order.facing,
         {.bounds = between(-1, 1), .help = "world axes: where the face of what it hits with is to point"});
  fields("speed", order.speed,
         {.unit = "m/s", .bounds = between(0, 30), .help = "at the hit; 0: as the segment says"});
}

}  // namespace stunt

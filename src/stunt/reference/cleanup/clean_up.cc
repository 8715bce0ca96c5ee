#include "stunt/reference/cleanup/clean_up.h"

#include <fmt/format.h>

#include <algorithm>

#include "stunt/actor/fit/pose_map.h"
#include "stunt/core/settings.h"
#include "stunt/reference/cleanup/filter.h"

namespace stunt {
namespace {

// The longest time (s) in which no contact point carries load, between two times when one does.
double longest_flight(const ContactTable& contacts, double rate_hz) {
  int longest = 0, current = -1;
  for (const auto& frame : contacts) {
    const bool loaded = std::any_of(frame.begin(), frame.end(), [](std::uint8_t c) { return c != 0; });
    if (loaded) {
      longest = std::max(longest, current);
      current = 0;
    } else if (current >= 0) {
      ++current;
    }
  }
  return longest / rate_hz;
}

}  // namespace

void describe(Fields& fields, CleanupSettings& settings) {
  fields("spikes", settings.spikes, {.help = "jumps out and back within a few frames are replaced"});
  fields(
      "low_pass_hz", settings.low_pass_hz,
      {.unit = "Hz",
       .bounds = between(-1, 1000),
       .help = "0: chosen by the motion (6; 10 where both feet leave the ground); negative: no smoothing"});
  fields("floor", settings.floor, {.help = "the floor is levelled, at height zero"});
  fields("feet", settings.feet, {.help = "feet that stand are planted by inverse kinematics"});
}

CleanMotion clean_up(const FittedActor& fitted, const Clip& clip, const CleanupSettings& settings) {
  // A foot that stands does not only pass low over the floor.
  constexpr ContactSettings kStanding{.speed = 0.3, .speed_off = 0.45};
  constexpr double kWalkCutoff = 6, kFlightCutoff = 10, kShortFlight = 0.06;
  const Actor& actor = *fitted.actor;
  CleanMotion out;

  std::vector<VecX> q(clip.frames.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (i > 0) q[i] = q[i - 1];
    clip_to_q(fitted, clip, clip.frames[i], q[i]);
  }
  if (settings.spikes) {
    out.spikes = remove_spikes(actor, q);
    if (out.spikes > 0)
      out.notes.push_back(fmt::format("{} spikes of one or a few frames were replaced", out.spikes));
  }
  q = resample(actor, q, clip.fps, kReferenceRate);

  PointPaths points = contact_point_paths(actor, q);
  out.floor = find_floor(points, kReferenceRate, &out.floor_found);
  if (settings.floor) {
    level(out.floor, q);
    points = contact_point_paths(actor, q);
    out.notes.push_back(fmt::format(
        "the floor was found {:.1f} cm {} zero, tilted by {:.2f} degrees: levelled",
        100 * std::abs(out.floor.height), out.floor.height < 0 ? "below" : "above", out.floor.slope_deg()));
  }
  ContactTable contacts = find_contacts(points, kReferenceRate);
  const std::vector<VecX> captured = q;

  const bool flies = longest_flight(contacts, kReferenceRate) > kShortFlight;
  out.low_pass_hz = settings.low_pass_hz != 0 ? settings.low_pass_hz : flies ? kFlightCutoff : kWalkCutoff;
  if (out.low_pass_hz > 0) {
    low_pass(actor, q, kReferenceRate, out.low_pass_hz);
    out.notes.push_back(fmt::format("smoothed at {:.0f} Hz{}", out.low_pass_hz,
                                    flies ? " (both feet leave the ground in this motion)" : ""));
    points = contact_point_paths(actor, q);
    contacts = find_contacts(points, kReferenceRate, kStanding);
  }
  if (settings.feet) {
    out.plant = plant_feet(fitted.actor, q, contacts, kReferenceRate);
  }
  // Both on the frames in which the feet stand in the end.
  out.before = foot_errors(fitted.actor, captured, contacts, kReferenceRate);
  out.after = foot_errors(fitted.actor, q, contacts, kReferenceRate);
  out.mean_change_deg = mean_change_deg(actor, captured, q);
  if (settings.feet) {
    contacts = loadable(actor, q, kReferenceRate);
    out.notes.push_back(
        fmt::format("feet planted: moved by at most {:.1f} cm", 100 * out.plant.largest_shift));
  }
  out.notes.push_back(fmt::format("joints turned by {:.2f} degrees on average", out.mean_change_deg));
  out.reference =
      std::make_shared<SampledReference>(fitted.actor, kReferenceRate, std::move(q), std::move(contacts));
  return out;
}

}  // namespace stunt

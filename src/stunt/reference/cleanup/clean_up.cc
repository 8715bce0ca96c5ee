#include "stunt/reference/cleanup/clean_up.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stunt/actor/fit/pose_map.h"
#include "stunt/core/settings.h"
#include "stunt/reference/cleanup/filter.h"
#include "stunt/reference/cleanup/floor_touch.h"
#include "stunt/reference/cleanup/joint_limits.h"
#include "stunt/reference/cleanup/out_of_floor.h"
#include "stunt/reference/cleanup/support.h"
#include "stunt/reference/cleanup/unseen_support.h"

namespace stunt {
namespace {

bool any_contact(const std::vector<std::uint8_t>& points) {
  return std::any_of(points.begin(), points.end(), [](std::uint8_t c) { return c != 0; });
}

// The longest time (s) in which no contact point carries load, between two times when one does.
double longest_flight(const ContactTable& contacts, double rate_hz) {
  int longest = 0, current = -1;
  for (const auto& frame : contacts) {
    if (any_contact(frame)) {
      longest = std::max(longest, current);
      current = 0;
    } else if (current >= 0) {
      ++current;
    }
  }
  return longest / rate_hz;
}

// The clip's poses as the actor's coordinates.
std::vector<VecX> poses_of(const FittedActor& fitted, const Clip& clip) {
  std::vector<VecX> q(clip.frames.size());
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (i > 0) q[i] = q[i - 1];  // angles go on from those of the frame before
    clip_to_q(fitted, clip, clip.frames[i], q[i]);
  }
  return q;
}

// Feet that run are fast while they still push, too fast to look loaded: where nothing else does, they carry.
void keep_one_foot_down(const ContactTable& planted, ContactTable& contacts) {
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!any_contact(contacts[i])) contacts[i] = planted[i];
  }
}

std::vector<std::string> what_was_done(const CleanupSettings& settings, const CleanMotion& out,
                                       bool smoothed_less_for_flight, double depth, double beyond_limits) {
  std::vector<std::string> notes;
  if (out.spikes > 0) {
    notes.push_back(
        fmt::format("{} that spiked for one or a few frames {} replaced.",
                    out.spikes == 1 ? "1 joint rotation" : fmt::format("{} joint rotations", out.spikes),
                    out.spikes == 1 ? "was" : "were"));
  }
  if (!out.floor_found && !out.floor_asked) {
    notes.emplace_back(settings.held.empty()
                           ? "No foot ever rests in this motion; its lowest point is taken as the floor."
                           : "No foot ever rests in this motion; its heights are taken as they are.");
  }
  if (settings.floor) {
    const std::string where = fmt::format("{:.1f} cm {} zero", 100 * std::abs(out.floor.height),
                                          out.floor.height < 0 ? "below" : "above");
    notes.push_back(out.floor_asked
                        ? fmt::format("The floor is {} as asked.", where)
                        : fmt::format("The floor was found {}, tilted by {:.2f} degrees; it was levelled "
                                      "(--floor says where it is).",
                                      where, out.floor.slope_deg()));
  }
  if (out.low_pass_hz > 0) {
    notes.push_back(
        fmt::format("The motion was smoothed at {:.3g} Hz{}.", out.low_pass_hz,
                    smoothed_less_for_flight ? ", because both feet leave the ground in it" : ""));
  }
  constexpr double kWorthSaying = 0.05;  // m
  if (out.largest_hover > kWorthSaying) {
    notes.push_back(
        fmt::format("The body hovers over the floor or sinks into it; it was moved by up to {:.0f} cm.",
                    100 * out.largest_hover));
  }
  if (settings.feet && out.largest_hold > kWorthSaying) {
    notes.push_back(fmt::format("The feet skate; the body was moved by up to {:.0f} cm so that they stand.",
                                100 * out.largest_hold));
  }
  if (depth > 0) {
    notes.push_back(
        fmt::format("What lies, kneels or leans on the floor was up to {:.0f} cm inside it, and was raised.",
                    100 * depth));
  }
  if (out.false_flights > 0) {
    notes.push_back(
        fmt::format("{} no foot stands, yet nothing falls: the lowest foot was put down.",
                    out.false_flights == 1 ? "Once" : fmt::format("At {} times", out.false_flights)));
  }
  if (settings.feet) {
    notes.push_back(fmt::format("The feet were planted, which moved them by at most {:.1f} cm.",
                                100 * out.plant.largest_shift));
  }
  if (constexpr double kNoticeable = radians(5); beyond_limits > kNoticeable) {
    notes.push_back(fmt::format("Joints up to {:.0f} degrees beyond their limits were brought back.",
                                degrees(beyond_limits)));
  }
  if (out.low_pass_hz > 0 || settings.feet) {
    notes.push_back(
        fmt::format("The clean-up turned the joints by {:.2f} degrees on average.", out.mean_change_deg));
  }
  return notes;
}

std::vector<std::string> what_feet_cannot_carry(const std::vector<TimeSpan>& spans) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> warnings;
  if (spans.empty()) return warnings;
  std::string times;
  for (std::size_t i = 0; i < std::min(spans.size(), kNamed); ++i) {
    times += fmt::format("{}{:.1f} to {:.1f} s", i == 0 ? "" : ", ", spans[i].begin, spans[i].end);
  }
  if (spans.size() > kNamed) times += " and at other times";
  warnings.push_back(fmt::format(
      "From {} the feet alone cannot carry the body: it sits, leans or hangs on something that the file does "
      "not have. Put that into the scene, leave the time out (--start, --end), or let an unseen hand help "
      "(--assist 1).",
      times));
  return warnings;
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
  constexpr double kWalkCutoff = 6, kFlightCutoff = 10;  // Hz
  constexpr double kShortFlight = 0.06;                  // s
  const Actor& actor = *fitted.actor;
  CleanMotion out;
  double depth = 0, beyond_limits = 0;  // m, inside the floor; rad

  std::vector<VecX> q = poses_of(fitted, clip);
  if (settings.spikes) out.spikes = remove_spikes(actor, q, clip.fps);
  q = resample(actor, q, clip.fps, kReferenceRate);

  out.floor = find_floor(contact_point_paths(actor, q), kReferenceRate, &out.floor_found);
  out.floor_asked = clip.source.floor_m.has_value();
  if (out.floor_asked) out.floor = {*clip.source.floor_m};
  // Who only hangs shows no floor: the file's own height is believed.
  if (!out.floor_found && !settings.held.empty() && !out.floor_asked) out.floor = {};
  if (settings.floor) level(out.floor, q);

  // Who is carried by hands, knees or the trunk does not fly.
  const std::vector<TimeSpan> carried = carried_times(fitted.actor, q, kReferenceRate);
  std::vector<TimeSpan> held = settings.held;
  held.insert(held.end(), carried.begin(), carried.end());
  const auto label = [&](const ContactSettings& how) {
    ContactTable found = find_contacts(contact_point_paths(actor, q), kReferenceRate, how);
    unlabel_lying_feet(fitted.actor, q, kReferenceRate, carried, found);
    return found;
  };
  ContactTable contacts = label({});
  if (settings.feet) {
    out.largest_hover = bring_to_floor(fitted.actor, kReferenceRate, contacts, q, held);
    contacts = label({});
  }
  const std::vector<VecX> captured = q;
  close_false_flights(fitted.actor, captured, kReferenceRate, contacts, held);
  const bool flies = longest_flight(contacts, kReferenceRate) > kShortFlight;
  out.low_pass_hz = settings.low_pass_hz != 0 ? settings.low_pass_hz : flies ? kFlightCutoff : kWalkCutoff;
  if (out.low_pass_hz > 0) {
    low_pass(actor, q, kReferenceRate, out.low_pass_hz);
    contacts = label(kStanding);
    close_false_flights(fitted.actor, captured, kReferenceRate, contacts, held);
  }
  if (settings.feet) {
    out.largest_hold = hold_support(actor, kReferenceRate, contacts, q);
    contacts = label(kStanding);
    out.false_flights = close_false_flights(fitted.actor, q, kReferenceRate, contacts, held);
    out.plant = plant_feet(fitted.actor, q, contacts, kReferenceRate);
    depth = bring_out_of_floor(fitted.actor, kReferenceRate, q);
    beyond_limits = keep_within_limits(actor, q, true);
  }

  // Both on the frames in which the feet stand in the end.
  out.before = foot_errors(fitted.actor, captured, contacts, kReferenceRate);
  out.after = foot_errors(fitted.actor, q, contacts, kReferenceRate);
  out.mean_change_deg = mean_change_deg(actor, captured, q);
  if (settings.feet) {
    const ContactTable planted = contacts;
    contacts = loadable(actor, q, kReferenceRate);
    unlabel_lying_feet(fitted.actor, q, kReferenceRate, carried, contacts);
    keep_one_foot_down(planted, contacts);
    close_false_flights(fitted.actor, q, kReferenceRate, contacts, held);
  }
  std::vector<TimeSpan> uncarried = unseen_support(fitted.actor, q, kReferenceRate, contacts);
  std::erase_if(uncarried, [&](const TimeSpan& span) {
    return any_holds(settings.held, span.begin) && any_holds(settings.held, span.end);
  });
  out.warnings = what_feet_cannot_carry(uncarried);
  out.notes = what_was_done(settings, out, settings.low_pass_hz == 0 && flies, depth, beyond_limits);
  out.reference =
      std::make_shared<SampledReference>(fitted.actor, kReferenceRate, std::move(q), std::move(contacts));
  return out;
}

}  // namespace stunt

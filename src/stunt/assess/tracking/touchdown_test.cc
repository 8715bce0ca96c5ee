#include "stunt/assess/tracking/touchdown.h"

#include <gtest/gtest.h>

#include "tests/sample_recording.h"

namespace stunt {
namespace {

// The whole body sinks at a steady speed and stops: the double's left foot at 0.5 s with 1.2 m/s, the motion's 0.1 s later
// with 0.8 m/s. What lies further apart is not the same step.
TEST(Touchdown, ComparesTheSpeedsOfTheSameStep) {
  const ActorPtr actor = sample_actor();
  for (const bool same : {true, false}) {
    Recording r = sample_recording(sample_scene({actor}), 120);
    ActorTrack& track = r.actors[0];
    const auto& points = actor->contact_points();
    auto& stands =
        track.channels.add("reference_contacts", "", "", static_cast<int>(points.size()), Channel::Type::u1)
            .all<std::uint8_t>();
    const double landing = same ? 0.6 : 0.8;
    r.contacts.clear();
    r.contact_start = {0};
    for (int i = 0; i < r.samples(); ++i) {
      const double t = i / r.rate;
      r.channels.at("q")
          .all<double>()[static_cast<std::size_t>(i * r.scene->model->nq + track.slot.first_q + 2)] =
          1 + 1.2 * std::max(0.0, 0.5 - t);
      track.channels.at("reference_q").all<double>()[static_cast<std::size_t>(i * track.slot.nq + 2)] =
          1 + 0.8 * std::max(0.0, landing - t);
      for (const ContactPoint& point : points) {
        stands.push_back(point.left && t > landing - 1e-9);
        if (point.left && t > 0.5 - 1e-9)
          r.contacts.push_back({0, track.slot.first_body + point.body, {0, 0, 0}, {0, 0, 100}});
      }
      r.contact_start.push_back(static_cast<std::uint32_t>(r.contacts.size()));
    }
    const auto ratio = touchdown_speed_ratio(r, 0);
    ASSERT_EQ(ratio.has_value(), same);
    if (same) {
      EXPECT_NEAR(*ratio, 1.5, 0.05);  // the joints swing a little
    }
  }
}

}  // namespace
}  // namespace stunt

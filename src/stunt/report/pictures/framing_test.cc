#include "stunt/report/pictures/framing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "stunt/core/error.h"
#include "stunt/report/mannequin/mannequin.h"
#include "tests/marching_recording.h"

namespace stunt {
namespace {

// The march with the character moved and turned at every sample: change(time, position, rotation).
template <typename Change>
Recording moved(Change change) {
  Recording run = marching_recording({.duration = 2});
  const int first = run.scene->actors[0].first_q;
  Channel& channel = run.channels.at("q");
  for (int i = 0; i < run.samples(); ++i) {
    double* q = channel.all<double>().data() + static_cast<std::ptrdiff_t>(i) * channel.width() + first;
    Vec3 place = vec3(q);
    Quat turn = quat_from_wxyz(q + 3);
    change(run.time[static_cast<std::size_t>(i)], place, turn);
    std::copy_n(place.data(), 3, q);
    quat_to_wxyz(turn, q + 3);
  }
  return run;
}

TEST(Framing, HeadingTurnsWithTheCharacter) {
  const Recording run = marching_recording({.duration = 2});
  const double ahead = mean_heading(run);
  EXPECT_NEAR(ahead, 0, 0.2);  // it marches along X
  for (const double angle : {0.7, -2.0, 3.0}) {
    const Recording turned = moved([&](double, Vec3&, Quat& turn) { turn = yaw_rotation(angle) * turn; });
    EXPECT_NEAR(std::remainder(mean_heading(turned) - ahead - angle, 2 * kPi), 0, 1e-6) << angle;
  }
  // Who walks backwards still faces forward.
  const Recording backwards = moved([](double t, Vec3& place, Quat&) { place.x() -= 5 * t; });
  EXPECT_NEAR(mean_heading(backwards), ahead, 1e-6);
}

// By the mannequin's vertices, which the framing knows nothing of: is everything in the picture at all times?
void expect_all_seen(const Recording& run, const std::string& camera) {
  const Framing framing(run, camera, false);
  const double sight = radians(framing.azimuth());
  const Vec3 right(std::sin(sight), -std::cos(sight), 0);
  const ActorSlot& slot = run.scene->actors[0];
  const std::vector<MannequinPiece> pieces = make_mannequin(*slot.actor);
  const mjModel& m = *run.scene->model;
  const DataPtr data(mj_makeData(&m));
  double used = 0;
  for (int i = 0; i < run.samples(); i += 7) {
    std::copy_n(run.q(i).data(), m.nq, data->qpos);
    mj_kinematics(&m, data.get());
    const View view = framing.at(i);
    for (const MannequinPiece& piece : pieces) {
      const int body = slot.first_body + piece.body;
      const Quat turn = quat_from_wxyz(data->xquat + 4 * body);
      for (const Eigen::Vector3f& vertex : piece.mesh.positions) {
        const Vec3 p = vec3(data->xpos + 3 * body) + turn * vertex.cast<double>() - view.centre;
        ASSERT_LT(std::abs(p.dot(right)), 0.5 * view.wide)
            << camera << " at " << run.time[static_cast<std::size_t>(i)];
        ASSERT_LT(std::abs(p.z()), 0.5 * view.tall)
            << camera << " at " << run.time[static_cast<std::size_t>(i)];
        used = std::max(used, 2 * std::abs(p.z()) / view.tall);
      }
    }
    EXPECT_DOUBLE_EQ(view.tall, framing.at(0).tall);  // no zooming in between
  }
  EXPECT_GT(used, 0.7) << camera;  // and not far more than that
}

TEST(Framing, AllOfTheMotionIsSeen) {
  const Recording march = marching_recording({.duration = 2});
  const Recording jump =
      moved([](double t, Vec3& place, Quat&) { place.z() += 0.8 * std::max(0.0, std::sin(kPi * t)); });
  const Recording lying = moved([](double t, Vec3& place, Quat& turn) {
    const double up = std::min(1.0, t / 1.5);  // from the back to the feet
    turn = axis_angle(Vec3::UnitY(), -(1 - up) * kPi / 2) * turn;
    place.z() -= 0.75 * (1 - up);
  });
  for (const char* camera : {"side", "front", "corner"}) {
    expect_all_seen(march, camera);
    expect_all_seen(jump, camera);
    expect_all_seen(lying, camera);
  }
  EXPECT_THROW(Framing(march, "behind", false), InputError);
}

}  // namespace
}  // namespace stunt

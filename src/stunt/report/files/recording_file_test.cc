#include "stunt/report/files/recording_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "stunt/assess/tracking/tracking.h"
#include "stunt/core/error.h"
#include "stunt/core/npz.h"
#include "tests/equal_recordings.h"
#include "tests/sample_recording.h"

namespace stunt {
namespace {

using test::expect_equal;

Recording full_recording() {
  Recording r = sample_recording(sample_scene({sample_actor(), sample_actor()}), 48);
  r.seed = 0xfedcba9876543210ull;
  r.diverged = "a reason";
  r.marks = {0.1, 0.25};
  r.actors[1].fall = Fall{0.3, "a rule"};
  r.actors[1].assist_force_mean = 1.0 / 3;
  r.actors[1].pedestal = true;
  r.actors[1].rehearsed = {{0.15, 0.6}, {1.5, 2.1}};
  r.actors[1].notes = {"guessed", "a \"quoted\" note"};
  r.actors[1].warnings = {"odd"};
  r.actors[0]
      .channels.add("reference_contacts", "", "feet", 8, Channel::Type::u1)
      .all<std::uint8_t>()
      .assign(8 * 48, 1);
  r.scene_text = "name: sample\n";
  r.contact_start = {0};
  for (int i = 0; i < 48; ++i) {
    for (int k = 0; k < i % 3; ++k) r.contacts.push_back({0, 1 + k, {0.1f * i, 0, 1e-9f}, {0, 0, 3.5f}});
    r.contact_start.push_back(static_cast<std::uint32_t>(r.contacts.size()));
  }
  return r;
}

std::string error_of(const std::string& bytes) {
  try {
    parse_recording(bytes, "r.npz");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The same archive with one array replaced.
std::string with_text(const std::string& bytes, const std::string& array, const std::string& text) {
  const NpzFile file(bytes, "r.npz");
  NpzWriter writer;
  for (const auto& name : file.names()) {
    if (name == array) {
      writer.add_text(name, text);
      continue;
    }
    const NpyArray a = file.read(name);
    const auto copy = [&]<typename T>(T) {
      std::vector<T> values(a.size());
      if (!values.empty()) std::memcpy(values.data(), a.bytes.data(), a.bytes.size());
      writer.add(name, std::span<const T>(values), a.shape);
    };
    if (a.type == NpyType::f8) copy(double{});
    if (a.type == NpyType::f4) copy(float{});
    if (a.type == NpyType::i8) copy(std::int64_t{});
    if (a.type == NpyType::i4) copy(std::int32_t{});
    if (a.type == NpyType::u1) copy(std::uint8_t{});
  }
  return writer.finish();
}

TEST(RecordingFile, ComesBackEqual) {
  const Recording r = full_recording();
  const std::string bytes = format_recording(r);
  const Recording back = parse_recording(bytes, "r.npz");
  EXPECT_EQ(back.name, r.name);
  EXPECT_EQ(back.engine, r.engine);
  EXPECT_EQ(back.seed, r.seed);
  EXPECT_EQ(back.timestep, r.timestep);
  EXPECT_EQ(back.rate, r.rate);
  EXPECT_EQ(back.duration, r.duration);
  EXPECT_EQ(back.steps, r.steps);
  EXPECT_EQ(back.diverged, r.diverged);
  EXPECT_EQ(back.time, r.time);
  expect_equal(back.channels, r.channels);
  EXPECT_EQ(back.marks, r.marks);
  EXPECT_EQ(back.scene_text, r.scene_text);
  EXPECT_EQ(back.contact_start, r.contact_start);
  ASSERT_EQ(back.contacts.size(), r.contacts.size());
  EXPECT_EQ(std::memcmp(back.contacts.data(), r.contacts.data(), r.contacts.size() * sizeof(RecordedContact)),
            0);
  ASSERT_EQ(back.actors.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    const ActorTrack &a = back.actors[i], &b = r.actors[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.motion + a.character + a.controller + a.preset,
              b.motion + b.character + b.controller + b.preset);
    expect_equal(a.channels, b.channels);
    EXPECT_EQ(a.slot.first_q, b.slot.first_q);
    EXPECT_EQ(a.slot.nv, b.slot.nv);
    EXPECT_EQ(a.notes, b.notes);
    ASSERT_EQ(a.rehearsed.size(), b.rehearsed.size());
    for (std::size_t s = 0; s < a.rehearsed.size(); ++s) {
      EXPECT_EQ(a.rehearsed[s].from, b.rehearsed[s].from);
      EXPECT_EQ(a.rehearsed[s].to, b.rehearsed[s].to);
    }
    EXPECT_EQ(a.warnings, b.warnings);
    EXPECT_EQ(a.fall.has_value(), b.fall.has_value());
    EXPECT_EQ(a.assist_force_mean, b.assist_force_mean);
    EXPECT_EQ(a.pedestal, b.pedestal);
    EXPECT_EQ(back.scene->actors[i].first_q, r.scene->actors[i].first_q);
    EXPECT_EQ(back.scene->actors[i].first_body, r.scene->actors[i].first_body);
    EXPECT_EQ(back.scene->actors[i].actor->name(), "sample");
  }
  EXPECT_EQ(back.actors[1].fall->time, 0.3);
  EXPECT_EQ(back.scene->xml, r.scene->xml);
  EXPECT_EQ(back.scene->support_bodies, r.scene->support_bodies);
  EXPECT_EQ(back.scene->platforms[0].spec.amplitude, r.scene->platforms[0].spec.amplitude);
  EXPECT_EQ(back.scene->free_bodies[0].name, "ball");
  EXPECT_EQ(back.scene->model->nbody, r.scene->model->nbody);
  // It can be assessed as before, and written again to the same bytes.
  EXPECT_NEAR(score_tracking(back, 0).com_error_m.mean, score_tracking(r, 0).com_error_m.mean, 1e-5);
  EXPECT_EQ(format_recording(back), bytes);
}

TEST(RecordingFile, TimingsDoNotChangeTheBytes) {
  Recording r = full_recording();
  const std::string bytes = format_recording(r);
  r.wall_s = 3, r.controller_s = 1, r.engine_s = 1.5;
  r.actors[0].plan_us = {100, 200};
  EXPECT_EQ(format_recording(r), bytes);
}

TEST(RecordingFile, AnEmptyRecordingIsStillOne) {
  Recording r = sample_recording(sample_scene({}), 1);
  const Recording back = parse_recording(format_recording(r), "r.npz");
  EXPECT_EQ(back.samples(), 1);
  EXPECT_TRUE(back.actors.empty());
}

TEST(RecordingFile, BrokenFilesAreRefusedWithAReason) {
  const std::string bytes = format_recording(full_recording());
  EXPECT_NE(error_of("").find("r.npz: found an empty file"), std::string::npos);
  EXPECT_NE(error_of("HIERARCHY").find("r.npz"), std::string::npos);
  for (const double part : {0.1, 0.5, 0.99}) {
    EXPECT_NE(error_of(bytes.substr(0, static_cast<std::size_t>(part * static_cast<double>(bytes.size()))))
                  .find("cut short"),
              std::string::npos);
  }
  NpzWriter other;
  other.add_number("poses", 1.0);
  EXPECT_NE(error_of(other.finish()).find("without 'about'"), std::string::npos);

  const std::string about = NpzFile(bytes, "r.npz").text("about");
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = about;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return error_of(with_text(bytes, "about", text));
  };
  EXPECT_EQ(error_of(with_text(bytes, "about", about)), "");
  EXPECT_EQ(replaced("\"version\": 2", "\"version\": 99"),
            "r.npz: found version 99, expected a recording of version 2");
  EXPECT_NE(replaced("\"engine\"", "\"motor\"").find("engine"), std::string::npos);
  EXPECT_NE(replaced("\"first_q\": ", "\"first_q\": 9").find("first_q"), std::string::npos);
  EXPECT_NE(replaced("\"first_body\": ", "\"first_body\": -").find("first_body"), std::string::npos);
  EXPECT_NE(replaced("\"nq\": ", "\"nq\": 1").find("coordinates"), std::string::npos);
  EXPECT_NE(error_of(with_text(bytes, "about", "{")).find("something else"), std::string::npos);
  EXPECT_NE(error_of(with_text(bytes, "scene_xml", "<mujoco><oops/></mujoco>")).find("scene_xml"),
            std::string::npos);
  EXPECT_NE(error_of(with_text(bytes, "actor1_xml", "<mujoco/>")).find("actor1_xml"), std::string::npos);
  EXPECT_NE(error_of(with_text(bytes, "q", "short")).find("q: found 5 numbers of type u1"),
            std::string::npos);
}

TEST(RecordingFile, IsSmallAndQuickToWrite) {
  const Recording r = sample_recording(sample_scene({sample_actor()}), 1201);
  double best = 1e9;
  std::string bytes;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    bytes = format_recording(r);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  RecordProperty("milliseconds", static_cast<int>(1e3 * best));
  RecordProperty("kilobytes", static_cast<int>(bytes.size() / 1000));
  EXPECT_LT(best, 1.0);  // 0.1 s on an idle machine
  EXPECT_LT(6 * bytes.size(), 20'000'000u);
}

}  // namespace
}  // namespace stunt

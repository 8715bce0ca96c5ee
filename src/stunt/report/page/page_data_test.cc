#include "stunt/report/page/page_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "stunt/core/error.h"
#include "stunt/report/files/summary.h"
#include "stunt/report/page/html_report.h"
#include "tests/marching_recording.h"

namespace stunt {
namespace {

// The format of page_data.h, read the other way round.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(bytes_.substr(0, 4), "STNT");
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4; ++k)
      length |= std::size_t{static_cast<std::uint8_t>(bytes_[4 + k])} << 8 * k;
    head = nlohmann::json::parse(bytes_.substr(8, length));
    columns_ = 8 + length;
  }

  std::vector<double> column(const std::string& name) {
    const auto& about = head["columns"][name];
    const std::size_t rows = about["rows"], channels = about["channels"];
    const int order = about["order"];
    std::size_t at = columns_ + about["at"].get<std::size_t>();
    std::vector<double> out(rows * channels);
    for (std::size_t c = 0; c < channels; ++c) {
      std::vector<std::int64_t> series;
      for (std::size_t r = 0; r < rows; ++r) {
        std::uint64_t folded = 0;
        for (int shift = 0;; shift += 7) {
          const auto byte = static_cast<std::uint8_t>(bytes_[at++]);
          folded |= std::uint64_t{byte & 127u} << shift;
          if (byte < 128) break;
        }
        auto value = static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
        if (order >= 1 && r >= 1) value += series[r - 1];
        if (order == 2 && r >= 2) value += series[r - 1] - series[r - 2];
        series.push_back(value);
        out[r * channels + c] = static_cast<double>(value) * about["step"].get<double>();
      }
    }
    return out;
  }

  nlohmann::json head;

 private:
  std::string bytes_;
  std::size_t columns_;
};

TEST(PageData, HasThePosesOfTheRecording) {
  const Recording run = marching_recording({.duration = 1, .characters = 2});
  Reader page(page_data(run, summary_json(summarize(run))));
  const auto time = page.column("time"), position = page.column("position"),
             rotation = page.column("rotation");
  ASSERT_EQ(time.size(), 61u);
  const mjModel& model = *run.scene->model;
  const auto bodies = static_cast<std::size_t>(model.nbody);
  const DataPtr data(mj_makeData(&model));
  for (std::size_t row = 0; row < time.size(); row += 15) {
    EXPECT_NEAR(time[row], run.time[2 * row], 1e-4);
    std::copy_n(run.q(2 * static_cast<int>(row)).data(), model.nq, data->qpos);
    mj_kinematics(&model, data.get());
    for (std::size_t b = 0; b < bodies; ++b) {
      double same = 0;
      for (std::size_t k = 0; k < 4; ++k)
        same += rotation[(row * bodies + b) * 4 + k] * data->xquat[4 * b + k];
      EXPECT_NEAR(std::abs(same), 1, 1e-3);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(position[(row * bodies + b) * 3 + k], data->xpos[3 * b + k], 1e-4);
      }
    }
  }
  EXPECT_EQ(page.head["actors"].size(), 2u);
  const auto torque = page.column("actor1_torque");
  const auto nv = static_cast<std::size_t>(run.actors[1].slot.nv);
  EXPECT_NEAR(torque[30 * nv + 7], run.actors[1].torque(60)[7], 0.03);
}

TEST(PageData, ColumnsKeepAnyNumber) {
  ColumnWriter columns;
  const std::vector<float> values = {0, -1, 1e6f, -1e6f, 0.5f, NAN};
  for (const int order : {0, 1, 2}) columns.add("order" + std::to_string(order), values, 2, 0.5, order);
  const std::string head = nlohmann::json{{"columns", columns.index()}}.dump();
  std::string bytes = "STNT";
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(head.size() >> shift));
  Reader reader(bytes + head + columns.bytes());
  for (const char* name : {"order0", "order1", "order2"}) {
    EXPECT_EQ(reader.column(name), (std::vector<double>{0, -1, 1e6, -1e6, 0.5, 0})) << name;
  }
}

TEST(HtmlReport, HoldsEveryRecordingAndNoMarkupOfTheirNames) {
  const Recording run = marching_recording({.duration = 0.2});
  const std::string page = html_report({{&run, nullptr, "<b>\"one\"</b>"}, {&run, nullptr, "two"}});
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_EQ(page.find("<b>\"one\""), std::string::npos);
  if (html_report_available()) {
    EXPECT_NE(page.find("data-label=\"two\""), std::string::npos);
  } else {
    EXPECT_NE(page.find("apt-get install nodejs npm"), std::string::npos);
  }
  EXPECT_THROW(html_report({}), InputError);
  const Recording empty;
  EXPECT_THROW(html_report({{&empty, nullptr, ""}}), InputError);
}

}  // namespace
}  // namespace stunt

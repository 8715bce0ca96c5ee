// Are two recordings the same, bit for bit? Wall-clock timings aside.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <iterator>

#include "stunt/simulate/recording.h"

namespace stunt::test {

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline void expect_equal(const Channels& a, const Channels& b) {
  ASSERT_EQ(std::distance(a.begin(), a.end()), std::distance(b.begin(), b.end()));
  for (const auto& channel : b) {
    SCOPED_TRACE(channel->name());
    const Channel& other = a.at(channel->name());
    EXPECT_EQ(other.unit(), channel->unit());
    EXPECT_EQ(other.help(), channel->help());
    EXPECT_EQ(other.width(), channel->width());
    EXPECT_EQ(other.rows(), channel->rows());
    ASSERT_EQ(other.type(), channel->type());
    if (channel->type() == Channel::Type::f8) {
      EXPECT_TRUE(same_bits(other.all<double>(), channel->all<double>()));
    } else if (channel->type() == Channel::Type::f4) {
      EXPECT_TRUE(same_bits(other.all<float>(), channel->all<float>()));
    } else {
      EXPECT_TRUE(same_bits(other.all<std::uint8_t>(), channel->all<std::uint8_t>()));
    }
  }
}

inline void expect_equal(const Recording& a, const Recording& b) {
  EXPECT_TRUE(same_bits(a.time, b.time));
  EXPECT_TRUE(same_bits(a.marks, b.marks));
  EXPECT_TRUE(same_bits(a.contact_start, b.contact_start));
  EXPECT_TRUE(same_bits(a.contacts, b.contacts));
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.diverged, b.diverged);
  expect_equal(a.channels, b.channels);
  ASSERT_EQ(a.actors.size(), b.actors.size());
  for (std::size_t i = 0; i < a.actors.size(); ++i) {
    SCOPED_TRACE(b.actors[i].name);
    expect_equal(a.actors[i].channels, b.actors[i].channels);
    EXPECT_EQ(a.actors[i].assist_force_mean, b.actors[i].assist_force_mean);
    ASSERT_EQ(a.actors[i].fall.has_value(), b.actors[i].fall.has_value());
    if (a.actors[i].fall) {
      EXPECT_EQ(a.actors[i].fall->time, b.actors[i].fall->time);
      EXPECT_EQ(a.actors[i].fall->reason, b.actors[i].fall->reason);
    }
  }
}

}  // namespace stunt::test

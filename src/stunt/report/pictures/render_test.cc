#include "stunt/report/pictures/render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/report/pictures/gl_context.h"
#include "stunt/report/pictures/palette.h"
#include "tests/marching_recording.h"

namespace stunt {
namespace {

// Why there is no OpenGL here; empty where there is.
std::string no_gl() {
  try {
    GlContext::make();
    return "";
  } catch (const RunError& error) {
    return error.what();
  }
}

// Pixels whose hue is the colour's: shading changes the brightness, not the ratios.
int count_pixels(const Image& image, const Color& color, int from_x, int to_x) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = from_x; x < to_x; ++x) {
      const std::uint8_t* p =
          image.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                                  static_cast<std::size_t>(x));
      const float scale = static_cast<float>(p[0] + p[1] + p[2]) / (color[0] + color[1] + color[2]);
      float off = 0;
      for (int k = 0; k < 3; ++k)
        off = std::max(off, std::abs(static_cast<float>(p[k]) - scale * color[static_cast<std::size_t>(k)]));
      if (scale > 60 && off < 12) ++count;
    }
  }
  return count;
}

TEST(Render, FilmStripShowsTheCharacterInEveryPanel) {
  if (const std::string why = no_gl(); !why.empty()) GTEST_SKIP() << why;
  const Recording run = marching_recording({.duration = 2});
  FilmStripOptions options;
  options.count = 4;
  options.picture.ghost = false;
  const Image strip = film_strip(run, options);
  ASSERT_EQ(strip.height, options.picture.height);
  for (int i = 0; i < 4; ++i) {
    const int left = i * (options.picture.width + 2);
    EXPECT_GT(count_pixels(strip, actor_body_color(0, Side::right), left, left + options.picture.width), 2000)
        << i;
  }
}

TEST(Render, PanoramaShowsMoreThanOnePanel) {
  if (const std::string why = no_gl(); !why.empty()) GTEST_SKIP() << why;
  const Recording run = marching_recording({.duration = 3});
  FilmStripOptions options;
  options.layout = "panorama";
  options.times = {0.0, 1.5, 3.0};
  const Image strip = film_strip(run, options);
  EXPECT_GT(strip.width, options.picture.width);
  const int all = count_pixels(strip, actor_body_color(0, Side::right), 0, strip.width);
  options.times = {1.5};
  const Image one = film_strip(run, options);
  EXPECT_GT(all, count_pixels(one, actor_body_color(0, Side::right), 0, one.width));
}

TEST(Render, GhostIsSeenWhereItDiffers) {
  if (const std::string why = no_gl(); !why.empty()) GTEST_SKIP() << why;
  const Recording run = marching_recording({.duration = 1.5, .let_go = 0.5});
  PictureOptions options{.width = 320, .height = 240, .ghost = false};
  Image without, with;
  Painter(run, options).paint(1.5, without);
  options.ghost = true;
  Painter(run, options).paint(1.5, with);
  int bluer = 0;
  for (std::size_t i = 0; i < with.rgb.size(); i += 3) {
    if (with.rgb[i + 2] - with.rgb[i] > without.rgb[i + 2] - without.rgb[i] + 20) ++bluer;
  }
  EXPECT_GT(bluer, 500);
}

TEST(Render, BadInputIsNamed) {
  const Recording run = marching_recording({.duration = 0.1});
  EXPECT_THROW(film_strip(run, {.times = {0.05, 0.2}}), InputError);
  EXPECT_THROW(film_strip(run, {.times = {}, .count = 0}), InputError);
  EXPECT_THROW(film_strip(Recording{}, {}), InputError);
  EXPECT_THROW(Painter(run, {.width = 5}), InputError);
  EXPECT_THROW(make_palette("#12345"), InputError);
  EXPECT_FLOAT_EQ(make_palette("#ff0000").background[0], 1);
  setenv("STUNT_GL", "vulkan", 1);
  EXPECT_THROW(GlContext::make(), InputError);
  unsetenv("STUNT_GL");
}

}  // namespace
}  // namespace stunt

#include "stunt/report/pictures/palette.h"

#include <charconv>

#include "stunt/core/error.h"

namespace stunt {
namespace {

constexpr std::array<Color, 6> kActorColors = {{{0.91f, 0.45f, 0.24f},
                                                {0.20f, 0.60f, 0.68f},
                                                {0.88f, 0.68f, 0.22f},
                                                {0.60f, 0.42f, 0.76f},
                                                {0.80f, 0.36f, 0.52f},
                                                {0.45f, 0.62f, 0.32f}}};

Color scaled(const Color& color, float factor) {
  return {color[0] * factor, color[1] * factor, color[2] * factor};
}

}  // namespace

Palette make_palette(const std::string& background) {
  const Palette light = {false,
                         {0.965f, 0.968f, 0.975f},
                         {0.905f, 0.912f, 0.925f},
                         {0.865f, 0.873f, 0.890f},
                         {0.74f, 0.76f, 0.79f},
                         {0.62f, 0.64f, 0.68f},
                         {0.27f, 0.44f, 0.72f},
                         {0.25f, 0.28f, 0.33f}};
  const Palette dark = {true,
                        {0.075f, 0.086f, 0.105f},
                        {0.145f, 0.160f, 0.190f},
                        {0.120f, 0.133f, 0.160f},
                        {0.30f, 0.33f, 0.38f},
                        {0.45f, 0.48f, 0.54f},
                        {0.48f, 0.66f, 0.95f},
                        {0.80f, 0.83f, 0.88f}};
  if (background == "light") return light;
  if (background == "dark") return dark;
  unsigned rgb = 0;
  const char* end = background.data() + background.size();
  if (background.size() == 7 && background[0] == '#') {
    const auto [stop, problem] = std::from_chars(background.data() + 1, end, rgb, 16);
    if (problem == std::errc() && stop == end) {
      const Color color = {static_cast<float>(rgb >> 16 & 255) / 255,
                           static_cast<float>(rgb >> 8 & 255) / 255, static_cast<float>(rgb & 255) / 255};
      const float brightness = 0.3f * color[0] + 0.59f * color[1] + 0.11f * color[2];
      Palette palette = brightness < 0.45f ? dark : light;
      palette.background = color;
      palette.ground = scaled(color, palette.dark ? 1.25f : 0.95f);
      palette.ground_alternate = scaled(color, palette.dark ? 1.15f : 0.91f);
      return palette;
    }
  }
  throw InputError("background", "'" + background + "'", "light, dark or a colour like #ffffff");
}

Side body_side(const Actor& actor, int body) {
  // A body belongs to the side of the nearest ancestor that has a role with a side.
  for (int b = body; b >= 0; b = actor.bodies()[static_cast<std::size_t>(b)].parent) {
    for (int r = 0; r < kRoleCount; ++r) {
      const auto role = static_cast<Role>(r);
      if (actor.body(role) != b) continue;
      const std::string_view text = name(role);
      return text.starts_with("left") ? Side::left : text.starts_with("right") ? Side::right : Side::middle;
    }
  }
  return Side::middle;
}

Color actor_body_color(int actor, Side side) {
  const Color& color = kActorColors[static_cast<std::size_t>(actor) % kActorColors.size()];
  return side == Side::left ? scaled(color, 0.80f) : color;
}

Color surface_color(int actor, Side side, Surface surface, bool dark) {
  const Color own = actor_body_color(actor, side);
  const Color slate = dark ? Color{0.29f, 0.32f, 0.37f} : Color{0.17f, 0.19f, 0.23f};
  const auto mixed = [&](const Color& base, float share) {
    Color out;
    for (std::size_t i = 0; i < 3; ++i) out[i] = base[i] + share * (own[i] - base[i]);
    return out;
  };
  switch (surface) {
    case Surface::joint:
      return mixed(slate, 0.14f);
    case Surface::shoe:
      return mixed(slate, 0.08f);
    case Surface::sole:
      return {0.90f, 0.90f, 0.89f};
    case Surface::visor:
      return {0.11f, 0.13f, 0.17f};
    default:
      return own;
  }
}

}  // namespace stunt

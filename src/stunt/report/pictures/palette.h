// The colours of pictures and of the page: the simulated characters warm, the reference cool, the rest grey.
#pragma once

#include <array>
#include <string>

#include "stunt/actor/actor.h"
#include "stunt/report/mannequin/mannequin.h"

namespace stunt {

using Color = std::array<float, 3>;  // red, green, blue in [0, 1]

struct Palette {
  bool dark;
  Color background, ground, ground_alternate, support, object, ghost, ink;
};

// "light", "dark" or "#rrggbb" (then light or dark by its brightness). Throws InputError.
Palette make_palette(const std::string& background);

constexpr Color kBallColor = {0.36f, 0.55f, 0.24f};
constexpr Color kForceColor = {0.16f, 0.62f, 0.56f};
constexpr Color kBoneColor = {0.86f, 0.82f, 0.74f};
constexpr double kForceScale = 0.6 / 1000;  // m of arrow per N

// Which side of the character a body is on, by the roles of the limbs.
Side body_side(const Actor& actor, int body);
// The left limbs are darker, so that legs can be told apart from the side.
Color actor_body_color(int actor, Side side);
// The same for a surface of the mannequin: its joints and shoes are dark, with a touch of its own colour; a little less
// dark on a dark background.
Color surface_color(int actor, Side side, Surface surface, bool dark);

}  // namespace stunt

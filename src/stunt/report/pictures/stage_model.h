// The scene as pictures show it: the physical model with ground, sky, light and the characters' mannequins.
#pragma once

#include <vector>

#include "stunt/report/mannequin/mannequin.h"
#include "stunt/report/pictures/palette.h"
#include "stunt/report/pictures/render.h"

namespace stunt {

// One surface of a mannequin, as a mesh of the stage's model.
struct StagePiece {
  int actor, body;  // body: of the scene
  int mesh;         // of the model
  Color color;
  Surface surface;
};

struct StageModel {
  ModelPtr model;
  std::vector<StagePiece> pieces;  // empty when physical shapes are to be drawn
};

constexpr double kFieldOfView = 24;  // degrees: a long lens, little distortion, as in papers

StageModel make_stage_model(const CompiledScene& scene, const PictureOptions& options,
                            const Palette& palette);

}  // namespace stunt

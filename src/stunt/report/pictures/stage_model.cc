#include "stunt/report/pictures/stage_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stunt/core/error.h"

namespace stunt {
namespace {

void add_mesh(mjSpec* spec, const std::string& name, const TriangleMesh& triangles) {
  mjsMesh* mesh = mjs_addMesh(spec, nullptr);
  mjs_setName(mesh->element, name.c_str());
  mesh->inertia = mjMESH_INERTIA_SHELL;  // which any triangles have
  const std::vector<int> faces(triangles.indices.begin(), triangles.indices.end());
  const int numbers = static_cast<int>(3 * triangles.positions.size());
  mjs_setFloat(mesh->uservert, triangles.positions.front().data(), numbers);
  mjs_setFloat(mesh->usernormal, triangles.normals.front().data(), numbers);
  mjs_setInt(mesh->userface, faces.data(), static_cast<int>(faces.size()));
  mjs_setInt(mesh->userfacenormal, faces.data(), static_cast<int>(faces.size()));
}

}  // namespace

StageModel make_stage_model(const CompiledScene& scene, const PictureOptions& options,
                            const Palette& palette) {
  std::array<char, 1000> error{};
  const SpecPtr spec(mj_parseXMLString(scene.xml.c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw InputError("the recording's scene", std::string("not readable as MJCF: ") + error.data());

  mjsTexture* sky = mjs_addTexture(spec.get(), nullptr);
  mjs_setName(sky->element, "stunt_sky");
  sky->type = mjTEXTURE_SKYBOX;
  sky->builtin = mjBUILTIN_FLAT;
  sky->width = sky->height = 16;
  std::copy_n(palette.background.data(), 3, sky->rgb1);
  std::copy_n(palette.background.data(), 3, sky->rgb2);

  mjsTexture* tiles = mjs_addTexture(spec.get(), nullptr);
  mjs_setName(tiles->element, "stunt_tiles");
  tiles->type = mjTEXTURE_2D;
  tiles->builtin = mjBUILTIN_CHECKER;
  tiles->width = tiles->height = 512;
  std::copy_n(palette.ground.data(), 3, tiles->rgb1);
  std::copy_n(palette.ground_alternate.data(), 3, tiles->rgb2);
  mjsMaterial* floor = mjs_addMaterial(spec.get(), nullptr);
  mjs_setName(floor->element, "stunt_floor");
  mjs_setInStringVec(floor->textures, mjTEXROLE_RGB, "stunt_tiles");
  floor->texuniform = true;
  floor->texrepeat[0] = floor->texrepeat[1] = 1;
  floor->specular = 0;
  for (mjsElement* e = mjs_firstElement(spec.get(), mjOBJ_GEOM); e; e = mjs_nextElement(spec.get(), e)) {
    mjsGeom* geom = mjs_asGeom(e);
    if (geom->type != mjGEOM_PLANE) continue;
    mjs_setString(geom->material, "stunt_floor");
    std::fill_n(geom->rgba, 4, 1.0f);
  }

  mjsLight* light = mjs_addLight(mjs_findBody(spec.get(), "world"), nullptr);
  light->type = mjLIGHT_DIRECTIONAL;  // its direction goes with the camera
  light->castshadow = options.shadows;
  std::fill_n(light->ambient, 3, 0.0f);
  std::fill_n(light->diffuse, 3, palette.dark ? 0.75f : 0.55f);
  std::fill_n(light->specular, 3, 0.15f);

  mjVisual& visual = spec->visual;
  visual.global.offwidth = options.width;
  visual.global.offheight = options.height;
  visual.global.fovy = static_cast<float>(kFieldOfView);
  visual.quality.offsamples = options.samples;
  visual.quality.shadowsize = !options.shadows ? 0 : options.samples > 0 ? 4096 : 2048;
  visual.quality.numslices = 20;
  visual.quality.numstacks = 10;
  visual.headlight.active = 1;
  std::fill_n(visual.headlight.ambient, 3, palette.dark ? 0.35f : 0.45f);
  std::fill_n(visual.headlight.diffuse, 3, palette.dark ? 0.2f : 0.25f);
  std::fill_n(visual.headlight.specular, 3, 0.0f);
  std::copy_n(palette.background.data(), 3, visual.rgba.haze);
  visual.rgba.haze[3] = 1;
  visual.map.haze = 0.35f;

  StageModel stage;
  for (std::size_t a = 0; a < scene.actors.size() && !options.shapes; ++a) {
    const ActorSlot& slot = scene.actors[a];
    for (const MannequinPiece& piece : make_mannequin(*slot.actor)) {
      const auto number = static_cast<int>(stage.pieces.size());
      add_mesh(spec.get(), fmt::format("stunt_mannequin_{}", number), piece.mesh);
      const Color color =
          surface_color(static_cast<int>(a), body_side(*slot.actor, piece.body), piece.surface, palette.dark);
      stage.pieces.push_back({static_cast<int>(a), slot.first_body + piece.body, -1, color, piece.surface});
    }
  }

  ModelPtr model(mj_compile(spec.get(), nullptr));
  if (!model)
    throw InputError("the recording's scene", std::string("does not compile: ") + mjs_getError(spec.get()));
  if (model->nq != scene.model->nq || model->nbody != scene.model->nbody) {
    throw InputError("the recording's scene", "its MJCF and its model differ");
  }
  // What MuJoCo scales with the size of the model (clipping, shadow) should not depend on parked balls.
  model->stat.extent = 8;
  model->vis.map.znear = 0.005f;
  model->vis.map.zfar = 30;
  model->vis.map.shadowclip = 0.5f;
  for (std::size_t i = 0; i < stage.pieces.size(); ++i) {
    stage.pieces[i].mesh = mj_name2id(model.get(), mjOBJ_MESH, fmt::format("stunt_mannequin_{}", i).c_str());
  }
  stage.model = std::move(model);
  return stage;
}

}  // namespace stunt

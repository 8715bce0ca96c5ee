#include "stunt/report/pictures/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "stunt/assess/realism/muscle_use.h"
#include "stunt/core/error.h"
#include "stunt/report/pictures/framing.h"
#include "stunt/report/pictures/gl_context.h"
#include "stunt/report/pictures/stage_model.h"

namespace stunt {
namespace {

constexpr float kBoneThickness = 0.45f;  // of the physical shape
constexpr int kMostGeoms = 20000;

void check(const Recording& recording, const PictureOptions& options) {
  if (recording.samples() == 0) {
    throw InputError("recording " + recording.name, "no samples", "at least one");
  }
  if (options.width < 16 || options.width > 8192 || options.height < 16 || options.height > 8192) {
    throw InputError("picture size", fmt::format("{}x{}", options.width, options.height),
                     "16 to 8192 pixels each");
  }
  if (!(options.zoom > 0.05 && options.zoom < 50)) {
    throw InputError("zoom", fmt::format("{}", options.zoom), "a number from 0.05 to 50");
  }
  if (options.samples < 0 || options.samples > 16) {
    throw InputError("samples", std::to_string(options.samples), "0 to 16");
  }
}

// Puts the ghosts into a picture, as a light tint with an outline beside the characters: over them it would only make
// their colours muddy. `ghosts` and `characters` are white where these are, on black.
void mix_ghosts(std::vector<std::uint8_t>& picture, const std::vector<std::uint8_t>& ghosts,
                const std::vector<std::uint8_t>& characters, int width, const Color& color) {
  constexpr float kTint = 0.22f, kOutline = 0.8f;
  const std::size_t pixels = picture.size() / 3, row = static_cast<std::size_t>(width);
  const auto cover = [&](std::size_t i) { return static_cast<float>(ghosts[3 * i]) / 255; };
  for (std::size_t i = 0; i < pixels; ++i) {
    // The outline: where the cover changes within one pixel's distance.
    const float own = cover(i);
    float least = own, most = own;
    const std::size_t x = i % row;
    const auto look = [&](std::size_t j) {
      least = std::min(least, cover(j));
      most = std::max(most, cover(j));
    };
    if (x > 0) look(i - 1);
    if (x + 1 < row) look(i + 1);
    if (i >= row) look(i - row);
    if (i + row < pixels) look(i + row);
    if (most <= 0) continue;
    const float beside = 1 - static_cast<float>(characters[3 * i]) / 255;
    const float share = beside * std::max(kTint * own, kOutline * (most - least));
    for (std::size_t k = 0; k < 3; ++k) {
      const float from = picture[3 * i + k];
      picture[3 * i + k] = static_cast<std::uint8_t>(std::lround(from + share * (255 * color[k] - from)));
    }
  }
}

}  // namespace

struct Painter::Impl {
  Impl(const Recording& recording, const PictureOptions& picture_options)
      : run(recording),
        scene(*recording.scene),
        options(picture_options),
        palette(make_palette(picture_options.background)),
        gl(GlContext::make()),
        framing(recording, options.camera, options.ghost),
        drawn(make_stage_model(scene, options, palette)),
        model(drawn.model.get()),
        data(mj_makeData(model)) {
    mjv_defaultOption(&visible);
    visible.geomgroup[3] = visible.geomgroup[4] = visible.geomgroup[5] = 0;
    mjv_defaultScene(&stage);
    mjv_makeScene(model, &stage, kMostGeoms);
    mjr_defaultContext(&context);
    mjr_makeContext(model, &context,
                    std::min(options.height, options.width) < 250 ? mjFONTSCALE_100 : mjFONTSCALE_150);
    mjr_setBuffer(mjFB_OFFSCREEN, &context);
    if (context.currentBuffer != mjFB_OFFSCREEN) {
      throw RunError("OpenGL (" + gl->name() + ") gives no offscreen buffer of " +
                     std::to_string(options.width) + "x" + std::to_string(options.height) + " pixels");
    }
    stage.flags[mjRND_SHADOW] = options.shadows;
    stage.flags[mjRND_REFLECTION] = 0;
    stage.flags[mjRND_HAZE] = 1;
    body_color.assign(static_cast<std::size_t>(model->nbody), palette.object);
    of_actor.assign(static_cast<std::size_t>(model->nbody), false);
    loose = has_reference = muscled = of_actor;
    for (std::size_t a = 0; a < scene.actors.size(); ++a) {
      const ActorSlot& slot = scene.actors[a];
      for (int body = 0; body < static_cast<int>(slot.actor->bodies().size()); ++body) {
        const auto i = static_cast<std::size_t>(slot.first_body + body);
        body_color[i] = actor_body_color(static_cast<int>(a), body_side(*slot.actor, body));
        of_actor[i] = true;
        has_reference[i] = run.actors[a].has_reference();
        muscled[i] = moved_by_muscles(run.actors[a]);
      }
    }
    for (const int body : scene.support_bodies) body_color[static_cast<std::size_t>(body)] = palette.support;
    for (const FreeBodySlot& ball : scene.free_bodies) {
      body_color[static_cast<std::size_t>(ball.body)] = kBallColor;
      loose[static_cast<std::size_t>(ball.body)] = true;
    }
  }

  ~Impl() {
    mjr_freeContext(&context);
    mjv_freeScene(&stage);
  }

  int sample_at(double time) const {
    const auto after = std::lower_bound(run.time.begin(), run.time.end(), time);
    if (after == run.time.begin()) return 0;
    if (after == run.time.end()) return run.samples() - 1;
    const int i = static_cast<int>(after - run.time.begin());
    return run.time[static_cast<std::size_t>(i)] - time < time - run.time[static_cast<std::size_t>(i - 1)]
               ? i
               : i - 1;
  }

  // The scene's geoms at a sample. With `reference`, the characters stand where they were asked to be.
  void pose(int sample, bool reference) {
    const auto row = static_cast<std::size_t>(sample);
    std::copy_n(run.q(static_cast<int>(row)).data(), model->nq, data->qpos);
    if (reference) {
      for (std::size_t a = 0; a < scene.actors.size(); ++a) {
        const auto nq = static_cast<std::size_t>(scene.actors[a].nq);
        if (!run.actors[a].has_reference()) continue;
        std::copy_n(run.actors[a].reference_q(static_cast<int>(row)).data(), nq,
                    data->qpos + scene.actors[a].first_q);
      }
    }
    mj_kinematics(model, data.get());
    mj_comPos(model, data.get());
    mj_camlight(model, data.get());
  }

  enum class What { everything, scenery, characters };  // scenery: what is no character and no ball

  // What is drawn of a body in the last pose: nothing physical of a character that has a mannequin.
  bool has_mannequin(std::size_t body) const {
    return of_actor[body] && !muscled[body] && !drawn.pieces.empty();
  }

  void add_bodies(int sample, What what) {
    pose(sample, false);
    const int first = stage.ngeom;
    mjv_addGeoms(model, data.get(), &visible, nullptr, mjCAT_STATIC | mjCAT_DYNAMIC, &stage);
    int kept = first;
    for (int i = first; i < stage.ngeom; ++i) {
      if (stage.geoms[i].objtype != mjOBJ_GEOM) continue;
      const auto body = static_cast<std::size_t>(model->geom_bodyid[stage.geoms[i].objid]);
      if (has_mannequin(body)) continue;
      if (what == What::characters && !of_actor[body]) continue;
      if (what == What::scenery && (of_actor[body] || loose[body])) continue;
      stage.geoms[kept] = stage.geoms[i];
      mjvGeom& geom = stage.geoms[kept++];
      if (geom.type == mjGEOM_PLANE) continue;
      const Color& color = body_color[body];
      std::copy_n(color.data(), 3, geom.rgba);
      geom.rgba[3] = 1;
      geom.specular = 0.2f;
      geom.shininess = 0.4f;
      if (muscled[body]) {  // bones, so that the muscles are seen
        std::copy_n(kBoneColor.data(), 3, geom.rgba);
        if (geom.type == mjGEOM_CAPSULE) geom.size[0] = geom.size[1] = kBoneThickness * geom.size[0];
      }
    }
    stage.ngeom = kept;
    if (what == What::scenery) return;
    add_muscles(sample);
    for (const StagePiece& piece : drawn.pieces) {
      if (muscled[static_cast<std::size_t>(piece.body)]) continue;
      mjvGeom* geom = add_piece(piece);
      if (!geom) return;
      std::copy_n(piece.color.data(), 3, geom->rgba);
      const bool glossy = piece.surface == Surface::visor;
      geom->specular = glossy ? 0.9f : piece.surface == Surface::joint ? 0.35f : 0.25f;
      geom->shininess = glossy ? 0.8f : 0.45f;
    }
  }

  mjvGeom* add_piece(const StagePiece& piece) {
    if (stage.ngeom >= stage.maxgeom) return nullptr;
    mjvGeom* geom = &stage.geoms[stage.ngeom++];
    // The compiler has put the mesh's frame into its middle and along its axes.
    const Quat turn = quat_from_wxyz(data->xquat + 4 * piece.body);
    const Vec3 place = vec3(data->xpos + 3 * piece.body) + turn * vec3(model->mesh_pos + 3 * piece.mesh);
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> matrix =
        (turn * quat_from_wxyz(model->mesh_quat + 4 * piece.mesh)).toRotationMatrix();
    mjv_initGeom(geom, mjGEOM_MESH, nullptr, place.data(), matrix.data(), nullptr);
    geom->dataid = 2 * piece.mesh;  // the mesh itself; odd numbers are convex hulls
    return geom;
  }

  // Muscles along their paths in the last pose: red by activation, thick by force.
  void add_muscles(int sample) {
    for (const ActorTrack& track : run.actors) {
      if (!moved_by_muscles(track)) continue;
      const auto activation = track.muscle_activation(sample), force = track.muscle_force(sample);
      for (std::size_t m = 0; m < track.muscles.size(); ++m) {
        const Muscle& muscle = track.muscles[m];
        const auto index = static_cast<Eigen::Index>(m);
        const auto red = static_cast<float>(std::clamp(std::sqrt(activation[index]), 0.0f, 1.0f));
        const std::array<float, 4> rgba = {0.45f + 0.45f * red, 0.42f - 0.36f * red, 0.45f - 0.39f * red, 1};
        const double thick = 0.006 + 0.010 * std::sqrt(std::max(0.0, force[index] / muscle.max_force));
        for (std::size_t k = 0; k + 1 < muscle.path.size() && stage.ngeom < stage.maxgeom; ++k) {
          const auto at = [&](const MusclePoint& point) {
            const int body = track.slot.first_body + point.body;
            return Vec3(vec3(data->xpos + 3 * body) +
                        quat_from_wxyz(data->xquat + 4 * body) * point.position);
          };
          const Vec3 from = at(muscle.path[k]), to = at(muscle.path[k + 1]);
          mjvGeom& line = stage.geoms[stage.ngeom++];
          mjv_initGeom(&line, mjGEOM_CAPSULE, nullptr, nullptr, nullptr, rgba.data());
          mjv_connector(&line, mjGEOM_CAPSULE, thick, from.data(), to.data());
        }
      }
    }
  }

  // The characters where they are, or where they were asked to be, for a mask.
  void add_characters(int sample, bool reference) {
    pose(sample, reference);
    const auto counts = [&](std::size_t body) {
      return of_actor[body] && (!reference || has_reference[body]);
    };
    const int first = stage.ngeom;
    mjv_addGeoms(model, data.get(), &visible, nullptr, mjCAT_DYNAMIC, &stage);
    int kept = first;
    for (int i = first; i < stage.ngeom; ++i) {
      if (stage.geoms[i].objtype != mjOBJ_GEOM) continue;
      const auto body = static_cast<std::size_t>(model->geom_bodyid[stage.geoms[i].objid]);
      if (counts(body) && !has_mannequin(body)) stage.geoms[kept++] = stage.geoms[i];
    }
    stage.ngeom = kept;
    for (const StagePiece& piece : drawn.pieces) {
      if (counts(static_cast<std::size_t>(piece.body)) && has_mannequin(static_cast<std::size_t>(piece.body)))
        add_piece(piece);
    }
  }

  // White where the characters are at these moments, grey at their edges, black elsewhere.
  void render_mask(const std::vector<int>& samples, bool reference, std::vector<std::uint8_t>& mask) {
    stage.ngeom = 0;
    for (const int sample : samples) add_characters(sample, reference);
    for (int i = 0; i < stage.ngeom; ++i) {
      std::fill_n(stage.geoms[i].rgba, 4, 1.0f);
      stage.geoms[i].emission = 1;  // more light than a pixel can hold: white on all sides
    }
    const std::array<mjtByte, mjNRNDFLAG> flags = std::to_array(stage.flags);
    for (const int flag : {mjRND_SHADOW, mjRND_SKYBOX, mjRND_HAZE}) stage.flags[flag] = 0;
    render(mask, "");
    std::copy(flags.begin(), flags.end(), stage.flags);
  }

  // One arrow per body of a character: the sum of its contacts' forces, at their centre of pressure.
  void add_forces(int sample) {
    const auto i = static_cast<std::size_t>(sample);
    if (run.contact_start.size() <= i + 1) return;
    struct Sum {
      Vec3 force = Vec3::Zero(), point = Vec3::Zero();
      double weight = 0;
    };
    std::map<int, Sum> sums;
    for (std::uint32_t c = run.contact_start[i]; c < run.contact_start[i + 1]; ++c) {
      const RecordedContact& contact = run.contacts[c];
      const Vec3 force(contact.force[0], contact.force[1], contact.force[2]);
      for (const bool second : {false, true}) {
        const int body = second ? contact.body2 : contact.body1;
        if (!of_actor[static_cast<std::size_t>(body)]) continue;
        Sum& sum = sums[body];
        sum.force += second ? force : Vec3(-force);
        sum.point += force.norm() * Vec3(contact.point[0], contact.point[1], contact.point[2]);
        sum.weight += force.norm();
      }
    }
    for (const auto& [body, sum] : sums) {
      if (sum.force.norm() < 5 || stage.ngeom >= stage.maxgeom) continue;
      const Vec3 point = sum.point / sum.weight, tip = point + sum.force * kForceScale;
      mjvGeom& arrow = stage.geoms[stage.ngeom++];
      const std::array<float, 4> rgba = {kForceColor[0], kForceColor[1], kForceColor[2], 1};
      mjv_initGeom(&arrow, mjGEOM_ARROW, nullptr, nullptr, nullptr, rgba.data());
      mjv_connector(&arrow, mjGEOM_ARROW, 0.012, point.data(), tip.data());
    }
  }

  std::vector<int> samples_at(const std::vector<double>& times) const;

  // Points the camera so that the view fits into the picture.
  void aim(const View& view) {
    const double aspect = static_cast<double>(options.width) / options.height;
    const double need = std::max(view.tall, view.wide / aspect) / options.zoom;
    mjvCamera camera;
    mjv_defaultCamera(&camera);
    camera.distance = 0.5 * need / std::tan(0.5 * radians(kFieldOfView));
    std::copy_n(view.centre.data(), 3, camera.lookat);
    camera.azimuth = framing.azimuth();
    camera.elevation = framing.elevation();
    mjv_updateCamera(model, data.get(), &camera, &stage);
    // m: half the width the shadows cover. At its edge towards the light the ground shadows itself in speckles: that
    // must be out of sight.
    context.shadowClip = static_cast<float>(std::max(3.5, (0.75 * aspect + 1.5) * need));
    // The light goes along, so that the shadow map covers what is seen.
    mjv_makeLights(model, data.get(), &stage);
    // It comes over the left shoulder of whoever looks, from whichever side that is.
    const double sight = radians(framing.azimuth());
    const Vec3 ahead(std::cos(sight), std::sin(sight), 0), right(std::sin(sight), -std::cos(sight), 0);
    const Eigen::Vector3f ray = (0.30 * ahead + 0.42 * right - Vec3::UnitZ()).normalized().cast<float>();
    for (int i = 0; i < stage.nlight; ++i) {
      if (stage.lights[i].headlight) continue;
      const Eigen::Vector3f from = view.centre.cast<float>() - 6.5f * ray;
      std::copy_n(ray.data(), 3, stage.lights[i].dir);
      std::copy_n(from.data(), 3, stage.lights[i].pos);
    }
  }

  // The stage as pixels, upside down as OpenGL has them.
  void render(std::vector<std::uint8_t>& pixels, const std::string& label) {
    const mjrRect all = {0, 0, options.width, options.height};
    mjr_render(all, &stage, &context);
    if (!label.empty()) {
      const Color& ink = palette.ink;
      mjr_text(mjFONT_NORMAL, label.c_str(), &context, 10.0f / static_cast<float>(options.width),
               10.0f / static_cast<float>(options.height), ink[0], ink[1], ink[2]);
    }
    pixels.resize(3 * static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height));
    mjr_readPixels(pixels.data(), nullptr, all, &context);
  }

  // Draws what was added; with `ghost_samples` the references of these moments, too.
  void shoot(Image& picture, const std::string& label, const std::vector<int>& ghost_samples) {
    render(solid, label);
    if (options.ghost) {
      render_mask(ghost_samples, true, ghosts);
      render_mask(ghost_samples, false, characters);
      mix_ghosts(solid, ghosts, characters, options.width, palette.ghost);
    }
    const std::size_t row = static_cast<std::size_t>(options.width) * 3;
    picture.width = options.width;
    picture.height = options.height;
    picture.rgb.resize(solid.size());
    for (std::size_t y = 0; y < static_cast<std::size_t>(options.height); ++y) {
      std::memcpy(picture.rgb.data() + y * row,
                  solid.data() + (static_cast<std::size_t>(options.height) - 1 - y) * row, row);
    }
  }

  const Recording& run;
  const CompiledScene& scene;
  PictureOptions options;
  Palette palette;
  std::unique_ptr<GlContext> gl;
  Framing framing;
  StageModel drawn;
  mjModel* model;  // of `drawn`
  DataPtr data;
  mjvOption visible;
  mjvScene stage;
  mjrContext context;
  std::vector<Color> body_color;  // per body
  // Per body: belongs to a character; is a ball or the like; its character had a motion to follow.
  std::vector<bool> of_actor, loose, has_reference, muscled;
  std::vector<std::uint8_t> solid, ghosts, characters;  // pixels, and the masks of both
};

Painter::Painter(const Recording& recording, const PictureOptions& options) {
  check(recording, options);
  impl_ = std::make_unique<Impl>(recording, options);
}
Painter::~Painter() = default;

void Painter::paint(double time, Image& picture, const std::string& label) {
  Impl& it = *impl_;
  const int sample = it.sample_at(time);
  it.stage.ngeom = 0;
  it.add_bodies(sample, Impl::What::everything);
  if (it.options.contacts) it.add_forces(sample);
  View view = it.framing.at(sample);
  if (!label.empty()) {  // room for it below the feet
    view.tall *= 1.12;
    view.centre.z() -= 0.06 * view.tall;
  }
  it.aim(view);
  it.shoot(picture, label, {sample});
}

std::vector<int> Painter::Impl::samples_at(const std::vector<double>& times) const {
  std::vector<int> samples;
  for (const double time : times) samples.push_back(sample_at(time));
  return samples;
}

double Painter::together_aspect(const std::vector<double>& times) const {
  const View view = impl_->framing.together(impl_->samples_at(times));
  return view.wide / view.tall;
}

void Painter::paint_together(const std::vector<double>& times, Image& picture) {
  Impl& it = *impl_;
  const std::vector<int> samples = it.samples_at(times);
  it.stage.ngeom = 0;
  it.add_bodies(samples.front(), Impl::What::scenery);
  for (const int sample : samples) {
    it.add_bodies(sample, Impl::What::characters);
    if (it.options.contacts) it.add_forces(sample);
  }
  it.aim(it.framing.together(samples));
  it.shoot(picture, "", samples);
}

Image film_strip(const Recording& recording, const FilmStripOptions& options) {
  check(recording, options.picture);
  std::vector<double> times = options.times;
  const double first = recording.time.front(), last = recording.time.back();
  if (times.empty()) {
    if (options.count < 1 || options.count > 100) {
      throw InputError("number of pictures in the film strip", std::to_string(options.count), "1 to 100");
    }
    for (int i = 0; i < options.count; ++i) {
      times.push_back(options.count == 1 ? 0.5 * (first + last)
                                         : first + (last - first) * i / (options.count - 1));
    }
  }
  for (const double time : times) {
    if (!(time >= first - 1e-9 && time <= last + 1e-9)) {
      throw InputError("time in the film strip", fmt::format("{} s", time),
                       fmt::format("{:.3f} to {:.3f} s, which the recording covers", first, last));
    }
  }
  Image strip;
  if (options.layout == "panorama") {
    // As wide as the way: the poses of somebody who stands still need no more room than one.
    PictureOptions wide = options.picture;
    const double aspect = Painter(recording, wide).together_aspect(times);
    wide.width = std::clamp(static_cast<int>(aspect * wide.height) / 2 * 2, wide.width, 8192);
    Painter painter(recording, wide);
    painter.paint_together(times, strip);
    return strip;
  }
  if (options.layout != "panels")
    throw InputError("layout", "'" + options.layout + "'", "panels or panorama");

  Painter painter(recording, options.picture);
  constexpr int kGap = 2;  // pixels between panels
  const int count = static_cast<int>(times.size());
  const int width = options.picture.width, height = options.picture.height;
  strip.width = count * width + (count - 1) * kGap;
  strip.height = height;
  strip.rgb.assign(static_cast<std::size_t>(strip.width) * static_cast<std::size_t>(height) * 3, 255);
  Image panel;
  for (int i = 0; i < count; ++i) {
    painter.paint(times[static_cast<std::size_t>(i)], panel,
                  fmt::format("{:.2f} s", times[static_cast<std::size_t>(i)]));
    for (int y = 0; y < height; ++y) {
      std::memcpy(strip.rgb.data() + (static_cast<std::size_t>(y) * static_cast<std::size_t>(strip.width) +
                                      static_cast<std::size_t>(i) * static_cast<std::size_t>(width + kGap)) *
                                         3,
                  panel.rgb.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 3,
                  static_cast<std::size_t>(width) * 3);
    }
  }
  return strip;
}

}  // namespace stunt

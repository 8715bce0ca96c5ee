#include "stunt/report/pictures/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "stunt/core/error.h"
#include "stunt/report/pictures/gl_context.h"
#include "stunt/report/pictures/palette.h"

namespace stunt {
namespace {

constexpr double kFieldOfView = 24;  // degrees: a long lens, little distortion, as in papers
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

// The scene as it is drawn: the physical model plus ground texture, sky and light.
ModelPtr stage_model(const CompiledScene& scene, const PictureOptions& options, const Palette& palette) {
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
  light->type = mjLIGHT_DIRECTIONAL;
  const std::array<double, 3> direction = {0.22, 0.3, -1.0};
  std::copy_n(direction.data(), 3, light->dir);
  const std::array<double, 3> position = {-1.32, -1.8, 6};
  std::copy_n(position.data(), 3, light->pos);
  light->castshadow = options.shadows;
  std::fill_n(light->ambient, 3, 0.0f);
  std::fill_n(light->diffuse, 3, palette.dark ? 0.75f : 0.55f);
  std::fill_n(light->specular, 3, 0.15f);

  mjVisual& visual = spec->visual;
  visual.global.offwidth = options.width;
  visual.global.offheight = options.height;
  visual.global.fovy = static_cast<float>(kFieldOfView);
  visual.quality.offsamples = options.samples;
  visual.quality.shadowsize = !options.shadows ? 0 : options.samples > 0 ? 2048 : 1024;
  visual.quality.numslices = 20;
  visual.quality.numstacks = 10;
  visual.headlight.active = 1;
  std::fill_n(visual.headlight.ambient, 3, palette.dark ? 0.35f : 0.45f);
  std::fill_n(visual.headlight.diffuse, 3, palette.dark ? 0.2f : 0.25f);
  std::fill_n(visual.headlight.specular, 3, 0.0f);
  std::copy_n(palette.background.data(), 3, visual.rgba.haze);
  visual.rgba.haze[3] = 1;
  visual.map.haze = 0.35f;

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
  return model;
}

}  // namespace

struct Painter::Impl {
  Impl(const Recording& recording, const PictureOptions& picture_options)
      : run(recording),
        scene(*recording.scene),
        options(picture_options),
        palette(make_palette(picture_options.background)),
        gl(GlContext::make()),
        model(stage_model(scene, options, palette)),
        data(mj_makeData(model.get())) {
    mjv_defaultOption(&visible);
    visible.geomgroup[3] = visible.geomgroup[4] = visible.geomgroup[5] = 0;
    mjv_defaultScene(&stage);
    mjv_makeScene(model.get(), &stage, kMostGeoms);
    mjr_defaultContext(&context);
    mjr_makeContext(model.get(), &context, options.height < 250 ? mjFONTSCALE_100 : mjFONTSCALE_150);
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
    loose = of_actor;
    for (std::size_t a = 0; a < scene.actors.size(); ++a) {
      const ActorSlot& slot = scene.actors[a];
      for (int body = 0; body < static_cast<int>(slot.actor->bodies().size()); ++body) {
        const auto i = static_cast<std::size_t>(slot.first_body + body);
        body_color[i] = actor_body_color(static_cast<int>(a), body_side(*slot.actor, body));
        of_actor[i] = true;
      }
    }
    for (const int body : scene.support_bodies) body_color[static_cast<std::size_t>(body)] = palette.support;
    for (const FreeBodySlot& ball : scene.free_bodies) {
      body_color[static_cast<std::size_t>(ball.body)] = kBallColor;
      loose[static_cast<std::size_t>(ball.body)] = true;
    }
    measure();
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

  // Horizontal centre of the characters' roots (m) and their spread; the whole scene's origin where there are
  // none.
  Vec3 centre_at(int sample) const {
    Vec3 sum = Vec3::Zero();
    const double* q = run.q(sample).data();
    for (const ActorSlot& slot : scene.actors)
      sum += Vec3(q[slot.first_q], q[slot.first_q + 1], q[slot.first_q + 2]);
    return scene.actors.empty() ? Vec3(0, 0, 1) : Vec3(sum / static_cast<double>(scene.actors.size()));
  }

  // The centre over half a second, so that the camera does not shake with the steps.
  Vec3 smooth_centre_at(int sample) const {
    const int reach = std::max(1, static_cast<int>(0.25 * run.rate));
    Vec3 sum = Vec3::Zero();
    double weights = 0;
    for (int i = std::max(0, sample - reach); i <= std::min(run.samples() - 1, sample + reach); i += 4) {
      const double weight = 1 + std::cos(kPi * (i - sample) / (reach + 1));
      sum += weight * centre_at(i);
      weights += weight;
    }
    return weights > 0 ? Vec3(sum / weights) : centre_at(sample);
  }

  // Where the motion goes, how tall the characters are and how far apart.
  void measure() {
    pose(0, false);
    double low = 1e9, high = -1e9;
    for (int g = 0; g < model->ngeom; ++g) {
      if (!of_actor[static_cast<std::size_t>(model->geom_bodyid[g])]) continue;
      const double z = data->geom_xpos[3 * g + 2];
      low = std::min(low, z - model->geom_rbound[g] * 0.5);
      high = std::max(high, z + model->geom_rbound[g] * 0.5);
    }
    height = std::clamp(high - low, 0.3, 20.0);
    floor = low > 1e8 ? 0 : low;
    for (int i = 0; i < run.samples(); i += std::max(1, run.samples() / 50)) {
      const Vec3 centre = centre_at(i);
      const double* q = run.q(static_cast<int>(i)).data();
      for (const ActorSlot& slot : scene.actors) {
        spread = std::max(spread, std::hypot(q[slot.first_q] - centre.x(), q[slot.first_q + 1] - centre.y()));
      }
    }
    const Vec3 travel = centre_at(run.samples() - 1) - centre_at(0);
    if (travel.head<2>().norm() > 0.5) direction = std::atan2(travel.y(), travel.x());
    root_height = centre_at(0).z() - floor;
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
    mj_kinematics(model.get(), data.get());
    mj_comPos(model.get(), data.get());
    mj_camlight(model.get(), data.get());
  }

  enum class What { everything, scenery, characters };  // scenery: what is no character and no ball

  void add_bodies(int sample, What what) {
    pose(sample, false);
    const int first = stage.ngeom;
    mjv_addGeoms(model.get(), data.get(), &visible, nullptr, mjCAT_STATIC | mjCAT_DYNAMIC, &stage);
    int kept = first;
    for (int i = first; i < stage.ngeom; ++i) {
      if (stage.geoms[i].objtype != mjOBJ_GEOM) continue;
      const auto body = static_cast<std::size_t>(model->geom_bodyid[stage.geoms[i].objid]);
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
    }
    stage.ngeom = kept;
  }

  void add_ghosts(int sample) {
    pose(sample, true);
    const int first = stage.ngeom;
    mjv_addGeoms(model.get(), data.get(), &visible, nullptr, mjCAT_DYNAMIC, &stage);
    int kept = first;
    for (int i = first; i < stage.ngeom; ++i) {
      mjvGeom geom = stage.geoms[i];
      if (geom.objtype != mjOBJ_GEOM || !of_actor[static_cast<std::size_t>(model->geom_bodyid[geom.objid])])
        continue;
      std::copy_n(palette.ghost.data(), 3, geom.rgba);
      geom.rgba[3] = 0.35f;
      for (float& size : geom.size) size *= 0.97f;  // inside the solid body where both are at the same place
      geom.transparent = 1;
      geom.specular = 0;
      stage.geoms[kept++] = geom;
    }
    stage.ngeom = kept;
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

  double tall() const { return 1.3 * height + 0.6 * spread; }  // m to see from bottom to top
  // Metres from left to right in which all these moments fit, and their middle.
  double frame_together(const std::vector<double>& times, Vec3& centre) const;

  // Looks at `centre` so that `tall` and `wide` metres fit into the picture.
  void aim(const Vec3& centre, double tall, double wide) {
    const double aspect = static_cast<double>(options.width) / options.height;
    const double need = std::max(tall, wide / aspect) / options.zoom;
    mjvCamera camera;
    mjv_defaultCamera(&camera);
    camera.distance = 0.5 * need / std::tan(0.5 * radians(kFieldOfView));
    std::copy_n(centre.data(), 3, camera.lookat);
    double turn = 0;
    camera.elevation = -8;
    if (options.camera == "side") {
      turn = 90;
    } else if (options.camera == "front") {
      turn = 180;
    } else if (options.camera == "corner") {
      turn = 135;
      camera.elevation = -12;
    } else if (options.camera == "top") {
      turn = 90;
      camera.elevation = -89.9;
    } else {
      throw InputError("camera", "'" + options.camera + "'", "side, front, corner or top");
    }
    camera.azimuth = degrees(direction) + turn;
    mjv_updateCamera(model.get(), data.get(), &camera, &stage);
    context.shadowClip =
        static_cast<float>(std::max(3.5, need * aspect));  // m: half the width the shadows cover
    // The light goes along, so that the shadow map covers what is seen.
    mjv_makeLights(model.get(), data.get(), &stage);
    for (int i = 0; i < stage.nlight; ++i) {
      if (stage.lights[i].headlight) continue;
      for (int k = 0; k < 2; ++k) stage.lights[i].pos[k] += static_cast<float>(centre[k]);
    }
  }

  void shoot(Image& picture, const std::string& label) {
    const mjrRect all = {0, 0, options.width, options.height};
    mjr_render(all, &stage, &context);
    if (!label.empty()) {
      const Color& ink = palette.ink;
      mjr_text(mjFONT_NORMAL, label.c_str(), &context, 10.0f / static_cast<float>(options.width),
               12.0f / static_cast<float>(options.height), ink[0], ink[1], ink[2]);
    }
    const std::size_t row = static_cast<std::size_t>(options.width) * 3;
    upside_down.resize(row * static_cast<std::size_t>(options.height));
    mjr_readPixels(upside_down.data(), nullptr, all, &context);
    picture.width = options.width;
    picture.height = options.height;
    picture.rgb.resize(upside_down.size());
    for (std::size_t y = 0; y < static_cast<std::size_t>(options.height); ++y) {
      std::memcpy(picture.rgb.data() + y * row,
                  upside_down.data() + (static_cast<std::size_t>(options.height) - 1 - y) * row, row);
    }
  }

  Vec3 look_at(int sample) const {
    Vec3 centre = smooth_centre_at(sample);
    // Follow hills and jumps slowly, falls not at all: the ground stays where it is in the picture.
    centre.z() =
        options.camera == "top" ? 0 : std::max(floor, centre.z() - root_height - 0.3) + 0.48 * height;
    return centre;
  }

  const Recording& run;
  const CompiledScene& scene;
  PictureOptions options;
  Palette palette;
  std::unique_ptr<GlContext> gl;
  ModelPtr model;
  DataPtr data;
  mjvOption visible;
  mjvScene stage;
  mjrContext context;
  std::vector<Color> body_color;      // per body
  std::vector<bool> of_actor, loose;  // per body: belongs to a character; is a ball or the like
  std::vector<std::uint8_t> upside_down;
  double direction = 0;                  // rad, where the motion goes
  double height = 1.8, floor = 0;        // m, of the characters; of the ground below them at the start
  double root_height = 0.9, spread = 0;  // m
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
  if (it.options.ghost) it.add_ghosts(sample);
  it.aim(it.look_at(sample), it.tall(), it.height + 2.2 * it.spread);
  it.shoot(picture, label);
}

double Painter::Impl::frame_together(const std::vector<double>& times, Vec3& centre) const {
  Vec3 low = Vec3::Constant(1e9), high = -low;
  for (const double time : times) {
    const Vec3 at = look_at(sample_at(time));
    low = low.cwiseMin(at);
    high = high.cwiseMax(at);
  }
  centre = 0.5 * (low + high);
  return (high - low).head<2>().norm() + 1.2 * height + 2.2 * spread;
}

double Painter::together_aspect(const std::vector<double>& times) const {
  Vec3 centre;
  return impl_->frame_together(times, centre) / impl_->tall();
}

void Painter::paint_together(const std::vector<double>& times, Image& picture) {
  Impl& it = *impl_;
  it.stage.ngeom = 0;
  it.add_bodies(it.sample_at(times.front()), Impl::What::scenery);
  for (const double time : times) {
    const int sample = it.sample_at(time);
    it.add_bodies(sample, Impl::What::characters);
    if (it.options.contacts) it.add_forces(sample);
    if (it.options.ghost) it.add_ghosts(sample);
  }
  Vec3 centre;
  const double wide = it.frame_together(times, centre);
  it.aim(centre, it.tall(), wide);
  it.shoot(picture, "");
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

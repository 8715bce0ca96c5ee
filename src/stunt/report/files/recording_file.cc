#include "stunt/report/files/recording_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/npz.h"

namespace stunt {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "stunt recording";
constexpr std::size_t kLargestXml = std::size_t{64} << 20;

Json triple(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 vec3(const Json& json) { return Vec3(json.at(0), json.at(1), json.at(2)); }

// --- the small things, as JSON ------------------------------------------------------------------------

Json describe_scene(const CompiledScene& scene) {
  Json json;
  for (const ActorSlot& slot : scene.actors) {
    json["actors"].push_back({{"name", slot.name},
                              {"first_body", slot.first_body},
                              {"first_q", slot.first_q},
                              {"nq", slot.nq},
                              {"first_v", slot.first_v},
                              {"nv", slot.nv}});
  }
  for (const PlatformSlot& slot : scene.platforms) {
    json["platforms"].push_back({{"name", slot.spec.name},
                                 {"body", slot.body},
                                 {"first_q", slot.first_q},
                                 {"first_v", slot.first_v},
                                 {"size", triple(slot.spec.size)},
                                 {"position", triple(slot.spec.position)},
                                 {"amplitude", triple(slot.spec.amplitude)},
                                 {"period", slot.spec.period},
                                 {"start", slot.spec.start},
                                 {"friction", slot.spec.friction}});
  }
  for (const FreeBodySlot& slot : scene.free_bodies) {
    json["free_bodies"].push_back({{"name", slot.name},
                                   {"body", slot.body},
                                   {"first_q", slot.first_q},
                                   {"first_v", slot.first_v},
                                   {"waiting", slot.waiting}});
  }
  json["contact"] = {{"mode", scene.contact.mode},
                     {"time_constant", scene.contact.time_constant},
                     {"stiffness", scene.contact.stiffness},
                     {"damping", scene.contact.damping}};
  json["ground"] = {{"present", scene.ground.present},
                    {"slope_deg", scene.ground.slope_deg},
                    {"direction_deg", scene.ground.direction_deg},
                    {"height", scene.ground.height},
                    {"friction", scene.ground.friction}};
  json["support_bodies"] = scene.support_bodies;
  return json;
}

// What each array means; `prefix` is that of their names in the file.
Json describe_channels(const Channels& channels) {
  Json json = Json::array();
  for (const auto& channel : channels) {
    static constexpr const char* kTypes[] = {"f8", "f4", "u1"};
    json.push_back({{"name", channel->name()},
                    {"unit", channel->unit()},
                    {"width", channel->width()},
                    {"type", kTypes[static_cast<int>(channel->type())]},
                    {"help", channel->help()}});
  }
  return json;
}

void add_channels(NpzWriter& writer, const std::string& prefix, const Channels& channels,
                  std::size_t samples) {
  for (const auto& channel : channels) {
    const std::vector<std::size_t> shape = {samples, static_cast<std::size_t>(channel->width())};
    const std::string name = prefix + channel->name();
    switch (channel->type()) {
      case Channel::Type::f8:
        writer.add(name, std::span<const double>(channel->all<double>()), shape);
        break;
      case Channel::Type::f4:
        writer.add(name, std::span<const float>(channel->all<float>()), shape);
        break;
      case Channel::Type::u1:
        writer.add(name, std::span<const std::uint8_t>(channel->all<std::uint8_t>()), shape);
        break;
    }
  }
}

Json describe(const Recording& r) {
  Json json{{"format", kFormat},
            {"version", Recording::kVersion},
            {"name", r.name},
            {"engine", r.engine},
            {"seed", r.seed},
            {"timestep", r.timestep},
            {"rate", r.rate},
            {"duration", r.duration},
            {"steps", r.steps},
            {"diverged", r.diverged},
            {"actors", Json::array()},
            {"scene", describe_scene(*r.scene)},
            {"channels", describe_channels(r.channels)}};
  for (std::size_t i = 0; i < r.actors.size(); ++i) {
    const ActorTrack& track = r.actors[i];
    Json actor{{"name", track.name},
               {"model", track.slot.actor->name()},
               {"motion", track.motion},
               {"character", track.character},
               {"controller", track.controller},
               {"preset", track.preset},
               {"assist_force_mean", std::isfinite(track.assist_force_mean) ? track.assist_force_mean : 0.0},
               {"pedestal", track.pedestal},
               {"fall", nullptr},
               {"notes", track.notes},
               {"warnings", track.warnings},
               {"rehearsed", Json::array()},
               {"states", track.states},
               {"channels", describe_channels(track.channels)}};
    for (const auto& [from, to] : track.rehearsed) actor["rehearsed"].push_back({from, to});
    for (const Muscle& muscle : track.muscles) {
      Json path = Json::array();
      for (const MusclePoint& point : muscle.path)
        path.push_back({point.body, point.position.x(), point.position.y(), point.position.z()});
      actor["muscles"].push_back({{"name", muscle.name},
                                  {"max_force", muscle.max_force},
                                  {"fibre_length", muscle.fibre_length},
                                  {"max_speed", muscle.max_speed},
                                  {"tendon_slack", muscle.tendon_slack},
                                  {"path", path}});
    }
    if (track.fall) actor["fall"] = {{"time", track.fall->time}, {"reason", track.fall->reason}};
    json["actors"].push_back(std::move(actor));
  }
  return json;
}

// --- reading back -------------------------------------------------------------------------------------

std::string first_line(const char* text) {
  const std::string all = text ? text : "";
  return all.substr(0, all.find('\n'));
}

ModelPtr compile_model(const std::string& xml, const std::string& place) {
  std::array<char, 1000> error{};
  if (xml.size() > kLargestXml || xml.find('\0') != std::string::npos) {
    throw InputError(place, "no MJCF text", "the scene as MJCF");
  }
  SpecPtr spec(mj_parseXMLString(xml.c_str(), nullptr, error.data(), error.size()));
  if (!spec) throw InputError(place, first_line(error.data()), "the scene as MJCF");
  ModelPtr model(mj_compile(spec.get(), nullptr));
  if (!model) throw InputError(place, first_line(mjs_getError(spec.get())), "the scene as MJCF");
  return model;
}

// A count out of the file.
std::uint64_t whole(const Json& json, const char* key, const std::string& place) {
  const Json& value = json.at(key);
  if (!value.is_number_unsigned())
    throw InputError(place + ": " + key, value.dump(), "a whole number from 0");
  return value.get<std::uint64_t>();
}

// An index out of the file: `count` things from `first` on, of `size` that there are.
int checked(const Json& json, const char* key, int count, std::int64_t size, const std::string& place) {
  const auto first = json.at(key).get<std::int64_t>();
  if (first < 0 || first > size - count) {
    throw InputError(place, fmt::format("{} {}", key, first), fmt::format("at most {}", size - count));
  }
  return static_cast<int>(first);
}

std::shared_ptr<const CompiledScene> read_scene_part(const NpzFile& file, const Json& about) {
  const std::string place = file.place() + ": scene";
  auto scene = std::make_shared<CompiledScene>();
  scene->xml = file.text("scene_xml");
  scene->model = compile_model(scene->xml, file.place() + ": scene_xml");
  const mjModel& m = *scene->model;
  const Json& json = about.at("scene");

  for (const Json& slot : json.value("actors", Json::array())) {
    const std::size_t i = scene->actors.size();
    const std::string array = fmt::format("actor{}_xml", i);
    ActorSlot actor;
    actor.name = slot.at("name");
    actor.actor =
        Actor::from_xml(file.text(array), about.at("actors").at(i).at("model"), file.place() + ": " + array);
    actor.nq = actor.actor->nq();
    actor.nv = actor.actor->nv();
    if (slot.at("nq") != actor.nq || slot.at("nv") != actor.nv) {
      throw InputError(place, fmt::format("actor '{}' with other coordinates than its MJCF", actor.name),
                       "the same");
    }
    actor.first_body =
        checked(slot, "first_body", static_cast<int>(actor.actor->bodies().size()), m.nbody, place);
    actor.first_q = checked(slot, "first_q", actor.nq, m.nq, place);
    actor.first_v = checked(slot, "first_v", actor.nv, m.nv, place);
    scene->actors.push_back(std::move(actor));
  }
  for (const Json& slot : json.value("platforms", Json::array())) {
    PlatformSlot platform;
    platform.body = checked(slot, "body", 1, m.nbody, place);
    platform.first_q = checked(slot, "first_q", 3, m.nq, place);
    platform.first_v = checked(slot, "first_v", 3, m.nv, place);
    platform.spec.name = slot.at("name");
    platform.spec.size = vec3(slot.at("size"));
    platform.spec.position = vec3(slot.at("position"));
    platform.spec.amplitude = vec3(slot.at("amplitude"));
    platform.spec.period = slot.at("period");
    platform.spec.start = slot.at("start");
    platform.spec.friction = slot.at("friction");
    scene->platforms.push_back(std::move(platform));
  }
  for (const Json& slot : json.value("free_bodies", Json::array())) {
    FreeBodySlot body;
    body.name = slot.at("name");
    body.body = checked(slot, "body", 1, m.nbody, place);
    body.first_q = checked(slot, "first_q", 7, m.nq, place);
    body.first_v = checked(slot, "first_v", 6, m.nv, place);
    body.waiting = slot.at("waiting");
    scene->free_bodies.push_back(std::move(body));
  }
  const Json& contact = json.at("contact");
  scene->contact.mode = contact.at("mode");
  scene->contact.time_constant = contact.at("time_constant");
  scene->contact.stiffness = contact.at("stiffness");
  scene->contact.damping = contact.at("damping");
  const Json& ground = json.at("ground");
  scene->ground.present = ground.at("present");
  scene->ground.slope_deg = ground.at("slope_deg");
  scene->ground.direction_deg = ground.at("direction_deg");
  scene->ground.height = ground.at("height");
  scene->ground.friction = ground.at("friction");
  scene->support_bodies = json.at("support_bodies").get<std::vector<int>>();
  for (const int body : scene->support_bodies) {
    if (body < 0 || body >= m.nbody)
      throw InputError(place, fmt::format("support body {}", body), "a body of the scene");
  }
  return scene;
}

void read_contacts(const NpzFile& file, Recording& r) {
  const std::string place = file.place() + ": contact_start";
  const auto start = file.exactly<std::int64_t>("contact_start", r.time.size() + 1);
  if (start.front() != 0 || start.back() < 0 || start.back() > std::int64_t{0xffffffff}) {
    throw InputError(place, fmt::format("{} to {}", start.front(), start.back()), "counts from 0 on");
  }
  const auto count = static_cast<std::size_t>(start.back());
  const auto bodies = file.exactly<std::int32_t>("contact_bodies", 2 * count);
  const auto points = file.exactly<float>("contact_point", 3 * count);
  const auto forces = file.exactly<float>("contact_force", 3 * count);
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (i > 0 && start[i] < start[i - 1]) throw InputError(place, "a count that shrinks", "counts in order");
    r.contact_start.push_back(static_cast<std::uint32_t>(start[i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    RecordedContact contact{bodies[2 * i], bodies[2 * i + 1], {}, {}};
    for (const int body : {contact.body1, contact.body2}) {
      if (body < 0 || body >= r.scene->model->nbody) {
        throw InputError(file.place() + ": contact_bodies", fmt::format("body {}", body),
                         "a body of the scene");
      }
    }
    std::copy_n(&points[3 * i], 3, contact.point);
    std::copy_n(&forces[3 * i], 3, contact.force);
    r.contacts.push_back(contact);
  }
}

void read_channels(const NpzFile& file, const std::string& prefix, const Json& about, std::size_t samples,
                   Channels& channels) {
  constexpr std::int64_t kWidest = 1'000'000;
  for (const Json& json : about) {
    const std::string type = json.at("type"), name = json.at("name");
    const auto width = json.at("width").get<std::int64_t>();
    if (width < 0 || width > kWidest) {
      throw InputError(file.place() + ": " + prefix + name, fmt::format("rows of {} numbers", width),
                       "0 to 1000000");
    }
    const std::size_t numbers = samples * static_cast<std::size_t>(width);
    const auto add = [&](Channel::Type own) -> Channel& {
      return channels.add(name, json.at("unit"), json.at("help"), static_cast<int>(width), own);
    };
    if (type == "f8") {
      add(Channel::Type::f8).all<double>() = file.exactly<double>(prefix + name, numbers);
    } else if (type == "f4") {
      add(Channel::Type::f4).all<float>() = file.exactly<float>(prefix + name, numbers);
    } else if (type == "u1") {
      add(Channel::Type::u1).all<std::uint8_t>() = file.exactly<std::uint8_t>(prefix + name, numbers);
    } else {
      throw InputError(file.place() + ": " + prefix + name, "type '" + type + "'", "f8, f4 or u1");
    }
  }
}

// A channel that everybody counts on.
void need_channel(const Channels& channels, const char* name, Channel::Type type, std::int64_t width,
                  const std::string& place) {
  const Channel* channel = channels.find(name);
  if (!channel || channel->type() != type || channel->width() != width) {
    throw InputError(place, fmt::format("{} channel '{}'", channel ? "another kind of" : "no", name),
                     fmt::format("rows of {} numbers", width));
  }
}

Json read_about(const NpzFile& file) {
  const auto refuse = [&](const std::string& found) {
    return InputError(file.place(), found, fmt::format("a recording of version {}", Recording::kVersion));
  };
  if (!file.has("about")) throw refuse("an NPZ archive without 'about'");
  const Json about = Json::parse(file.text("about"), nullptr, false);
  if (!about.is_object() || about.value("format", Json()) != kFormat)
    throw refuse("something else in 'about'");
  const Json version = about.value("version", Json());
  if (version != Recording::kVersion) throw refuse("version " + version.dump());
  return about;
}

}  // namespace

std::string format_recording(const Recording& r) {
  const std::size_t n = r.time.size();
  NpzWriter writer;
  writer.add_text("about", describe(r).dump(1));
  writer.add_text("scene_xml", r.scene->xml);
  writer.add_text("scene_yaml", r.scene_text);
  writer.add("time", r.time);
  writer.add("marks", r.marks);
  add_channels(writer, "", r.channels, n);
  for (std::size_t i = 0; i < r.actors.size(); ++i) {
    const std::string prefix = fmt::format("actor{}_", i);
    writer.add_text(prefix + "xml", r.actors[i].slot.actor->xml());
    add_channels(writer, prefix, r.actors[i].channels, n);
  }
  std::vector<std::int32_t> bodies;
  std::vector<float> points, forces;
  for (const RecordedContact& contact : r.contacts) {
    bodies.insert(bodies.end(), {contact.body1, contact.body2});
    points.insert(points.end(), contact.point, contact.point + 3);
    forces.insert(forces.end(), contact.force, contact.force + 3);
  }
  writer.add("contact_start", std::vector<std::int64_t>(r.contact_start.begin(), r.contact_start.end()));
  writer.add("contact_bodies", std::span<const std::int32_t>(bodies), {r.contacts.size(), 2});
  writer.add("contact_point", std::span<const float>(points), {r.contacts.size(), 3});
  writer.add("contact_force", std::span<const float>(forces), {r.contacts.size(), 3});
  return writer.finish();
}

Recording parse_recording(std::string bytes, const std::string& place) {
  const NpzFile file(std::move(bytes), place);
  const Json about = read_about(file);
  Recording r;
  try {
    r.name = about.at("name");
    r.engine = about.at("engine");
    r.seed = whole(about, "seed", place);
    r.timestep = about.at("timestep");
    r.rate = about.at("rate");
    r.duration = about.at("duration");
    r.steps = whole(about, "steps", place);
    r.diverged = about.at("diverged");
    r.scene = read_scene_part(file, about);
    const Json& actors = about.at("actors");
    if (actors.size() != r.scene->actors.size()) {
      throw InputError(place, fmt::format("{} actors", actors.size()),
                       fmt::format("{}", r.scene->actors.size()));
    }
    if (!(r.rate >= 1 && r.rate <= 1e5))
      throw InputError(place, fmt::format("rate {}", r.rate), "1 to 100000");

    r.time = file.numbers("time");
    const std::size_t n = r.time.size();
    r.scene_text = file.text("scene_yaml");
    r.marks = file.numbers("marks");
    read_channels(file, "", about.at("channels"), n, r.channels);
    need_channel(r.channels, "q", Channel::Type::f8, r.scene->model->nq, place);
    need_channel(r.channels, "v", Channel::Type::f8, r.scene->model->nv, place);
    for (std::size_t i = 0; i < actors.size(); ++i) {
      const Json& json = actors[i];
      ActorTrack track;
      track.slot = r.scene->actors[i];
      track.name = json.at("name");
      track.motion = json.at("motion");
      track.character = json.at("character");
      track.controller = json.at("controller");
      track.preset = json.at("preset");
      track.assist_force_mean = json.at("assist_force_mean");
      track.pedestal = json.at("pedestal");
      if (const Json& fall = json.at("fall"); !fall.is_null())
        track.fall = Fall{fall.at("time"), fall.at("reason")};
      track.notes = json.at("notes").get<std::vector<std::string>>();
      track.warnings = json.at("warnings").get<std::vector<std::string>>();
      if (json.contains("states")) track.states = json.at("states").get<std::vector<std::string>>();
      if (json.contains("rehearsed")) {  // not in recordings of earlier versions
        for (const Json& span : json.at("rehearsed")) track.rehearsed.push_back({span.at(0), span.at(1)});
      }
      if (json.contains("muscles")) {
        for (const Json& one : json.at("muscles")) {
          Muscle muscle{.name = one.at("name"),
                        .max_force = one.at("max_force"),
                        .fibre_length = one.at("fibre_length"),
                        .max_speed = one.at("max_speed"),
                        .tendon_slack = one.at("tendon_slack")};
          for (const Json& point : one.at("path"))
            muscle.path.push_back({point.at(0), Vec3(point.at(1), point.at(2), point.at(3))});
          check_muscle(muscle, *track.slot.actor, place);
          track.muscles.push_back(std::move(muscle));
        }
      }
      read_channels(file, fmt::format("actor{}_", i), json.at("channels"), n, track.channels);
      const int muscles = static_cast<int>(track.muscles.size());
      const bool judged = track.channels.find("muscle_use") != nullptr;
      if (judged) need_channel(track.channels, "muscle_use", Channel::Type::f4, muscles, place);
      if (track.channels.find("muscle_force") || (muscles > 0 && !judged)) {
        for (const char* name : {"muscle_activation", "muscle_force"})
          need_channel(track.channels, name, Channel::Type::f4, muscles, place);
      }
      need_channel(track.channels, "torque", Channel::Type::f4, track.slot.nv, place);
      if (track.has_reference()) {
        need_channel(track.channels, "reference_q", Channel::Type::f8, track.slot.nq, place);
      }
      if (track.channels.find("reference_contacts")) {
        const auto points = static_cast<std::int64_t>(track.slot.actor->contact_points().size());
        need_channel(track.channels, "reference_contacts", Channel::Type::u1, points, place);
      }
      r.actors.push_back(std::move(track));
    }
  } catch (const Json::exception& error) {
    throw InputError(place + ": about", error.what(), "the fields of a recording");
  }
  read_contacts(file, r);
  return r;
}

bool is_recording(const std::filesystem::path& path) {
  return read_file(path).find("scene_yaml.npy") != std::string::npos;
}

std::filesystem::path recording_path(const std::filesystem::path& given) {
  std::error_code error;
  return std::filesystem::is_directory(given, error) ? given / "recording.npz" : given;
}

Recording load_recording(const std::filesystem::path& given) {
  const std::filesystem::path path = recording_path(given);
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(path.string(), "no such file", "a recording.npz, or the folder of a run");
  return parse_recording(read_file(path), path.string());
}

}  // namespace stunt

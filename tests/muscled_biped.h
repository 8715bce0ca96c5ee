// A biped of our own that brings its muscles: legs whose knees slide as they bend (coupled joints), a kneecap that follows, a
// muscle that wraps around the knee, a frame without mass, no arms, a stiff trunk.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace stunt {

inline std::string muscled_biped() {
  const auto leg = [](const char* s, double y) {
    const std::string inner = fmt::format(R"(
      <body name='femur_{0}' pos='0 {1} -0.06'>
        <joint name='hip_flexion_{0}' axis='0 -1 0' range='-60 130'/>
        <joint name='hip_adduction_{0}' axis='1 0 0' range='-60 60'/>
        <joint name='hip_rotation_{0}' axis='0 0 1' range='-60 60'/>
        <geom type='capsule' fromto='0 0 0 0 0 -0.4' size='0.05' mass='8'/>
        <geom name='wrap_{0}' type='cylinder' size='0.035 0.05' euler='90 0 0' pos='0 0 -0.42' contype='0' conaffinity='0' mass='0'/>
        <site name='hip_front_{0}' pos='0.05 0 -0.08'/><site name='hip_back_{0}' pos='-0.07 0 -0.12'/>
        <site name='hip_out_{0}' pos='0 {2} -0.05'/><site name='hip_in_{0}' pos='0 {3} -0.12'/>
        <site name='thigh_front_{0}' pos='0.05 0 -0.15'/><site name='thigh_back_{0}' pos='-0.03 0 -0.2'/>
        <body name='kneecap_{0}' pos='0.05 0 -0.42'>
          <joint name='kneecap_{0}' type='slide' axis='0 0 1' range='-0.1 0.1'/>
          <geom size='0.02' mass='0.1' contype='0' conaffinity='0'/><site name='kneecap_{0}'/>
        </body>
        <body name='tibia_{0}' pos='0 0 -0.42'>
          <joint name='knee_slide_{0}' type='slide' axis='1 0 0' range='-0.1 0.1'/>
          <joint name='knee_angle_{0}' axis='0 1 0' range='0 140'/>
          <geom type='capsule' fromto='0 0 0 0 0 -0.38' size='0.04' mass='3.5'/>
          <site name='shin_front_{0}' pos='0.03 0 -0.06'/><site name='shin_back_{0}' pos='-0.03 0 -0.06'/>
          <site name='calf_{0}' pos='-0.04 0 -0.1'/><site name='shin_{0}' pos='0.03 0 -0.15'/>
          <site name='shin_out_{0}' pos='0 {2} -0.3'/><site name='shin_in_{0}' pos='0 {3} -0.3'/>
          <body name='talus_{0}' pos='0 0 -0.4'>
            <joint name='ankle_angle_{0}' axis='0 -1 0' range='-50 40'/>
            <geom size='0.03' mass='0.1' contype='0' conaffinity='0'/>
            <body name='calcn_{0}' pos='0 0 0'>
              <joint name='subtalar_{0}' axis='1 0 0' range='-40 40'/>
              <geom type='box' size='0.12 0.04 0.03' pos='0.06 0 -0.05' mass='1'/>
              <site name='heel_{0}' pos='-0.05 0 -0.02'/><site name='instep_{0}' pos='0.05 0 0.01'/>
              <site name='foot_out_{0}' pos='0.02 {2} -0.02'/><site name='foot_in_{0}' pos='0.02 {3} -0.02'/>
            </body>
          </body>
        </body>
      </body>)",
                                          s, y, y > 0 ? 0.05 : -0.05, y > 0 ? -0.05 : 0.05);
    return inner;
  };
  std::string tendons, actuators, equalities, sites;
  for (const char* s : {"l", "r"}) {
    const double y = *s == 'l' ? 1 : -1;
    sites += fmt::format(
        "<site name='p_front_{0}' pos='0.06 {1} 0.05'/><site name='p_back_{0}' pos='-0.1 {1} 0.03'/>"
        "<site name='p_out_{0}' pos='0 {2} 0.06'/><site name='p_in_{0}' pos='0 {3} -0.06'/>",
        s, 0.09 * y, 0.15 * y, 0.02 * y);
    const auto muscle = [&](const std::string& name, double force, const std::string& path) {
      tendons += fmt::format("<spatial name='{0}_{1}'>{2}</spatial>", name, s, path);
      actuators += fmt::format("<muscle name='{0}_{1}' tendon='{0}_{1}' force='{2}'/>", name, s, force);
    };
    const auto way = [&](std::initializer_list<const char*> points) {
      std::string out;
      for (const char* point : points) out += fmt::format("<site site='{}_{}'/>", point, s);
      return out;
    };
    muscle("hip_flexor", 3000, way({"p_front", "hip_front"}));
    muscle("gluteus", 4000, way({"p_back", "hip_back"}));
    muscle("abductor", 3000, way({"p_out", "hip_out"}));
    muscle("adductor", 2000, way({"p_in", "hip_in"}));
    muscle("vasti", 6000, way({"thigh_front", "kneecap", "shin_front"}));
    muscle("hamstrings", 2500, way({"p_back", "thigh_back", "shin_back"}));
    muscle("gastrocnemius", 2500,
           fmt::format("<site site='thigh_back_{0}'/><geom geom='wrap_{0}'/><site site='calf_{0}'/><site "
                       "site='heel_{0}'/>",
                       s));
    muscle("soleus", 5000, way({"calf", "heel"}));
    muscle("tibialis", 2000, way({"shin", "instep"}));
    muscle("evertor", 1500, way({"shin_out", "foot_out"}));
    muscle("invertor", 1500, way({"shin_in", "foot_in"}));
    equalities += fmt::format(
        "<joint joint1='knee_slide_{0}' joint2='knee_angle_{0}' polycoef='0 0.006 -0.002 0 0'/>"
        "<joint joint1='kneecap_{0}' joint2='knee_angle_{0}' polycoef='0 -0.03 0.004 0 0'/>",
        s);
  }
  return fmt::format(R"(<mujoco model='muscled'>
  <worldbody>
    <body name='whole' pos='0 0 1'>
      <freejoint/>
      <body name='pelvis'>
        <geom type='box' size='0.08 0.12 0.08' mass='11'/>{}
        <body name='torso' pos='0 0 0.1'><geom type='capsule' fromto='0 0 0.05 0 0 0.45' size='0.12' mass='34'/>
          <body name='head' pos='0 0 0.6'><geom size='0.1' mass='5'/></body></body>
        {}{}
      </body>
    </body>
  </worldbody>
  <tendon>{}</tendon><actuator>{}</actuator><equality>{}</equality>
</mujoco>)",
                     sites, leg("l", 0.09), leg("r", -0.09), tendons, actuators, equalities);
}

// Writes it, with `from` replaced by `to` where that is asked for.
inline std::filesystem::path write_muscled_biped(const std::filesystem::path& path,
                                                 const std::string& from = "", const std::string& to = "") {
  std::string text = muscled_biped();
  for (std::size_t at = from.empty() ? std::string::npos : text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  std::ofstream(path) << text;
  return path;
}

}  // namespace stunt

// What goes wrong, and what the program says: each row is a file or a command line that a person could really
// give. All end with exit status 2 and one line that names the place, what was found and what was expected,
// and leave nothing behind. (The readers' own tests go through many more broken files.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "places.h"
#include "stunt/actor/actor.h"
#include "stunt/core/error.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

using test::Outcome;
using test::run_program;
using test::TemporaryFolder;

struct Row {
  std::string what;
  std::string file;  // its text is in FILE.*; empty: none
  std::vector<std::string> arguments;
  std::vector<std::string> says;  // parts of the one line on stderr, in this order
};

// A whole small motion, to be broken by the rows.
std::string person() {
  static const TemporaryFolder nowhere;
  return nowhere.read(in_source("fuzz/corpus/bvh/person.bvh"));
}
std::string with(std::string text, const std::string& old, const std::string& fresh) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos) throw std::logic_error("not in the text: " + old);
  return text.replace(at, old.size(), fresh);
}
std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

void check(const std::vector<Row>& rows, const std::string& file_name = "") {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const TemporaryFolder folder;
    if (!file_name.empty()) folder.write(file_name, row.file);
    const auto before = folder.names();
    const Outcome outcome = run_program(folder, row.arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("stunt: ")) << outcome.err;
    EXPECT_LT(outcome.err.size(), 1000u);
    std::size_t at = 0;
    for (const std::string& part : row.says) {
      const std::size_t found = outcome.err.find(part, at);
      EXPECT_NE(found, std::string::npos) << "'" << part << "' is missing in: " << outcome.err;
      if (found != std::string::npos) at = found + part.size();
    }
    EXPECT_EQ(folder.names(), before) << "something was left behind";
  }
}

TEST(BadInput, Problems) {
  const std::string scene = "scene: {actors: [{motion: stand, controller: pd}]}\n";
  const auto row = [&](const std::string& what, const std::string& text, std::vector<std::string> says) {
    return Row{what, scene + text, {"optimize", "p.yaml"}, std::move(says)};
  };
  check(
      {row("an unknown setting", "move: [{setting: actors.0.controller.wings}]",
           {"p.yaml: move.0", "'actors.0.controller.wings'", "a setting of the scene"}),
       row("empty bounds", "move: [{setting: actors.0.controller.stiffness, low: 9, high: 3}]",
           {"p.yaml: move.0", "bounds 9 to 3", "a low below a high"}),
       row("a mean outside", "move: [{setting: actors.0.controller.stiffness, mean: -4}]",
           {"p.yaml: move.0", "a mean of -4"}),
       row("no spread", "move: [{setting: gravity}]", {"p.yaml: move.0", "no spread for gravity"}),
       row("one setting twice",
           "move: [{setting: actors.0.controller.stiffness}, {setting: actors.0.controller.stiffness}]",
           {"p.yaml: move", "twice"}),
       row("an unknown measure", "objective: {measures: [{measure: beauty}]}",
           {"p.yaml", "measure", "beauty", "pose, stance, slide, torque"}),
       row("an unknown key", "moves: []", {"p.yaml", "moves"}),
       row("more passes than tests", "success: {tests: 2, passes: 3}", {"p.yaml", "passes", "3", "2 tests"}),
       {"nothing that moves",
        "scene: {actors: [{motion: stand, controller: ragdoll}]}",
        {"optimize", "p.yaml"},
        {"p.yaml: move", "nothing that moves"}},
       {"nobody", "scene: {duration: 3}", {"optimize", "p.yaml"}, {"p.yaml", "without actors"}}},
      "p.yaml");
}

TEST(BadInput, CommandLines) {
  check({
      {"no such command", "", {"fly"}, {"'fly'", "expected one of: track, run, practise"}},
      {"no motion", "", {"track"}, {"motion is required", "stunt track --help"}},
      {"no such option", "", {"track", "walk", "--fast"}, {"--fast"}},
      {"no such axis", "", {"info", "walk", "--up", "q"}, {"--up: found 'q', expected x, y, z, -x"}},
      {"nearly a command", "", {"trak", "walk"}, {"'trak'", "perhaps 'track'"}},
      {"a scene as motion", "", {"track", "demo"}, {"this is a scene: stunt run demo"}},
      {"a motion as scene", "", {"run", "squat"}, {"this is a motion: stunt track squat"}},
      {"no such recording",
       "",
       {"render", "nowhere"},
       {"nowhere", "a recording.npz, or the folder of a run"}},
      {"no such motion", "", {"track", "wlak"}, {"wlak", "no such file", "expected", "walk"}},
      {"no such motion for info", "", {"info", "wlak"}, {"wlak", "no such file", "expected", "walk"}},
      {"a folder as motion", "", {"track", "."}, {"found a folder, expected a file"}},
      {"no such scene", "", {"run", "curse"}, {"curse", "no such file", "course"}},
      {"no such folder", "", {"benchmark", "clips"}, {"clips", "no such folder"}},
      {"a folder without motions", "", {"benchmark", "."}, {"no motion files", "expected BVH"}},
      {"no time to rehearse", "", {"track", "walk", "--rehearse", "--budget", "0"}, {"--budget", "above 0"}},
      {"a rehearsal of less than nothing",
       "",
       {"track", "walk", "--rehearse", "--rollouts", "-5"},
       {"--rollouts", "'-5'", "a whole number above 0"}},
      {"a budget without a rehearsal", "", {"track", "walk", "--budget", "5"}, {"--budget", "--rehearse"}},
      {"two limits of a rehearsal",
       "",
       {"track", "walk", "--rehearse", "--budget", "5", "--rollouts", "50"},
       {"--budget", "--rollouts"}},
      {"a rehearsal of two",
       "",
       {"track", "walk", "--rehearse", "--set", "actors.1.motion=walk"},
       {"--rehearse", "found 2 actors, expected one actor"}},
      {"a rehearsal without balance",
       "",
       {"track", "walk", "--rehearse", "--controller", "pd"},
       {"--rehearse", "'pd'", "expected mcsim"}},
      {"no such problem", "", {"optimize", "fly"}, {"fly", "no such file", "data-driven"}},
      {"nothing to go on from",
       "",
       {"optimize", "data-driven", "--resume"},
       {"checkpoint.txt", "no such file", "expected what an earlier run left"}},
      {"a search without generations",
       "",
       {"optimize", "data-driven", "--generations", "0"},
       {"--generations"}},
      {"no such engine",
       "",
       {"track", "walk", "--engine", "bullet"},
       {"engine", "bullet", "expected one of: mujoco, ode, penalty, linearised"}},
      {"no such controller",
       "",
       {"track", "walk", "--controller", "pid"},
       {"controller", "pid", "expected one of: mcsim, modal, pd"}},
      {"no such character",
       "",
       {"track", "walk", "--character", "yeti"},
       {"character", "yeti", "expected", "fit"}},
      {"no such preset",
       "",
       {"track", "walk", "--preset", "loud"},
       {"preset", "loud", "expected one of: default"}},
      {"a setting of another controller",
       "",
       {"track", "walk", "--controller", "pd", "--set", "actors.0.controller.plan_rate=9"},
       {"unknown key 'plan_rate'", "expected one of", "stiffness"}},
      {"negative duration", "", {"track", "walk", "--duration", "-1"}, {"duration", "'-1'", "from 0"}},
      {"a duration that is no number", "", {"track", "walk", "--duration", "long"}, {"--duration", "long"}},
      {"an endless duration", "", {"track", "walk", "--duration", "inf"}, {"duration", "inf", "expected"}},
      {"no time step",
       "",
       {"track", "walk", "--timestep", "0"},
       {"timestep", "'0'", "from 1e-06 to 0.02 (s)"}},
      {"huge time step",
       "",
       {"track", "walk", "--timestep", "1"},
       {"timestep", "'1'", "from 1e-06 to 0.02 (s)"}},
      {"a time step in kilograms",
       "",
       {"track", "walk", "--set", "timestep=2 kg"},
       {"override 'timestep=2 kg'", "'2 kg'", "(s)"}},
      {"negative seed", "", {"track", "walk", "--seed", "-3"}, {"--seed", "'-3'", "a whole number from 0"}},
      {"a wall as ground", "", {"track", "walk", "--slope", "90"}, {"--slope", "'90'", "-60 to 60"}},
      {"help that pushes", "", {"track", "walk", "--assist", "-1"}, {"assist", "'-1'", "expected"}},
      {"unknown key",
       "",
       {"track", "walk", "--set", "gravty=1"},
       {"unknown key 'gravty'", "one of", "gravity"}},
      {"no value", "", {"track", "walk", "--set", "gravity"}, {"'gravity'", "no '='", "key=value"}},
      {"an actor that is not there",
       "",
       {"track", "walk", "--set", "pushes.0.actor=bob"},
       {"pushes.0.actor", "bob", "one of: walk"}},
      {"a body that is not there",
       "",
       {"track", "walk", "--set", "pushes.0.body=tail"},
       {"pushes.0.body", "'tail'", "one of"}},
      {"a start after the end",
       "",
       {"track", "walk", "--set", "actors.0.motion.start=99"},
       {"motion.start", "99", "less than"}},
      {"no jobs", "", {"benchmark", ".", "--jobs", "0"}, {"--jobs", "0"}},
  });
}

TEST(BadInput, BvhFiles) {
  const std::string good = person();
  const std::vector<std::string> track = {"track", "clip.bvh"};
  check(
      {
          {"empty", "", track, {"clip.bvh:1", "the end of the file", "HIERARCHY"}},
          {"binary",
           std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16),
           track,
           {"clip.bvh:1", "expected HIERARCHY"}},
          {"another format", "<mujoco/>", track, {"clip.bvh:1", "'<mujoco/>'", "HIERARCHY"}},
          {"cut off in the skeleton",
           good.substr(0, good.find("MOTION") / 2),
           track,
           {"clip.bvh:", "found", "expected"}},
          {"cut off before the frames",
           good.substr(0, good.find("Frame Time")),
           track,
           {"clip.bvh:", "found", "expected"}},
          {"cut off in a frame", good.substr(0, good.size() - 40), track, {"clip.bvh:", "found", "expected"}},
          {"misspelt", with(good, "CHANNELS", "CHANELS"), track, {"clip.bvh:", "'CHANELS'", "CHANNELS"}},
          {"announces more channels than it names",
           with(good, "CHANNELS 3", "CHANNELS 999999999"),
           track,
           {"clip.bvh:", "expected"}},
          {"no time between frames",
           with(good, "Frame Time: ", "Frame Time: -"),
           track,
           {"clip.bvh:", "expected"}},
          {"a joint inside a joint, without end",
           "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n" +
               repeated("JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n", 50000),
           track,
           {"clip.bvh:", "expected"}},
          {"not a body at all",
           "HIERARCHY\nROOT door\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd "
           "Site\n{\nOFFSET 0 1 0\n}\n}\n"
           "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n0 0 1\n",
           track,
           {"clip.bvh: "}},
      },
      "clip.bvh");
}

// What cannot be judged, whoever asks whether a human could do it.
TEST(BadInput, MotionsToAssess) {
  const std::string good = person();
  const std::size_t frames = good.find("Frames:"), time = good.find("Frame Time:");
  const std::size_t first = good.find('\n', time) + 1, second = good.find('\n', first) + 1;
  const auto cut = [&](int count, std::size_t end) {
    return good.substr(0, frames) + fmt::format("Frames: {}\n", count) + good.substr(time, end - time);
  };
  check(
      {
          {"no frames", cut(0, first), {"assess", "clip.bvh"}, {"clip.bvh", "expected"}},
          {"one frame", cut(1, second), {"assess", "clip.bvh"}, {"clip.bvh", "expected"}},
          {"a human of 170 m",
           good,
           {"assess", "clip.bvh", "--unit", "1"},
           {"found a left_thigh", "m long, expected 0.05 to 5 m", "likely a centimetre", "--unit"}},
          {"an arm alone", good, {"assess", "clip.bvh", "--character", "arm"}, {"found", "expected"}},
          {"a model without muscles",
           good,
           {"assess", "clip.bvh", "--model", in_source("data/characters/biped28.xml")},
           {"28 actuators, none of them a muscle", "<actuator><muscle"}},
          {"a model and another body",
           good,
           {"assess", "clip.bvh", "--model", "model.xml", "--mass", "60"},
           {"--model", "beside another character or mass"}},
          {"injury of a file",
           good,
           {"assess", "clip.bvh", "--injury", "default"},
           {"a motion file", "a recording"}},
      },
      "clip.bvh");
}

TEST(BadInput, SceneFiles) {
  const std::string actor = "actors:\n  - {motion: stand, controller: pd}\n";
  const std::vector<std::string> run = {"run", "scene.yaml"};
  check(
      {
          {"empty", "", run, {"duration", "expected how many seconds"}},
          {"binary",
           std::string("\x7f"
                       "ELF\0\0\0",
                       7),
           run,
           {"scene.yaml", "binary data", "YAML"}},
          {"cut off", "actors: [{motion: stand", run, {"scene.yaml:"}},
          {"a list", "- 1\n- 2\n", run, {"scene.yaml:1", "found a list", "mapping"}},
          {"nested without end", repeated("[", 100000), run, {"scene.yaml"}},
          {"a key twice", "seed: 1\nseed: 2\n", run, {"scene.yaml:2", "seed", "once"}},
          {"unknown key",
           "gravty: 1\n",
           run,
           {"scene.yaml:1: gravty", "unknown key", "expected one of", "gravity"}},
          {"unknown key, deeper",
           actor + "ground: {colour: red}\n",
           run,
           {"scene.yaml:3: ground.colour", "unknown key", "friction"}},
          {"unknown key of the controller",
           "actors:\n  - {motion: stand, controller: {type: pd, stif: 3}}\n",
           run,
           {"scene.yaml:2: actors.0.controller.stif", "unknown key", "stiffness"}},
          {"no such motion",
           "actors:\n  - {motion: polka}\n",
           run,
           {"scene.yaml:2: actors.0: polka", "no such file", "`stunt motions`"}},
          {"no such character",
           "actors:\n  - {motion: walk, character: giant}\n",
           run,
           {"scene.yaml:2: actors.0: character", "giant", "humanoid"}},
          {"negative duration", "duration: -3\n" + actor, run, {"scene.yaml:1: duration", "'-3'", "from 0"}},
          {"zero mass",
           actor + "seesaws:\n  - {mass: 0}\n",
           run,
           {"scene.yaml:4: seesaws.0.mass", "'0'", "above 0"}},
          {"negative mass of an actor",
           "actors:\n  - {motion: stand, mass_kg: -70}\n",
           run,
           {"scene.yaml:2: actors.0.mass_kg", "'-70'"}},
          {"no size",
           actor + "objects:\n  - {size: [1, 0, 1]}\n",
           run,
           {"scene.yaml:4: objects.0.size.1", "found '0'", "above 0"}},
          {"not a number", "gravity: .nan\n" + actor, run, {"scene.yaml:1: gravity", "nan", "expected"}},
          {"two outputs to one place",
           "actors:\n  - {motion: stand, name: twin}\n  - {motion: walk, name: twin}\n",
           run,
           {"scene.yaml:3: actors.1.name", "'twin' a second time", "names used once"}},
          {"a name that is a path",
           "name: ../elsewhere\n" + actor,
           run,
           {"scene.yaml:1: name", "'../elsewhere'", "folder"}},
          {"contradiction",
           "contact: {mode: springs}\n" + actor,
           run,
           {"scene.yaml:1: contact", "mode springs with engine mujoco", "ode"}},
          {"a repetition without a pause",
           actor + "pushes:\n  - {count: 3}\n",
           run,
           {"scene.yaml:4: pushes.0.count", "every"}},
          {"a box that bounces",
           actor + "objects:\n  - {shape: box, bounces: true}\n",
           run,
           {"scene.yaml:4: objects.0.bounces", "a box that bounces", "a sphere"}},
          {"an attachment to nothing",
           "actors:\n  - {motion: stand, attach: [{to: tail}]}\n",
           run,
           {"scene.yaml:2: actors.0: attach.0.to", "'tail'", "right_hand"}},
          {"an attachment that the arm cannot hold",
           "actors:\n  - {motion: stand, attach: [{name: anvil, mass: 50}]}\n",
           run,
           {"scene.yaml:2: actors.0: attach.0.mass", "50 kg", "at most", "Nm would be needed"}},
          {"two characters in one place",
           "actors:\n  - {name: ann, motion: stand}\n  - {name: bob, motion: stand}\n",
           run,
           {"'ann'", "inside", "'bob'", "start apart"}},
          {"a poke at nothing", actor + "pokes:\n  - {body: tail}\n", run, {"pokes.0.body", "'tail'"}},
          {"played without a motion",
           "actors:\n  - {character: humanoid, when: contact}\n",
           run,
           {"scene.yaml:2: actors.0.when", "contact without a motion"}},
          {"a crowd too large",
           "actors:\n" + repeated("  - {motion: stand}\n", 300),
           run,
           {"one actor too many", "at most 256"}},
      },
      "scene.yaml");
}

// Other kinds of motion files, by their ending and in spite of it.
TEST(BadInput, OtherMotionFiles) {
  for (const char* name :
       {"clip.amc", "clip.npz", "clip.json", "clip.glb", "clip.gltf", "clip.fbx", "clip.what"}) {
    check({{std::string(name) + ", empty", "", {"info", name}, {"clip"}},
           {std::string(name) + ", binary", std::string("\xff\xfe\0\1\2\3", 6), {"info", name}, {"clip"}},
           {std::string(name) + ", text", "once upon a time\n", {"info", name}, {"clip"}}},
          name);
  }
}

TEST(BadInput, OutputThatCannotBe) {
  const TemporaryFolder folder;
  folder.write("taken", "precious");
  const Outcome outcome = run_program(folder, {"track", "stand", "--out", "taken"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.err,
            "stunt: taken: found a file, expected a folder for the output, or a name not taken yet\n");
  EXPECT_EQ(folder.read("taken"), "precious");
}

// Characters: the same through the library, which is what reads --character.
TEST(BadInput, CharacterFiles) {
  const std::string root = "<mujoco><worldbody><body name=\"pelvis\"><freejoint/>";
  const std::string ball = "<geom type=\"sphere\" size=\"0.1\"/>";
  const std::string end = "</body></worldbody></mujoco>";
  const std::vector<Row> rows = {
      {"empty", "", {}, {"x.xml: found"}},
      {"binary",
       std::string("\x7f"
                   "ELF\0\0\0",
                   7),
       {},
       {"x.xml: found a binary file, expected MJCF"}},
      {"cut off", root + ball, {}, {"x.xml: found", "expected an MJCF character"}},
      {"another format", "HIERARCHY\nROOT hip\n", {}, {"x.xml: found", "expected an MJCF character"}},
      {"nobody in it", "<mujoco/>", {}, {"no body with a joint", "<freejoint/>"}},
      {"stands still for ever", "<mujoco><worldbody><body>" + ball + end, {}, {"no body with a joint"}},
      {"zero mass",
       root + "<geom type=\"sphere\" size=\"0.1\" mass=\"0\"/>" + end,
       {},
       {"x.xml: found", "mass"}},
      {"no size", root + "<geom type=\"sphere\" size=\"0\"/>" + end, {}, {"x.xml: found", "size"}},
      {"unknown element", root + ball + "<wings/>" + end, {}, {"x.xml: found", "wings"}},
      {"a motor on nothing",
       "<mujoco><worldbody><body><freejoint/>" + ball +
           "</body></worldbody><actuator><motor joint=\"knee\"/></actuator></mujoco>",
       {},
       {"x.xml: found", "knee"}},
      {"limits the wrong way round",
       root + ball + "<body><joint name=\"knee\" range=\"2 1\" limited=\"true\"/>" + ball + "</body>" + end,
       {},
       {"x.xml: found", "range"}},
      {"a free joint inside",
       root + ball + "<body><freejoint/>" + ball + "</body>" + end,
       {},
       {"x.xml: found"}},
      {"a file that is not there",
       "<mujoco><asset><mesh file=\"/nowhere.stl\"/></asset><worldbody><body><freejoint/>" + ball + end,
       {},
       {"x.xml: found"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    try {
      Actor::from_xml(row.file, "x", "x.xml");
      ADD_FAILURE() << "was accepted";
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
      std::size_t at = 0;
      for (const std::string& part : row.says) {
        const std::size_t found = line.find(part, at);
        EXPECT_NE(found, std::string::npos) << "'" << part << "' is missing in: " << line;
        if (found != std::string::npos) at = found + part.size();
      }
    }
  }
}

}  // namespace
}  // namespace stunt

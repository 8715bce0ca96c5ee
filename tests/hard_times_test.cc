// Streams that are closed or full, outputs that are no files, numbers at the bounds, files that would take all memory:
// the program says what is wrong, and never crashes, hangs or leaves anything behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>

#include "stunt/actor/actor.h"
#include "stunt/core/error.h"
#include "tests/run_program.h"

namespace stunt {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::run_line;
using test::run_program;
using test::TemporaryFolder;

// Of the processor, here and in programs that were waited for: a busy machine does not count.
double processor_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& t : {used.ru_utime, used.ru_stime})
      sum += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  }
  return sum;
}

double seconds_of(const std::function<void()>& work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

TEST(HardTimes, LostOutputIsAFailureAndNeverACrash) {
  const TemporaryFolder folder;
  struct Line {
    std::string line;
    int status;
  };
  for (const auto& [line, status] : std::vector<Line>{
           {"stunt engines > /dev/full", 1},
           {"stunt engines >&-", 1},
           {"stunt settings > /dev/full", 1},
           {"stunt --help > /dev/full", 1},
           {"stunt --help >&-", 1},
           {"stunt engines 2> /dev/full", 0},
           {"stunt engines 2>&-", 0},
           {"stunt engines <&- 2>&-", 0},
           {"stunt fly 2> /dev/full", 2},
           {"stunt fly 2>&-", 2},
           {"stunt fly >&- 2>&-", 2},
           {"stunt track stand --duration 0.1 --out here 2> /dev/full", 0},
           {"stunt track stand --duration 0.1 --out here 2>&-", 0},
           {"stunt track stand --duration 0.1 --out here >&- 2>&-", 1},
           {"{ stunt settings; echo $? > status; } | true; exit $(cat status)", 0},
           {"{ stunt --help; echo $? > status; } | true; exit $(cat status)", 0},
           {"{ stunt track stand --duration 0.1 --out here 2>&1; echo $? > status; } | true; exit $(cat "
            "status)",
            0},
       }) {
    EXPECT_EQ(run_line(folder, line).status, status) << line;
  }
  EXPECT_NE(
      run_line(folder, "stunt engines > /dev/full").err.find("stunt: cannot write to stdout: No space left"),
      std::string::npos);
  // A stream that is closed is not where the next file goes.
  EXPECT_EQ(folder.read("here/summary.json").substr(0, 1), "{");
  EXPECT_EQ(folder.read("here/recording.npz").substr(0, 2), "PK");
}

TEST(HardTimes, OutputsThatAreNoFilesAreWrittenInto) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_line(folder, "stunt fit stand -o plain.xml").status, 0);
  const std::string plain = folder.read("plain.xml");
  ASSERT_EQ(run_line(folder, "mkfifo pipe && { cat pipe > got & } && stunt fit stand -o pipe && wait").status,
            0);
  EXPECT_TRUE(fs::is_fifo(folder.path() / "pipe"));
  EXPECT_EQ(folder.read("got"), plain);
  ASSERT_EQ(run_line(folder, "echo old > real.xml && ln -s real.xml link.xml && stunt fit stand -o link.xml")
                .status,
            0);
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link.xml"));
  EXPECT_EQ(folder.read("real.xml"), plain);
  EXPECT_EQ(run_line(folder, "stunt fit stand -o /dev/null").status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(run_line(folder, "stunt fit stand -o /dev/full").status, 1);
  const Outcome out = run_line(folder, "stunt fit stand -o /dev/stdout");
  EXPECT_EQ(out.status, 0);
  EXPECT_TRUE(out.out.starts_with(plain));
  EXPECT_TRUE(run_line(folder, "stunt fit stand -o /dev/stdout | cat").out.starts_with(plain));
}

TEST(HardTimes, AnInterruptEndsWhatDoesNotLookForOne) {
  const TemporaryFolder folder;
  // Nobody reads the pipe: writing waits for ever.
  const Outcome outcome =
      run_line(folder, "mkfifo pipe; stunt fit stand -o pipe & sleep 1; kill -TERM $!; wait $!");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.err, "stunt: interrupted\n");
}

TEST(HardTimes, NumbersAtTheirBoundsEndInAResultOrAnError) {
  const TemporaryFolder folder;
  for (const std::string engine : {"ode", "mujoco"}) {
    for (const std::vector<std::string>& set : std::vector<std::vector<std::string>>{
             {"actors.0.heading_deg=1e6"},
             {"actors.0.heading_deg=1e308"},
             {"actors.0.position=[1000,-1000]"},
             {"actors.0.position=[1e308,0]"},
             {"timestep=0.02"},
             {"timestep=1e-300"},
             {"timestep=1e-6", "duration=1e-5"},
             {"pushes.0.force=[1e6,1e6,1e6]"},
             {"pushes.0.force=[1e308,1e308,1e308]"},
             {"gravity=100"},
             {"contact.time_constant=1e-4"},
             {"objects.0.shape=box", "objects.0.size=[1e-300,1e-300,1e-300]"},
             {"objects.0.shape=box", "objects.0.size=[1000,1e-6,1000]", "objects.0.mass=1e6"},
             {"objects.0.shape=box", "objects.0.size=[1e-6,1e-6,1e-6]", "objects.0.position=[0,0,0.5]"},
             {"throws.0.speed=300", "throws.0.ball.mass=1e6"},
         }) {
      std::vector<std::string> words = {"track", "stand",    "--duration", "0.1",     "--out",
                                        "out",   "--engine", engine,       "--quiet", "--json"};
      for (const std::string& key : set) words.insert(words.end(), {"--set", key});
      const Outcome outcome = run_program(folder, words);
      EXPECT_GE(outcome.status, 0) << set[0];
      EXPECT_LE(outcome.status, 2) << engine << " " << set[0] << "\n" << outcome.err;
      EXPECT_LE(outcome.error_lines(), 1) << outcome.err;
    }
  }
}

// A whole small character whose root has the given geom, with further elements before the world.
std::string block_character(const std::string& geom, const std::string& assets = "",
                            const std::string& attributes = "") {
  return fmt::format(
      "<mujoco>\n<asset>{}</asset>\n<worldbody><body name='pelvis' pos='0 0 1' {}><freejoint/>{}"
      "<body name='leg' pos='0 0 -.3'><joint axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 "
      "-.3'/>"
      "</body></body></worldbody>\n</mujoco>\n",
      assets, attributes, geom);
}

// A box of 0.2 x 0.3 x 0.4 m around (0.1, 0, 0.05), as a Wavefront file in centimetres.
std::string box_obj() {
  std::string text;
  for (int i = 0; i < 8; ++i)
    text += fmt::format("v {} {} {}\n", i & 1 ? 20 : 0, i & 2 ? 15 : -15, i & 4 ? 25 : -15);
  return text +
         "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 "
         "8\nf 2 8 6\n";
}

TEST(HardTimes, IncludesAndMeshesLieBesideTheCharacter) {
  const TemporaryFolder folder;
  const std::string place = "far/away/";
  folder.write(place + "meshes/box.obj", box_obj());
  folder.write(place + "parts/body.xml",
               "<mujoco><asset><mesh file='box.obj' scale='.01 .01 .01'/></asset></mujoco>");
  folder.write(place + "block.xml",
               "<mujoco><compiler meshdir='meshes'/><include file='parts/body.xml'/>" +
                   block_character("<geom type='mesh' mesh='box' pos='0 .2 0' density='800'/>").substr(8));
  folder.write("plain.xml",
               block_character("<geom type='box' size='.1 .15 .2' pos='.1 .2 .05' density='800'/>"));
  const auto meshed = Actor::load((folder.path() / (place + "block.xml")).string());
  const auto plain = Actor::load((folder.path() / "plain.xml").string());
  // What it says about itself stands alone, wherever it is read.
  const auto alone = Actor::from_xml(meshed->xml(), "alone", "alone");
  for (const auto& actor : {meshed, alone}) {
    EXPECT_NEAR(actor->mass(), plain->mass(), 1e-5);
    EXPECT_LT((actor->bodies()[0].com - plain->bodies()[0].com).norm(), 1e-6);
    EXPECT_LT((actor->bodies()[0].inertia - plain->bodies()[0].inertia).norm(), 1e-6);
  }
  const Outcome outcome = run_program(folder, {"track", "stand", "--character", place + "block.xml",
                                               "--duration", "0.05", "--controller", "ragdoll", "--quiet"});
  EXPECT_LE(outcome.status, 2) << outcome.err;

  folder.write(place + "lost.xml", "<mujoco>\n<include file='nowhere.xml'/></mujoco>");
  const Outcome lost = run_program(folder, {"track", "stand", "--character", place + "lost.xml"});
  EXPECT_EQ(lost.status, 2);
  EXPECT_NE(lost.err.find("far/away/lost.xml:2: found 'nowhere.xml', which is no file"), std::string::npos)
      << lost.err;
}

TEST(HardTimes, CharactersThatCannotBeAreRefusedWithTheirName) {
  struct Refusal {
    std::string what, text, says;
  };
  const std::string geom = "<geom type='box' size='.1 .1 .1'/>";
  for (const Refusal& row : std::vector<Refusal>{
           {"no mass", block_character("<geom type='box' size='.1 .1 .1' mass='nan'/>"), ""},
           {"negative mass", block_character("<geom type='box' size='.1 .1 .1' mass='-1'/>"), ""},
           {"negative density", block_character("<geom type='box' size='.1 .1 .1' density='-1000'/>"), ""},
           {"endless mass", block_character("<geom type='box' size='.1 .1 .1' mass='inf'/>"), ""},
           {"nowhere", block_character("<geom type='box' size='.1 .1 .1' pos='nan 0 0'/>"), ""},
           {"copies",
            block_character(geom + "<replicate count='5000'><replicate count='5000'>" + geom +
                            "</replicate></replicate>"),
            "copies counted"},
           {"hills", block_character(geom, "<hfield name='h' nrow='46000' ncol='46000' size='1 1 1 1'/>"),
            "heights"},
           {"many copies", block_character("<replicate count='5000'>" + geom + "</replicate>"),
            "copies counted"},
           {"particles", block_character("<composite type='cable' count='100000 1 1'/>" + geom),
            "copies counted"},
           {"binary",
            std::string("\x7f"
                        "ELF\0\0",
                        6),
            "binary"},
       }) {
    SCOPED_TRACE(row.what);
    const TemporaryFolder folder;
    folder.write("who.xml", row.text);
    Outcome outcome;
    const double seconds = seconds_of([&] {
      outcome = run_program(folder, {"track", "stand", "--character", "who.xml", "--quiet"});
    });
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.error_lines(), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("stunt: who.xml")) << outcome.err;
    EXPECT_NE(outcome.err.find(row.says), std::string::npos) << outcome.err;
    EXPECT_EQ(folder.names(), std::vector<std::string>{"who.xml"});  // no MUJOCO_LOG.TXT
    EXPECT_LT(seconds, 5);
  }
}

// What a file holds besides the character costs nothing.
TEST(HardTimes, TerrainAndPicturesAreNotOfTheCharacter) {
  const std::string geom = "<geom type='box' size='.1 .1 .1'/>";
  const std::string large = block_character(geom,
                                            "<hfield name='hills' nrow='100' ncol='100' size='1 1 1 1'/>"
                                            "<texture name='sky' type='2d' builtin='flat' width='46000' "
                                            "height='46000'/><material name='m' texture='sky'/>"
                                            "<texture name='lost' type='2d' file='nowhere.png'/>");
  const auto expected = Actor::from_xml(block_character(geom), "small", "small.xml");
  std::shared_ptr<const Actor> actor;
  EXPECT_LT(seconds_of([&] { actor = Actor::from_xml(large, "large", "large.xml"); }), 2);
  EXPECT_EQ(actor->mass(), expected->mass());
  EXPECT_EQ(actor->model().nhfield, 0);
  EXPECT_EQ(actor->model().ntex, 0);
}

TEST(HardTimes, ASceneOfManyKeysIsReadAtOnce) {
  const TemporaryFolder folder;
  std::string keys, deep = "? " + std::string(1'000'000, 'k') + "\n: {";
  for (int i = 0; i < 190'000; ++i) {
    keys += fmt::format("k{}: 1\n", i);
    deep += fmt::format("a{}: 1,", i);
  }
  folder.write("keys.yaml", keys);
  folder.write("deep.yaml", deep + "}\n");
  for (const char* name : {"keys.yaml", "deep.yaml"}) {
    Outcome outcome;
    EXPECT_LT(seconds_of([&] { outcome = run_program(folder, {"run", name}); }), 10) << name;
    EXPECT_EQ(outcome.status, 2);
    EXPECT_LT(outcome.err.size(), 1000u);
  }
}

}  // namespace
}  // namespace stunt

// stunt edit: a motion changed and written as BVH, without simulating it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "console.h"
#include "import_options.h"
#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/motion/load.h"
#include "stunt/motion/readers/bvh.h"
#include "stunt/reference/staging/apply_edits.h"

namespace stunt {
namespace {

using Words = std::vector<std::string>;

double number(const std::string& option, const std::string& word) {
  double value = 0;
  if (!CLI::detail::lexical_cast(word, value)) throw InputError(option, "'" + word + "'", "a number");
  return value;
}

ReachTarget reach_target(const Words& words) {
  ReachTarget target;
  const auto part = role_from_name(words[0]);
  if (!part)
    throw InputError("--reach", "'" + words[0] + "'",
                     "left_hand, right_hand, left_foot, right_foot, head or pelvis");
  target.part = *part;
  for (int i = 0; i < 3; ++i) target.offset[i] = number("--reach", words[1 + i]);
  target.start = number("--reach", words[4]);
  target.end = number("--reach", words[5]);
  return target;
}

}  // namespace

void add_edit(CLI::App& app) {
  struct Options {
    std::string motion, out;
    std::vector<Edit> edits;  // in the order of the command line
    ImportOptions import;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "edit", "change a motion and write it as BVH; edits are carried out in the order given");
  command->footer("Example:  stunt edit walk -o run_up.bvh --mirror --stride 1.1 --transition run 2 0.4");
  command->add_option("motion", options->motion, "motion file or built-in name")->required();
  command->add_option("-o,--out", options->out, "the BVH file to write")->required();
  add_import_options(*command, options->import);
  const auto add = [&](const std::string& name, int count, const std::string& words, const std::string& help,
                       auto make) {
    command
        ->add_option_function<Words>(
            name, [options, make](const Words& given) { options->edits.push_back(make(given)); }, help)
        ->type_name(words)
        ->expected(count)
        ->trigger_on_parse();
  };
  const auto n = [](const char* option, const std::string& word) { return number(option, word); };
  add("--crop", 2, "FROM TO", "keep these seconds", [n](const Words& w) {
    return Edit(CropEdit{n("--crop", w[0]), n("--crop", w[1])});
  });
  command
      ->add_flag_callback(
          "--mirror", [options] { options->edits.push_back(MirrorEdit{}); }, "swap left and right")
      ->trigger_on_parse();
  add("--speed", 1, "X", "2 is twice as fast",
      [n](const Words& w) { return Edit(SpeedEdit{n("--speed", w[0])}); });
  add("--resample", 1, "HZ", "another frame rate",
      [n](const Words& w) { return Edit(ResampleEdit{n("--resample", w[0])}); });
  add("--stride", 1, "K", "steps K times as long",
      [n](const Words& w) { return Edit(StrideEdit{n("--stride", w[0])}); });
  add("--stride-by", 1, "M", "steps M metres longer (negative: shorter)",
      [n](const Words& w) { return Edit(StrideEdit{.by = n("--stride-by", w[0])}); });
  add("--warp", 3, "FACTOR AT DURATION", "faster (above 1) or slower from a time on, for a while",
      [n](const Words& w) {
        WarpEdit warp{.factor = n("--warp", w[0]), .at = n("--warp", w[1]), .duration = n("--warp", w[2])};
        if (!(warp.factor > 0 && warp.at >= 0 && warp.duration > 0))
          throw InputError("--warp", w[0] + " " + w[1] + " " + w[2], "a factor and a duration above 0");
        warp.ramp = std::min(warp.ramp, warp.duration / 2);
        return Edit(warp);
      });
  add("--loop", 1, "CYCLES", "repeat, the end blended into the beginning", [n](const Words& w) {
    const double cycles = n("--loop", w[0]);
    if (!(cycles >= 1 && cycles <= 10000 && cycles == std::floor(cycles))) {
      throw InputError("--loop", w[0], "a whole number from 1 to 10000");
    }
    return Edit(LoopEdit{.cycles = static_cast<int>(cycles)});
  });
  add("--transition", 3, "OTHER AT DURATION", "go over to another motion at a time, within a duration",
      [n](const Words& w) {
        return Edit(TransitionEdit{w[0], n("--transition", w[1]), n("--transition", w[2])});
      });
  add("--blend", 4, "OTHER WEIGHT START END", "mix another motion's poses in, from a time to a time",
      [n](const Words& w) {
        return Edit(BlendEdit{w[0], n("--blend", w[1]), n("--blend", w[2]), n("--blend", w[3])});
      });
  add("--layer", 1, "OTHER", "all above the pelvis from another motion",
      [](const Words& w) { return Edit(LayerEdit{w[0]}); });
  add("--reach", 6, "PART X Y Z START END",
      "move a hand, a foot, the head or the pelvis by X Y Z (m), from a time to a time",
      [](const Words& w) { return Edit(reach_target(w)); });
  add("--slope", 2, "DEG DIRECTION",
      "from level ground to one that rises towards DIRECTION (degrees; 0 is +X)", [n](const Words& w) {
        return Edit(SlopeEdit{n("--slope", w[0]), n("--slope", w[1])});
      });
  command->callback([options] {
    if (std::filesystem::path(options->out).extension() != ".bvh") {
      throw InputError("--out", options->out, "a file that ends in .bvh");
    }
    const Clip before = load_clip(options->motion, options->import);
    const Clip after = apply_slopes(apply_edits(before, options->edits), options->edits);
    write_file(options->out, write_bvh(after));
    print("{}: {} edit{}, {} frames at {:.6g} Hz, {:.2f} s (was {:.2f} s)\n", options->out,
          options->edits.size(), options->edits.size() == 1 ? "" : "s", after.frame_count(), after.fps,
          after.duration(), before.duration());
  });
}

}  // namespace stunt

#include "batch.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

#include "stunt/core/error.h"

namespace stunt {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::vector<std::string> motion_files(const std::string& folder) {
  if (!fs::is_directory(folder)) throw InputError(folder, "no such folder", "a folder with motion files");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string ending = entry.path().extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    static const std::vector<std::string> kEndings = {".bvh",  ".amc", ".fbx",  ".glb",
                                                      ".gltf", ".npz", ".json", ".txt"};
    const bool licence = entry.path().stem() == "README" || entry.path().stem() == "LICENSE";
    if (entry.is_regular_file() && !licence &&
        std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end()) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty())
    throw InputError(folder, "no motion files", "BVH, AMC, FBX, glTF, NPZ or DeepMimic files");
  return files;
}

std::vector<ordered_json> in_processes(int count, int jobs, const std::function<ordered_json(int)>& work,
                                       Progress& progress) {
  struct Child {
    int index, pipe;
    pid_t pid;
    std::string text;
  };
  std::vector<ordered_json> results(count);
  std::vector<Child> children;
  int next = 0, finished = 0;
  while (finished < count) {
    while (next < count && static_cast<int>(children.size()) < jobs) {
      int ends[2];
      if (pipe(ends) != 0) throw RunError("cannot make a pipe for a child process");
      std::fflush(nullptr);
      const pid_t pid = fork();
      if (pid < 0) throw RunError("cannot start a child process");
      if (pid == 0) {
        close(ends[0]);
        const std::string text = work(next).dump();
        for (std::size_t sent = 0; sent < text.size();) {
          const ssize_t n = write(ends[1], text.data() + sent, text.size() - sent);
          if (n <= 0) _exit(1);
          sent += static_cast<std::size_t>(n);
        }
        _exit(0);
      }
      close(ends[1]);
      children.push_back({next++, ends[0], pid, ""});
    }
    std::vector<pollfd> waits;
    for (const Child& child : children) waits.push_back({child.pipe, POLLIN, 0});
    poll(waits.data(), waits.size(), 200);
    if (interrupted()) {
      for (const Child& child : children) kill(child.pid, SIGKILL);
      throw RunError("interrupted; nothing was written");
    }
    for (std::size_t i = children.size(); i-- > 0;) {
      if (!(waits[i].revents & (POLLIN | POLLHUP))) continue;
      char buffer[65536];
      const ssize_t n = read(children[i].pipe, buffer, sizeof buffer);
      if (n > 0) {
        children[i].text.append(buffer, static_cast<std::size_t>(n));
        continue;
      }
      close(children[i].pipe);
      int status = 0;
      waitpid(children[i].pid, &status, 0);
      results[children[i].index] = ordered_json::parse(children[i].text, nullptr, false);
      if (results[children[i].index].is_discarded()) {
        results[children[i].index] = {{"error", "the process that simulated it crashed"}};
      }
      children.erase(children.begin() + static_cast<long>(i));
      progress.update(++finished);
    }
  }
  return results;
}

}  // namespace stunt

// The files of one run, which appear in their folder together.
//
// They are written to a private folder beside. commit() takes over whatever else is in the folder (a person's notes, as
// hard links) and exchanges the two folders in one step, under a lock on the folder above: at every moment the folder
// holds the files of one run, even when runs are killed or two write to the same place. What an earlier run wrote and
// this one did not (the hidden list kListFile knows) goes with the old folder.
//
// Where folders cannot be exchanged - the file system refuses, somebody is at work in the folder (it is the current one),
// or it holds more than a few things - the files are renamed into it one after the other.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stunt/core/temporary.h"

namespace stunt {

class OutputFolder {
 public:
  static constexpr const char* kListFile = ".stunt-files";  // names of the run's files, one in a line

  explicit OutputFolder(std::filesystem::path folder);  // InputError when a file has that name
  ~OutputFolder();  // without commit() nothing remains and earlier files are untouched
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  void add(const std::string& name, std::string_view bytes);  // InputError when a name is added twice
  void commit();
  const std::filesystem::path& path() const { return folder_; }

 private:
  void begin();

  std::filesystem::path folder_;  // as given
  std::filesystem::path target_;  // the same, absolute and without links
  Temporary private_;             // holds the new folder
  std::filesystem::path new_;
  std::set<std::string> names_;
  std::vector<std::filesystem::path> made_folders_;  // innermost first
};

}  // namespace stunt

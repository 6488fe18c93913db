// What the lines of a log say of a crash in it. No exceptions, bounded memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"

namespace goldsmith::owner {

class Crash {
 public:
  // The next line.
  void add(std::string_view line);

  // The libraries that the last backtrace leads through, without those of the system, the innermost
  // first, at most 6; or what the kernel named. If the innermost has a source in it, that one.
  const std::vector<std::string>& files() const { return files_; }
  // The file of the last plugin that the log names, "" if it names none.
  const std::string& plugin() const { return plugin_; }
  // Those, and the last plugin and native that the log names.
  std::vector<base::Message> told() const;

 private:
  void add_file(std::string_view path);
  void add_name(std::string_view name);

  std::vector<std::string> files_;
  std::string plugin_;
  std::string native_;
};

}  // namespace goldsmith::owner

// Where a file of an upstream archive goes, if anywhere (decision S14).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/component.hpp"

namespace goldsmith::mirror {

class Install {
 public:
  // `rules` must outlive the object; `longest` bounds final paths, in bytes.
  Install(const domain::InstallRules& rules, std::uint64_t longest)
      : rules_(rules), longest_(longest) {}

  // The final path; nothing when the name, a `drop` glob or the map leaves the file out. Throws
  // RefusedEntry when the map makes an unsafe path of it.
  std::optional<std::string> final_path(const std::string& path) const;

  bool makes_executable(std::string_view final_path) const;

 private:
  bool is_dropped(std::string_view path) const;
  std::optional<std::string> mapped(std::string_view path) const;

  const domain::InstallRules& rules_;
  std::uint64_t longest_;
};

}  // namespace goldsmith::mirror

// Where a file of an upstream archive goes, if anywhere (decision S14).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/domain/component.hpp"

namespace goldsmith::unpack {

class Install {
 public:
  // `rules` must outlive the object; `max_length` bounds final paths, in bytes.
  Install(const domain::InstallRules& rules, std::uint64_t max_length)
      : rules_(rules), max_length_(max_length) {}

  // The final path; std::nullopt if the name, a `drop` glob or the map leaves the file out. Throws
  // RefusedEntry if the map produces an unsafe path.
  std::optional<std::string> final_path(const std::string& path) const;

  bool makes_executable(std::string_view final_path) const;

 private:
  bool is_dropped(std::string_view path) const;
  std::optional<std::string> mapped(std::string_view path) const;

  const domain::InstallRules& rules_;
  std::uint64_t max_length_;
};

}  // namespace goldsmith::unpack

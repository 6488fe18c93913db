#include "app/scan/unread_sources.hpp"

#include <utility>

#include <fmt/core.h>

namespace goldsmith::scan {

void UnreadSources::refuse(const std::string& path, const std::string& why) {
  ScannedPlugin plugin;
  plugin.path = path;
  plugin.refused = why;
  add(std::move(plugin));
}

void UnreadSources::postpone(const std::string& path) {
  ScannedPlugin plugin;
  plugin.path = path;
  plugin.is_late = true;
  plugin.why = "not read yet: the time of this call was over; the next one goes on";
  add(std::move(plugin));
}

void UnreadSources::add(ScannedPlugin plugin) {
  constexpr std::size_t kMostListed = 10'000;
  if (listed_ < kMostListed || record_.slug_of(plugin.path, "")) {
    ++listed_;
    plugins_.push_back(std::move(plugin));
  } else if (unlisted_++ == 0) {
    first_unlisted_ = std::move(plugin.path);
  }
}

void UnreadSources::finish() {
  if (unlisted_ == 0) return;
  ScannedPlugin plugin;
  plugin.path = std::move(first_unlisted_);
  plugin.refused = unlisted_ == 1 ? "is not read, and not listed with its reason: too many are"
                                  : fmt::format(
                                        "and {} others are not read, and not listed with "
                                        "their reasons: too many are",
                                        unlisted_ - 1);
  plugins_.push_back(std::move(plugin));
}

}  // namespace goldsmith::scan

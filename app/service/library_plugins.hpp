// The directory plugins that register libraries and natives, which other plugins need (decision
// S26).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/service/toolchain_watch.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::service {

class LibraryPlugins {
 public:
  // `verdicts`: of access::Freshness.
  LibraryPlugins(db::PluginStore& plugins, const ToolchainWatch& toolchains,
                 std::function<std::int64_t()> verdicts)
      : plugins_(plugins), toolchains_(toolchains), verdicts_(std::move(verdicts)) {}

  enum class Kind { library, native };  // a name of a library is in lower case

  // The most downloaded plugin whose newest version registers that, as a check with the line's
  // toolchain found; null if there is none. Valid until the next call. Reads the plugins again when
  // the epoch or the verdicts have moved. Throws db::Error.
  const db::LibraryPlugin* find(Kind kind, const std::string& name, const std::string& line,
                                std::uint64_t epoch);

 private:
  using Basis = std::pair<std::uint64_t, std::int64_t>;  // epoch and verdicts

  db::PluginStore& plugins_;
  const ToolchainWatch& toolchains_;
  std::function<std::int64_t()> verdicts_;
  std::optional<Basis> basis_;  // of known_
  std::vector<db::LibraryPlugin> known_;
};

}  // namespace goldsmith::service

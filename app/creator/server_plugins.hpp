// The directory plugins of a server build: which versions, compiled for its platform (decision S7).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/compile/compiled_plugin_cache.hpp"
#include "app/compile/plugin_sources.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/plan.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/permit.hpp"

namespace goldsmith::creator {

// How many versions of a plugin are tried, the newest included, until one compiles.
inline constexpr std::size_t kVersionsTried = 4;

// A plugin that was asked for, before anything is compiled.
struct AskedPlugin {
  Token token;
  std::string name;  // "" = the directory has no such plugin
  // The pinned version or else the newest one, or why there is nothing to compile.
  std::variant<SkipReason, domain::PluginVersion> found;

  bool is_published() const { return !name.empty(); }
};
struct AskedPlugins {
  std::vector<AskedPlugin> plugins;
  std::vector<Unavailable> unavailable;  // pinned versions that can't be compiled
};

struct CompiledPlugins {
  std::vector<PluginOutcome> plugins;
  std::vector<Unavailable> unavailable;  // pinned versions that don't compile
  bool is_final = true;                  // false: compiled once more, they may come out otherwise
};

class ServerPlugins {
 public:
  ServerPlugins(const compile::PluginSources& plugins, const compile::CompiledPluginCache& compiled)
      : plugins_(plugins), compiled_(compiled) {}

  // Reads no content. Throws db::Error, PluginGone and, if their files are too many,
  // domain::Failure.
  AskedPlugins look_up(const std::vector<Token>& asked);

  // Compiles with the toolchain of that line. A version that is not pinned and does not compile
  // gives way to an older published one, kVersionsTried in all. If there is none, the newest or
  // pinned one is compiled with the toolchain of an older line. `may_compile` as of
  // CompiledPluginCache::get. Throws db::Error, PluginGone and as that does.
  CompiledPlugins compile(std::vector<AskedPlugin> asked, const std::string& toolchain_line,
                          const compile::ComponentIncludes& components,
                          const std::optional<domain::Permit>& may_compile);

 private:
  AskedPlugin look_up(const Token& token, db::NewestVersion* newest,
                      std::vector<Unavailable>& unavailable) const;
  void load_files(AskedPlugins& asked) const;

  const compile::PluginSources& plugins_;
  const compile::CompiledPluginCache& compiled_;
};

}  // namespace goldsmith::creator

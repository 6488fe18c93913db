#include "app/creator/server_plugins.hpp"

#include <algorithm>
#include <utility>

#include "app/pawn/amxx_file.hpp"

namespace goldsmith::creator {
namespace {

using base::N_;
using creator::SkipReason;

// The pinned version of a plugin can't be chosen. `text` names it as `{version}` of `{plugin}`.
Unavailable unavailable_pin(const AskedPlugin& plugin, std::string_view text,
                            std::vector<base::Message::Value> values = {}) {
  values.emplace_back("version", plugin.token.version);
  values.emplace_back("plugin", plugin.name);
  return {"plugin:" + plugin.token.slug, plugin.name, base::Message(text, std::move(values))};
}

// One compile after the other, for one build.
class Compiles {
 public:
  Compiles(const compile::PluginSources& plugins, const compile::CompiledPluginCache& compiled,
           const std::string& line, const compile::ComponentIncludes& components,
           const std::optional<domain::Permit>& may_compile)
      : plugins_(plugins),
        compiled_(compiled),
        line_(line),
        components_(components),
        may_compile_(may_compile) {}

  void add(AskedPlugin asked);
  CompiledPlugins take() { return std::move(all_); }

 private:
  // Why a version is not in this build.
  struct Skipped {
    SkipReason reason;
    std::string missing_include = {};  // of Rejected, as is the hint
    std::string hint = {};
  };
  using Result = std::variant<Skipped, creator::CompiledPlugin>;
  // Notes in `outcome` what is said of the newest version.
  Result compile(AskedPlugin& asked, PluginOutcome& outcome);
  Result compile(domain::PluginVersion version, const std::string& line);
  // `newest` was compiled and skipped.
  Result compile_older(const domain::Slug& slug, const domain::Version& newest, Skipped skipped);
  // The version was rejected. Notes in `outcome` which line it is that compiles it.
  Result compile_for_older_platform(const domain::Slug& slug, const domain::Version& version,
                                    Skipped skipped, PluginOutcome& outcome);

  const compile::PluginSources& plugins_;
  const compile::CompiledPluginCache& compiled_;
  const std::string& line_;
  const compile::ComponentIncludes& components_;
  const std::optional<domain::Permit>& may_compile_;
  CompiledPlugins all_;
};

Compiles::Result Compiles::compile(domain::PluginVersion version, const std::string& line) {
  if (!domain::entry_point(version)) return Skipped{SkipReason::no_source};
  if (version.content_digest.empty()) plugins_.describe(version);
  compile::CompiledOutcome outcome =
      compiled_.get(line, version, may_compile_, components_,
                    [&](domain::PluginVersion& each) { plugins_.load_sources(each); });
  if (const auto* rejected = std::get_if<compile::Rejected>(&outcome)) {
    all_.is_final = all_.is_final && rejected->is_final;
    return Skipped{SkipReason::rejected, rejected->missing_include, rejected->hint};
  }
  auto& compiled = std::get<compile::CompiledBinary>(outcome);
  auto needs = pawn::plugin_needs(compiled.binary);
  return CompiledPlugin{std::move(version),
                        std::move(compiled.binary),
                        std::move(compiled.content_digest),
                        std::move(compiled.toolchain_fingerprint),
                        std::move(needs).value_or(domain::PluginNeeds()),
                        std::move(compiled.warnings)};
}

// The newest of the others that compiles; `skipped` if none does.
Compiles::Result Compiles::compile_older(const domain::Slug& slug, const domain::Version& newest,
                                         Skipped skipped) {
  const auto plugin = plugins_.store().find(slug);
  if (!plugin) return skipped;  // gone meanwhile
  std::size_t tried = 1;
  for (const domain::PluginVersion& older : plugin->versions) {
    if (older.version == newest || !domain::entry_point(older)) continue;
    if (++tried > kVersionsTried) break;
    auto found = plugins_.find_version(slug, older.version);
    if (!found) continue;
    Result result = compile(std::move(found->version), line_);
    if (!std::holds_alternative<Skipped>(result)) return result;
  }
  return skipped;
}

// AMX Mod X loads what the compilers of its former lines made. An include that is missing is not
// there for them either.
Compiles::Result Compiles::compile_for_older_platform(const domain::Slug& slug,
                                                      const domain::Version& version,
                                                      Skipped skipped, PluginOutcome& outcome) {
  if (skipped.reason != SkipReason::rejected || !skipped.missing_include.empty()) return skipped;
  const std::vector<std::string>& lines = domain::toolchain_lines();
  std::optional<db::PublishedVersion> found;
  for (auto older = std::find(lines.rbegin(), lines.rend(), line_); older != lines.rend();
       ++older) {
    if (*older == line_ || !compiled_.can_compile(*older)) continue;
    if (!found) found = plugins_.find_version(slug, version);
    if (!found) break;  // gone meanwhile
    Result result = compile(found->version, *older);
    if (std::holds_alternative<Skipped>(result)) continue;
    outcome.older_line = *older;
    return result;
  }
  return skipped;
}

// The newest version that compiles for the platform, or else for an older one; of a pinned plugin
// the pinned version or none.
Compiles::Result Compiles::compile(AskedPlugin& asked, PluginOutcome& outcome) {
  auto* version = std::get_if<domain::PluginVersion>(&asked.found);
  if (!version) return Skipped{std::get<SkipReason>(asked.found)};
  const domain::Version newest = version->version;
  Result result = compile(std::move(*version), line_);
  if (std::holds_alternative<CompiledPlugin>(result)) return result;
  const auto skipped = std::get<Skipped>(result);
  outcome.missing_include = skipped.missing_include;
  outcome.hint = skipped.hint;
  const domain::Slug slug = *domain::Slug::parse(asked.token.slug);
  if (asked.token.version.empty()) result = compile_older(slug, newest, skipped);
  if (std::holds_alternative<Skipped>(result)) {
    return compile_for_older_platform(slug, newest, skipped, outcome);
  }
  outcome.passed_over = PassedOver{newest, skipped.reason};
  return result;
}

void Compiles::add(AskedPlugin asked) {
  PluginOutcome outcome{asked.token.slug, SkipReason::unknown, asked.name};
  Result result = compile(asked, outcome);
  const auto* skipped = std::get_if<Skipped>(&result);
  if (skipped && skipped->reason == SkipReason::rejected && !asked.token.version.empty()) {
    all_.unavailable.push_back(
        outcome.hint.empty()
            ? unavailable_pin(asked, N_("Version {version} of {plugin} does not compile for the "
                                        "selected platform."))
            : unavailable_pin(asked,
                              N_("Version {version} of {plugin} does not compile for the selected "
                                 "platform. {hint}"),
                              {{"hint", base::Message(outcome.hint)}}));
    return;
  }
  if (skipped) {
    outcome.result = skipped->reason;
  } else {
    outcome.result = std::move(std::get<CompiledPlugin>(result));
  }
  all_.plugins.push_back(std::move(outcome));
}

}  // namespace

// `newest`: null if the directory has no such plugin. The version has no files yet.
AskedPlugin ServerPlugins::look_up(const Token& token, db::NewestVersion* newest,
                                   std::vector<Unavailable>& unavailable) const {
  AskedPlugin asked{token, "", SkipReason::unknown};
  if (newest == nullptr) return asked;
  asked.name = newest->name.empty() ? token.slug : newest->name;
  asked.found = SkipReason::unpublished;
  const bool is_pinned = !token.version.empty();
  std::optional<domain::PluginVersion>& version = newest->version;
  std::vector<base::Message::Value> latest;
  if (version) latest.emplace_back("latest", version->version.str());
  if (is_pinned && (!version || version->version != token.version)) {
    const auto pin = domain::Version::parse(token.version);
    auto found =
        pin ? plugins_.store().find_head(*domain::Slug::parse(token.slug), *pin) : std::nullopt;
    version = found ? std::optional(std::move(found->version)) : std::nullopt;
  }
  if (is_pinned && !version) {
    const std::string_view text =
        latest.empty() ? N_("Version {version} of {plugin} is not available here.")
                       : N_("Version {version} of {plugin} is not available here. The latest is "
                            "{latest}.");
    unavailable.push_back(unavailable_pin(asked, text, std::move(latest)));
  } else if (version) {
    asked.found = std::move(*version);
  }
  return asked;
}

void ServerPlugins::load_files(AskedPlugins& asked) const {
  std::vector<domain::PluginVersion*> versions;
  std::vector<std::int64_t> ids;
  for (AskedPlugin& plugin : asked.plugins) {
    auto* version = std::get_if<domain::PluginVersion>(&plugin.found);
    if (version == nullptr) continue;
    versions.push_back(version);
    ids.push_back(version->id);
  }
  check_files(plugins_.store().file_totals(ids));
  plugins_.load_files(versions);
}

AskedPlugins ServerPlugins::look_up(const std::vector<Token>& asked) {
  std::vector<domain::Slug> slugs;
  for (const Token& token : asked) {
    if (const auto slug = domain::Slug::parse(token.slug)) slugs.push_back(*slug);
  }
  auto newest = plugins_.store().find_newest(slugs);
  AskedPlugins all;
  for (const Token& token : asked) {
    const auto slug = domain::Slug::parse(token.slug);
    const auto found = slug ? newest.find(*slug) : newest.end();
    all.plugins.push_back(
        look_up(token, found == newest.end() ? nullptr : &found->second, all.unavailable));
  }
  load_files(all);
  for (AskedPlugin& plugin : all.plugins) {
    const auto* version = std::get_if<domain::PluginVersion>(&plugin.found);
    if (version == nullptr || plugin.token.version.empty() || domain::entry_point(*version)) {
      continue;
    }
    all.unavailable.push_back(
        unavailable_pin(plugin, N_("Version {version} of {plugin} has no source to compile.")));
    plugin.found = SkipReason::unpublished;
  }
  return all;
}

CompiledPlugins ServerPlugins::compile(std::vector<AskedPlugin> asked,
                                       const std::string& toolchain_line,
                                       const compile::ComponentIncludes& components,
                                       const std::optional<domain::Permit>& may_compile) {
  Compiles compiles(plugins_, compiled_, toolchain_line, components, may_compile);
  for (AskedPlugin& plugin : asked) compiles.add(std::move(plugin));
  return compiles.take();
}

}  // namespace goldsmith::creator

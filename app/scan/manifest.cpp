#include <algorithm>
#include <exception>
#include <optional>
#include <random>
#include <tuple>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/parallel.hpp"
#include "app/base/text.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/content.hpp"
#include "app/directory/compile_checks.hpp"
#include "app/domain/names.hpp"
#include "app/domain/record.hpp"
#include "app/pawn/diagnostics.hpp"
#include "app/scan/host.hpp"
#include "app/scan/scanner.hpp"

namespace goldsmith::scan {

namespace {

constexpr const char* kManifest = "plugin.json";
constexpr const char* kProposed = "proposed";

using Contents = std::map<std::string, std::string>;  // by path

std::string place_of(const domain::PluginFile& file) {
  return file.install_dir.empty() ? file.filename : file.install_dir + '/' + file.filename;
}

// Where a version's files are in the plugin's folder.
std::string folder_in(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  return plugin.others.empty() ? "" : version.version.version.str() + '/';
}

json::Object view(const ScannedPlugin& plugin, const ScannedPlugin& version) {
  json::Array files;
  for (const domain::PluginFile& file : version.version.files) {
    json::Object entry{{"path", folder_in(plugin, version) + place_of(file)},
                       {"install_dir", file.install_dir}};
    if (file.is_primary) entry.emplace("primary", true);
    files.emplace_back(std::move(entry));
  }
  return {{"version", version.version.version}, {"files", std::move(files)}};
}

void sort_files(domain::PluginVersion& version) {
  std::sort(version.files.begin(), version.files.end(), [](const auto& one, const auto& other) {
    return std::tie(one.filename, one.install_dir) < std::tie(other.filename, other.install_dir);
  });
}

std::string category_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  if (!options.category.empty()) return options.category;
  return plugin.topics.category.empty() ? "general" : plugin.topics.category.str();
}

// "" if there is none.
std::string digest_on_disk(const base::HeldFolder& folder, const std::string& file) {
  return folder.entry(file) ? base::sha256_hex(folder.read(file)) : "";
}

// The fields, and the files, in which a proposal differs from what is there.
std::string differences(const base::HeldFolder& folder, const std::string& plugin,
                        const Contents& proposed) {
  std::vector<std::string> names;
  try {
    const json::Value there = json::parse(folder.read(plugin + kManifest));
    const json::Value other = json::parse(proposed.at(kManifest));
    for (const auto& [name, value] : *other.as_object()) {
      const json::Object* const object = there.as_object();
      const auto found = object ? object->find(name) : json::Object::const_iterator{};
      if (!object || found == object->end() || found->second != value) names.push_back(name);
    }
  } catch (const std::exception&) {
    names.emplace_back(kManifest);
  }
  for (const auto& [path, content] : proposed) {
    if (path == kManifest || digest_on_disk(folder, plugin + path) == base::sha256_hex(content)) {
      continue;
    }
    names.push_back(path);
  }
  constexpr std::size_t kMostNamed = 6;
  const std::string more = names.size() > kMostNamed ? ", …" : "";
  names.resize(std::min(names.size(), kMostNamed));
  return base::join(names, ", ") + more;
}

class PluginFolder {
 public:
  PluginFolder(const base::HeldFolder& folder, const domain::Slug& slug, Contents contents,
               RecordedPlugin& record)
      : folder_(folder), place_(slug.str() + '/'), contents_(std::move(contents)), record_(record) {
    std::string all;
    for (const auto& [path, content] : contents_) {
      digests_.emplace(path, base::sha256_hex(content));
      all += path + '\n' + digests_[path] + '\n';
    }
    found_ = base::sha256_hex(all);
  }

  // For a plugin that has become a version of another one. True if nothing of it is left.
  bool remove() {
    if (is_edited()) return false;
    remove_stale();
    folder_.remove_all(place_ + kProposed);
    record_.files.clear();
    return true;
  }

  // Returns what a person should know; "" for nothing.
  std::string update() {
    const bool is_new = digest_of(kManifest).empty();
    std::string remark;
    if (is_new || !is_edited() || is_as_found()) {
      write_all();
    } else if (found_ != record_.found_sha256) {
      propose();
      remark = (folder_.path() / place_).parent_path().string() + " was edited and is kept; " +
               kProposed + "/ in it is what the scan found, with other " +
               differences(folder_, place_, contents_);
    }
    record_.found_sha256 = found_;
    return remark;
  }

 private:
  std::string digest_of(const std::string& path) const {
    return digest_on_disk(folder_, place_ + path);
  }

  bool is_edited() const {
    if (record_.files.empty()) return true;  // by whoever made it
    return std::any_of(record_.files.begin(), record_.files.end(), [&](const auto& each) {
      return !domain::is_relative_path(each.first) || digest_of(each.first) != each.second;
    });
  }

  bool is_as_found() const {
    return std::all_of(digests_.begin(), digests_.end(),
                       [&](const auto& each) { return digest_of(each.first) == each.second; });
  }

  void write_all() {
    remove_stale();
    for (const auto& [path, content] : contents_) {
      if (digest_of(path) != digests_.at(path)) folder_.write(place_ + path, content);
    }
    folder_.remove_all(place_ + kProposed);
    record_.files = digests_;
  }

  // What the scan wrote, and is not found any more, with the folders that are empty then.
  void remove_stale() const {
    for (const auto& [path, digest] : record_.files) {
      if (digests_.contains(path) || !domain::is_relative_path(path)) continue;
      if (digest_of(path) != digest) continue;
      std::string name = place_ + path;
      while (folder_.remove(name) && name.find('/') != name.npos) name.erase(name.rfind('/'));
    }
  }

  void propose() const {
    folder_.remove_all(place_ + kProposed);
    for (const auto& [path, content] : contents_) {
      folder_.write(place_ + kProposed + '/' + path, content);
    }
  }

  const base::HeldFolder& folder_;
  const std::string place_;  // in it, with a slash at its end
  const Contents contents_;
  RecordedPlugin& record_;
  std::map<std::string, std::string> digests_;
  std::string found_;
};

}  // namespace

// The newest is what the plugin's folder has as its own, and older ones are below their version.
std::vector<const ScannedPlugin*> versions_of(const ScannedPlugin& plugin) {
  std::vector<const ScannedPlugin*> versions{&plugin};
  versions.insert(versions.end(), plugin.others.begin(), plugin.others.end());
  std::sort(versions.begin(), versions.end(), [](const auto* one, const auto* other) {
    return domain::natural_order(one->version.version, other->version.version) > 0;
  });
  return versions;
}

std::map<std::string, std::string> contents_of(const ScannedPlugin& plugin,
                                               const ManifestOptions& options) {
  Contents contents;
  for (const ScannedPlugin* version : versions_of(plugin)) {
    for (const domain::PluginFile& file : version->version.files) {
      contents.emplace(folder_in(plugin, *version) + place_of(file), file.content);
    }
  }
  contents.insert_or_assign(kManifest, json::to_pretty_string(manifest_of(plugin, options)) + "\n");
  return contents;
}

json::Object manifest_of(const ScannedPlugin& plugin, const ManifestOptions& options) {
  const std::vector<const ScannedPlugin*> versions = versions_of(plugin);
  const ScannedPlugin& newest = *versions.front();
  const pawn::SourceFacts& facts = newest.facts;
  json::Array commands;
  for (const pawn::CommandFact& command : facts.commands) {
    json::Object entry{{"name", command.name}, {"help", command.help}};
    if (command.flags) entry.emplace("flags", *command.flags);
    commands.emplace_back(std::move(entry));
  }
  json::Array made;
  for (const ScannedPlugin* version : versions) made.emplace_back(view(plugin, *version));
  json::Object manifest{{"slug", plugin.slug},
                        {"name", newest.name()},
                        {"summary", newest.prose.summary},
                        {"description", newest.prose.description},
                        {"category", category_of(newest, options)},
                        {"author", facts.author},
                        {"license", facts.license},
                        {"original_url", facts.url},
                        {"cvars", domain::to_json(facts.cvars)},
                        {"commands", std::move(commands)},
                        {"toolchain", newest.toolchain},
                        {"versions", std::move(made)}};
  if (!newest.topics.tags.empty()) {
    manifest.emplace("tags",
                     json::array_of(newest.topics.tags, [](const auto& each) { return each.tag; }));
  }
  if (!newest.topics.game_modes.empty()) {
    manifest.emplace("game_modes", domain::to_json(newest.topics.game_modes));
  }
  if (options.is_published) manifest.emplace("status", "published");
  return manifest;
}

std::vector<std::string> write_manifests(const base::HeldFolder& folder,
                                         const ScannedPlugins& plugins,
                                         const ManifestOptions& options, ScanRecord& record) {
  std::vector<std::string> remarks;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.slug.empty()) continue;
    if (const auto former = record.plugins().find(plugin.former);
        former != record.plugins().end()) {
      if (!PluginFolder(folder, *domain::Slug::parse(plugin.former), {}, former->second).remove()) {
        remarks.push_back((folder.path() / plugin.former).string() +
                          " was edited and is kept; the plugin is " + plugin.slug.str() + " now");
      }
      record.plugins().erase(former);
    }
    RecordedPlugin& recorded = record.plugins()[plugin.slug.str()];
    recorded.source = plugin.path;
    recorded.source_sha256 = plugin.source_sha256;
    const auto folder_with = [&](Contents contents) {
      return PluginFolder(folder, plugin.slug, std::move(contents), recorded);
    };
    if (plugin.is_written()) {
      std::string remark = folder_with(contents_of(plugin, options)).update();
      if (!remark.empty()) remarks.push_back(std::move(remark));
    } else if (!recorded.files.empty() &&
               !digest_on_disk(folder, plugin.slug.str() + '/' + kManifest).empty()) {
      const bool is_left_out =
          plugin.is_skipped || !plugin.part_of.empty() || !plugin.stock.empty();
      if (is_left_out && folder_with({}).remove()) continue;
      remarks.push_back((folder.path() / plugin.slug.view()).string() +
                        " is of an earlier scan and is kept; now: " + plugin.state() +
                        (plugin.why.empty() ? "" : ", " + plugin.why));
    }
  }
  return remarks;
}

std::string write_pack(const base::HeldFolder& folder, const ScannedPlugins& plugins,
                       const domain::Slug& pack, bool is_published, ScanRecord& record) {
  constexpr std::size_t kMostPlugins = 1000;
  json::Array slugs;
  std::size_t left_out = 0;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.state() != "ready") continue;
    if (slugs.size() == kMostPlugins) {
      ++left_out;
    } else {
      slugs.emplace_back(plugin.slug);
    }
  }
  json::Object manifest{{"slug", pack}, {"name", pack}, {"plugins", std::move(slugs)}};
  if (is_published) manifest.emplace("status", "published");
  const std::string text = json::to_pretty_string(manifest) + "\n";
  constexpr const char* kPack = "addon.json";
  const std::string file = (folder.path() / kPack).string();
  const std::string there = digest_on_disk(folder, kPack);
  const bool is_edited = !there.empty() && there != record.pack_sha256();
  if (is_edited && there != base::sha256_hex(text)) {
    folder.write("addon.json.proposed", text);
    return file + " was edited and is kept; addon.json.proposed is what the scan found";
  }
  folder.write(kPack, text);
  record.pack_sha256() = base::sha256_hex(text);
  if (left_out == 0) return "";
  return fmt::format("{} lacks {} of the plugins: a pack has at most 1000", file, left_out);
}

namespace {

class Compiling {
 public:
  Compiling(ScannedPlugins& plugins, const SourceTree& tree, const compile::Toolchains& toolchains,
            const std::vector<ScanLine>& lines, const base::CompileConfig& config,
            const KnownVerdict& known, std::chrono::steady_clock::time_point until)
      : plugins_(plugins),
        tree_(tree),
        toolchains_(toolchains),
        lines_(lines),
        known_(known),
        until_(until),
        compiler_(compile::command_compiler(config)) {}

  void run(std::size_t jobs, Progress& progress) {
    // Where the time may end, what comes first by name has not all of it in each call.
    const std::size_t first = std::random_device()();
    base::in_threads(
        jobs, plugins_.size(),
        [&](std::size_t, std::size_t i) {
          ScannedPlugin& plugin = plugins_[(first + i) % plugins_.size()];
          if (plugin.facts.is_plugin) compile_all(plugin);
        },
        [&](std::size_t done, std::size_t total) {
          progress.show_count("plugins compiled", done, total);
        });
  }

 private:
  // Keeps the verdict for the import.
  compile::Compilation compile(ScannedPlugin& plugin, const ScanLine& line) const try {
    const compile::CompileInputs inputs = compile::equip(
        line.toolchain, *line.includes, line.fingerprint, plugin.version, line.components);
    compile::Compilation made =
        compiler_.compile(inputs.toolchain, plugin.version, compile::Priority::normal);
    auto verdict =
        directory::verdict_of(made, inputs, line.components.offers.get(), line.toolchain.line,
                              line.fingerprint, line.natives, toolchains_);
    if (verdict) plugin.verdicts.push_back(*std::move(verdict));
    return made;
  } catch (const base::Interrupted&) {
    throw;
  } catch (const std::exception& failure) {  // such as a file that the depot lacks
    compile::Compilation made;
    made.cause = failure.what();
    return made;
  }

  // True if it need not be compiled.
  bool takes_known(ScannedPlugin& plugin) const {
    if (!known_) return false;
    domain::PluginVersion version = plugin.version;
    sort_files(version);
    const std::string digest = compile::content_digest(version);
    std::vector<domain::CompileVerdict> verdicts;
    for (const ScanLine& line : lines_) {
      std::optional<domain::CompileVerdict> verdict = known_(digest, line);
      if (!verdict || verdict->result == domain::CompileResult::undecided) return false;
      verdicts.push_back(*std::move(verdict));
    }
    for (const domain::CompileVerdict& verdict : verdicts) {
      const bool is_ok = verdict.result == domain::CompileResult::ok;
      plugin.results[verdict.toolchain] = is_ok ? "ok" : "failed";
      if (is_ok) {
        plugin.toolchain = verdict.toolchain;
      } else if (verdict.findings) {
        const std::string& hint = verdict.findings->hint;
        plugin.why = base::one_line(hint.empty() ? verdict.findings->errors : hint);
      }
    }
    plugin.verdicts = std::move(verdicts);
    return true;
  }

  void compile_all(ScannedPlugin& plugin) const {
    if (!takes_known(plugin)) {
      plugin.is_late = std::chrono::steady_clock::now() >= until_;
      if (plugin.is_late) {
        plugin.why = "not compiled yet: the time of this call was over; the next one goes on";
        return;
      }
      compile_with_each(plugin);
    }
    if (!plugin.facts.has_platform_version || plugin.toolchain.empty()) return;
    plugin.version.version = domain::Version::parse(plugin.toolchain).value();
    plugin.notes.push_back("its version is that of AMX Mod X, " + plugin.toolchain +
                           ": the source registers AMXX_VERSION_STR");
  }

  void compile_with_each(ScannedPlugin& plugin) const {
    for (const ScanLine& line : lines_) {
      const compile::Compilation made = compile(plugin, line);
      std::string& result = plugin.results[line.toolchain.line];
      if (made.result == compile::Result::compiled) {
        result = "ok";
        plugin.toolchain = line.toolchain.line;  // the newest comes last
        plugin.compiled_sha256 = base::sha256_hex(line.fingerprint + made.binary);
      } else {
        result = made.is_verdict() ? "failed" : "unknown";
        plugin.why = why(plugin, line, made);
      }
    }
  }

  std::string why(const ScannedPlugin& plugin, const ScanLine& line,
                  const compile::Compilation& made) const {
    if (made.result == compile::Result::unavailable) return "not compiled: " + made.cause;
    if (made.missing_include.empty()) return base::one_line(pawn::first_errors(made.output));
    const auto found = tree_.find(made.missing_include + ".inc", folder_of(plugin.path));
    if (!found.empty()) {
      return "the include \"" + made.missing_include + "\" is missing; it is at " + found[0]->path;
    }
    std::vector<std::string> missing{made.missing_include};
    for (const std::string& name : plugin.missing) {
      if (name != made.missing_include && !line.has(name)) missing.push_back(name);
    }
    const bool is_one = missing.size() == 1;
    return fmt::format("the include{} \"{}\" {} missing, in the scanned folders, too",
                       is_one ? "" : "s", base::join(missing, "\", \""), is_one ? "is" : "are");
  }

  ScannedPlugins& plugins_;
  const SourceTree& tree_;
  const compile::Toolchains& toolchains_;
  const std::vector<ScanLine>& lines_;
  const KnownVerdict& known_;
  const std::chrono::steady_clock::time_point until_;
  const compile::Compiler compiler_;
};

}  // namespace

void compile_sources(ScannedPlugins& plugins, const SourceTree& tree,
                     const compile::Toolchains& toolchains, const std::vector<ScanLine>& lines,
                     const base::CompileConfig& config, const KnownVerdict& known,
                     const Scanner::Request& request, Progress& progress) {
  Compiling(plugins, tree, toolchains, lines, config, known, request.compiles_until)
      .run(request.jobs, progress);
}

}  // namespace goldsmith::scan

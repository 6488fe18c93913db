#include "app/scan/scanner.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "app/archive/depot.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/text.hpp"
#include "app/compile/content.hpp"
#include "app/creator/catalog.hpp"
#include "app/pawn/includes.hpp"
#include "app/scan/archives.hpp"
#include "app/scan/plugin_tools.hpp"
#include "app/scan/steps.hpp"
#include "db/verdict_store.hpp"

namespace goldsmith::scan {

std::string digest_of(std::string_view source) {
  std::string plain;
  for (const std::string_view line : base::split(source, '\n')) {
    const std::size_t end = line.find_last_not_of(" \t\r");
    plain.append(line.substr(0, end == line.npos ? 0 : end + 1)) += '\n';
  }
  while (plain.ends_with("\n\n")) plain.pop_back();
  return base::sha256_hex(plain);
}

bool ScanLine::has(const std::string& include) const {
  return includes->in_any_case(include).has_value() ||
         (components.offers && components.offers->in_any_case(include).has_value());
}

class Stored {
 public:
  explicit Stored(const Host& host)
      : stock_(host.config, host.database(), compile::text_reader(), db::Drafts::found),
        verdicts_(host.database()) {}

  Directory directory() {
    Directory directory;
    directory.owners = *stock_.catalog.file_owners(0);
    for (const db::PluginOverview& each : stock_.plugins.list_all()) {
      directory.names.emplace(each.slug.str(), Directory::Name{each.name, each.author});
    }
    if (!components_) components_ = sources_of_components();
    directory.stock = *components_;
    directory.has_file = [this](const domain::Slug& slug, const std::string& sha1) {
      const auto plugin = stock_.plugins.find_any(slug);
      if (!plugin) return false;
      const auto has = [&](const domain::PluginVersion& version) {
        return std::any_of(version.files.begin(), version.files.end(),
                           [&](const domain::PluginFile& file) { return file.sha1 == sha1; });
      };
      return std::any_of(plugin->versions.begin(), plugin->versions.end(), has);
    };
    return directory;
  }

  std::optional<std::vector<std::string>> natives(const std::string& line) {
    return stock_.catalog.platform_natives(line, 0);
  }

  // Of a draft, or of what was edited in the folder, the verdict waits for who has that content.
  void keep_verdicts(const domain::Slug& slug, const domain::Version& version,
                     const ScannedPlugin& scanned, domain::Timestamp now) {
    const std::string& digest = scanned.content_digest;
    const auto stored = stock_.plugins.find_head(slug, version);
    const bool is_it = stored && stored->version.content_digest == digest;
    verdicts_.record(is_it ? stored->version.id : 0, digest, scanned.verdicts, now);
  }

  // For several threads, as what follows.
  std::optional<domain::CompileVerdict> verdict(const std::string& content_digest,
                                                const ScanLine& line) {
    const std::lock_guard lock(mutex_);
    auto verdict = verdicts_.find(content_digest, line.fingerprint);
    if (verdict) return verdict;
    // What depends on components is kept with the version alone.
    const compile::VerdictBasis basis({{line.toolchain.line, line.fingerprint}},
                                      [&](const std::string&) { return line.components.offers; });
    const auto kept = verdicts_.of_content(content_digest);
    const domain::CompileVerdict* found = basis.find(kept, line.toolchain.line);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }

  compile::ComponentIncludes includes(const std::string& line) {
    compile::ComponentIncludes includes = stock_.includes.newest(line, 0);
    includes.read = [this,
                     read = std::move(includes.read)](const compile::OfferedInclude& include) {
      const std::lock_guard lock(mutex_);
      return read(include);
    };
    includes.names = [this, names = std::move(includes.names)](
                         const compile::OfferedInclude& include, std::string_view content) {
      const std::lock_guard lock(mutex_);
      return names(include, content);
    };
    return includes;
  }

 private:
  // By digest_of(). What this host's depot lacks is not known.
  std::map<std::string, std::string> sources_of_components() {
    std::map<std::string, std::string> sources;
    const domain::Catalog catalog = stock_.components.load_catalog();
    for (const domain::Component& component : catalog.components()) {
      for (const domain::ComponentVersion& version : component.versions) {
        const auto file = stock_.depot.find(component.slug, version.version, version.digest);
        if (!file) continue;
        const archive::ZipReader reader(*file);
        for (const archive::ZipEntry& entry : reader.entries()) {
          if (!entry.path.ends_with(".sma") || entry.size > pawn::kLargestSource) continue;
          sources.emplace(digest_of(reader.read(entry)),
                          component.title() + ' ' + version.version.str());
        }
      }
    }
    return sources;
  }

  creator::Stock stock_;
  db::VerdictStore verdicts_;
  std::optional<std::map<std::string, std::string>> components_;
  std::mutex mutex_;
};

namespace {

void derive_topics(ScannedPlugins& plugins, const TopicTable& table) {
  for (ScannedPlugin& plugin : plugins) {
    if (!plugin.facts.is_plugin) continue;
    plugin.topics =
        table.topics_of(plugin.facts, plugin.prose.summary, plugin.files.front().filename());
  }
}

void note_shared_includes(ScannedPlugins& plugins) {
  std::map<const SourceFile*, int> uses;
  for (const ScannedPlugin& plugin : plugins) {
    for (const ScannedFile& file : plugin.files) ++uses[file.source];
  }
  for (ScannedPlugin& plugin : plugins) {
    for (ScannedFile& file : plugin.files) {
      const std::string name = base::to_lower_ascii(file.filename());
      const bool is_include = name.ends_with(".inc") || name.ends_with(".inl");
      file.is_shared = is_include && uses[file.source] > 1;
    }
  }
}

// Null, and it is said, if there is no database: scans work without.
std::unique_ptr<Stored> open_stored(const Host& host, bool is_needed) try {
  host.database();
  return std::make_unique<Stored>(host);
} catch (const std::exception& failure) {
  if (is_needed) throw;
  host.progress.report(
      "scanned without the directory, and without the includes and files of components: " +
      std::string(failure.what()));
  return nullptr;
}

std::vector<ScanLine> scan_lines(const compile::Toolchains& toolchains, Stored* stored) {
  std::vector<ScanLine> lines;
  for (const compile::Toolchain& toolchain : toolchains.installed()) {
    lines.push_back({toolchain, toolchains.fingerprint(toolchain),
                     &toolchains.include_index(toolchain),
                     stored ? stored->includes(toolchain.line) : compile::ComponentIncludes(),
                     stored ? stored->natives(toolchain.line) : std::nullopt});
  }
  if (lines.empty()) {
    throw Failure("no toolchain is installed; goldsmith-install-toolchain installs one");
  }
  return lines;
}

}  // namespace

Scanner::Scanner(const Host& host, bool needs_directory)
    : host_(host),
      toolchains_(host.config.toolchains, host.config.includes),
      stored_(open_stored(host, needs_directory)),
      lines_(scan_lines(toolchains_, stored_.get())),
      texts_(compile::text_reader()) {}

Scanner::~Scanner() = default;

ScannedPlugins Scanner::scan(const Request& request, const ScanRecord& record) {
  const base::Config& config = host_.config;
  const Directory directory = stored_ ? stored_->directory() : Directory();
  const auto tree = std::make_shared<SourceTree>(unpack_archives(config.mirror, host_.progress),
                                                 request.leave_out, request.bounds);
  request.add(*tree);
  ScannedPlugins plugins = read_sources(tree, texts_, lines_, record, directory, request.release,
                                        host_.progress, request.reads_until);
  KnownVerdict known;
  if (stored_) {
    known = [this](const std::string& digest, const ScanLine& line) {
      return stored_->verdict(digest, line);
    };
  }
  compile_sources(plugins, *tree, toolchains_, lines_, config.compile, known,
                  {request.jobs, request.compiles_until}, host_.progress);
  host_.progress.end();
  ask_about_names(plugins, record, directory);
  note_shared_includes(plugins);
  if (request.topics) derive_topics(plugins, *request.topics);
  return plugins;
}

void Scanner::keep_verdicts(const domain::Slug& slug, const domain::Version& version,
                            const ScannedPlugin& scanned) {
  stored_->keep_verdicts(slug, version, scanned, host_.now());
}

// The catalog of an operator may be of an older version, without one.
std::optional<TopicTable> topic_table(const std::filesystem::path& given, const Host& host) {
  if (!given.empty()) return TopicTable(given);
  const std::filesystem::path file = host.config.catalog / "topics.json";
  if (std::filesystem::exists(file)) return TopicTable(file);
  host.progress.report("scanned without deriving categories and tags: there is no " +
                       file.string());
  return std::nullopt;
}

}  // namespace goldsmith::scan

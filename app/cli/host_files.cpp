#include "app/cli/host_files.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;
using Held = base::HeldFolder;

constexpr const char* kConfiguration = "/etc/goldsmith";
constexpr const char* kNginx = "/etc/nginx";
constexpr const char* kUnits = "/etc/systemd/system";
constexpr const char* kState = "/var/lib/goldsmith";
constexpr const char* kCron = "/etc/cron.d";
constexpr std::uint64_t kMaxSite = 1U << 20;
// Of all files that are copied, some of which accounts with fewer rights write.
constexpr std::int64_t kMaxCopied = 4LL << 30;

bool is_below(const fs::path& path, const fs::path& folder) {
  const std::string& text = path.native();
  const std::string& above = folder.native();
  return text.size() > above.size() && text.starts_with(above) && text[above.size()] == '/';
}

bool is_of_package(const fs::path& unit) {
  return unit.parent_path() == "/lib/systemd/system" ||
         unit.parent_path() == "/usr/lib/systemd/system";
}

// Whether it is what `systemctl enable` makes.
bool is_wants(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.parent_path() == kUnits && folder.extension() == ".wants" &&
         path.filename().native().starts_with("goldsmith-");
}

// The links that a host has by setup, by this guide and of units that its operator made; any other
// one might lead anywhere.
bool is_known_link(const BackupEntry& entry) {
  const fs::path path = entry.path;
  const fs::path target = entry.target;
  if (path.parent_path() == fs::path(kNginx) / "sites-enabled") {
    return target.parent_path() == "../sites-available" ||
           target.parent_path() == fs::path(kNginx) / "sites-available";
  }
  return is_wants(path) && (is_of_package(target) || target.parent_path() == kUnits) &&
         target.filename().native().starts_with("goldsmith-");
}

bool names_our_parts(const std::string& text) {
  return text.find("/usr/share/goldsmith/") != std::string::npos ||
         text.find("/etc/nginx/goldsmith/") != std::string::npos ||
         text.find("include goldsmith/") != std::string::npos;
}

std::string group_name(gid_t group) {
  const ::group* const found = ::getgrgid(group);
  return found ? found->gr_name : std::to_string(group);
}

bool says_nothing(const fs::path& file) {
  std::error_code error;
  if (fs::file_size(file, error) > kMaxSite || error) return false;
  const std::string text = base::read_named(file, kMaxSite);
  return std::ranges::all_of(base::split(text, '\n'), [](std::string_view line) {
    line = base::trim_ascii(line);
    return line.empty() || line.starts_with('#') || line.starts_with(';');
  });
}

class Collector {
 public:
  Collector(const HostPlaces& places, const std::optional<fs::path>& target, fs::path spool)
      : places_(places), spool_(std::move(spool)) {
    if (target) target_ = Held(*target).entry("");
  }

  void add(const HostPlaces::Place& place) {
    using Kind = HostPlaces::Place::Kind;
    const fs::path parent = place.path.parent_path();
    std::error_code error;
    if (!fs::exists(parent, error)) return;
    if (place.kind == Kind::file) {
      const Held folder(parent);
      if (const auto entry = folder.entry(place.path.filename())) add(folder, "", *entry);
      return;
    }
    if (!fs::exists(place.path, error)) return;
    const Held folder(place.path);
    refuse_target(place.path, *folder.entry(""));
    if (place.kind == Kind::sites) return add_sites(folder);
    if (place.kind == Kind::wants) return add_wants(folder);
    if (place.kind == Kind::tree) add_folder(folder, "", *folder.entry(""));
    if (place.kind == Kind::depot) keeps_contents_ = true;
    for (const Held::Entry& entry : folder.entries()) {
      if (place.kind == Kind::depot && entry.name.starts_with('.')) continue;
      if (place.kind == Kind::units && !entry.name.starts_with("goldsmith")) continue;
      add(folder, "", entry);
    }
    keeps_contents_ = false;
  }

  CollectedFiles take() { return std::move(found_); }

 private:
  void add(const Held& folder, const std::string& above, const Held::Entry& entry) {
    base::check_interruption();
    const std::string name = above.empty() ? entry.name : above + '/' + entry.name;
    const fs::path path = folder.path() / name;
    if (places_.is_excluded(path) || base::is_temporary(path)) return;
    if (path.native().size() > kMaxBackupPath) {
      return leave_out(path, fmt::format("its path has more than {} bytes", kMaxBackupPath));
    }
    switch (entry.kind) {
      case Held::Kind::file:
        return add_file(folder, name, entry);
      case Held::Kind::folder:
        refuse_target(path, entry);
        add_folder(folder, name, entry);
        for (const Held::Entry& each : folder.entries(name)) add(folder, name, each);
        return;
      case Held::Kind::link:
        return add_link(folder, name, entry);
      case Held::Kind::other:
        return leave_out(path, "it is no file, folder or link");
    }
  }

  // Each backup would have all earlier ones in it.
  void refuse_target(const fs::path& path, const Held::Entry& folder) const {
    if (!target_ || !folder.is_same(*target_)) return;
    throw Failure(path.string() + " is itself backed up: name a FOLDER elsewhere, as /srv/backup");
  }

  // False if it is there already.
  bool is_new(const fs::path& path) {
    if (!paths_.insert(path).second) return false;
    if (paths_.size() <= kMaxBackupEntries) return true;
    throw Failure(fmt::format("{}: there are more than {} files to back up", path.string(),
                              kMaxBackupEntries));
  }

  void leave_out(const fs::path& path, const std::string& reason) {
    if (is_new(path)) found_.left_out.push_back({path.string(), reason});
  }

  // std::nullopt if it is there already: places overlap.
  std::optional<BackupEntry> describe(const fs::path& path, const char* kind,
                                      const Held::Entry& entry) {
    if (!base::is_printable(path.native())) {
      leave_out(path, "its name has control characters");
      return std::nullopt;
    }
    if (!is_new(path)) return std::nullopt;
    BackupEntry described;
    described.path = path.string();
    described.kind = kind;
    described.mode = entry.mode;
    described.owner = user_name(entry.owner);
    described.group = group_name(entry.group);
    return described;
  }

  void add_folder(const Held& folder, const std::string& name, const Held::Entry& entry) {
    const fs::path path = name.empty() ? folder.path() : folder.path() / name;
    if (auto described = describe(path, BackupEntry::kFolder, entry)) {
      found_.entries.push_back(*std::move(described));
    }
  }

  void add_link(const Held& folder, const std::string& name, const Held::Entry& entry) {
    auto described = describe(folder.path() / name, BackupEntry::kLink, entry);
    if (!described) return;
    described->mode = 0;
    described->target = folder.target_of(name);
    if (is_known_link(*described)) {
      found_.entries.push_back(*std::move(described));
    } else {
      found_.left_out.push_back(
          {described->path, "it is a link to " + base::printable(described->target)});
    }
  }

  void add_file(const Held& folder, const std::string& name, const Held::Entry& entry) {
    auto described = describe(folder.path() / name, BackupEntry::kFile, entry);
    if (!described) return;
    const base::UniqueFd fd = folder.open(name);
    fs::path content = described->path;
    if (keeps_contents_) {
      described->bytes = static_cast<std::int64_t>(entry.size);
      described->sha256 = base::sha256_of_file(fd, content);
    } else {
      content = spool_ / std::to_string(found_.contents.size());
      copy(fd, folder.path() / name, content, *described);
      copied_ += described->bytes;
    }
    found_.entries.push_back(*std::move(described));
    found_.contents.push_back(std::move(content));
  }

  void copy(const base::UniqueFd& from, const fs::path& path, const fs::path& to,
            BackupEntry& described) const {
    const base::UniqueFd out = base::open_file(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
    base::Sha256 digest;
    std::string chunk(256U << 10, '\0');
    for (;;) {
      const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw base::FileError(path, "can't be read", errno);
      if (got == 0) break;
      const std::string_view bytes(chunk.data(), static_cast<std::size_t>(got));
      digest.update(bytes);
      described.bytes += got;
      if (copied_ + described.bytes > kMaxCopied) {
        throw Failure(path.string() + ": with it, configuration and state have more than 4 GiB");
      }
      base::write_all(out.get(), bytes, to);
    }
    described.sha256 = digest.finish_hex();
  }

  void add_sites(const Held& folder) {
    for (const Held::Entry& entry : folder.entries()) {
      bool is_ours = false;
      if (entry.kind == Held::Kind::file && entry.size <= kMaxSite) {
        is_ours = names_our_parts(folder.read(entry.name, kMaxSite));
      } else if (entry.kind == Held::Kind::link) {
        const fs::path site = fs::path(kNginx) / "sites-available" /
                              fs::path(folder.target_of(entry.name)).filename();
        is_ours = paths_.contains(site);
      }
      if (is_ours) add(folder, "", entry);
    }
  }

  // Setup enables the units of the package.
  void add_wants(const Held& folder) {
    for (const Held::Entry& each : folder.entries()) {
      if (each.kind != Held::Kind::folder || !each.name.ends_with(".wants")) continue;
      for (const Held::Entry& entry : folder.entries(each.name)) {
        const std::string name = each.name + '/' + entry.name;
        if (entry.kind != Held::Kind::link || !is_wants(folder.path() / name)) continue;
        if (!is_of_package(folder.target_of(name))) add(folder, each.name, entry);
      }
    }
  }

  const HostPlaces& places_;
  const fs::path spool_;
  std::optional<Held::Entry> target_;
  bool keeps_contents_ = false;
  std::int64_t copied_ = 0;
  std::set<fs::path> paths_;
  CollectedFiles found_;
};

}  // namespace

fs::path last_backup_file(const base::Config& config) {
  return config.withdrawals.parent_path() / "last-backup";
}

bool HostPlaces::is_installed(const fs::path& config_file) {
  return config_file.parent_path() == kConfiguration;
}

HostPlaces::HostPlaces(const fs::path& config_file, const base::Config& config) {
  using Kind = Place::Kind;
  const fs::path etc = config_file.parent_path();
  if (is_installed(config_file)) {
    add(etc, Kind::tree);
    add(kState, Kind::tree);
    add(fs::path(kNginx) / "goldsmith", Kind::tree);
    // Those that links lead to before the links.
    for (const char* name : {"sites-available", "sites-enabled", "conf.d"}) {
      add(fs::path(kNginx) / name, Kind::sites);
    }
    add(kUnits, Kind::units);
    add(kUnits, Kind::wants);
    add(kCron, Kind::units);
  } else {
    for (const char* name : {"operator.conf", "api.conf", "build.conf"}) {
      add(etc / name, Kind::file);
    }
    add(config_file, Kind::file);
    add(etc / "conf.d", Kind::tree);
  }
  for (const fs::path& folder :
       {config.toolchains, config.includes, config.upstream.keys, config.followed}) {
    add(folder, Kind::tree);
  }
  add(config.withdrawals, Kind::file);
  for (const fs::path& file :
       {config.site.logo, config.upstream.github_token_file, config.upstream.ca_file,
        config.database.tls.certificate, config.database.tls.key, config.depot_peers.ca_file,
        config.depot_peers.tls_certificate, config.depot_peers.tls_key,
        config.depot_peers.allow_ca}) {
    if (!file.empty()) add(file, Kind::file);
  }
  if (config.database.tls.authorities != base::DatabaseTls().authorities) {
    add(config.database.tls.authorities, Kind::file);
  }
  add(config.depot, Kind::depot);
  for (const fs::path& path : {config.depot, config.archive_cache, config.artefact_cache,
                               config.state, last_backup_file(config)}) {
    excluded_.insert(path.lexically_normal());
  }
}

void HostPlaces::add(const fs::path& path, Place::Kind kind) {
  fs::path normal = path.lexically_normal();
  if (!normal.has_filename()) normal = normal.parent_path();
  places_.push_back({std::move(normal), kind});
}

bool HostPlaces::is_excluded(const fs::path& path) const { return excluded_.contains(path); }

bool HostPlaces::may_have(const BackupEntry& entry) const {
  if (entry.is_database()) return true;
  if (entry.kind == BackupEntry::kLink && !is_known_link(entry)) return false;
  const fs::path path = entry.path;
  return std::ranges::any_of(places_, [&](const Place& place) {
    switch (place.kind) {
      case Place::Kind::file:
        return path == place.path;
      case Place::Kind::tree:
        return path == place.path || is_below(path, place.path);
      case Place::Kind::depot:
        return is_below(path, place.path);
      case Place::Kind::sites:
        return path.parent_path() == place.path;
      case Place::Kind::units:
        return entry.path.starts_with(place.path.native() + "/goldsmith");
      case Place::Kind::wants:
        return entry.kind == BackupEntry::kLink && is_wants(path);
    }
    return false;
  });
}

CollectedFiles collect_files(const HostPlaces& places, const std::optional<fs::path>& target,
                             const fs::path& spool) {
  Collector collector(places, target, spool);
  for (const HostPlaces::Place& place : places.all()) {
    if (place.kind != HostPlaces::Place::Kind::depot) collector.add(place);
  }
  return collector.take();
}

CollectedFiles collect_depot(const HostPlaces& places, const std::optional<fs::path>& target) {
  Collector collector(places, target, {});
  for (const HostPlaces::Place& place : places.all()) {
    if (place.kind == HostPlaces::Place::Kind::depot) collector.add(place);
  }
  return collector.take();
}

fs::path spool_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/var/tmp";
}

std::vector<fs::path> site_certificates() {
  std::vector<fs::path> files;
  std::istringstream text;
  try {
    text.str(base::read_named(fs::path(kNginx) / "goldsmith" / "local.conf", kMaxSite));
  } catch (const base::FileError&) {
    return {};
  }
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string directive;
    std::string file;
    words >> directive >> file;
    if (directive != "ssl_certificate" && directive != "ssl_certificate_key") continue;
    std::erase_if(file, [](char c) { return c == ';' || c == '"' || c == '\''; });
    if (file.starts_with('/')) files.emplace_back(file);
  }
  return files;
}

Held::Attributes attributes_of(const BackupEntry& entry,
                               const std::function<void(const std::string&)>& report) {
  Held::Attributes attributes;
  attributes.mode = static_cast<mode_t>(entry.mode);
  if (::geteuid() != 0) return attributes;
  const auto lacks = [&](const char* what, const std::string& name) {
    report(entry.path + " becomes root's: this host has no " + what + " " + base::printable(name));
  };
  const passwd* const user = ::getpwnam(entry.owner.c_str());
  if (!user) lacks("user", entry.owner);
  attributes.owner = user ? user->pw_uid : 0;
  const ::group* const group = ::getgrnam(entry.group.c_str());
  if (!group) lacks("group", entry.group);
  attributes.group = group ? group->gr_gid : 0;
  return attributes;
}

Presence presence_of(const BackupEntry& entry) {
  const fs::path path = entry.path;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return Presence::absent;
  if (entry.kind == BackupEntry::kLink) {
    const bool is_same = fs::is_symlink(status) && fs::read_symlink(path) == entry.target;
    return is_same ? Presence::same : Presence::other;
  }
  if (entry.kind == BackupEntry::kFolder) {
    return fs::is_directory(path, error) ? Presence::same : Presence::other;
  }
  if (!fs::is_regular_file(status)) return Presence::other;
  const base::UniqueFd fd = base::open_named(path, O_RDONLY | O_NONBLOCK);
  if (base::sha256_of_file(fd, path) == entry.sha256) return Presence::same;
  return path.extension() == ".conf" && says_nothing(path) ? Presence::comments : Presence::other;
}

bool is_enabled_site(const BackupEntry& entry) {
  return fs::path(entry.path).parent_path() == fs::path(kNginx) / "sites-enabled";
}

}  // namespace goldsmith::cli

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string_view>

#include <fmt/core.h>

#include "app/base/file.hpp"
#include "app/base/text.hpp"
#include "app/cli/commands/doctor.hpp"
#include "app/cli/output.hpp"
#include "app/domain/timestamp.hpp"
#include "app/host/process.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSite = "/etc/nginx/sites-enabled/goldsmith";
constexpr const char* kLocalSite = "/etc/nginx/goldsmith/local.conf";
constexpr const char* kDepotClients = "/etc/nginx/goldsmith/depot-clients.conf";
constexpr const char* kSitePaths = "/etc/nginx/goldsmith/paths.conf";
constexpr const char* kReload = "renew it, then systemctl reload nginx";

constexpr std::uint64_t kLittleSpace = 2ULL << 30;  // bytes; an archive may have hundreds of MB
constexpr std::uint64_t kFewInodes = 50'000;        // more than cache.free_inodes, which stay free

bool exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// These files hold passwords.
void examine_password_file(const fs::path& file, mode_t allowed, const char* mode,
                           Findings& findings) {
  examine_mode(file, allowed, std::string("chmod ") + mode + ' ' + file.native(), findings);
}

// Of these files one group has the password, and no other.
void examine_owner(const fs::path& file, const char* group, Findings& findings) {
  const struct group* const wanted = ::getgrnam(group);
  struct stat info{};
  if (wanted == nullptr || ::stat(file.c_str(), &info) != 0) return;
  if (info.st_uid == 0 && info.st_gid == wanted->gr_gid) return;
  findings.bad(
      "permissions",
      fmt::format("{} is another's than root's and the group's {}", file.native(), wanted->gr_name),
      fmt::format("chown root:{} {}", wanted->gr_name, file.native()));
}

// The workers read these files as users of the group goldsmith.
void examine_group(const fs::path& file, Findings& findings) {
  const struct group* workers = ::getgrnam("goldsmith");
  struct stat info{};
  if (workers == nullptr || ::stat(file.c_str(), &info) != 0) return;
  const bool readable = (info.st_mode & S_IROTH) != 0 ||
                        ((info.st_mode & S_IRGRP) != 0 && info.st_gid == workers->gr_gid);
  if (readable) return;
  findings.bad("permissions", file.native() + " can't be read by the workers",
               "chgrp goldsmith " + file.native() + "; chmod 640 " + file.native());
}

// The files, and the options that several of them set: the last one applies (decision O15).
void examine_places(const base::LoadedConfig& loaded, Findings& findings) {
  const std::string files = base::join(loaded.files, ", ", &fs::path::native);
  findings.good("configuration", files + (loaded.files.size() == 1 ? " is good" : " are good"));
  for (const auto& [name, places] : loaded.places) {
    if (places.size() == 1) continue;
    findings.good("configuration", name + " is set in " + places.back() + ", which overrides " +
                                       places[places.size() - 2]);
  }
}

void examine_files(Context& context, Findings& findings) {
  const fs::path& file = context.config_file();
  examine_places(context.loaded_config(), findings);
  examine_password_file(file, 0640, "640", findings);
  examine_password_file(file.parent_path() / "conf.d", 0750, "2750", findings);
  for (const fs::path& each : base::with_drop_ins(file)) examine_group(each, findings);
  examine_password_file(file.parent_path() / "operator.conf", 0600, "600", findings);
  examine_owner(file.parent_path() / "operator.conf", "root", findings);
  examine_owner(file.parent_path() / "api.conf", "goldsmith-api", findings);
  examine_owner(file.parent_path() / "build.conf", "goldsmith-build", findings);
  examine_password_file(file.parent_path() / "api.conf", 0640, "640", findings);
  examine_password_file(file.parent_path() / "build.conf", 0640, "640", findings);
}

void examine_unit(const std::string& unit, Findings& findings) {
  const Answer answer = ask({"/usr/bin/systemctl", "is-active", unit});
  if (answer.good) return findings.good("units", unit + " is " + answer.text);
  findings.bad("units", unit + " is " + answer.text,
               "systemctl enable --now goldsmith.target; journalctl -u " + unit + " says more");
}

// The package removes it with the upgrade that ends well (scripts/deb/preinst).
void examine_upgrade(Findings& findings) {
  if (!exists("/etc/systemd/system/goldsmith-api@.service.d/previous.conf")) return;
  findings.bad("upgrade", "it is not complete: the workers are those of the version before",
               "dpkg --configure goldsmith; it says what is in the way");
}

void examine_units(Findings& findings) {
  if (!exists("/run/systemd/system") || !exists("/lib/systemd/system/goldsmith.target")) return;
  examine_upgrade(findings);
  for (const char* unit : {"goldsmith.target", "goldsmith-api.socket", "goldsmith-build.socket",
                           "goldsmith-api@1.service", "goldsmith-build@1.service",
                           "goldsmith-cache-prune.timer", "goldsmith-log-prune.timer",
                           "goldsmith-plugin-check.timer", "goldsmith-build-start.path"}) {
    examine_unit(unit, findings);
  }
  const Answer synchronised =
      ask({"/usr/bin/timedatectl", "show", "--property=NTPSynchronized", "--value"});
  if (synchronised.good && synchronised.text == "no") {
    findings.warning("clock", "not synchronised; rate limits and expiry dates of keys depend on it",
                     "apt-get install systemd-timesyncd; timedatectl set-ntp true");
  }
}

// The file that a directive of the site names; "" = none.
std::string value_in_site(const std::string& directive) {
  std::istringstream lines(base::read_file(kLocalSite));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string value;
    if (words >> name >> value && name == directive) return value.substr(0, value.find(';'));
  }
  return "";
}

// Whoever issues certificates for days alone renews them in days, too: a third of the lifetime, at
// most 14 days. 0 for a file that is no certificate.
std::chrono::seconds renewal_time(const std::string& file) {
  constexpr std::chrono::days kMost{14};
  const Answer dates = ask({"/usr/bin/openssl", "x509", "-in", file, "-noout", "-startdate",
                            "-enddate", "-dateopt", "iso_8601"});
  std::vector<domain::Timestamp> times;
  for (const std::string_view line : base::split(dates.text, '\n')) {
    const auto time =
        domain::parse_timestamp(line.substr(std::min(line.find('=') + 1, line.size())));
    if (time) times.push_back(*time);
  }
  if (!dates.good || times.size() != 2) return {};
  return std::min<std::chrono::seconds>(kMost, (times[1] - times[0]) / 3);
}

// `name`: how to name another file; `renewal`: what to do with a new one.
void examine_certificate(const std::string& file, const std::string& name,
                         const std::string& renewal, Findings& findings) {
  if (file.empty()) return;
  const auto lasts = [&](std::chrono::seconds time) {
    return ask({"/usr/bin/openssl", "x509", "-in", file, "-noout", "-checkend",
                std::to_string(time.count())})
        .good;
  };
  const std::chrono::seconds time = renewal_time(file);
  const std::string days =
      count_of(static_cast<std::size_t>(std::chrono::ceil<std::chrono::days>(time).count()), "day");
  if (time.count() == 0) {
    findings.bad("certificate", file + " can't be read", "name a readable one in " + name);
  } else if (!lasts(std::chrono::seconds(0))) {
    findings.bad("certificate", file + " has expired", renewal);
  } else if (!lasts(time)) {
    findings.warning("certificate", file + " expires within " + days, renewal);
  } else {
    findings.good("certificate", file + " lasts for " + days + " and more");
  }
}

// The user of nginx's processes.
std::string nginx_user() {
  if (!exists("/etc/nginx/nginx.conf")) return "www-data";
  std::istringstream lines(base::read_file("/etc/nginx/nginx.conf"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string user;
    if (words >> name >> user && name == "user") return user.substr(0, user.find(';'));
  }
  return "www-data";
}

// The first file of a folder, or of one in it; the folder if there is none.
fs::path first_file_in(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() == ".zip") return entry.path();
  }
  return folder;
}

// nginx sends files of `option` itself.
void examine_reading_by_nginx(const std::string& option, const fs::path& folder,
                              Findings& findings) {
  const std::string user = nginx_user();
  const struct passwd* const account = ::getpwnam(user.c_str());
  if (account == nullptr || account->pw_uid == 0 || ::geteuid() != 0) return;
  if (!exists(folder.native())) return;
  const fs::path file = first_file_in(folder);
  const char* const test = file == folder ? "-x" : "-r";
  const bool can_read =
      ask({"/usr/bin/setpriv", "--reuid", std::to_string(account->pw_uid), "--regid",
           std::to_string(account->pw_gid), "--init-groups", "/usr/bin/test", test, file})
          .good;
  if (can_read) return;
  findings.bad(
      "nginx", user + " can't read what is in " + folder.native() + " (" + option + ")",
      "namei -l " + file.native() + " shows which folder keeps it out: chmod a+x that one");
}

// The folder that the site has for a variable; setup writes those that are not the package's.
fs::path folder_in_site(const std::string& variable, const fs::path& otherwise) {
  if (!exists(kSitePaths)) return otherwise;
  const std::string text = base::read_file(kSitePaths);
  const std::string start = "set $" + variable + " \"";
  const std::size_t at = text.rfind(start);
  if (at == std::string::npos) return otherwise;
  const std::size_t begin = at + start.size();
  return text.substr(begin, text.find("\";", begin) - begin);
}

// Whether the site has the folders of the configuration, and nginx may read them.
void examine_folders_of_site(const base::Config& config, Findings& findings) {
  const base::Config shipped;
  const auto examine = [&](const std::string& option, const std::string& variable,
                           const fs::path& folder, const fs::path& otherwise) {
    const fs::path there = folder_in_site(variable, otherwise);
    if (there == folder) return;
    findings.bad(
        "nginx",
        "it has " + there.native() + " for " + option + ", the configuration " + folder.native(),
        "goldsmith setup");
  };
  examine("archive_cache", "goldsmith_archives", config.archive_cache, shipped.archive_cache);
  examine("depot", "goldsmith_depot", config.depot, shipped.depot);
  examine_reading_by_nginx("archive_cache", config.archive_cache, findings);
  const base::DepotPeersConfig& peers = config.depot_peers;
  if (!peers.allow.empty() || !peers.allow_ca.empty()) {
    examine_reading_by_nginx("depot", config.depot, findings);
  }
}

// What units of root read: it has no more rights there than anybody else on what is not its own,
// and ProtectHome and PrivateTmp apply to it, too.
void examine_hidden_files(const base::Config& config, Findings& findings) {
  if (!exists("/run/systemd/system") || !exists("/lib/systemd/system/goldsmith.target")) return;
  const std::string unit = "goldsmith-depot-fill.service";
  const auto shown = [&](const std::string& property) {
    return ask({"/usr/bin/systemctl", "show", "--property=" + property, "--value", unit}).text;
  };
  const auto examine = [&](const std::string& option, const fs::path& path) {
    std::error_code error;
    const std::string place = fs::weakly_canonical(path, error).native() + '/';
    const auto is_below = [&](const char* folder) { return place.starts_with(folder); };
    const bool is_home = is_below("/home/") || is_below("/root/") || is_below("/run/user/");
    const bool is_temporary = is_below("/tmp/") || is_below("/var/tmp/");
    if (path.empty() || (!is_home && !is_temporary)) return;
    const std::string property = is_home ? "ProtectHome" : "PrivateTmp";
    if (shown(property) != "yes") return;
    findings.bad("units", unit + " does not see " + option + ", " + path.native(),
                 "put it elsewhere, such as in /etc/goldsmith, and change " + option);
  };
  examine("mirror.ca_file", config.upstream.ca_file);
  examine("mirror.github_token_file", config.upstream.github_token_file);
  examine("mirror.keys", config.upstream.keys);
  examine("depot", config.depot);
  examine("depot.ca_file", config.depot_peers.ca_file);
  examine("depot.tls_certificate", config.depot_peers.tls_certificate);
  examine("depot.tls_key", config.depot_peers.tls_key);
}

// Whether a site serves game clients (decision O22), to whom pages promise `url`.
void examine_fastdl_site(const std::string& url, std::string_view configuration,
                         Findings& findings) {
  if (url.empty()) return;
  if (configuration.find("location ~ \"^/fastdl/(") != std::string_view::npos) {
    return findings.good("fastdl", "nginx has a site for " + url);
  }
  findings.bad("fastdl", "fastdl.url is " + url + ", but no site of nginx has /fastdl/",
               "enable /usr/share/doc/goldsmith/examples/fastdl.conf, or set fastdl.url = off");
}

// `config_file`: one with an nginx.conf in a folder "nginx" beside it is of a development stack,
// which has an nginx of its own, and its files where the shared ones are.
void examine_nginx(const fs::path& config_file, const base::Config& config, Findings& findings) {
  if (!exists("/usr/sbin/nginx")) {
    return findings.warning("nginx", "not installed on this host", "apt-get install nginx");
  }
  // -T also prints the configuration.
  std::vector<std::string> test{"/usr/sbin/nginx", config.fastdl.url.empty() ? "-t" : "-T"};
  const std::string own = (fs::absolute(config_file).parent_path() / "nginx/nginx.conf").native();
  if (exists(own)) {
    const std::string run = (config.state.parent_path() / "").native();
    test.insert(test.end(), {"-p", run, "-c", own});
  } else if (!exists(kSite)) {
    return findings.warning("nginx", "the site is not enabled", "goldsmith setup");
  }
  const Answer answer = ask(test);
  if (answer.good) {
    findings.good("nginx", "its configuration is good");
    examine_fastdl_site(config.fastdl.url, answer.text, findings);
  } else {
    findings.bad("nginx", one_line(answer.text), "fix it, then systemctl reload nginx");
  }
  if (exists(kLocalSite)) {
    examine_certificate(value_in_site("ssl_certificate"), kLocalSite, kReload, findings);
    examine_folders_of_site(config, findings);
  }
}

// The certificates with which hosts fetch from each other's depots (decision O11).
void examine_depot_certificates(const base::DepotPeersConfig& config, Findings& findings) {
  examine_certificate(config.ca_file, "depot.ca_file", "renew it", findings);
  examine_certificate(config.allow_ca, "depot.allow_ca", kReload, findings);
  examine_certificate(config.tls_certificate, "depot.tls_certificate", "renew it", findings);
  examine_key("depot.tls_key", config.tls_key, 0700, "chmod 600 " + config.tls_key.native(),
              findings);
  if (!config.tls_certificate.empty() && config.tls_key.empty()) {
    findings.bad("certificate", "depot.tls_certificate has no key", "set depot.tls_key");
  }
  if (config.allow_ca.empty() || !exists(kLocalSite)) return;
  if (!exists(kDepotClients) ||
      base::read_file(kDepotClients).find(config.allow_ca.native()) == std::string::npos) {
    findings.bad("depot", "nginx does not know depot.allow_ca yet", "goldsmith setup");
  }
}

}  // namespace

bool examine_disk(const std::string& subject, const fs::path& folder, const std::string& remedy,
                  Findings& findings) {
  std::error_code error;
  if (!fs::exists(folder, error)) return false;
  const std::uint64_t bytes = base::available_bytes(folder);
  const std::uint64_t inodes = base::available_inodes(folder);
  const std::string text = folder.native() + ", " + base::readable_size(bytes) + " free";
  if (bytes < kLittleSpace) {
    findings.warning(subject, text, remedy);
  } else if (inodes < kFewInodes) {
    findings.warning(
        subject, fmt::format("{}, but of its inodes (df -i) only {} are", text, inodes), remedy);
  } else {
    findings.good(subject, text);
  }
  return true;
}

Answer ask(const std::vector<std::string>& arguments, std::chrono::seconds most) {
  host::Command command;
  command.arguments = arguments;
  command.environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"};
  command.limits.wall_clock = most;
  const host::ProcessOutcome outcome = host::run_process(command);
  const bool good = outcome.end == host::ProcessEnd::exited && outcome.code == 0;
  return {good,
          std::string(base::trim_ascii(outcome.output.empty() ? outcome.reason : outcome.output))};
}

void examine_mode(const fs::path& file, mode_t allowed, const std::string& remedy,
                  Findings& findings) {
  struct stat info{};
  if (::stat(file.c_str(), &info) != 0) return;
  if ((info.st_mode & 0777U & ~allowed) == 0) return findings.good("permissions", file.native());
  findings.bad("permissions", file.native() + " can be read by more users than intended", remedy);
}

void examine_key(const std::string& option, const fs::path& file, mode_t allowed,
                 const std::string& remedy, Findings& findings) {
  if (file.empty()) return;
  std::error_code error;
  if (fs::exists(file, error)) return examine_mode(file, allowed, remedy, findings);
  findings.bad("certificate", file.native() + " is not there", "name a readable key in " + option);
}

void examine_host(Context& context, Findings& findings) {
  examine_files(context, findings);
  examine_units(findings);
  examine_nginx(context.config_file(), context.config(), findings);
  examine_hidden_files(context.config(), findings);
  examine_depot_certificates(context.config().depot_peers, findings);
}

}  // namespace goldsmith::cli

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "app/cli/commands/doctor.hpp"
#include "app/sys/file.hpp"
#include "app/sys/process.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSite = "/etc/nginx/sites-enabled/goldsmith";
constexpr const char* kLocalSite = "/etc/nginx/goldsmith/local.conf";
constexpr const char* kDepotClients = "/etc/nginx/goldsmith/depot-clients.conf";
constexpr const char* kReload = "renew it, then systemctl reload nginx";
constexpr int kFourteenDays = 14 * 24 * 3600;

bool exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// These files hold passwords.
void examine_password_file(const fs::path& file, mode_t allowed, const char* mode,
                           Findings& findings) {
  examine_mode(file, allowed, std::string("chmod ") + mode + ' ' + file.native(), findings);
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
void examine_places(const sys::LoadedConfig& loaded, Findings& findings) {
  const std::string files = sys::join(loaded.files, ", ", &fs::path::native);
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
  for (const fs::path& each : sys::with_drop_ins(file)) examine_group(each, findings);
  examine_password_file(file.parent_path() / "operator.conf", 0600, "600", findings);
  examine_password_file(file.parent_path() / "api.conf", 0640, "640", findings);
  examine_password_file(file.parent_path() / "build.conf", 0640, "640", findings);
}

void examine_unit(const std::string& unit, Findings& findings) {
  const Answer answer = ask({"/usr/bin/systemctl", "is-active", unit});
  if (answer.good) return findings.good("units", unit + " is " + answer.text);
  findings.bad("units", unit + " is " + answer.text,
               "systemctl enable --now goldsmith.target; journalctl -u " + unit + " says more");
}

void examine_units(Findings& findings) {
  if (!exists("/run/systemd/system") || !exists("/lib/systemd/system/goldsmith.target")) return;
  for (const char* unit :
       {"goldsmith.target", "goldsmith-api.socket", "goldsmith-build.socket",
        "goldsmith-api@1.service", "goldsmith-build@1.service", "goldsmith-cache-prune.timer",
        "goldsmith-log-prune.timer", "goldsmith-plugin-check.timer"}) {
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
  std::istringstream lines(sys::read_file(kLocalSite));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string value;
    if (words >> name >> value && name == directive) return value.substr(0, value.find(';'));
  }
  return "";
}

// `name`: how to name another file; `renewal`: what to do with a new one.
void examine_certificate(const std::string& file, const std::string& name,
                         const std::string& renewal, Findings& findings) {
  if (file.empty()) return;
  const auto lasts = [&](int seconds) {
    return ask({"/usr/bin/openssl", "x509", "-in", file, "-noout", "-checkend",
                std::to_string(seconds)})
        .good;
  };
  if (!ask({"/usr/bin/openssl", "x509", "-in", file, "-noout"}).good) {
    findings.bad("certificate", file + " can't be read", "name a readable one in " + name);
  } else if (!lasts(0)) {
    findings.bad("certificate", file + " has expired", renewal);
  } else if (!lasts(kFourteenDays)) {
    findings.warning("certificate", file + " expires within 14 days", renewal);
  } else {
    findings.good("certificate", file + " lasts for 14 days and more");
  }
}

void examine_nginx(Findings& findings) {
  if (!exists("/usr/sbin/nginx")) {
    return findings.warning("nginx", "not installed on this host", "apt-get install nginx");
  }
  if (!exists(kSite)) {
    return findings.warning("nginx", "the site is not enabled", "goldsmith setup");
  }
  const Answer answer = ask({"/usr/sbin/nginx", "-t"});
  if (answer.good) {
    findings.good("nginx", "its configuration is good");
  } else {
    findings.bad("nginx", one_line(answer.text), "fix it, then systemctl reload nginx");
  }
  if (exists(kLocalSite)) {
    examine_certificate(value_in_site("ssl_certificate"), kLocalSite, kReload, findings);
  }
}

// The certificates with which hosts fetch from each other's depots (decision O11).
void examine_depot_certificates(const sys::DepotPeersConfig& config, Findings& findings) {
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
      sys::read_file(kDepotClients).find(config.allow_ca.native()) == std::string::npos) {
    findings.bad("depot", "nginx does not know depot.allow_ca yet", "goldsmith setup");
  }
}

}  // namespace

Answer ask(const std::vector<std::string>& arguments, std::chrono::seconds most) {
  sys::Command command;
  command.arguments = arguments;
  command.environment = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"};
  command.limits.wall_clock = most;
  const sys::ProcessOutcome outcome = sys::run_process(command);
  const bool good = outcome.end == sys::ProcessEnd::exited && outcome.code == 0;
  return {good,
          std::string(sys::trim_ascii(outcome.output.empty() ? outcome.reason : outcome.output))};
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
  examine_nginx(findings);
  examine_depot_certificates(context.config().depot_peers, findings);
}

}  // namespace goldsmith::cli

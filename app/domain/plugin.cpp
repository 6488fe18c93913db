#include "app/domain/plugin.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/version_order.hpp"

namespace goldsmith::domain {

namespace {

constexpr std::string_view kExtension = ".amxx";
// AMX Mod X keeps the path of a binary in 256 bytes, with a NUL.
constexpr std::size_t kLongestBinary =
    255 - std::string_view("cstrike/").size() - kBinaryFolder.size() - 1;

std::string_view stem_of(const PluginFile& entry_point) {
  const std::string_view name = entry_point.filename;
  const std::size_t dot = name.rfind('.');
  // A dot in front starts a hidden file's name, not an extension.
  const bool has_extension = dot != std::string_view::npos && dot > 0;
  return has_extension ? name.substr(0, dot) : name;
}

// As the compilers name it.
std::string compiled_name(const PluginFile& entry_point) {
  return std::string(stem_of(entry_point)).append(kExtension);
}

constexpr std::string_view kGithub = "https://github.com/";

std::string github_page(const std::string& repository, std::string_view kind,
                        std::string_view revision, const std::string& path) {
  std::string page = std::string(kGithub).append(repository).append(kind);
  page += base::percent_encode(revision, "/");
  if (!path.empty()) page.append("/").append(base::percent_encode(path, "/"));
  return page;
}

}  // namespace

std::string_view to_string(Status status) {
  return status == Status::published ? "published" : "draft";
}

double Rating::average() const {
  if (count <= 0) return 0;
  const double hundredths = 100.0 * static_cast<double>(sum) / static_cast<double>(count);
  return std::round(hundredths) / 100.0;
}

std::uint64_t path_bytes(const PluginFile& file) {
  return file.install_dir.size() + 1 + file.filename.size();
}

void FileTotals::add(const PluginVersion& version) {
  files += version.files.size();
  for (const PluginFile& file : version.files) {
    bytes += static_cast<std::uint64_t>(file.size_bytes);
    path_bytes += domain::path_bytes(file);
  }
}

const PluginFile* entry_point(const PluginVersion& version) {
  const PluginFile* best = nullptr;
  for (const PluginFile& file : version.files) {
    if (file.kind != "sma") continue;
    const bool better = best == nullptr || std::tuple(!file.is_primary, file.filename) <
                                               std::tuple(!best->is_primary, best->filename);
    if (better) best = &file;
  }
  return best;
}

bool is_newer(const PluginVersion& left, const PluginVersion& right) {
  if (left.created_at != right.created_at) return left.created_at > right.created_at;
  return version_order(left.version, right.version) > 0;
}

bool VersionOrigin::is_of_commit() const {
  constexpr std::size_t kDigits = 40;
  return commit.size() == kDigits && std::ranges::all_of(commit, is_alphanumeric);
}

std::string_view VersionOrigin::tag() const {
  return !is_of_commit() && has_number(commit) ? std::string_view(commit) : std::string_view();
}

bool is_final(const Version& version, const VersionOrigin& origin) {
  return !is_prerelease(version.view()) && !is_prerelease(origin.tag());
}

std::string binary_name(const PluginFile& entry_point) {
  std::string name(stem_of(entry_point));
  for (char& byte : name) {
    if (std::string_view("; \t\n\v\f\r").find(byte) != std::string_view::npos) byte = '_';
  }
  if (!is_alphanumeric(name.front())) name.insert(0, 1, 'p');
  name.resize(base::first_bytes(name, kLongestBinary - kExtension.size()).size());
  return name.append(kExtension);
}

bool is_source(const PluginFile& file) {
  return file.kind == "sma" || file.kind == "inc" || file.kind == "inl";
}

std::string installed_path(const PluginFile& file) {
  return file.install_dir.empty() ? file.filename : file.install_dir + "/" + file.filename;
}

std::string path_on_server(const PluginFile& file) { return "cstrike/" + installed_path(file); }

bool is_foreign(const PluginFile& file) { return !file.owner.empty() && !is_source(file); }

bool is_binary_of(const PluginFile& file, const PluginFile& entry_point) {
  return file.install_dir == kBinaryFolder &&
         (file.filename == binary_name(entry_point) || file.filename == compiled_name(entry_point));
}

bool is_library_name(std::string_view text) {
  constexpr std::string_view kOthers = "_-.";
  const auto is_legal = [&](char c) {
    return is_alphanumeric(c) || kOthers.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= kLongestNativeName && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), is_legal);
}

bool is_native_name(std::string_view text) {
  const auto is_legal = [](char c) { return is_alphanumeric(c) || c == '_' || c == '@'; };
  return !text.empty() && text.size() <= kLongestNativeName &&
         (text.front() < '0' || text.front() > '9') &&
         std::all_of(text.begin(), text.end(), is_legal);
}

std::string_view to_string(CompileResult result) {
  switch (result) {
    case CompileResult::ok:
      return "ok";
    case CompileResult::failed:
      return "failed";
    case CompileResult::undecided:
      break;
  }
  return "undecided";
}

std::string_view to_string(StartVerdict::Result result) {
  switch (result) {
    case StartVerdict::Result::runs:
      return "runs";
    case StartVerdict::Result::faulty:
      return "faulty";
    case StartVerdict::Result::refused:
      break;
  }
  return "refused";
}

PluginVersion own_plugin(std::string filename, std::string source) {
  PluginFile file;
  file.filename = std::move(filename);
  file.install_dir = "addons/amxmodx/scripting";
  file.kind = "sma";
  file.is_primary = true;
  file.size_bytes = static_cast<std::int64_t>(source.size());
  file.content = std::move(source);
  PluginVersion version;
  version.version = Version::parse("1.0").value();
  version.files.push_back(std::move(file));
  return version;
}

std::optional<CompileResult> parse_compile_result(std::string_view text) {
  for (const auto result : {CompileResult::ok, CompileResult::failed, CompileResult::undecided}) {
    if (to_string(result) == text) return result;
  }
  return std::nullopt;
}

const CompileVerdict* find_verdict(const std::vector<CompileVerdict>& verdicts,
                                   std::string_view toolchain, std::string_view fingerprint) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [&](const auto& each) {
    return each.toolchain == toolchain && each.fingerprint == fingerprint;
  });
  return found == verdicts.end() ? nullptr : &*found;
}

const std::vector<std::string>& toolchain_lines() {
  static const std::vector<std::string> lines = {"1.8.2", "1.9", "1.10"};
  return lines;
}

Timestamp time_of_undated(std::string_view version, const std::vector<DatedVersion>& known,
                          Timestamp now) {
  const auto newest =
      std::max_element(known.begin(), known.end(), [](const auto& left, const auto& right) {
        return left.time != right.time ? left.time < right.time
                                       : version_order(left.version, right.version) < 0;
      });
  if (newest == known.end() || version_order(newest->version, version) <= 0) return now;
  Timestamp earliest = newest->time;
  for (const DatedVersion& each : known) {
    if (version_order(each.version, version) > 0) earliest = std::min(earliest, each.time);
  }
  return std::min(earliest, now);
}

bool is_same_repository(std::string_view one, std::string_view other) {
  if (!is_github_repository(one)) return one == other;
  return base::to_lower_ascii(one) == base::to_lower_ascii(other);
}

bool is_same_place(const PluginUpstream& one, const PluginUpstream& other) {
  return is_same_repository(one.repository, other.repository) && one.folder == other.folder &&
         one.releases == other.releases && one.branch == other.branch;
}

std::string page_of(const PluginUpstream& upstream) {
  if (is_github_repository(upstream.repository)) {
    if (upstream.branch.empty() && upstream.folder.empty()) {
      return std::string(kGithub) + upstream.repository;
    }
    const std::string branch = upstream.branch.empty() ? "HEAD" : upstream.branch;
    if (!is_branch_name(branch) || !is_relative_path(upstream.folder)) return "";
    return github_page(upstream.repository, "/tree/", branch, upstream.folder);
  }
  constexpr std::string_view kScheme = "https://";
  if (!upstream.repository.starts_with(kScheme)) return "";
  const std::string_view rest = std::string_view(upstream.repository).substr(kScheme.size());
  const std::string_view host = rest.substr(0, rest.find('/'));
  const bool is_plain = std::all_of(host.begin(), host.end(), [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '-' || c == ':';
  });
  return host.empty() || !is_plain ? "" : std::string(kScheme).append(host).append("/");
}

std::string page_of(const VersionOrigin& origin) {
  if (!is_github_repository(origin.repository) || !is_branch_name(origin.commit) ||
      origin.path.empty() || !is_relative_path(origin.path)) {
    return "";
  }
  return github_page(origin.repository, "/blob/", origin.commit, origin.path);
}

}  // namespace goldsmith::domain

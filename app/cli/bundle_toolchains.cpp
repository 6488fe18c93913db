#include "app/cli/bundle_toolchains.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/compile/compiler.hpp"
#include "app/domain/plugin.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostOfCompiler = 256U << 20;  // bytes of its files, all together
constexpr std::uint64_t kMostOfInclude = 1U << 20;
constexpr std::uint64_t kMostOfIncludes = 64U << 20;
constexpr std::string_view kIncludes = "include/";
constexpr std::string_view kStaging = ".bundle";  // begins the name of a folder beside toolchains

// The regular files below a folder, by path; `pass_over` is told of others.
std::vector<std::string> files_below(const base::HeldFolder& folder, const std::string& below,
                                     const std::function<void(const std::string&)>& pass_over) {
  std::vector<std::string> files;
  for (const base::HeldFolder::Entry& entry : folder.entries(below)) {
    const std::string path = below.empty() ? entry.name : below + '/' + entry.name;
    if (entry.kind == base::HeldFolder::Kind::folder) {
      std::ranges::move(files_below(folder, path, pass_over), std::back_inserter(files));
    } else if (entry.kind == base::HeldFolder::Kind::file) {
      files.push_back(path);
    } else {
      pass_over((folder.path() / path).string());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Those of a compiler; other files of the folder are not its own.
std::vector<std::string> compiler_files(const base::HeldFolder& folder,
                                        const std::function<void(const std::string&)>& pass_over) {
  std::vector<std::string> files{"amxxpc", "amxxpc32.so"};
  std::ranges::move(files_below(folder, "include", pass_over), std::back_inserter(files));
  return files;
}

bool is_executable(const std::string& path) { return path == "amxxpc" || path == "amxxpc32.so"; }

std::string identity_of(const std::vector<BundledFile>& files) {
  return base::sha256_hex(json::to_string(told_files(files)));
}

// std::nullopt if no toolchain is there.
std::optional<std::string> installed_identity(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return std::nullopt;
  const base::HeldFolder held(folder);
  std::vector<BundledFile> files;
  try {
    for (const std::string& path : compiler_files(held, [](const std::string&) {})) {
      files.push_back({path, base::sha256_hex(held.read(path)), is_executable(path)});
    }
  } catch (const base::FileError&) {
    return "incomplete";  // which no digest is
  }
  return identity_of(files);
}

void check_files(const std::vector<BundledFile>& files, const BundleReader& bundle,
                 const std::string& name) {
  std::uint64_t bytes = 0;
  std::set<std::string_view> needed{"amxxpc", "amxxpc32.so"};
  bool has_includes = false;
  for (const BundledFile& file : files) {
    bytes += bundle.size_of(file.content);
    const bool is_include = file.path.starts_with(kIncludes);
    has_includes = has_includes || is_include;
    if ((!is_include && needed.erase(file.path) == 0) || bytes > kMostOfCompiler ||
        file.executable != is_executable(file.path)) {
      throw Failure(name + ": " + file.path + " is no file of a compiler, or one too many");
    }
  }
  if (!needed.empty() || !has_includes) throw Failure(name + ": it is not complete");
}

json::Value record_of(const BundleReader& bundle, const BundleItem& item) {
  return json::parse(bundle.read(item.record, kMostBundleRecord));
}

void check_line(std::string_view line, const BundleItem& item) {
  const std::vector<std::string>& known = domain::toolchain_lines();
  if (std::ranges::find(known, line) != known.end()) return;
  throw Failure(fmt::format("{} {} is for no toolchain that is known here", item.kind, item.name));
}

}  // namespace

std::vector<BundleItem> add_toolchains(const base::Config& config, BundleWriter& bundle,
                                       const std::function<void(const std::string&)>& report) {
  const auto pass_over = [&](const std::string& path) {
    report(path + " is left out: it is no regular file");
  };
  std::vector<BundleItem> items;
  for (const compile::Toolchain& toolchain :
       compile::Toolchains(config.toolchains, config.includes).installed()) {
    const base::HeldFolder folder(toolchain.folder);
    std::vector<BundledFile> files;
    for (const std::string& path : compiler_files(folder, pass_over)) {
      files.push_back({path, bundle.add(folder.read(path)), is_executable(path)});
    }
    items.push_back({std::string(kToolchainItem), toolchain.line,
                     bundle.add(json::to_string(told_files(files)))});
    std::error_code error;
    if (!fs::exists(toolchain.operator_includes, error)) continue;
    const base::HeldFolder own(toolchain.operator_includes);
    for (const std::string& path : files_below(own, "", pass_over)) {
      const std::string content = bundle.add(own.read(path, kMostOfInclude));
      items.push_back({std::string(kIncludeItem), toolchain.line + '/' + path,
                       bundle.add(json::to_string(told_files({{path, content}})))});
    }
  }
  return items;
}

void BundledToolchains::take_toolchain(const BundleReader& bundle, const BundleItem& item,
                                       const BundleJudge& judge, bool is_dry,
                                       BundleReport& report) {
  check_line(item.name, item);
  const std::string name = item.kind + ' ' + item.name;
  const std::vector<BundledFile> files = read_files(record_of(bundle, item), name);
  check_files(files, bundle, name);
  const std::string identity = identity_of(files);
  const BundleOutcome outcome = judge.judge(
      item.kind, item.name, installed_identity(config_.toolchains / item.name), identity);
  report.add(item.kind, item.name, outcome);
  if (!note(item, outcome, identity, judge) || is_dry) return;
  stage(bundle, item.name, files);
  toolchains_.push_back({item.name, identity});
}

bool BundledToolchains::note(const BundleItem& item, BundleOutcome outcome,
                             const std::string& identity, const BundleJudge& judge) {
  const bool is_new = outcome == BundleOutcome::created;
  const bool is_other =
      outcome == BundleOutcome::unchanged && judge.came_as_another(item.kind, item.name, identity);
  if (is_taken(outcome) || is_other) {
    (is_new ? first_ : then_).emplace(std::pair(item.kind, item.name), identity);
  }
  return is_taken(outcome);
}

// What a call that was killed has left goes.
void BundledToolchains::begin() {
  const base::HeldFolder root = base::HeldFolder::make(config_.toolchains);
  lock_ = base::open_file(config_.toolchains / ".lock", O_RDWR | O_CREAT);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw Failure("another installation into " + config_.toolchains.string() + " is running");
  }
  for (const base::HeldFolder::Entry& entry : root.entries()) {
    if (entry.name.starts_with(kStaging)) root.remove_all(entry.name);
  }
  staging_.emplace(config_.toolchains, kStaging);
  // The compiler runs as another user.
  if (::chmod(staging_->path().c_str(), 0755) != 0) {
    throw base::FileError(staging_->path(), "can't be opened to others", errno);
  }
}

void BundledToolchains::stage(const BundleReader& bundle, const std::string& line,
                              const std::vector<BundledFile>& files) {
  if (!staging_) begin();
  const base::HeldFolder folder(staging_->path());
  folder.make_folder(line, {.mode = 0755});
  for (const BundledFile& file : files) {
    const std::string path = line + '/' + file.path;
    for (std::size_t slash = path.find('/'); slash != path.npos;
         slash = path.find('/', slash + 1)) {
      folder.make_folder(path.substr(0, slash), {.mode = 0755});
    }
    const std::string content = bundle.read(file.content, kMostOfCompiler);
    folder.write(path, [&](int fd) { base::write_all(fd, content, path); },
                 {.mode = file.executable ? 0755U : 0644U});
  }
  const compile::ToolchainCheck check =
      compile::check_toolchain(compile::Toolchains(staging_->path(), config_.includes),
                               compile::command_compiler(config_.compile), line);
  if (check.state == compile::ToolchainCheck::State::works) return;
  throw Failure("the toolchain " + line + " of the bundle does not work here: " + check.problem);
}

void BundledToolchains::take_include(const BundleReader& bundle, const BundleItem& item,
                                     const BundleJudge& judge, BundleReport& report) {
  const std::size_t slash = item.name.find('/');
  check_line(std::string_view(item.name).substr(0, slash), item);
  const std::vector<BundledFile> files =
      read_files(record_of(bundle, item), item.kind + ' ' + item.name);
  if (slash == item.name.npos || files.size() != 1 ||
      files.front().path != std::string_view(item.name).substr(slash + 1)) {
    throw Failure(item.kind + ' ' + item.name + " is no include");
  }
  std::optional<std::string> stored;
  std::error_code error;
  if (fs::exists(config_.includes / item.name, error)) {
    stored = base::sha256_hex(base::HeldFolder(config_.includes).read(item.name));
  }
  const BundleOutcome outcome = judge.judge(item.kind, item.name, stored, files.front().content);
  report.add(item.kind, item.name, outcome);
  if (!note(item, outcome, files.front().content, judge)) return;
  includes_.push_back({item.name, bundle.read(files.front().content, kMostOfInclude)});
  include_bytes_ += includes_.back().content.size();
  if (include_bytes_ <= kMostOfIncludes) return;
  throw Failure("the includes in the bundle have more than " +
                base::readable_size(kMostOfIncludes) + " together");
}

// As install-toolchain does: a link of the line's name leads to a folder with a digest in its name,
// and what was replaced stays for compiles that are reading it.
void BundledToolchains::publish(const Toolchain& toolchain) const {
  const fs::path& root = config_.toolchains;
  const std::string start = '.' + toolchain.line + '-';
  std::string name = start + toolchain.identity.substr(0, 16);
  const base::HeldFolder folder(root);
  const auto known = folder.entry(toolchain.line);
  std::string previous;
  if (known && known->kind == base::HeldFolder::Kind::link) {
    previous = folder.target_of(toolchain.line);
  } else if (known) {
    previous = start + "before";
    folder.remove_all(previous);
    folder.rename(toolchain.line, previous);
  }
  if (previous == name) name += "-again";  // it is damaged
  folder.remove_all(name);
  fs::rename(staging_->path() / toolchain.line, root / name);
  base::sync_directory(root);
  folder.link(toolchain.line, name);
  base::sync_directory(root);
  for (const base::HeldFolder::Entry& entry : folder.entries()) {
    if (entry.name.starts_with(start) && entry.name != name && entry.name != previous) {
      folder.remove_all(entry.name);
    }
  }
}

void BundledToolchains::publish() {
  for (const Toolchain& toolchain : toolchains_) publish(toolchain);
  if (includes_.empty()) return;
  const base::HeldFolder folder = base::HeldFolder::make(config_.includes);
  for (const Include& include : includes_) folder.write(include.name, include.content);
}

}  // namespace goldsmith::cli

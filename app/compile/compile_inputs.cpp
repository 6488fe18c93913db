#include "app/compile/compile_inputs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/compile/job.hpp"
#include "app/domain/names.hpp"

namespace goldsmith::compile {
namespace {

constexpr std::size_t kMostFiles = 128;
constexpr std::size_t kMostSourceBytes = 4U << 20;
constexpr std::size_t kMostNames = 16;
constexpr std::size_t kMostNameBytes = 160;
constexpr std::size_t kMostFollowed = 5000;
constexpr std::size_t kMostWarnings = 16;

// Verdicts keep these names, separated by what none of them has.
bool may_be_looked_up(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char byte) {
    return domain::is_alphanumeric(byte) ||
           std::string_view("_-+./").find(byte) != std::string_view::npos;
  });
}

using OwnIncludes = pawn::IncludeIndex<const domain::PluginFile*>;

// By the names under which a job has them (see Job).
OwnIncludes own_includes(const domain::PluginVersion& version, const domain::PluginFile& entry) {
  OwnIncludes own;
  for (const domain::PluginFile& file : version.files) {
    if (&file != &entry && pawn::is_placed(file)) own.add(file.filename, &file);
  }
  constexpr std::string_view kInclude = "include/";
  for (const domain::PluginFile& file : version.files) {
    const auto below = pawn::folder_below(file, entry);
    if (!below || !pawn::is_placed(file)) continue;
    const std::string path = *below + "/" + file.filename;
    if (path.starts_with(kInclude)) own.add(path.substr(kInclude.size()), &file);
    own.add(path, &file);
  }
  return own;
}

std::vector<std::string> included_by(const domain::PluginFile& file) {
  return file.named ? file.named->includes : pawn::included_names(file.content);
}

class Search {
 public:
  Search(const domain::PluginVersion& version, const InstalledIncludes& installed,
         const ComponentIncludes& components)
      : entry_(*domain::entry_point(version)),
        own_(own_includes(version, entry_)),
        installed_(installed),
        components_(components) {}

  void run();
  std::vector<ExtraInclude> take_files() { return std::move(files_); }
  std::vector<std::string> looked_up() const { return {looked_up_.begin(), looked_up_.end()}; }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  // A name, and the component whose file has it; "" = another file.
  using Wanted = std::pair<std::string, std::string>;

  void want(const std::vector<std::string>& names, const std::string& component);
  void find(const std::string& name, const std::string& component);
  bool find_exactly(const std::string& name);
  bool find_in_another_case(const std::string& name);
  void find_in_component(const std::string& name, const std::string& component);
  void add(const std::string& name, std::string content, std::size_t size);
  void warn(const std::string& name, const std::string& file);

  const domain::PluginFile& entry_;
  const OwnIncludes own_;
  const InstalledIncludes& installed_;
  const ComponentIncludes& components_;
  std::set<Wanted> known_;
  std::vector<Wanted> open_;
  std::set<const void*> read_;
  std::set<std::string> names_;  // of files_
  std::vector<ExtraInclude> files_;
  std::size_t bytes_ = 0;
  std::set<std::string> looked_up_;
  std::size_t name_bytes_ = 0;
  std::vector<std::string> warnings_;
};

void Search::want(const std::vector<std::string>& names, const std::string& component) {
  for (const std::string& name : names) {
    if (known_.size() >= kMostFollowed) return;
    if (known_.emplace(name, component).second) open_.emplace_back(name, component);
  }
}

// `size`: that of the content, which may not be loaded.
void Search::add(const std::string& name, std::string content, std::size_t size) {
  if (files_.size() >= kMostFiles || bytes_ + size > kMostSourceBytes) return;
  if (!names_.insert(name).second) return;
  bytes_ += size;
  files_.push_back({name, std::move(content)});
}

void Search::warn(const std::string& name, const std::string& file) {
  if (warnings_.size() >= kMostWarnings) return;
  warnings_.push_back("the source includes \"" + name + "\", but the file is named " + file +
                      "; other compilers on Linux do not find it");
}

// Where the compiler finds it by itself.
bool Search::find_exactly(const std::string& name) {
  if (const auto own = own_.exact(name)) {
    if (read_.insert(*own->file).second) want(included_by(**own->file), "");
    return true;
  }
  const auto installed = installed_.exact(name);
  if (installed && read_.insert(installed->file).second) want(installed->file->includes, "");
  return installed.has_value();
}

bool Search::find_in_another_case(const std::string& name) {
  if (const auto own = own_.in_any_case(name)) {
    warn(name, *own->name);
    const domain::PluginFile& file = **own->file;
    add(own->as_named, file.content,
        std::max(file.content.size(), static_cast<std::size_t>(file.size_bytes)));
    if (read_.insert(*own->file).second) want(included_by(**own->file), "");
    return true;
  }
  const auto installed = installed_.in_any_case(name);
  if (!installed) return false;
  warn(name, *installed->name);
  std::string content = base::read_file(installed->file->path);
  const std::size_t size = content.size();
  add(installed->as_named, std::move(content), size);
  if (read_.insert(installed->file).second) want(installed->file->includes, "");
  return true;
}

void Search::find_in_component(const std::string& name, const std::string& component) {
  const auto found = components_.offers ? components_.offers->in_any_case(name) : std::nullopt;
  const bool is_inner = found && found->file->component.str() == component;
  if (!is_inner && !looked_up_.contains(name)) {
    if (looked_up_.size() >= kMostNames || name_bytes_ + name.size() > kMostNameBytes) return;
    looked_up_.insert(name);
    name_bytes_ += name.size() + 1;
  }
  if (!found || names_.contains(found->as_named)) return;
  if (found->as_named != *found->name) warn(name, *found->name);
  std::string content = components_.read(*found->file);
  want(components_.names(*found->file, content), found->file->component.str());
  const std::size_t size = content.size();
  add(found->as_named, std::move(content), size);
}

void Search::find(const std::string& name, const std::string& component) {
  if (!domain::is_relative_path(name) || find_exactly(name)) return;
  if (find_in_another_case(name) || !may_be_looked_up(name)) return;
  find_in_component(name, component);
}

void Search::run() {
  want(included_by(entry_), "");
  while (!open_.empty()) {
    const Wanted wanted = std::move(open_.back());
    open_.pop_back();
    find(wanted.first, wanted.second);
  }
}

}  // namespace

std::string title_of(const OfferedInclude& include) {
  return include.path.substr(domain::kIncludeFolder.size()) + " of " + include.component.str() +
         " " + include.version.str();
}

void add_offers(IncludeOffers& offers, const domain::Slug& component,
                const domain::ComponentVersion& version,
                const std::vector<domain::ManifestFile>& files) {
  for (const domain::ManifestFile& file : files) {
    if (!file.path.starts_with(domain::kIncludeFolder) || file.size > pawn::kLargestSource) {
      continue;
    }
    offers.add(file.path.substr(domain::kIncludeFolder.size()),
               {component, version.version, version.digest, file.path});
  }
}

CompileInputs equip(const Toolchain& toolchain, const InstalledIncludes& installed,
                    const std::string& fingerprint, const domain::PluginVersion& version,
                    const ComponentIncludes& components) {
  Search search(version, installed, components);
  search.run();
  CompileInputs inputs{toolchain, "", search.looked_up(), search.take_warnings()};
  inputs.toolchain.more = search.take_files();
  inputs.fingerprint = fingerprint_with(fingerprint, inputs.looked_up, components.offers.get());
  std::sort(inputs.warnings.begin(), inputs.warnings.end());
  return inputs;
}

std::string components_digest(const std::vector<std::string>& looked_up,
                              const IncludeOffers* offers) {
  std::map<std::string, std::string> versions;  // digests by component
  for (const std::string& name : looked_up) {
    const auto found = offers != nullptr ? offers->in_any_case(name) : std::nullopt;
    if (found) versions.emplace(found->file->component, found->file->digest);
  }
  if (versions.empty()) return "";
  constexpr std::size_t kLength = 32;
  std::string text = "includes 1\n";
  for (const auto& [component, digest] : versions) text += component + " " + digest + "\n";
  return base::sha256_hex(text).substr(0, kLength);
}

std::string fingerprint_with(const std::string& fingerprint,
                             const std::vector<std::string>& looked_up,
                             const IncludeOffers* offers) {
  const std::string components = components_digest(looked_up, offers);
  return components.empty() ? fingerprint : base::sha256_hex(fingerprint + " " + components);
}

}  // namespace goldsmith::compile

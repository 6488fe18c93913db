#include "app/mirror/depot_filling.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/domain/names.hpp"
#include "app/mirror/depot_sources.hpp"

namespace goldsmith::mirror {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFillFolder =
    ".fill";  // in the depot; may be removed when no fill is running

bool is_full(const base::FileError& error) {
  return error.error_number() == ENOSPC || error.error_number() == EDQUOT;
}

// The folder of incomplete files, locked until destruction; others wait. Throws base::FileError and
// base::Interrupted.
class FillFolder {
 public:
  explicit FillFolder(const fs::path& root) : path_(root / kFillFolder) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw base::FileError(path_, "can't be created", error.value());
    fd_ = base::open_file(path_, O_RDONLY | O_DIRECTORY);
    archive::lock_interruptibly(fd_.get(), path_);
  }
  // Without content it goes, so that nobody wonders what it is.
  ~FillFolder() { ::rmdir(path_.c_str()); }
  FillFolder(const FillFolder&) = delete;
  FillFolder& operator=(const FillFolder&) = delete;

  const fs::path& path() const { return path_; }

  // Removes all but the files of these names: what earlier calls left and nobody wants any more.
  void keep_only(const std::set<std::string>& names) const {
    std::error_code error;
    std::vector<fs::path> unwanted;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
      if (!names.contains(entry.path().filename().string())) unwanted.push_back(entry.path());
    }
    for (const fs::path& each : unwanted) fs::remove_all(each, error);
  }

 private:
  fs::path path_;
  base::UniqueFd fd_;
};

std::set<std::string> names_of(const std::vector<WantedFile>& wanted) {
  std::set<std::string> names;
  for (const WantedFile& file : wanted) {
    names.insert(file.part.filename().string());
    for (const domain::Source& source : file.sources) names.insert(source.sha256);
  }
  return names;
}

// One call of fill().
class Fill {
 public:
  Fill(const archive::Depot& depot, std::vector<std::unique_ptr<DepotSource>> sources,
       const FillObserver& observer)
      : depot_(depot), observer_(observer) {
    for (auto& source : sources) sources_.push_back({std::move(source), false});
  }

  // False if no source has it.
  bool take(const WantedFile& wanted) {
    std::string reasons;
    for (Source& source : sources_) {
      if (source.failed) continue;
      try {
        source.place->fetch(wanted, observer_);
        publish(wanted, source.place->name());
        return true;
      } catch (const SourceLacks& error) {
        reasons += (reasons.empty() ? "" : "; ") + source.place->name() + ": " + error.what();
      } catch (const SourceFailed& error) {
        source.failed = true;
        observer_.on_problem(source.place->name() + ": " + error.what() +
                             "; it is not asked again");
      }
    }
    observer_.on_problem(wanted.name() + " is still missing" +
                         (reasons.empty() ? "" : ": " + reasons));
    return false;
  }

 private:
  struct Source {
    std::unique_ptr<DepotSource> place;
    bool failed = false;
  };

  void publish(const WantedFile& wanted, const std::string& source) const {
    const domain::Slug& slug = wanted.component->slug;
    const domain::ComponentVersion& version = *wanted.version;
    const archive::DepotLock lock(depot_.root());
    depot_.publish(wanted.part, slug, version.version, version.digest);
    observer_.on_filled({slug, version.version}, source);
  }

  const archive::Depot& depot_;
  const FillObserver& observer_;
  std::vector<Source> sources_;
};

// What the workers can't read they miss (decision O11).
std::size_t open_to_all(const domain::Catalog& catalog, const archive::Depot& depot) {
  std::size_t opened = 0;
  for (const domain::Component& component : catalog.components()) {
    for (const domain::ComponentVersion& version : component.versions) {
      if (!depot.find(component.slug, version.version, version.digest)) continue;
      if (depot.open_to_all(component.slug, version.version, version.digest)) ++opened;
    }
  }
  return opened;
}

}  // namespace

FillOutcome fill_depot(db::ComponentStore& components, const base::Config& config,
                       const base::Clock& clock, const FillSources& sources,
                       const FillObserver& observer) {
  const archive::Depot depot(config.depot);
  const FillFolder folder(depot.root());
  const domain::Catalog catalog = components.load_catalog();
  FillOutcome outcome;
  outcome.opened = open_to_all(catalog, depot);
  std::vector<WantedFile> all;
  for (const auto& [component, version] : archive::find_missing(catalog, depot)) {
    all.push_back({component, version, components.load_sources(component->slug, version->version),
                   folder.path() / (version->digest + ".zip")});
  }
  folder.keep_only(names_of(all));

  outcome.versions = archive::count_versions(catalog);
  Fill fill(depot, make_sources(sources, config, clock), observer);
  for (const WantedFile& wanted : all) {
    try {
      ++(fill.take(wanted) ? outcome.filled : outcome.failed);
    } catch (const base::FileError& error) {
      if (is_full(error)) folder.keep_only({});
      throw;
    }
  }
  return outcome;
}

}  // namespace goldsmith::mirror

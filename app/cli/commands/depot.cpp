#include <algorithm>
#include <ostream>
#include <set>
#include <system_error>

#include "app/archive/depot.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/table.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

struct Finding {
  std::string component;
  std::string version;
  std::string state;   // ok, missing, damaged, differs or stray
  std::string detail;  // what is wrong
};

std::vector<domain::ManifestFile> manifest_of(const fs::path& file) {
  const archive::ZipReader reader(file);
  std::vector<domain::ManifestFile> files;
  for (const archive::ZipEntry& entry : reader.entries()) {
    files.push_back({entry.path, entry.size, entry.executable});
  }
  std::sort(files.begin(), files.end(),
            [](const auto& left, const auto& right) { return left.path < right.path; });
  return files;
}

class DepotCheck {
 public:
  explicit DepotCheck(Context& context)
      : context_(context), components_(context.components()), depot_(context.config().depot) {}

  std::vector<Finding> run() {
    const domain::Catalog catalog = components_.load_catalog();
    for (const domain::Component& component : catalog.components()) {
      for (const domain::ComponentVersion& version : component.versions) {
        context_.progress("checking " + component.slug + " " + version.version + " …");
        const fs::path file = depot_.file_of(component.slug, version.version);
        known_.insert(file);
        Finding finding{component.slug.str(), version.version.str(), "", ""};
        check(file, component.slug, version, finding);
        findings_.push_back(std::move(finding));
      }
    }
    find_strays();
    return std::move(findings_);
  }

 private:
  void check(const fs::path& file, const domain::Slug& slug,
             const domain::ComponentVersion& version, Finding& finding) {
    try {
      const std::string digest = archive::verify_depot_file(file);
      std::vector<domain::ManifestFile> files = components_.load_files(slug, version.version);
      std::sort(files.begin(), files.end(),
                [](const auto& left, const auto& right) { return left.path < right.path; });
      if (digest != version.digest) {
        set(finding, "differs", "its digest is " + digest + ", in the catalog " + version.digest);
      } else if (manifest_of(file) != files) {
        set(finding, "differs", "its files are not those in the catalog");
      } else {
        set(finding, "ok", "");
      }
    } catch (const sys::FileError& error) {
      set(finding, error.error_number() == ENOENT ? "missing" : "damaged", error.what());
    } catch (const archive::ZipError& error) {
      set(finding, "damaged", error.what());
    }
  }

  static void set(Finding& finding, std::string state, std::string detail) {
    finding.state = std::move(state);
    finding.detail = std::move(detail);
  }

  // The lock, folders that are being worked in, and what is kept of upstreams' answers.
  bool is_internal(const fs::path& path) const {
    return path.lexically_relative(depot_.root()).string().starts_with('.');
  }

  // Files that no mirrored version accounts for. They do no harm.
  void find_strays() {
    std::set<fs::path> strays;
    std::error_code error;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(depot_.root(), error)) {
      if (!entry.is_directory(error) && !is_internal(entry.path()) &&
          !known_.contains(entry.path())) {
        strays.insert(entry.path());
      }
    }
    for (const fs::path& stray : strays) {
      findings_.push_back({stray.parent_path().filename().string(), "", "stray",
                           stray.string() + ": belongs to no mirrored version"});
    }
  }

  Context& context_;
  db::ComponentStore components_;
  archive::Depot depot_;
  std::set<fs::path> known_;
  std::vector<Finding> findings_;
};

void print(const std::vector<Finding>& findings, std::ostream& out) {
  Table table({"COMPONENT", "VERSION", "STATE", "DETAIL"});
  for (const Finding& finding : findings) {
    table.add({finding.component, finding.version.empty() ? "-" : finding.version, finding.state,
               finding.detail});
  }
  table.print(out);
}

json::Array listing_of(const std::vector<Finding>& findings) {
  json::Array listing;
  for (const Finding& finding : findings) {
    listing.emplace_back(json::Object{{"component", finding.component},
                                      {"version", finding.version},
                                      {"state", finding.state},
                                      {"detail", finding.detail}});
  }
  return listing;
}

void run_verify(const Arguments& arguments, Context& context) {
  const std::vector<Finding> findings = DepotCheck(context).run();
  if (arguments.has("json")) {
    context.print(listing_of(findings));
  } else {
    print(findings, context.out());
  }
  const auto bad = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state != "ok" && finding.state != "stray";
  });
  if (bad > 0) {
    throw Failure(std::to_string(bad) + (bad == 1 ? " version does" : " versions do") +
                  " not match the catalog; mirror the same release again to repair the depot");
  }
}

Verb verify_verb() {
  return {
      .name = "verify",
      .summary = "Reads every file of the depot and compares it with the catalog.",
      .text =
          "Reads every file of the depot to its end, checks its digest and checksums, and compares "
          "its files with those in the catalog. The state is \"ok\", \"missing\", \"damaged\", "
          "\"differs\", or \"stray\" for a file that belongs to no mirrored version. The exit code "
          "is 1 when a version is missing, damaged or different.",
      .options = {json_option()},
      .examples = {"goldsmith depot verify"},
      .run = run_verify,
  };
}

}  // namespace

Noun depot_noun() {
  return {
      .name = "depot",
      .summary = "The mirrored files.",
      .text =
          "Checks the depot, a folder that holds one ZIP file for each mirrored version of a "
          "component.",
      .verbs = {verify_verb()},
  };
}

}  // namespace goldsmith::cli

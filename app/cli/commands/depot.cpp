#include <algorithm>
#include <ostream>
#include <set>
#include <system_error>

#include "app/archive/depot.hpp"
#include "app/cli/commands/depot.hpp"
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
  std::string state;   // ok, recorded, missing, damaged, differs or stray
  std::string detail;  // what is wrong
};

using Files = std::vector<domain::ManifestFile>;

bool has_digests(const Files& files) {
  return std::none_of(files.begin(), files.end(),
                      [](const domain::ManifestFile& file) { return file.sha256.empty(); });
}

// What is not recorded does not count.
bool is_same(const Files& recorded, const Files& found) {
  return std::equal(recorded.begin(), recorded.end(), found.begin(), found.end(),
                    [](domain::ManifestFile left, const domain::ManifestFile& right) {
                      if (left.sha256.empty()) left.sha256 = right.sha256;
                      return left == right;
                    });
}

class DepotCheck {
 public:
  DepotCheck(Context& context, bool record)
      : context_(context),
        record_(record),
        components_(context.components()),
        depot_(context.config().depot) {}

  std::vector<Finding> run() {
    const domain::Catalog catalog = components_.load_catalog();
    for (const domain::Component& component : catalog.components()) {
      for (const domain::ComponentVersion& version : component.versions) {
        context_.progress("checking " + component.slug + " " + version.version + " …");
        const fs::path file =
            depot_.find(component.slug, version.version, version.digest)
                .value_or(depot_.file_of(component.slug, version.version, version.digest));
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
      const archive::VerifiedDepotFile found = archive::verify_depot_file(file);
      const Files files = components_.load_files(slug, version.version);
      if (found.digest != version.digest) {
        set(finding, "differs",
            "its digest is " + found.digest + ", in the catalog " + version.digest);
      } else if (!is_same(files, found.files)) {
        set(finding, "differs", "its files are not those in the catalog");
      } else if (has_digests(files)) {
        set(finding, "ok", "");
      } else {
        add_digests({slug, version.version}, found.files, finding);
      }
    } catch (const sys::FileError& error) {
      set(finding, error.error_number() == ENOENT ? "missing" : "damaged", error.what());
    } catch (const archive::ZipError& error) {
      set(finding, "damaged", error.what());
    }
  }

  void add_digests(const db::VersionName& name, const Files& files, Finding& finding) {
    if (!record_) {
      set(finding, "ok", "the checksums of its files are not recorded; --record does it");
    } else if (components_.record_digests(name, files)) {
      set(finding, "recorded", "");
      context_.announce_change();
    } else {
      set(finding, "differs", "it was mirrored again meanwhile");
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
  bool record_;
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
  const std::vector<Finding> findings = DepotCheck(context, arguments.has("record")).run();
  if (arguments.has("json")) {
    context.print(listing_of(findings));
  } else {
    print(findings, context.out());
  }
  const auto bad = std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.state != "ok" && finding.state != "recorded" && finding.state != "stray";
  });
  if (bad > 0) {
    throw Failure(
        std::to_string(bad) + (bad == 1 ? " version does" : " versions do") +
        " not match the catalog; remove the damaged files, then goldsmith depot fill fetches them "
        "again");
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
          "is 1 when a version is missing, damaged or different.\n\n"
          "The SHA-256 of each file is recorded when a version is mirrored. Versions that were "
          "mirrored by an older goldsmith have none: --record adds them, with the state "
          "\"recorded\", without mirroring anything again.",
      .options = {{.name = "record",
                   .help = "Records the SHA-256 of each file of the versions that lack it."},
                  json_option()},
      .examples = {"goldsmith depot verify", "goldsmith depot verify --record"},
      .run = run_verify,
  };
}

}  // namespace

Noun depot_noun() {
  return {
      .name = "depot",
      .summary = "The mirrored files.",
      .text =
          "The depot is a folder that holds one ZIP file for each mirrored version of a component. "
          "Each host has its own, or several share one.",
      .verbs = {fill_verb(), verify_verb(), collect_verb()},
  };
}

}  // namespace goldsmith::cli

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <ostream>

#include "app/archive/depot.hpp"
#include "app/base/digest.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/interruption.hpp"
#include "app/base/text.hpp"
#include "app/cli/bundle_depot.hpp"
#include "app/cli/bundle_file.hpp"
#include "app/cli/bundle_plugins.hpp"
#include "app/cli/bundle_records.hpp"
#include "app/cli/bundle_toolchains.hpp"
#include "app/cli/commands/bundle.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kParts{"catalog", "depot", "toolchains",
                                                 "plugins", "packs", "overlays"};

class Exporting {
 public:
  Exporting(const Arguments& arguments, Context& context)
      : parts_(parts_of(arguments)), latest_only_(arguments.has("latest")), context_(context) {}

  // Returns the SHA-256 of what was written.
  std::string write(int fd, const fs::path& path) {
    BundleWriter bundle(fd, path);
    BundleList list;
    list.goldsmith = GOLDSMITH_VERSION;
    list.created_at = context_.now();
    std::vector<BundledVersion> versions;
    db::Database& database = context_.database();
    database.read([&] {
      list.items.clear();  // what a first try has written is in no list, and does not count
      const domain::Catalog catalog = context_.components().load_catalog();
      if (has("catalog")) add_components(catalog, bundle, list.items);
      if (has("depot")) versions = load_versions(catalog, latest_only_, context_.components());
      if (has("plugins")) {
        ProgressLine line(context_.err(), context_.shows_progress());
        take(list.items,
             add_plugins(context_.plugins(), bundle, [&](std::size_t done, std::size_t all) {
               line.show_count("plugins written", done, all);
             }));
      }
      if (has("packs")) add_packs(bundle, list.items);
      if (has("overlays")) add_overlays(bundle, list.items);
    });
    const auto report = [&](const std::string& text) { context_.report(text); };
    if (has("toolchains")) {
      context_.progress("toolchains");
      take(list.items, add_toolchains(context_.config(), bundle, report));
    }
    {
      ProgressLine line(context_.err(), context_.shows_progress());
      const auto progress = [&](std::size_t done, std::size_t all) {
        line.show_count("versions written", done, all);
      };
      take(list.items, add_versions(std::move(versions), archive::Depot(context_.config().depot),
                                    bundle, report, progress));
    }
    std::string sha256 = bundle.finish(list);
    count(list.items);
    bytes_ = bundle.bytes();
    return sha256;
  }

  void tell(const std::string& where, const std::string& sha256, std::ostream& out) const {
    out << where << ", " << base::readable_size(bytes_) << ": " << counted_ << '\n'
        << "sha256 " << sha256 << '\n';
  }

 private:
  bool has(std::string_view part) const { return parts_.contains(part); }

  static void take(std::vector<BundleItem>& items, std::vector<BundleItem> more) {
    std::ranges::move(more, std::back_inserter(items));
  }

  static void add(std::vector<BundleItem>& items, BundleWriter& bundle, std::string_view kind,
                  const std::string& name, const json::Object& record) {
    items.push_back({std::string(kind), name, bundle.add(json::to_string(record))});
  }

  static void add_components(const domain::Catalog& catalog, BundleWriter& bundle,
                             std::vector<BundleItem>& items) {
    for (const domain::Component& component : catalog.components()) {
      add(items, bundle, kComponentItem, component.slug.str(), told_component(component));
    }
  }

  void add_packs(BundleWriter& bundle, std::vector<BundleItem>& items) {
    for (const domain::AddonPack& pack : context_.addons().list_all()) {
      if (pack.status != domain::Status::published) continue;
      add(items, bundle, kPackItem, pack.slug.str(), told_pack(pack));
    }
  }

  void add_overlays(BundleWriter& bundle, std::vector<BundleItem>& items) {
    for (const domain::OverlaySection& section : context_.overlays().load()) {
      const std::string name =
          section.path + (section.component ? " for " + *section.component : "");
      add(items, bundle, kOverlayItem, name, told_section({section, bundle.add(section.content)}));
    }
  }

  void count(const std::vector<BundleItem>& items) {
    std::map<std::string, std::size_t> counts;
    for (const BundleItem& item : items) ++counts[item.kind];
    for (const auto& [kind, number] : counts) {
      counted_ += (counted_.empty() ? "" : ", ") + count_of(number, kind);
    }
    if (counted_.empty()) counted_ = "nothing";
  }

  std::set<std::string, std::less<>> parts_;
  bool latest_only_;
  Context& context_;
  std::string counted_;
  std::uint64_t bytes_ = 0;
};

void run_export(const Arguments& arguments, Context& context) {
  const std::string target = arguments.text("FILE");
  if (target == "-" && ::isatty(STDOUT_FILENO) != 0) {
    throw UsageError("\"-\" writes an archive: send standard output to a file or program");
  }
  const base::InterruptionGuard guard;
  Exporting exporting(arguments, context);
  if (target == "-") {
    const std::string sha256 = exporting.write(STDOUT_FILENO, "standard output");
    return exporting.tell("standard output", sha256, context.err());
  }
  const fs::path file = fs::absolute(target).lexically_normal();
  std::string sha256;
  base::HeldFolder(file.parent_path())
      .write(file.filename().string(), [&](int fd) { sha256 = exporting.write(fd, file); },
             {.mode = 0644});
  exporting.tell(target, sha256, context.out());
}

}  // namespace

std::set<std::string, std::less<>> parts_of(const Arguments& arguments) {
  std::set<std::string, std::less<>> parts;
  for (const std::string& part : arguments.list("parts")) {
    if (std::ranges::find(kParts, part) == kParts.end()) {
      throw UsageError("--parts: \"" + part + "\" is no part of a bundle; allowed are " +
                       base::alternatives({kParts.begin(), kParts.end()}));
    }
    parts.insert(part);
  }
  if (parts.empty()) parts.insert(kParts.begin(), std::prev(kParts.end()));
  return parts;
}

Option parts_option(const std::string& what) {
  return {.name = "parts",
          .value_name = "PART",
          .help = what +
                  " only these: catalog, depot, toolchains, plugins, packs, overlays; several may "
                  "follow. The default is all but overlays.",
          .repeated = true};
}

Verb bundle_export_verb() {
  return {
      .name = "export",
      .summary = "Writes catalog, depot, compilers and directory into one file.",
      .text =
          "Writes into FILE, or with \"-\" to standard output, what another host needs that has no "
          "connection: the catalog of components, their mirrored versions with the files of the "
          "depot, the toolchains with the operator's includes, the published plugins with their "
          "published versions, where these come from and what checks found of them, and the "
          "published packs; with --parts overlays, too. It has no "
          "drafts, keys, passwords, logs, counters, settings or configuration, and is not a "
          "backup.\n\n"
          "FILE appears when it is complete. It is a tar without compression: \"-\" can be sent "
          "through zstd. The last line of the output is its SHA-256, which \"goldsmith bundle "
          "import\" asks for unless the file is signed, as by gpg --detach-sign FILE.",
      .positionals = {{.name = "FILE"}},
      .options = {parts_option("Writes"),
                  {.name = "latest",
                   .help = "Of each component writes only the version that is handed out to who "
                           "asks for none."}},
      .examples = {"goldsmith bundle export goldsmith-bundle.tar",
                   "goldsmith bundle export - --latest | zstd >bundle.tar.zst",
                   "goldsmith bundle export overlays.tar --parts overlays"},
      .run = run_export,
  };
}

namespace commands::bundle {

Noun noun() {
  return {
      .name = "bundle",
      .summary = "What a host without a connection needs, in one file.",
      .text =
          "Carries the catalog, the depot, toolchains and the directory from one host to another "
          "that has no connection to it or to the internet.",
      .verbs = {bundle_export_verb(), bundle_import_verb()},
  };
}

}  // namespace commands::bundle

}  // namespace goldsmith::cli

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ostream>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/core.h>

#include "app/archive/depot.hpp"
#include "app/archive/depot_upkeep.hpp"
#include "app/base/config.hpp"
#include "app/base/file.hpp"
#include "app/cli/commands/nouns.hpp"
#include "app/cli/context.hpp"
#include "app/cli/output.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "app/mirror/depot_filling.hpp"
#include "app/mirror/release_mirroring.hpp"

namespace goldsmith::cli::commands::depot {

namespace {

namespace fs = std::filesystem;

struct DepotFinding {
  enum class State { ok, recorded, unreadable, missing, damaged, differs, stray };

  std::string component;
  std::string version;
  std::string digest;  // that of the catalog
  State state = State::ok;
  std::string detail;  // what is wrong
  // The file, if its content is not the mirrored one: a peer or upstream may have a good one.
  std::filesystem::path replaceable = {};
  ino_t inode = 0;
  bool is_set_aside = false;
  bool is_opened = false;  // it was unreadable

  bool is_good() const {
    return state == State::ok || state == State::recorded || state == State::stray;
  }
};

std::string_view to_string(DepotFinding::State state) {
  using enum DepotFinding::State;
  switch (state) {
    case ok:
      return "ok";
    case recorded:
      return "recorded";
    case unreadable:
      return "unreadable";
    case missing:
      return "missing";
    case damaged:
      return "damaged";
    case differs:
      return "differs";
    case stray:
      return "stray";
  }
  return "";
}

using Files = std::vector<domain::ManifestFile>;

bool lacks_natives(const Files& files) {
  return std::any_of(files.begin(), files.end(), [](const domain::ManifestFile& file) {
    return domain::has_names(file.path) && !file.natives;
  });
}

// But for natives, which may not be recorded.
bool is_same(const Files& recorded, const Files& found) {
  return std::equal(recorded.begin(), recorded.end(), found.begin(), found.end(),
                    [](domain::ManifestFile left, const domain::ManifestFile& right) {
                      left.natives = right.natives;
                      return left == right;
                    });
}

// Waits as long as the bytes so far would have taken.
class Pace {
 public:
  // 0 = does not wait.
  explicit Pace(std::int64_t megabytes_per_second)
      : nanoseconds_per_byte_(
            megabytes_per_second == 0 ? 0 : 1e3 / static_cast<double>(megabytes_per_second)) {}

  void operator()(std::size_t bytes) {
    const auto now = Clock::now();
    const std::chrono::duration<double, std::nano> time(nanoseconds_per_byte_ *
                                                        static_cast<double>(bytes));
    due_ = std::max(due_, now) + std::chrono::duration_cast<Clock::duration>(time);
    if (due_ - now > kWorthASleep) std::this_thread::sleep_until(due_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kWorthASleep{10};

  double nanoseconds_per_byte_;
  Clock::time_point due_{};
};

class DepotCheck {
 public:
  DepotCheck(Context& context, bool record, Pace pace)
      : context_(context),
        record_(record),
        pace_(pace),
        components_(context.components()),
        depot_(context.config().depot) {}

  const archive::Depot& depot() const { return depot_; }

  std::vector<DepotFinding> run() {
    const domain::Catalog catalog = components_.load_catalog();
    for (const domain::Component& component : catalog.components()) {
      for (const domain::ComponentVersion& version : component.versions) {
        context_.progress("checking " + component.slug + " " + version.version + " …");
        const fs::path file = depot_.file_of(component.slug, version.version, version.digest);
        known_.insert(file);
        DepotFinding finding{component.slug.str(), version.version.str(), version.digest,
                             DepotFinding::State::missing, ""};
        check(file, component.slug, version, finding);
        findings_.push_back(std::move(finding));
      }
    }
    find_strays();
    drop_outdated();
    return std::move(findings_);
  }

  // Moves what can be fetched again out of the way of builds, and lets workers read the rest.
  void repair(std::vector<DepotFinding>& findings) const {
    for (DepotFinding& finding : findings) {
      if (finding.state == DepotFinding::State::unreadable) {
        depot_.open_to_all(domain::Slug::parse(finding.component).value(),
                           domain::Version::parse(finding.version).value(), finding.digest);
        finding.is_opened = true;
        finding.detail += "; it can be read now";
      }
      if (finding.replaceable.empty()) continue;
      const auto moved = archive::set_aside(depot_, finding.replaceable, finding.inode);
      finding.is_set_aside = moved.has_value();
      finding.detail += moved ? "; set aside as " + moved->string() : "; it was replaced meanwhile";
    }
  }

 private:
  // The natives are read by another program, which may be missing: the file is good all the same.
  void check(const fs::path& file, const domain::Slug& slug,
             const domain::ComponentVersion& version, DepotFinding& finding) {
    struct stat status{};
    if (::stat(file.c_str(), &status) == 0) finding.inode = status.st_ino;
    try {
      const archive::VerifiedDepotFile found =
          archive::verify_depot_file(file, [&](std::size_t bytes) { pace_(bytes); });
      const Files files = components_.load_files(slug, version.version);
      if (found.digest != version.digest) {
        set(finding, DepotFinding::State::differs,
            "its digest is " + found.digest + ", in the catalog " + version.digest);
        finding.replaceable = file;
      } else if (!is_same(files, found.files)) {
        set(finding, DepotFinding::State::differs,
            "its files are not those in the catalog; component mirror --replace writes both");
      } else if (!lacks_natives(files)) {
        set(finding, DepotFinding::State::ok, "");
      } else if (!record_) {
        set(finding, DepotFinding::State::ok,
            "the names in its modules and includes are not recorded; --record does it");
      } else {
        Files contents = found.files;
        mirror::add_natives(file, context_.config().mirror, contents);
        add_contents({slug, version.version}, contents, finding);
      }
      if (finding.is_good()) check_mode(slug, version, finding);
    } catch (const base::FileError& error) {
      set(finding,
          error.error_number() == ENOENT ? DepotFinding::State::missing
                                         : DepotFinding::State::damaged,
          error.what());
      if (error.error_number() == EIO) finding.replaceable = file;
    } catch (const archive::ZipError& error) {
      set(finding, DepotFinding::State::damaged, error.what());
      finding.replaceable = file;
    } catch (const mirror::UnpackError& error) {
      set(finding, DepotFinding::State::ok,
          std::string("the names in its modules and includes can't be read: ") + error.what());
    } catch (const mirror::RefusedArchive& error) {
      set(finding, DepotFinding::State::ok,
          std::string("the names in its modules and includes can't be read: ") + error.what());
    }
  }

  void check_mode(const domain::Slug& slug, const domain::ComponentVersion& version,
                  DepotFinding& finding) const {
    const fs::path closed = depot_.closed_part(slug, version.version, version.digest);
    if (closed.empty()) return;
    set(finding, DepotFinding::State::unreadable,
        "its mode keeps the workers out of " + closed.string());
  }

  void add_contents(const db::VersionName& name, const Files& files, DepotFinding& finding) {
    if (components_.record_contents(name, files)) {
      set(finding, DepotFinding::State::recorded, "");
      context_.announce_change();
    } else {
      set(finding, DepotFinding::State::differs, "it was mirrored again meanwhile");
    }
  }

  static void set(DepotFinding& finding, DepotFinding::State state, std::string detail) {
    finding.state = state;
    finding.detail = std::move(detail);
  }

  // A file that was superseded while others were read is not missing.
  void drop_outdated() {
    if (std::all_of(findings_.begin(), findings_.end(),
                    [](const DepotFinding& finding) { return finding.is_good(); })) {
      return;
    }
    const domain::Catalog catalog = components_.load_catalog();
    std::erase_if(findings_, [&](const DepotFinding& finding) {
      const domain::Component* component = catalog.find(finding.component);
      const domain::ComponentVersion* version =
          component == nullptr ? nullptr : component->find_version(finding.version);
      return !finding.is_good() && (version == nullptr || version->digest != finding.digest);
    });
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
      findings_.push_back({stray.parent_path().filename().string(), "", "",
                           DepotFinding::State::stray,
                           stray.string() + ": belongs to no mirrored version"});
    }
  }

  Context& context_;
  bool record_;
  Pace pace_;
  db::ComponentStore components_;
  archive::Depot depot_;
  std::set<fs::path> known_;
  std::vector<DepotFinding> findings_;
};

Listing<DepotFinding> listing() {
  return {{{"COMPONENT", "component", &DepotFinding::component},
           {"VERSION", "version", &DepotFinding::version, "-"},
           {"STATE", "state", [](const DepotFinding& finding) { return to_string(finding.state); }},
           {"DETAIL", "detail", &DepotFinding::detail}}};
}

// For doctor and /metrics. A depot that is another host's may be read-only.
void record(const std::vector<DepotFinding>& findings, const archive::Depot& depot,
            Context& context) {
  const auto damaged =
      std::count_if(findings.begin(), findings.end(), [](const DepotFinding& finding) {
        return finding.state == DepotFinding::State::damaged ||
               finding.state == DepotFinding::State::differs;
      });
  try {
    archive::record_verification(depot,
                                 {context.clock().seconds(), static_cast<std::size_t>(damaged)});
  } catch (const base::FileError& error) {
    context.report(error.what());
  }
}

// What the operator has to do, if anything.
void conclude(const std::vector<DepotFinding>& findings, bool is_json, Context& context) {
  const auto set_aside =
      std::count_if(findings.begin(), findings.end(),
                    [](const DepotFinding& finding) { return finding.is_set_aside; });
  const auto closed =
      std::count_if(findings.begin(), findings.end(), [](const DepotFinding& finding) {
        return finding.state == DepotFinding::State::unreadable && !finding.is_opened;
      });
  const auto bad = std::count_if(findings.begin(), findings.end(), [](const DepotFinding& finding) {
    return !finding.is_good() && !finding.is_set_aside &&
           finding.state != DepotFinding::State::unreadable;
  });
  if (set_aside > 0 && !is_json) {
    context.out() << "set aside " << count_of(set_aside, "damaged file")
                  << "; goldsmith depot fill fetches what is missing\n";
  }
  std::string problem;
  if (bad > 0) {
    problem = fmt::format(
        "{} {} not match the catalog; --repair sets damaged files aside, and goldsmith depot fill "
        "fetches what is missing",
        bad, bad == 1 ? "version does" : "versions do");
  }
  if (closed > 0) {
    problem += (problem.empty() ? "" : "; ") + count_of(closed, "version") +
               " can't be read by the workers; --repair changes that";
  }
  if (!problem.empty()) throw Failure(problem);
}

void run_verify(const Arguments& arguments, Context& context) {
  constexpr std::int64_t kHighestRate = 100'000;
  DepotCheck check(context, arguments.has("record"),
                   Pace(arguments.integer("rate", 1, kHighestRate, 0)));
  std::vector<DepotFinding> findings = check.run();
  if (arguments.has("repair")) check.repair(findings);
  record(findings, check.depot(), context);
  listing().print(findings, arguments, context);
  conclude(findings, arguments.has("json"), context);
}

Verb verify_verb() {
  return {
      .name = "verify",
      .summary = "Reads every file of the depot and compares it with the catalog.",
      .text =
          "Reads every file of the depot to its end, checks its digest and checksums, and compares "
          "its files with those in the catalog. The state is \"ok\", \"unreadable\" for a file "
          "that is "
          "good but whose mode, or that of its folder, keeps the workers out, \"missing\", "
          "\"damaged\", \"differs\", or \"stray\" for a file that belongs to no mirrored version. "
          "The exit code is 1 when a version is unreadable, missing, damaged or different, unless "
          "it was repaired.\n\n"
          "--repair lets everybody read an unreadable file. It "
          "moves a file whose content is not the mirrored one to the same path below "
          ".damaged in the depot, where no build uses it: builds with that version are refused "
          "until goldsmith depot fill has fetched it again. goldsmith depot collect removes such "
          "files after a week, but never one whose version the depot still lacks.\n\n"
          "goldsmith-depot-verify.timer runs this with --repair once a week, slowly. When the "
          "files were last read and how many were damaged is kept in .verified in the depot; "
          "goldsmith doctor and /metrics tell it.\n\n"
          "Which natives AMX Mod X and its modules offer to plugins is recorded when a version is "
          "mirrored. Versions that were mirrored by an older goldsmith lack them: --record adds "
          "them, with the state \"recorded\", without mirroring anything again.",
      .options =
          {{.name = "repair",
            .help =
                "Sets damaged files aside, which goldsmith depot fill fetches again, and lets the "
                "workers read the others."},
           {.name = "record",
            .help = "Records the natives of modules of the versions that lack them."},
           {.name = "rate",
            .value_name = "MB",
            .help = "Reads at most so many megabytes a second."},
           json_option()},
      .examples = {"goldsmith depot verify", "goldsmith depot verify --repair --rate 20",
                   "goldsmith depot verify --record"},
      .run = run_verify,
  };
}

}  // namespace

Noun noun() {
  return {
      .name = "depot",
      .summary = "The mirrored files.",
      .text =
          "The depot is a folder that holds one ZIP file for each mirrored version of a component. "
          "Each host has its own, or several share one.",
      .verbs = {fill_verb(), verify_verb(), collect_verb()},
  };
}

}  // namespace goldsmith::cli::commands::depot

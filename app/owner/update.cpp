#include "app/owner/update.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <set>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/owner/archive_download.hpp"
#include "app/owner/as_owner.hpp"
#include "app/owner/commit.hpp"
#include "app/owner/folder_facts.hpp"
#include "app/owner/obstacles.hpp"
#include "app/owner/secrets.hpp"
#include "app/owner/service.hpp"
#include "app/owner/sha256.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"
#include "app/owner/update_plan.hpp"
#include "app/owner/update_report.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using Action = PlannedFile::Action;

constexpr std::size_t kMostOfDocument = 64U << 20;
constexpr std::size_t kHash = 64;
constexpr int kNotFound = 404;

class Update {
 public:
  Update(const Caller& caller, const UpdateOptions& options)
      : caller_(caller),
        options_(options),
        installation_(caller, options.folder),
        files_(installation_.files()),
        service_(caller, "goldsmith-update/1", read_key(options.key_file)) {}

  Updated run() {
    begin();
    Updated updated = Updated::nothing_to_do;
    try {
      updated = update();
    } catch (const Stop&) {
      leave();
      throw;
    }
    leave();
    if (caller_.is_json) print_object(updated);
    return updated;
  }

 private:
  void print_object(Updated updated) const {
    constexpr std::array kActions{"put", "side", "back", "del", "keep"};
    const json::Object object{{"status", updated == Updated::nothing_to_do ? "nothing_to_do"
                                         : options_.is_dry_run             ? "dry_run"
                                                                           : "done"},
                              {"build", build_.hash},
                              {"selection", selection_},
                              {"held", build_.held},
                              {"changes", json::array_of(plan_.files, [&](const PlannedFile& file) {
                                 return json::Object{
                                     {"action", kActions[static_cast<std::size_t>(file.action)]},
                                     {"path", shown(file.path)}};
                               })}};
    std::puts(json::to_pretty_string(object).c_str());
  }

  void begin() {
    if (!begin_run(installation_, caller_.service, options_.is_dry_run)) throw Stop{0, {}};
    if (options_.selection) {
      selection_ = *options_.selection;
    } else if (installation_.state()) {
      selection_ = installation_.state()->selection;
    } else {
      fail(Message("{folder} has no server of the service yet: run the update.sh of a selection",
                   {{"folder", shown(options_.folder)}}));
    }
  }

  // After an end without a commit only the partial download stays.
  void leave() const {
    if (options_.is_dry_run || installation_.is_interrupted()) return;
    discard_work(installation_);
  }

  std::string document(std::string_view name) const {
    return caller_.service + "/server/" + std::string(name) +
           (selection_.empty() ? "" : "?" + selection_);
  }

  void take_headers(const Answer& answer) {
    build_.hash = answer.header("x-svc-build-hash");
    build_.held = answer.header("x-svc-held");
    build_.fastdl = answer.header("x-svc-fastdl");
  }

  [[noreturn]] void refuse_answer(const Answer& answer) const {
    service_.refuse(
        answer, Message("{service} answered {status}; nothing was changed",
                        {{"service", caller_.service}, {"status", std::to_string(answer.status)}}));
  }

  // A document of the build; std::nullopt if the service has no such one. `damaged`: if it is none.
  template <typename Document>
  std::optional<Document> fetch(std::string_view name, const Message& what,
                                std::optional<Document> (*parse)(std::string_view)) {
    const Answer answer = service_.get(document(name), kMostOfDocument);
    if (answer.status == 0) {
      fail(Message("cannot get {what} from {service}; nothing was changed",
                   {{"what", what}, {"service", caller_.service}}));
    }
    if (answer.status == kNotFound) return std::nullopt;
    if (answer.status != 200) refuse_answer(answer);
    if (answer.header("x-svc-build-hash") != build_.hash) {
      fail(Message("the server was changed meanwhile; run this again. Nothing was changed.", {}));
    }
    auto parsed = parse(answer.body);
    if (!parsed) {
      fail(Message("{what} from {service} is damaged; nothing was changed",
                   {{"what", what}, {"service", caller_.service}}));
    }
    return parsed;
  }

  void fetch_list() {
    const Message what("the list of checksums", {});
    const Answer answer = service_.get(document("checksums.txt"), kMostOfDocument);
    if (answer.status == 0) {
      fail(Message("cannot get {what} from {service}; nothing was changed",
                   {{"what", what}, {"service", caller_.service}}));
    }
    if (answer.status != 200) refuse_answer(answer);
    take_headers(answer);
    const bool is_named = build_.hash.size() == kHash &&
                          build_.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_named) {
      fail(Message("{service} does not name a build; nothing was changed",
                   {{"service", caller_.service}}));
    }
    auto list = parse_checksums(answer.body);
    if (!list) {
      fail(Message("{what} from {service} is damaged; nothing was changed",
                   {{"what", what}, {"service", caller_.service}}));
    }
    list_ = answer.body;
    build_.list = std::move(*list);
  }

  bool is_installed() const {
    if (installation_.is_first() || build_.hash.empty()) return false;
    const InstalledState& state = *installation_.state();
    if (build_.hash != state.build) return false;
    // What is kept for another selection is not asked for any more.
    if (state.has_kept && state.selection != selection_) return false;
    return !is_base_game_back(files_, state.files);
  }

  Updated update() {
    const Answer head = service_.head(document("checksums.txt"));
    if (head.status == 0) {
      fail(Message("cannot reach {service}; nothing was changed", {{"service", caller_.service}}));
    }
    if (head.status == 200) take_headers(head);
    if (!is_installed()) fetch_list();
    if (is_installed()) {
      show_state(false);
      caller_.say(Message("Nothing to do: build {build} is installed.", {{"build", build_.hash}}));
      return Updated::nothing_to_do;
    }
    build_.plugins = fetch("plugins.txt", Message("the list of plugins", {}), parse_plugins);
    build_.configuration =
        fetch("configuration.txt", Message("the list of configuration", {}), parse_paths);
    auto facts = fetch("update.txt", Message("what an update has to know", {}), parse_update_facts);
    if (!facts) {
      fail(Message("{service} is older than this program; nothing was changed",
                   {{"service", caller_.service}}));
    }
    build_.facts = std::move(*facts);
    return make();
  }

  Updated make() {
    const Loaded loaded = loaded_by(
        {[&](std::string_view path) { return files_.read(path, kMostOfSmallFile).value_or(""); },
         [&](std::string_view path) { return files_.names_in(path); }});
    std::vector<std::string> listed;
    for (const auto& [library, place] : loaded.plugins) listed.push_back(library);
    const Authentication authentication(files_, build_.facts, std::move(listed));
    Planner planner(installation_, build_, authentication, loaded.list, selection_,
                    [&](const std::string& path) { return preview(path); });
    plan_ = planner.plan();
    show_plan(installation_, build_, plan_);
    const std::vector<Message> identities = authentication.changes(
        [&](const std::string& path) { return next_content(path); }, plan_.metamod.kept);
    for (const Message& each : identities) {
      caller_.say(
          Message("Players without Steam get other Steam IDs by this, and lose bans, admin "
                  "rights and statistics: {reason}.",
                  {{"reason", each}}));
    }
    if (const auto name = authentication.of_unknown_version()) {
      caller_.say(
          Message("{name} here is of a version that is not known: with that of the build players "
                  "without Steam may get other Steam IDs.",
                  {{"name", shown(*name)}}));
    }
    if (options_.is_dry_run) {
      show_dry_run();
      return Updated::done;
    }
    confirm(!identities.empty());
    const int process = running_in(installation_);
    // Only the archive proves that a new list is whole.
    const bool is_new_list =
        installation_.is_first() || installation_.state()->files != plan_.wanted;
    const bool needs_archive = std::ranges::any_of(plan_.files, [](const PlannedFile& file) {
      return file.action == Action::put || file.action == Action::side;
    });
    if (needs_archive || is_new_list) fetch_archive(installation_, service_, build_, list_, plan_);
    const Changes changes = stage();
    const InstalledState next = next_state();
    if (options_.waits_for_players) wait_for_players(installation_, options_);
    const bool was_first = installation_.is_first();
    commit(installation_, changes, next);
    show_configuration(installation_, build_, plan_);
    if (was_first || !made_.empty()) show_secrets(installation_, build_, plan_, made_);
    installation_.check(caller_.service);
    show_state(true);
    if (process != 0) {
      caller_.say(Message("The server runs (process {n}), with what it has loaded: restart it.",
                          {{"n", std::to_string(process)}}));
    }
    caller_.say(Message("Done: build {build} is installed.", {{"build", build_.hash}}));
    return Updated::done;
  }

  void show_state(bool is_changed) const {
    if (is_changed) show_missing_game(installation_);
    if (installation_.state()) show_replaced(installation_, *installation_.state());
    show_held(installation_, build_.held, selection_);
    show_defects(installation_, build_);
    show_fastdl(installation_, build_.fastdl, is_changed);
  }

  void show_dry_run() const {
    show_configuration(installation_, build_, plan_);
    show_state(true);
    caller_.say(Message("Nothing was changed: this was a dry run.", {}));
    if (installation_.is_first()) return;
    const std::string separator = selection_.empty() ? "" : "&";
    caller_.say(Message("What changes, with release notes: {address}",
                        {{"address", caller_.service + "/server/compare?" + selection_ + separator +
                                         "from=" + installation_.state()->build}}));
  }

  void confirm(bool changes_identities) const {
    if (changes_identities && !options_.accepts_identities) {
      if (!options_.asks) {
        refuse(Message(
            "--yes alone does not accept other Steam IDs: give --new-identities as well, or "
            "choose a selection that keeps what decides them. Nothing was changed.",
            {}));
      }
      ask(caller_, Message("Do players without Steam get other Steam IDs?", {}));
    }
    if (options_.asks && plan_.changes_anything()) ask(caller_, Message("Go on?", {}));
  }

  // The content that a file will have; std::nullopt if it stays.
  std::optional<std::string> next_content(const std::string& path) {
    if (const auto found = plan_.contents.find(path); found != plan_.contents.end()) {
      return found->second;
    }
    const auto file = std::ranges::find(plan_.files, path, &PlannedFile::path);
    if (file == plan_.files.end() || file->now == kNothing) return std::nullopt;
    if (file->action == Action::del) return std::string();
    return file->action == Action::put ? std::optional(preview(path)) : std::nullopt;
  }

  // A small file of the build, before its archive is downloaded.
  std::string preview(const std::string& path) {
    std::string url = build_.facts.download;
    const std::size_t query = std::min(url.find('?'), url.size());
    constexpr std::string_view kDownload = "/download";
    if (url.substr(0, query).ends_with(kDownload)) {
      url.replace(query - kDownload.size(), kDownload.size(), "/file");
    }
    url += (query + kDownload.size() > url.size() || url.find('?') == url.npos ? "?" : "&");
    url += "path=" + base::percent_encode(path);
    const Answer answer = service_.get(url, kMostOfDocument);
    if (answer.status == 200) {
      const auto value = json::parsed(answer.body);
      const json::Object* const object = value ? value->as_object() : nullptr;
      const json::Object* const file =
          object != nullptr && object->contains("file") ? object->at("file").as_object() : nullptr;
      const std::string* const content =
          file != nullptr && file->contains("content") ? file->at("content").as_string() : nullptr;
      if (content != nullptr && sha256_hex(*content) == build_.list.at(path)) return *content;
    }
    fail(Message("cannot get {what} from {service}; nothing was changed",
                 {{"what", shown(path)}, {"service", caller_.service}}));
  }

  // Puts what does not come from the archive into kNew, and lists the changes.
  Changes stage() {
    for (const auto& [path, content] : plan_.contents) {
      if (!files_.write(below(kNew, path), content, mode_of(path))) {
        fail_without_room(installation_);
      }
    }
    Changes changes{caller_.service, installation_.is_first() ? "first" : "", {}};
    for (const PlannedFile& file : plan_.files) {
      std::string wanted = file.wanted;
      switch (file.action) {
        case Action::keep:
          break;
        case Action::del:
          changes.changes.push_back({Change::Kind::del, file.now, wanted, file.path});
          break;
        case Action::side:
          changes.changes.push_back({Change::Kind::side, file.now, wanted, file.path});
          break;
        case Action::back:
          if (!files_.remove_all(below(kNew, file.path)) ||
              !files_.keep(below(kOriginal, file.path), below(kNew, file.path))) {
            fail_without_room(installation_);
          }
          wanted = files_.look(below(kNew, file.path)).value_or("");
          changes.changes.push_back({Change::Kind::put, file.now, wanted, file.path});
          break;
        case Action::put:
          keep_owners(file.path);
          if (file.now == kNothing && !plan_.contents.contains(file.path) &&
              fill_secrets(installation_, build_.facts, file.path, made_)) {
            wanted = files_.look(below(kNew, file.path)).value_or("");
          }
          changes.changes.push_back({Change::Kind::put, file.now, wanted, file.path});
          break;
      }
    }
    return changes;
  }

  // Before the first time that something replaces it.
  void keep_owners(const std::string& path) const {
    if (!installation_.state() || !installation_.state()->own.contains(path)) return;
    if (has_original(files_, path) || !files_.is_file(path)) return;
    if (!files_.keep(path, below(kOriginal, path))) fail_without_room(installation_);
  }

  // Files that are the same in the folder and in the build, whoever put them there.
  void remember_owners(InstalledState& next) const {
    const InstalledState none;
    const InstalledState& former = installation_.state() ? *installation_.state() : none;
    std::set<std::string_view> planned;
    for (const PlannedFile& file : plan_.files) planned.insert(file.path);
    for (const auto& [path, digest] : plan_.wanted) {
      const bool was_own = former.own.contains(path);
      const bool is_found = !former.files.contains(path) && !planned.contains(path) &&
                            !plan_.elsewhere.contains(path);
      if (was_own || is_found) next.own.insert(path);
    }
  }

  // Of a file that is replaced by one that is made here.
  unsigned mode_of(const std::string& path) const {
    const auto elsewhere = plan_.elsewhere.find(path);
    const ServerFiles::Place place =
        files_.place(elsewhere == plan_.elsewhere.end() ? path : elsewhere->second);
    struct stat status{};
    const bool is_there = place.folder && ::fstatat(place.folder.get(), place.name.c_str(), &status,
                                                    AT_SYMLINK_NOFOLLOW) == 0;
    return is_there ? status.st_mode & 0777U : 0644;
  }

  InstalledState next_state() const {
    InstalledState next;
    next.service = caller_.service;
    next.selection = selection_;
    next.build = build_.hash;
    next.installed = now_utc();
    next.knows_owners = build_.plugins.has_value();
    next.has_kept = !plan_.kept.empty();
    next.files = plan_.wanted;
    remember_owners(next);
    if (build_.plugins) next.owners = build_.plugins->owners;
    next.owners.insert(plan_.kept_owners.begin(), plan_.kept_owners.end());
    if (!installation_.state()) return next;
    const InstalledState& state = *installation_.state();
    next.former = state.former;
    if (state.build != next.build) {
      next.former.insert(
          next.former.begin(),
          {state.build, state.installed.empty() ? "-" : state.installed, state.selection});
    }
    std::erase_if(next.former, [&](const FormerBuild& each) { return each.build == next.build; });
    if (next.former.size() > kMostFormerBuilds) next.former.resize(kMostFormerBuilds);
    return next;
  }

  const Caller& caller_;
  const UpdateOptions& options_;
  Installation installation_;
  const ServerFiles& files_;
  Service service_;
  std::string selection_;
  WantedBuild build_;
  std::string list_;  // the text of its checksums
  Plan plan_;
  std::vector<MadeSecret> made_;
};

}  // namespace

Updated update_folder(const Caller& caller, const UpdateOptions& options) {
  Caller of_service = caller;
  if (of_service.service.empty()) {
    Installation installation(caller, options.folder);
    installation.check("");
    if (installation.is_first()) {
      fail(Message("{option} needs a value", {{"option", "--service"}}));
    }
    of_service.service = installation.state()->service;
  }
  return Update(of_service, options).run();
}

}  // namespace goldsmith::owner

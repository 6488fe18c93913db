// goldsmith-keeper status (decision S24): what is installed in a folder, as text and as an object
// for panels and fleets.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "app/base/text.hpp"
#include "app/owner/commands.hpp"
#include "app/owner/fetching.hpp"
#include "app/owner/folder.hpp"
#include "app/owner/installation.hpp"
#include "app/owner/judge.hpp"
#include "app/owner/obstacles.hpp"
#include "app/owner/plugins_there.hpp"
#include "app/owner/service.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"
#include "app/owner/update.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::size_t kMostNamed = 40;  // paths in the text

void print_usage(const Caller& caller) {
  const auto say = [&](const Message& message) { caller.say(message); };
  say(Message("Usage: {command} [--json] [--known FILE] FOLDER", {{"command", caller.script}}));
  std::puts("");
  say(
      Message("Tells which build update installed into FOLDER and whether it is the current one, "
              "what was edited, which builds the\nfolder had, and which components and plugins are "
              "there, outdated, held back by the service or known to fail.\nNothing is changed, "
              "and nothing about the server is sent anywhere but what it was made of.",
              {}));
  std::puts("");
  say(Message("  --json        print one object for programs", {}));
  say(
      Message("  --known FILE  take the list of known files from FILE, which was downloaded "
              "before, instead of the service",
              {}));
  say(Message("  --help        show this text", {}));
  std::puts("");
  say(
      Message("Exit status: 0 done; 1 failed, or nothing was installed by update; 2 wrong usage; 3 "
              "refused.",
              {}));
}

struct Edits {
  std::vector<std::string> edited;
  std::vector<std::string> removed;
  std::vector<std::string> beside;  // new versions that wait beside edited files
};

Edits edits_of(const ServerFiles& files, const InstalledState& state) {
  Edits edits;
  for (const auto& [path, digest] : state.files) {
    const std::string now = files.look(path).value_or("");
    if (now != digest) (now == kNothing ? edits.removed : edits.edited).push_back(shown(path));
    if (files.is_file(path + ".new")) edits.beside.push_back(shown(path + ".new"));
  }
  return edits;
}

class Status {
 public:
  Status(const Caller& caller, const Installation& installation, const KnownFiles& known)
      : caller_(caller),
        installation_(installation),
        state_(*installation.state()),
        edits_(edits_of(installation.files(), state_)),
        process_(running_in(installation)) {
    Message problem;
    const auto server = find_server(installation.folder(), problem);
    if (server) report_ = judge(known, read_folder(*server, known, [](std::uint64_t) {}), {});
    std::erase_if(edits_.removed,
                  [&](const std::string& path) { return is_elsewhere(known, path); });
  }

  // The build that the selection gives now; "" if the service does not say.
  void ask_service() {
    Service service(caller_, "goldsmith-status/1");
    const Answer answer = service.head(caller_.service + "/server/checksums.txt" + query());
    if (answer.status == 200) current_ = answer.header("x-svc-build-hash");
    held_ = answer.header("x-svc-held");
  }

  void print_text() const {
    caller_.say(Message("Build {build}, installed {time} from {service}",
                        {{"build", state_.build},
                         {"time", state_.installed.empty() ? "-" : shown(state_.installed)},
                         {"service", caller_.service}}));
    caller_.say(Message("The selection: {link}", {{"link", link()}}));
    if (installation_.is_interrupted()) {
      caller_.say(Message("A run was interrupted: the next one finishes or undoes it.", {}));
    }
    if (current_ == state_.build) {
      caller_.say(Message("It is the current build.", {}));
    } else if (!current_.empty()) {
      caller_.say(Message("An update installs build {build}.", {{"build", shown(current_)}}));
    }
    if (!held_.empty()) {
      caller_.say(Message("Held back by the service: {versions}", {{"versions", shown(held_)}}));
    }
    if (process_ != 0) {
      caller_.say(Message("It runs as process {n}.", {{"n", std::to_string(process_)}}));
    }
    print_components();
    print_paths(Message("Edited:", {}), edits_.edited);
    print_paths(Message("Removed:", {}), edits_.removed);
    print_paths(Message("New versions beside what was edited:", {}), edits_.beside);
    if (state_.former.empty()) return;
    caller_.say(Message("Builds before, to which `rollback --to` leads:", {}));
    for (const FormerBuild& each : state_.former) {
      std::puts(("  " + each.build + "  " + shown(each.installed)).c_str());
    }
  }

  void print_object() const {
    const auto strings = [](const std::vector<std::string>& texts) {
      return json::array_of(texts, [](const std::string& text) { return text; });
    };
    const ReportStyle style{false, caller_.service, caller_.language, "", caller_.translate};
    json::Object object{
        {"service", caller_.service},
        {"build", state_.build},
        {"installed_at", state_.installed.empty() ? json::Value() : json::Value(state_.installed)},
        {"selection", state_.selection},
        {"link", link()},
        {"current_build", current_.empty() ? json::Value() : json::Value(current_)},
        {"is_current", current_.empty() ? json::Value() : json::Value(current_ == state_.build)},
        {"is_interrupted", installation_.is_interrupted()},
        {"process", process_ == 0 ? json::Value() : json::Value(process_)},
        {"held", held_},
        {"edited", strings(edits_.edited)},
        {"removed", strings(edits_.removed)},
        {"new_beside", strings(edits_.beside)},
        {"former", json::array_of(state_.former, [&](const FormerBuild& each) {
           return json::Object{
               {"build", each.build},
               {"installed_at",
                each.installed == "-" ? json::Value() : json::Value(each.installed)},
               {"selection", each.selection},
               {"link", caller_.service + "/server?build=" + each.build}};
         })}};
    const json::Value report = report_json(report_, style);
    for (const std::string_view name : {"components", "plugins"}) {
      object[std::string(name)] = report.as_object()->at(std::string(name));
    }
    std::puts(shown(json::to_pretty_string(object), "\n").c_str());
  }

 private:
  // Configuration that update does not install, since that of the owner counts elsewhere.
  bool is_elsewhere(const KnownFiles& known, std::string_view path) const {
    return std::ranges::any_of(known.components(), [&](const KnownComponent& component) {
      return std::ranges::find(component.places, path, &KnownPlaces::file) !=
                 component.places.end() &&
             std::ranges::any_of(report_.settings, [&](const ReportedSetting& each) {
               return each.counts && each.component == component.slug &&
                      file_name(each.path) == file_name(path);
             });
    });
  }
  std::string query() const { return state_.selection.empty() ? "" : "?" + state_.selection; }
  std::string link() const { return caller_.service + "/server" + shown(query()); }

  void print_components() const {
    for (const ReportedComponent& each : report_.components) {
      const std::string line = "  " + each.slug + " " + each.version + "  " + each.state;
      std::puts((shown(line) +
                 (each.remark.empty() ? "" : "  (" + each.remark.in(caller_.translate) + ")"))
                    .c_str());
    }
    for (const ReportedPlugin& each : report_.plugins) {
      if (each.remark.empty()) continue;
      const std::string line = "  " + each.slug + " " + each.version.in(caller_.translate);
      std::puts((shown(line) + "  (" + each.remark.in(caller_.translate) + ")").c_str());
    }
  }

  void print_paths(const Message& heading, const std::vector<std::string>& paths) const {
    if (paths.empty()) return;
    caller_.say(heading);
    for (std::size_t i = 0; i < paths.size() && i < kMostNamed; ++i) {
      std::puts(("  " + paths[i]).c_str());
    }
    if (paths.size() > kMostNamed) {
      caller_.say(Message("  … and {n} more; --json shows all",
                          {{"n", std::to_string(paths.size() - kMostNamed)}}));
    }
  }

  const Caller& caller_;
  const Installation& installation_;
  const InstalledState& state_;
  Edits edits_;
  int process_ = 0;
  Report report_;
  std::string current_;
  std::string held_;
};

int wrong_usage(const Caller& caller, const Message& message) {
  caller.fail(2, message);
  return 2;
}

}  // namespace

int status(const Caller& of_program, Arguments arguments) {
  if (arguments.take("--help")) {
    print_usage(of_program);
    return 0;
  }
  Caller caller = of_program;
  const bool as_json = arguments.take("--json");
  std::string known_file;
  if (!arguments.take("--known", known_file)) {
    return wrong_usage(caller, Message("which file has the list?", {}));
  }
  if (const std::string option = arguments.unknown_option(); !option.empty()) {
    return wrong_usage(caller, Message("unknown option {option}", {{"option", shown(option)}}));
  }
  const std::vector<std::string> folders = arguments.rest();
  if (folders.size() != 1 || folders.front().empty()) {
    return wrong_usage(caller, folders.size() > 1 ? Message("more than one folder", {})
                                                  : Message("which folder?", {}));
  }
  return told(caller, [&] {
    if (has_relative_path()) refuse(Message("a folder in PATH is relative", {}));
    Installation installation(caller, folders.front());
    installation.check("");
    if (installation.is_first()) {
      fail(Message("nothing was installed into {folder} by update; adopt tells what is there",
                   {{"folder", shown(folders.front())}}));
    }
    caller.service = installation.state()->service;
    const auto known = fetch_known_files(caller, known_file, "goldsmith-status/1");
    if (!known) return 1;
    Status status(caller, installation, *known);
    if (known_file.empty()) status.ask_service();
    if (as_json) {
      status.print_object();
    } else {
      status.print_text();
    }
    return 0;
  });
}

}  // namespace goldsmith::owner

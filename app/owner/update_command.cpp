// goldsmith-keeper update and rollback (decision S24).
#include <cstdio>

#include "app/base/text.hpp"
#include "app/creator/selection_link.hpp"
#include "app/owner/commands.hpp"
#include "app/owner/rollback.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"
#include "app/owner/update.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;
using Usage = void (*)(const Caller& caller);

void print_update_usage(const Caller& caller) {
  const auto say = [&](const Message& message) { caller.say(message); };
  say(Message("Usage: {command} [--yes] [--dry-run] [--key FILE] [--when-empty] FOLDER",
              {{"command", caller.script}}));
  std::puts("");
  say(
      Message("Installs a server into FOLDER, which is empty or has the base game, or updates the "
              "server that was installed into it.\nRun it as the user who owns the folder; if root "
              "runs it, it continues as that user. Stop the server before, and start it\nafter.",
              {}));
  std::puts("");
  say(Message("  --yes      do not ask before anything changes", {}));
  say(Message("  --dry-run  only show what would change", {}));
  say(
      Message("  --key FILE send the key of the service that is the first line of FILE, which the "
              "user who runs this can read: for many\n             servers in one hour",
              {}));
  say(Message(
      "  --when-empty       wait until no player is on the server before anything changes\n"
      "  --wait MINUTES     how long, at most; 60 by itself\n"
      "  --address ADDRESS  where the server answers, such as 192.0.2.1:27015; that of its process "
      "by itself\n"
      "  --new-identities   also make changes that give players without Steam other Steam IDs",
      {}));
  say(
      Message("  --selection LINK  what to install: a link to a selection, whichever host of "
              "goldsmith it leads to, or what it has\n                    from `?` on; the service "
              "of the script looks it up. As in the last run by itself",
              {}));
  say(Message("  --json     print one object for programs at the end", {}));
  say(Message("  --help     show this text", {}));
  std::puts("");
  say(Message(
      "A file that you did not edit is updated. One that you edited or removed is left as it is; "
      "if it changed upstream, too,\nthe new version is written beside it with the suffix .new. A "
      "file that is gone upstream is removed unless you edited it,\nand what the first "
      "installation replaced comes back. Your configuration is never replaced: where the first "
      "installation\nfinds some, it stays, too, with the new one beside it, and the end of the "
      "output names it. The engine and the libraries\nof the base game that SteamCMD puts back are "
      "replaced again. Files that were not installed by this script are not\ntouched. What the "
      "first installation replaced is kept in FOLDER/.goldsmith/original, and what the last update "
      "replaced\nor removed in FOLDER/.goldsmith/previous. An interrupted run is finished or "
      "undone by the next one.",
      {}));
  std::puts("");
  say(
      Message("Lines of yours in the list of Metamod stay, but for those that the build replaces "
              "or that cannot be beside it, which are\nnamed. Configuration that a component finds "
              "in another place is yours, and nothing is installed that would take its place.",
              {}));
  std::puts("");
  say(
      Message("A plugin that the selection names and the service leaves out, because it does not "
              "compile any more for example, stays as\nit is installed, and "
              "cstrike/addons/amxmodx/configs/plugins-kept.ini goes on loading it. A plugin that "
              "the selection\ndoes not name any more is removed.",
              {}));
  std::puts("");
  say(Message("{command} takes the last run back.",
              {{"command", caller.script + " rollback FOLDER"}}));
  std::puts("");
  say(
      Message("Exit status: 0 done, or nothing to do; 1 failed; 2 wrong usage; 3 refused: the "
              "folder belongs to another service or\nan unknown version of this script, .goldsmith "
              "in it is damaged, a link is in the way, another run is at work, the\nquestion was "
              "answered with no, or players without Steam would get other Steam IDs.",
              {}));
}

void print_rollback_usage(const Caller& caller) {
  const auto say = [&](const Message& message) { caller.say(message); };
  say(Message("Usage: {command} [--yes] [--dry-run] [--to BUILD] FOLDER",
              {{"command", caller.script}}));
  std::puts("");
  say(Message(
      "Takes the last run in FOLDER back: files and lists are as they were before it. Nothing is "
      "fetched for that. What was\nedited since stays. A second time it takes the rollback back.",
      {}));
  std::puts("");
  say(
      Message("  --to BUILD  go to a build that this folder had, which the service builds again; "
              "status names them",
              {}));
  say(Message(
      "  --new-identities  with --to, also make changes that give players without Steam other "
      "Steam IDs",
      {}));
  say(Message("  --key FILE  send the key of the service that is the first line of FILE", {}));
  say(Message("  --yes       do not ask before anything changes", {}));
  say(Message("  --dry-run   only show what would change", {}));
  say(Message("  --json      print one object for programs at the end", {}));
  say(Message("  --help      show this text", {}));
  std::puts("");
  say(Message(
      "Exit status: 0 done; 1 failed, or there is nothing to take back; 2 wrong usage; 3 refused.",
      {}));
}

// The folder, which is what is left of the arguments; 0 if there is one.
int take_folder(const Caller& caller, const Arguments& arguments, Usage usage,
                std::string& folder) {
  if (const std::string option = arguments.unknown_option(); !option.empty()) {
    return caller.wrong_usage(usage,
                              Message("unknown option {option}", {{"option", shown(option)}}));
  }
  const std::vector<std::string> rest = arguments.rest();
  if (rest.size() > 1) return caller.wrong_usage(usage, Message("more than one folder", {}));
  if (rest.empty() || rest.front().empty()) {
    return caller.wrong_usage(usage, Message("which folder?", {}));
  }
  folder = rest.front();
  if (has_relative_path()) {
    return caller.fail(Stop::kRefused, Message("a folder in PATH is relative", {}));
  }
  return 0;
}

}  // namespace

int update(const Caller& of_program, Arguments arguments) {
  Caller caller = of_program;
  caller.is_json = arguments.take("--json");
  if (arguments.take("--help")) {
    print_update_usage(caller);
    return 0;
  }
  UpdateOptions options;
  options.asks = !arguments.take("--yes");
  options.is_dry_run = arguments.take("--dry-run");
  options.waits_for_players = arguments.take("--when-empty");
  options.accepts_identities = arguments.take("--new-identities");
  if (!arguments.take("--key", options.key_file)) {
    return caller.wrong_usage(print_update_usage, Message("which file has the key?", {}));
  }
  std::string selection;
  std::string wait;
  std::string address;
  for (const auto& [option, value] :
       {std::pair{"--selection", &selection}, {"--wait", &wait}, {"--address", &address}}) {
    if (arguments.take(option, *value)) continue;
    return caller.wrong_usage(print_update_usage,
                              Message("{option} needs a value", {{"option", option}}));
  }
  if (selection.starts_with("https://") || selection.starts_with("http://")) {
    auto link = creator::read_selection_link(selection);
    if (!link || link->has_pins) {
      return caller.wrong_usage(print_update_usage,
                                Message("{link} is no link to a selection, as the server creator "
                                        "shows it",
                                        {{"link", shown(selection)}}));
    }
    options.selection = std::move(link->query);
  } else if (!selection.empty()) {
    options.selection = selection.substr(selection.starts_with('?') ? 1 : 0);
  }
  const auto minutes = base::parse_number<int>(wait.empty() ? "60" : wait);
  if (!minutes || *minutes < 0) {
    return caller.wrong_usage(
        print_update_usage, Message("--wait takes minutes, not {value}", {{"value", shown(wait)}}));
  }
  options.longest_wait = std::chrono::minutes(*minutes);
  if (!address.empty()) {
    options.address = parse_address(address);
    if (!options.address) {
      return caller.wrong_usage(
          print_update_usage, Message("--address takes an address of IPv4 and a port, not {value}",
                                      {{"value", shown(address)}}));
    }
  }
  if (const int status = take_folder(caller, arguments, print_update_usage, options.folder)) {
    return status;
  }
  return told(caller, [&] { return update_as_owner(caller, options); });
}

int rollback(const Caller& of_program, Arguments arguments) {
  Caller caller = of_program;
  caller.is_json = arguments.take("--json");
  if (arguments.take("--help")) {
    print_rollback_usage(caller);
    return 0;
  }
  UpdateOptions options;
  options.asks = !arguments.take("--yes");
  options.is_dry_run = arguments.take("--dry-run");
  options.accepts_identities = arguments.take("--new-identities");
  std::string build;
  if (!arguments.take("--key", options.key_file)) {
    return caller.wrong_usage(print_rollback_usage, Message("which file has the key?", {}));
  }
  if (!arguments.take("--to", build)) {
    return caller.wrong_usage(print_rollback_usage,
                              Message("{option} needs a value", {{"option", "--to"}}));
  }
  if (const int status = take_folder(caller, arguments, print_rollback_usage, options.folder)) {
    return status;
  }
  return told(caller, [&] {
    if (!build.empty()) {
      options.selection = "build=" + base::percent_encode(build);
      return update_as_owner(caller, options);
    }
    return run_as_owner(caller, options, [&] {
      return told(caller, [&] {
        roll_back(caller, {options.folder, options.is_dry_run, options.asks});
        return 0;
      });
    });
  });
}

}  // namespace goldsmith::owner

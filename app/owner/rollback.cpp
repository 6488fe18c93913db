#include "app/owner/rollback.hpp"

#include <cstdio>
#include <optional>
#include <vector>

#include "app/base/json.hpp"
#include "app/owner/as_owner.hpp"
#include "app/owner/commit.hpp"
#include "app/owner/installation.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

class Rollback {
 public:
  Rollback(const Caller& caller, const RollbackOptions& options)
      : caller_(caller),
        options_(options),
        installation_(caller, options.folder),
        files_(installation_.files()) {}

  void run() {
    if (!begin_run(installation_, caller_.service, options_.is_dry_run)) return;
    if (!installation_.state() || !files_.exists(kLast)) {
      fail(Message("{folder} remembers no run that could be taken back",
                   {{"folder", shown(options_.folder)}}));
    }
    const Changes last = read_changes(installation_, kLast);
    const bool is_first = last.mark == "first";
    backup_ = is_first ? kOriginal : kPrevious;
    if (!is_first) former_ = read_former();
    for (const Change& each : last.changes) take_back(each);
    if (options_.is_dry_run) {
      caller_.say(Message("Nothing was changed: this was a dry run.", {}));
      print_object("dry_run");
      return;
    }
    if (options_.asks) ask(caller_, Message("Go on?", {}));
    stage();
    commit(installation_, {installation_.state()->service, is_first ? "undone" : "", changes_},
           former_);
    print_object("done");
    if (is_first) {
      caller_.say(Message("Done: the folder is as it was before the first installation.", {}));
      return;
    }
    caller_.say(Message("Done: build {build} is installed.", {{"build", former_->build}}));
    caller_.say(
        Message("An update installs what its selection gives. To stay with this build: {link}",
                {{"link", former_->service + "/server?build=" + former_->build}}));
  }

 private:
  void print_object(std::string_view status) const {
    if (!caller_.is_json) return;
    const json::Object object{{"status", status},
                              {"build", former_ ? former_->build : ""},
                              {"selection", former_ ? former_->selection : ""},
                              {"changes", json::array_of(changes_, [](const Change& change) {
                                 return json::Object{
                                     {"action", change.kind == Change::Kind::del ? "del" : "back"},
                                     {"path", shown(change.path)}};
                               })}};
    std::puts(json::to_pretty_string(object).c_str());
  }

  InstalledState read_former() const {
    BadState problem{};
    auto state = parse_state(files_.read(kFormer, kMostOfState).value_or(""), problem);
    if (!state) refuse(Message("{path} is damaged", {{"path", installation_.shown_path(kFormer)}}));
    return std::move(*state);
  }

  std::string look(const std::string& path) const {
    const auto now = files_.look(path);
    if (!now) fail(Message("cannot read {path}", {{"path", installation_.shown_path(path)}}));
    return *now;
  }

  void take_back(const Change& change) {
    const bool is_side = change.kind == Change::Kind::side;
    const std::string path = is_side ? change.path + ".new" : change.path;
    const Message::Value file{"file", shown(path)};
    const std::string now = look(path);
    const std::string copy = below(backup_, path);
    const std::string before = files_.exists(copy) ? look(copy) : std::string(kNothing);
    if (now == before) return;
    if (const std::string link = files_.link_above(path); !link.empty()) {
      refuse(Message("{path} is a link; nothing was changed",
                     {{"path", installation_.shown_path(link)}}));
    }
    // Of one that was removed there is nothing.
    if (now != change.new_content) {
      caller_.say(now == kNothing ? Message("  keep     {file} (removed here)", {file})
                                  : Message("  keep     {file} (edited here)", {file}));
    } else if (before == kNothing) {
      caller_.say(Message("  remove   {file}", {file}));
      changes_.push_back({Change::Kind::del, now, before, path});
    } else {
      caller_.say(Message("  restore  {file}", {file}));
      changes_.push_back({Change::Kind::put, now, before, path});
    }
  }

  void stage() const {
    if (!files_.remove_all(kNew) || !files_.make_parents(below(kNew, "x"))) {
      fail_without_room(installation_);
    }
    for (const Change& each : changes_) {
      if (each.kind == Change::Kind::del) continue;
      if (!files_.keep(below(backup_, each.path), below(kNew, each.path))) {
        fail_without_room(installation_);
      }
    }
  }

  const Caller& caller_;
  const RollbackOptions& options_;
  Installation installation_;
  const ServerFiles& files_;
  std::string_view backup_;
  std::optional<InstalledState> former_;
  std::vector<Change> changes_;
};

}  // namespace

void roll_back(const Caller& caller, const RollbackOptions& options) {
  Rollback(caller, options).run();
}

}  // namespace goldsmith::owner

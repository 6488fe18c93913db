#include "app/owner/commit.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "app/base/text.hpp"
#include "app/owner/obstacles.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::string_view kDownloadSuffix = ".zip.part";

std::string beside(std::string_view path) { return std::string(path) + ".new"; }

// A change that could not be made, and why.
struct Obstacle {
  std::string path;
  int error = 0;
};

class Commit {
 public:
  Commit(const Installation& installation, const Changes& changes)
      : installation_(installation), files_(installation.files()), changes_(changes) {}

  // Copies of what is replaced, and the folders of what is new. False, with errno.
  bool prepare() const {
    std::string folders;
    for (const std::string& each : missing_folders()) folders += each + "\n";
    if (!files_.remove_all(kOld) || !files_.make_folder(kOld)) return false;
    if (!folders.empty() && !files_.write(kMadeFolders, folders)) return false;
    return std::ranges::all_of(changes_.changes, [&](const Change& each) { return keeps(each); });
  }

  std::optional<Obstacle> apply() const {
    for (const Change& each : changes_.changes) {
      errno = 0;
      if (!apply(each)) return Obstacle{each.path, errno};
    }
    return std::nullopt;
  }

  // Once begun it is not finished any more: what is new is gone then.
  bool undo() const {
    if (files_.exists(kCommit) && !files_.move(kCommit, kUndo)) return false;
    for (const Change& each : changes_.changes | std::views::reverse) {
      if (!undo(each)) return false;
    }
    ::syncfs(files_.root());
    if (!files_.remove(kUndo)) return false;
    discard_work(installation_);
    return true;
  }

  // Can be repeated until the commit is gone.
  void finish() const {
    ::syncfs(files_.root());
    if (changes_.mark == "undone") {
      forget();
    } else if (!remember()) {
      fail(Message("cannot write in {folder}; the next run finishes this one",
                   {{"folder", shown(installation_.folder())}}));
    }
  }

  // Where an interrupted run would be finished.
  void refuse_links() const {
    for (const Change& each : changes_.changes) {
      std::string link = files_.link_above(each.path);
      if (link.empty()) link = files_.link_above(below(kNew, each.path));
      if (link.empty()) continue;
      refuse(Message("{path} is a link; remove it, and the next run finishes this one",
                     {{"path", installation_.shown_path(link)}}));
    }
  }

 private:
  // Those above come first.
  std::set<std::string> missing_folders() const {
    std::set<std::string> missing;
    for (const Change& each : changes_.changes) {
      if (each.kind == Change::Kind::del) continue;
      for (std::size_t slash = each.path.find('/'); slash != each.path.npos;
           slash = each.path.find('/', slash + 1)) {
        const std::string folder = each.path.substr(0, slash);
        if (!files_.exists(folder)) missing.insert(folder);
      }
    }
    return missing;
  }

  bool keeps(const Change& change) const {
    if (change.kind != Change::Kind::del) {
      if (!is_staged(change) || !files_.make_parents(change.path)) return false;
    }
    const std::string path = change.kind == Change::Kind::side ? beside(change.path) : change.path;
    if (change.kind == Change::Kind::put && change.expected == kNothing) return true;
    return !files_.exists(path) || files_.keep(path, below(kOld, path));
  }

  bool is_staged(const Change& change) const {
    return files_.exists(below(kNew, change.path)) && !files_.is_folder(below(kNew, change.path));
  }

  // What is missing in kNew was put in place already.
  bool apply(const Change& change) const {
    const std::optional<std::string> now = files_.look(change.path);
    if (!now) return false;
    if (change.kind == Change::Kind::del) {
      if (*now != change.expected) return true;
      if (!files_.remove(change.path)) return false;
      files_.remove_empty_above(change.path);
      return true;
    }
    if (!is_staged(change)) return true;
    if (!files_.make_parents(change.path)) return false;
    if (change.kind == Change::Kind::side) return put_beside(change);
    if (*now != kIsFolder && (*now == change.expected || *now == change.new_content)) {
      return files_.move(below(kNew, change.path), change.path);
    }
    // Edited since the plan was made. To a rename a link to a folder is none.
    installation_.caller().say(
        Message("  {file} was edited meanwhile: the new version is {new}",
                {{"file", shown(change.path)}, {"new", shown(beside(change.path))}}));
    return put_beside(change);
  }

  bool put_beside(const Change& change) const {
    const std::string now = files_.look(beside(change.path)).value_or("");
    if (now == kIsFolder) errno = EISDIR;
    return now != kIsFolder && files_.move(below(kNew, change.path), beside(change.path));
  }

  bool undo(const Change& change) const {
    const bool is_side = change.kind == Change::Kind::side;
    const std::string path = is_side ? beside(change.path) : change.path;
    const std::string made =
        change.kind == Change::Kind::del ? std::string(kNothing) : change.new_content;
    if (change.kind != Change::Kind::del && is_staged(change)) return true;  // not made
    const std::string now = files_.look(path).value_or("");
    if (now != made) return true;  // somebody else's
    const std::string copy = below(kOld, path);
    if (!files_.exists(copy)) return now == kNothing || files_.remove(path);
    return files_.make_parents(path) && files_.move(copy, path);
  }

  void forget() const {
    for (const std::string_view each : {kOriginal, kPrevious, kLast, kFormer, kState, kNew, kOld}) {
      files_.remove_all(each);
    }
    files_.remove_all(kWork);
    files_.remove(kLock);
    files_.remove_folder(kHome);
  }

  bool remember() const {
    const bool is_first = changes_.mark == "first";
    if (files_.exists(kNewState)) {
      files_.remove(kFormer);
      if (files_.exists(kState) && !files_.keep(kState, kFormer)) return false;
      if (!files_.move(kNewState, kState)) return false;
    }
    const std::string_view backup = is_first ? kOriginal : kPrevious;
    if (files_.exists(kOld)) {
      if (!files_.remove_all(backup) || !files_.move(kOld, backup)) return false;
    }
    files_.remove_folder(backup);  // with nothing in it, also after a run that ended here
    // A download that is left would be taken for one to continue.
    for (const std::string& name : files_.names_in(kWork)) {
      if (below(kWork, name) != kCommit) files_.remove_all(below(kWork, name));
    }
    if (!files_.move(kCommit, kLast)) return false;
    files_.remove_folder(kWork);
    return true;
  }

  const Installation& installation_;
  const ServerFiles& files_;
  const Changes& changes_;
};

std::string reason(int error) { return error == 0 ? "" : std::strerror(error); }

}  // namespace

void discard_work(const Installation& installation) {
  constexpr std::size_t kMostFolders = 16U << 20;
  const ServerFiles& files = installation.files();
  const std::string made = files.read(kMadeFolders, kMostFolders).value_or("");
  std::vector<std::string_view> folders = base::split(made, '\n');
  std::ranges::sort(folders, std::greater<>());
  for (const std::string_view folder : folders) {
    if (is_safe_path(folder)) files.remove_folder(folder);
  }
  for (const std::string& name : files.names_in(kWork)) {
    const std::string path = below(kWork, name);
    if (!name.ends_with(kDownloadSuffix)) files.remove_all(path);
  }
  files.remove_folder(kWork);
}

void commit(const Installation& installation, const Changes& changes,
            const std::optional<InstalledState>& next) {
  const ServerFiles& files = installation.files();
  const Commit commit(installation, changes);
  if (!files.make_parents(kCommit) || !commit.prepare()) fail_without_room(installation);
  refuse_obstacles(installation, changes);
  const std::string staged = below(kWork, "changes");
  if ((next && !files.write(kNewState, next->text())) || !files.write(staged, changes.text())) {
    fail_without_room(installation);
  }
  ::syncfs(files.root());
  if (!files.move(staged, kCommit)) fail_without_room(installation);
  if (const auto obstacle = commit.apply()) {
    const Message::Value path{"path", installation.shown_path(obstacle->path)};
    if (!commit.undo()) {
      fail(Message("cannot replace {path}: {reason}; the next run finishes this one",
                   {path, {"reason", reason(obstacle->error)}}));
    }
    fail(Message("cannot replace {path}: {reason}; nothing was changed",
                 {path, {"reason", reason(obstacle->error)}}));
  }
  commit.finish();
}

void recover(const Installation& installation) {
  if (!installation.is_interrupted()) {
    discard_work(installation);
    return;
  }
  const Caller& caller = installation.caller();
  const bool is_undone = installation.files().exists(kUndo);
  const Changes changes = read_changes(installation, is_undone ? kUndo : kCommit);
  const Commit commit(installation, changes);
  commit.refuse_links();
  if (!is_undone) caller.say(Message("Finishing the interrupted run.", {}));
  const auto obstacle = is_undone ? std::optional<Obstacle>(Obstacle{}) : commit.apply();
  if (!obstacle) {
    commit.finish();
    return;
  }
  if (!commit.undo()) {
    fail(Message("cannot write in {folder}; the next run finishes this one",
                 {{"folder", shown(installation.folder())}}));
  }
  if (is_undone) {
    caller.say(Message("The interrupted run was undone.", {}));
  } else {
    caller.say(Message(
        "The interrupted run was undone: cannot replace {path}: {reason}.",
        {{"path", installation.shown_path(obstacle->path)}, {"reason", reason(obstacle->error)}}));
  }
}

bool begin_run(Installation& installation, const std::string& service, bool is_dry_run) {
  installation.check(service);
  if (is_dry_run && installation.is_interrupted()) {
    installation.caller().say(Message(
        "An interrupted run would be finished first. Run without --dry-run to do that.", {}));
    return false;
  }
  if (!is_dry_run) {
    installation.lock();
    installation.check(service);
    recover(installation);
    installation.check(service);
  }
  return true;
}

}  // namespace goldsmith::owner

#include "app/owner/installation.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/base/text.hpp"
#include "app/owner/shown.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

Descriptor opened(const std::string& folder) {
  Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK));
  if (!root) {
    fail(errno == ENOENT || errno == ENOTDIR
             ? Message("there is no folder {folder}", {{"folder", shown(folder)}})
             : Message("cannot enter {folder}", {{"folder", shown(folder)}}));
  }
  return root;
}

[[noreturn]] void refuse_bad(const std::string& path, BadState problem,
                             const std::string& service) {
  switch (problem) {
    case BadState::unreadable:
      refuse(Message("{path} is not readable or of an unknown format", {{"path", path}}));
    case BadState::format:
      refuse(Message("{path} has an unknown format; get the current script from {service}",
                     {{"path", path}, {"service", service}}));
    case BadState::damaged:
      break;
  }
  refuse(Message("{path} is damaged", {{"path", path}}));
}

}  // namespace

Installation::Installation(const Caller& caller, std::string folder)
    : caller_(caller), folder_(std::move(folder)), files_(opened(folder_)) {}

std::string Installation::shown_path(std::string_view path) const {
  return shown(below(folder_, path));
}

// `.goldsmith`, and what is in it and in `work`, are folders and files, not links.
void Installation::check_kinds() const {
  const auto check = [&](const std::string& path, bool is_folder) {
    if (files_.is_folder(path) ? is_folder : files_.is_file(path) && !is_folder) return;
    const Message::Value named{"path", shown_path(path)};
    const std::string now = files_.look(path).value_or("");
    const bool is_link = now == kIsLink || now == kIsFolder;
    if (is_link && !files_.is_folder(path)) {
      refuse(Message("{path} is a link; remove it first", {named}));
    }
    if (now != kNothing) refuse(Message("{path} was not made by this script", {named}));
  };
  check(std::string(kHome), true);
  for (const std::string_view folder : {kHome, kWork}) {
    for (const std::string& name : files_.names_in(folder)) {
      const std::string path = below(folder, name);
      const bool is_folder =
          path == kWork || path == kOriginal || path == kPrevious || path == kNew || path == kOld;
      check(path, is_folder);
    }
  }
}

void Installation::check(const std::string& service) {
  state_.reset();
  check_kinds();
  if (!files_.exists(kHome)) return;
  const auto check_service = [&](const std::string& found) {
    if (service.empty() || found == service) return;
    refuse(Message("the server in {folder} is from another service: {service}",
                   {{"folder", shown(folder_)}, {"service", shown(found)}}));
  };
  for (const std::string_view path : {kCommit, kUndo}) {
    if (files_.exists(path)) check_service(read_changes(*this, path).service);
  }
  if (files_.exists(kState)) {
    BadState problem{};
    auto state = parse_state(files_.read(kState, kMostOfState).value_or(""), problem);
    if (!state) refuse_bad(shown_path(kState), problem, service);
    check_service(state->service);
    state_ = std::move(state);
    return;
  }
  // A first run may have been interrupted here: it leaves these two.
  for (const std::string& name : files_.names_in(kHome)) {
    const std::string path = below(kHome, name);
    if (path != kLock && path != kWork) {
      refuse(Message("{path} was not made by this script", {{"path", shown_path(kHome)}}));
    }
  }
}

void Installation::lock() {
  const auto fail_to_write = [&](std::string_view path) {
    fail(Message("cannot write in {folder}; nothing was changed",
                 {{"folder", path.empty() ? shown(folder_) : shown_path(path)}}));
  };
  if (!files_.is_folder(kHome) && !files_.make_folder(kHome)) fail_to_write("");
  const ServerFiles::Place place = files_.place(kLock);
  lock_ = Descriptor(::openat(place.folder.get(), place.name.c_str(),
                              O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644));
  if (!lock_) fail_to_write(kHome);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    refuse(Message("another run is at work in {folder}", {{"folder", shown(folder_)}}));
  }
}

Changes read_changes(const Installation& installation, std::string_view path) {
  BadState problem{};
  auto changes = parse_changes(installation.files().read(path, kMostOfState).value_or(""), problem);
  if (!changes) refuse_bad(installation.shown_path(path), problem, installation.caller().service);
  return std::move(*changes);
}

void fail_without_room(const Installation& installation) {
  fail(Message("cannot write in {folder}; is the disk full? Nothing was changed.",
               {{"folder", shown(installation.folder())}}));
}

}  // namespace goldsmith::owner

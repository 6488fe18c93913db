#include "app/owner/archive_download.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/owner/sha256.hpp"
#include "app/owner/stop.hpp"

namespace goldsmith::owner {
namespace {

using base::Message;

constexpr std::string_view kPart = ".zip.part";
constexpr std::size_t kNameSize = 64;  // of an archive, at the end of its comment

// Why it is to be downloaded again.
struct Again {
  Message reason;
};

class ArchiveDownload {
 public:
  ArchiveDownload(const Installation& installation, Service& service, const WantedBuild& build,
                  std::string_view list, const Plan& plan)
      : installation_(installation),
        files_(installation.files()),
        service_(service),
        build_(build),
        list_(list) {
    using Action = PlannedFile::Action;
    for (const PlannedFile& file : plan.files) {
      const bool is_new = file.action == Action::put || file.action == Action::side;
      if (is_new && !plan.contents.contains(file.path)) needed_.insert(file.path);
    }
  }

  void run() {
    while (true) {
      choose();
      try {
        download();
        unpack();
        return;
      } catch (const Again& again) {
        prepare_again(again.reason);
      }
    }
  }

 private:
  std::string part() const { return below(kWork, name_ + std::string(kPart)); }

  // Archives are named by their content: a part of one is never continued with another.
  void choose() {
    base_.clear();
    const std::string whole = below(kWork, build_.hash + std::string(kPart));
    if (!needs_whole_ && !files_.exists(whole) && needs_only_changes()) {
      base_ = installation_.state()->build;
    }
    name_ = base_.empty() ? build_.hash
                          : sha256_hex("goldsmith partial archive 1\nfrom " + base_ + "\nto " +
                                       build_.hash + "\n" + std::string(list_));
    for (const std::string& each : files_.names_in(kWork)) {
      const std::string path = below(kWork, each);
      if (each.ends_with(kPart) && path != part()) files_.remove_all(path);
    }
  }

  // Whether each file that is needed has changed since the installed build.
  bool needs_only_changes() const {
    if (installation_.is_first()) return false;
    const FileList& installed = installation_.state()->files;
    return std::ranges::none_of(needed_, [&](const std::string& path) {
      const auto old = installed.find(path);
      return old != installed.end() && old->second == build_.list.at(path);
    });
  }

  void download() {
    is_continued_ = files_.exists(part());
    const Caller& caller = installation_.caller();
    caller.say(is_continued_   ? Message("Continuing the download.", {})
               : base_.empty() ? Message("Downloading.", {})
                               : Message("Downloading what changed.", {}));
    std::fflush(stdout);
    std::string url = build_.facts.download;
    if (!base_.empty()) url += (url.find('?') == url.npos ? "?from=" : "&from=") + base_;
    const bool has_work = files_.make_parents(part());
    const ServerFiles::Place place = files_.place(part());
    if (!has_work || !place.folder) fail_without_room(installation_);
    const Answer answer = service_.download(url, place.folder.get(), place.name);
    if (answer.is_full) {
      files_.remove(part());
      fail(Message("no room for the download in {folder}; nothing was changed",
                   {{"folder", installation_.shown_path("")}}));
    }
    if (answer.status == 0) {
      fail(Message(
          "the download was interrupted; nothing was changed, and the next run continues it", {}));
    }
    constexpr int kThereAlready = 416;
    const bool is_there = answer.status == kThereAlready && is_continued_;
    if (answer.status != 200 && answer.status != 206 && !is_there) {
      if (!base_.empty()) throw Again{Message("the installed build is not known any more", {})};
      service_.refuse(answer, Message("{service} answered {status}; nothing was changed",
                                      {{"service", caller.service},
                                       {"status", std::to_string(answer.status)}}));
    }
    told_ = is_there ? "" : answer.header("x-svc-build-hash");
  }

  // The header names the build, or the archive where downloads are redirected. A service that knows
  // no partial archives sends the whole one.
  void check_name(const std::string& comment) {
    const std::string name =
        comment.size() < kNameSize ? "" : comment.substr(comment.size() - kNameSize);
    const bool is_told = told_.empty() || told_ == build_.hash || told_ == name;
    if (name == name_ && is_told) return;
    if (name != build_.hash || told_ != build_.hash) {
      throw Again{Message("the server was changed during the download", {})};
    }
    base_.clear();
  }

  void unpack() {
    if (!files_.remove_all(kNew) || !files_.make_folder(kNew)) fail_without_room(installation_);
    try {
      const ServerFiles::Place place = files_.place(part());
      base::UniqueFd file(
          ::openat(place.folder.get(), place.name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      const archive::ZipReader reader(std::move(file), place.name);
      check_name(reader.comment());
      std::set<std::string_view> unpacked;
      for (const archive::ZipEntry& entry : reader.entries()) {
        unpack(reader, entry);
        unpacked.insert(entry.path);
      }
      if (base_.empty() && unpacked.size() != build_.list.size()) {
        throw Again{Message("the list of checksums is not that of the download", {})};
      }
      if (!std::ranges::includes(unpacked, needed_)) {
        throw Again{Message("the download lacks a file", {})};
      }
    } catch (const archive::ZipError&) {
      throw Again{Message("the download is damaged", {})};
    } catch (const base::FileError&) {
      fail(Message("cannot unpack the archive in {folder}; is the disk full? Nothing was changed.",
                   {{"folder", installation_.shown_path("")}}));
    }
  }

  void unpack(const archive::ZipReader& reader, const archive::ZipEntry& entry) {
    const auto listed = build_.list.find(entry.path);
    if (listed == build_.list.end()) {
      throw Again{Message("the list of checksums is not that of the download", {})};
    }
    Descriptor file;
    if (needed_.contains(entry.path)) {
      const std::string path = below(kNew, entry.path);
      if (!files_.make_parents(path)) fail_without_room(installation_);
      const ServerFiles::Place place = files_.place(path);
      file = Descriptor(::openat(place.folder.get(), place.name.c_str(),
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                 entry.executable ? 0755 : 0644));
      if (!file) fail_without_room(installation_);
    }
    Sha256 digest;
    reader.read(entry, [&](std::string_view piece) {
      digest.update(piece);
      if (file) base::write_all(file.get(), piece, entry.path);
    });
    if (digest.finish_hex() != listed->second) {
      throw Again{Message("the checksums of the download are wrong", {})};
    }
    // Backups that compare sizes and times see that it changed.
    const timespec time{entry.modified.time_since_epoch().count(), 0};
    const std::array times{time, time};
    if (file) ::futimens(file.get(), times.data());
  }

  // What an earlier run left of the download may be damaged, as by a power cut: then it is
  // downloaded from its start. In place of a partial archive, that of the build is downloaded.
  void prepare_again(const Message& reason) {
    files_.remove(part());
    if (is_continued_) return;
    if (base_.empty()) {
      fail(Message("{reason}; nothing was changed, and the next run downloads it again",
                   {{"reason", reason}}));
    }
    needs_whole_ = true;
  }

  const Installation& installation_;
  const ServerFiles& files_;
  Service& service_;
  const WantedBuild& build_;
  std::string_view list_;
  std::set<std::string, std::less<>> needed_;
  bool needs_whole_ = false;
  bool is_continued_ = false;
  std::string base_;  // the installed build, for a partial archive
  std::string name_;  // of the archive
  std::string told_;  // by the header of the answer
};

}  // namespace

void fetch_archive(const Installation& installation, Service& service, const WantedBuild& build,
                   std::string_view list, const Plan& plan) {
  ArchiveDownload(installation, service, build, list, plan).run();
}

}  // namespace goldsmith::owner

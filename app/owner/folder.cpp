#include "app/owner/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "app/owner/gathering.hpp"
#include "app/owner/sha256.hpp"

namespace goldsmith::owner {
namespace {

constexpr std::size_t kMostOfText = 4U << 20;
constexpr off_t kMostOfListed = 256U << 10;
constexpr std::size_t kMostTexts = 100;  // files of a folder

// The first hex digits of its SHA-256; std::nullopt if it can't be read.
std::optional<std::string> digest_of(int file) {
  static std::array<char, 256U << 10> buffer;
  Sha256 digest;
  while (true) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    digest.update({buffer.data(), static_cast<std::size_t>(count)});
  }
  return digest.finish_hex().substr(0, KnownFiles::kPrefix);
}

std::string digest_of(const std::string& text) {
  return sha256_hex(text).substr(0, KnownFiles::kPrefix);
}

class FolderReader {
 public:
  FolderReader(const ServerFolder& server, const KnownFiles& known,
               const std::function<void(std::uint64_t)>& progress)
      : server_(server), known_(known), progress_(progress) {}

  FolderFacts read() {
    read_files(server_.root.get(), "", 0);
    find_linux_gsm();
    read_loaded();
    read_declarations();
    return std::move(facts_);
  }

 private:
  void note_unread(const std::string& path) { owner::note_unread(facts_, path); }

  // `path`: of the folder, "" or with a slash at its end.
  void read_files(int folder, const std::string& path, std::size_t depth) {
    const auto names = depth > kDeepest ? std::nullopt : names_in(folder);
    if (!names) {
      note_unread(path);
      return;
    }
    for (const std::string& name : *names) {
      if (name == kKept) continue;
      if (is_odd(name)) {
        ++facts_.odd;
      } else {
        read_entry(folder, name, path, depth);
      }
    }
  }

  void read_entry(int folder, const std::string& name, const std::string& path, std::size_t depth) {
    struct stat status{};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      note_unread(path + name);
    } else if (S_ISLNK(status.st_mode)) {
      ++facts_.links;
    } else if (S_ISDIR(status.st_mode)) {
      const Descriptor inner = open_folder_in(folder, name);
      if (inner) {
        read_files(inner.get(), path + name + "/", depth + 1);
      } else {
        note_unread(path + name);
      }
    } else if (!S_ISREG(status.st_mode)) {
      ++facts_.others;
    } else if (static_cast<std::uint64_t>(status.st_size) > known_.largest()) {
      ++facts_.large;
    } else {
      read_file(folder, name, path + name);
    }
  }

  void read_file(int folder, const std::string& name, const std::string& path) {
    const Descriptor file = open_file_in(folder, name);
    auto digest = file ? digest_of(file.get()) : std::nullopt;
    if (!digest) {
      note_unread(path);
      return;
    }
    const std::string on_server = server_.prefix + path;
    if (!known_.knows(*digest)) {
      if (auto other = digest_with_other_ends(file.get(), on_server)) digest = std::move(other);
    }
    if (!known_.knows(*digest)) open_unknown(file.get(), on_server);
    facts_.files.push_back({on_server, std::move(*digest)});
    constexpr std::uint64_t kStep = 500;
    if (facts_.files.size() % kStep == 0) progress_(facts_.files.size());
  }

  // That of a text which is known with other ends of its lines.
  std::optional<std::string> digest_with_other_ends(int file, const std::string& path) const {
    if (!may_have_other_ends(known_, path)) return {};
    const auto content = read_beginning(file, kMostWithEnds);
    for (const std::string& text : with_other_ends(content.value_or(""))) {
      std::string digest = digest_of(text);
      if (known_.knows(digest)) return digest;
    }
    return {};
  }

  void open_unknown(int file, const std::string& path) {
    const Openings::What what = openings_.next(path, facts_);
    if (what == Openings::What::plugin) {
      const auto content = read_beginning(file, kMostOfPlugin);
      if (!content) return;
      if (auto found = pawn::registration_of(*content)) facts_.registered[path] = *found;
    } else if (what == Openings::What::library) {
      const auto content = read_beginning(file, kMostOfLibrary);
      if (!content) return;
      if (auto found = introduction_of(*content, is_platform_path(path))) {
        facts_.introduced[path] = *found;
      }
    }
  }

  // Of the folder of the server, or LinuxGSM's, which keeps its own files beside that.
  std::pair<int, std::string_view> place_of(std::string_view path) const {
    if (path.starts_with("lgsm/")) return {linux_gsm_.get(), path};
    if (server_.prefix.empty()) return {server_.root.get(), path};
    const bool is_there = (std::string(path) + "/").starts_with(server_.prefix);
    return {is_there ? server_.root.get() : -1,
            path.substr(std::min(server_.prefix.size(), path.size()))};
  }

  std::string text_at(std::string_view path) const {
    const auto [folder, name] = place_of(path);
    const Descriptor file = folder < 0 ? Descriptor() : open_file_in(folder, name);
    return file ? read_beginning(file.get(), kMostOfText).value_or("") : "";
  }

  std::vector<std::string> names_at(std::string_view path) const {
    const auto [folder, name] = place_of(path);
    const Descriptor opened = folder < 0 ? Descriptor() : open_folder_in(folder, name);
    std::vector<std::string> names;
    if (!opened) return names;
    for (std::string& each : names_in(opened.get()).value_or(names)) {
      if (names.size() == kMostTexts) break;
      struct stat status{};
      if (is_odd(each) ||
          ::fstatat(opened.get(), each.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
          !S_ISREG(status.st_mode) || status.st_size > kMostOfListed) {
        continue;
      }
      names.push_back(std::move(each));
    }
    return names;
  }

  // What the engine, Metamod and AMX Mod X load.
  void read_loaded() {
    facts_.loaded = loaded_by({[&](std::string_view path) { return text_at(path); },
                               [&](std::string_view path) { return names_at(path); }});
  }

  void find_linux_gsm() {
    constexpr std::string_view kInner = "/serverfiles";
    home_ = server_.path;
    if (home_.ends_with(kInner)) home_.resize(home_.size() - kInner.size());
    linux_gsm_ = Descriptor(::open(home_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (linux_gsm_ && open_folder_in(linux_gsm_.get(), "lgsm")) return;
    home_ = server_.path;
    linux_gsm_ = Descriptor();
  }

  void read_declarations() {
    std::set<std::string> places;
    for (const std::string& place : {server_.given, server_.path, home_}) {
      if (!places.insert(place).second) continue;
      const Descriptor folder(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (folder) read_declarations_in(folder.get());
    }
  }

  void read_declarations_in(int folder) {
    const auto beginning_of = [&](std::string_view path) -> std::optional<std::string> {
      const Descriptor file = open_file_in(folder, path);
      return file ? read_beginning(file.get(), kMostDeclared) : std::nullopt;
    };
    for (const std::string_view path : declaring_files()) {
      auto content = beginning_of(path);
      if (!content) continue;
      if (path == kModList) {
        for (const std::string_view source : mod_sources()) {
          content->append("\n").append(beginning_of(source).value_or(""));
        }
      }
      for (Declaration& each : declarations_of(path, *content)) {
        facts_.declared.push_back(std::move(each));
      }
    }
  }

  const ServerFolder& server_;
  std::string home_;  // where LinuxGSM is
  Descriptor linux_gsm_;
  const KnownFiles& known_;
  const std::function<void(std::uint64_t)>& progress_;
  Openings openings_;
  FolderFacts facts_;
};

}  // namespace

FolderFacts read_folder(const ServerFolder& server, const KnownFiles& known,
                        const std::function<void(std::uint64_t)>& progress) {
  return FolderReader(server, known, progress).read();
}

}  // namespace goldsmith::owner

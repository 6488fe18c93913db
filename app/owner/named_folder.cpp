#include "app/owner/named_folder.hpp"

#include <algorithm>

#include "app/base/text.hpp"
#include "app/owner/declared.hpp"
#include "app/owner/library.hpp"
#include "app/pawn/amxx_file.hpp"

namespace goldsmith::owner {
namespace {

constexpr std::size_t kMostOfAsked = 1'000'000;
constexpr std::size_t kMostNames = 100;  // files of a folder

std::string digest_prefix(std::string_view digest) {
  return std::string(digest.substr(0, KnownFiles::kPrefix));
}

}  // namespace

void NamedFolder::add(std::string path, std::uint64_t size) {
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1)) {
    folders_.insert(path.substr(0, slash));
  }
  numbers_.try_emplace(path, named_.size());
  named_.push_back({std::move(path), size});
}

std::vector<std::string> NamedFolder::folders_in(std::string_view path) const {
  std::vector<std::string> names;
  for (const std::string& folder : folders_) {
    const std::size_t slash = folder.rfind('/');
    const bool is_top = slash == folder.npos;
    if ((is_top ? "" : std::string_view(folder).substr(0, slash)) != path) continue;
    names.push_back(is_top ? folder : folder.substr(slash + 1));
  }
  std::ranges::sort(names);
  return names;
}

bool NamedFolder::begin(const KnownFiles& known, const std::string& folder,
                        base::Message& problem) {
  known_ = &known;
  const auto place = place_of_server(*this, folder, problem);
  if (!place) return false;
  root_ = place->path.empty() ? "" : place->path + "/";
  prefix_ = place->is_game ? "cstrike/" : "";
  sort_files();
  read_next_file();
  return true;
}

// As somebody meets them who enters each folder in the order of the names.
void NamedFolder::sort_files() {
  for (const auto& [path, number] : numbers_) {
    if (path.starts_with(root_) && is_looked_at(named_[number])) order_.push_back(number);
  }
  const auto key = [&](std::size_t number) {
    std::string path = named_[number].path;
    std::ranges::replace(path, '/', '\0');
    return path;
  };
  std::vector<std::pair<std::string, std::size_t>> keys;
  for (const std::size_t number : order_) keys.emplace_back(key(number), number);
  std::ranges::sort(keys);
  order_.clear();
  for (const auto& [text, number] : keys) order_.push_back(number);
}

// What is odd counts once, with all that is below it.
bool NamedFolder::is_looked_at(const Named& file) {
  const auto parts = base::split(std::string_view(file.path).substr(root_.size()), '/');
  std::string path;
  for (const std::string_view part : parts) {
    path.append("/").append(part);
    if (part == kKept) return false;
    if (!is_odd(part)) continue;
    if (odd_.insert(path).second) ++facts_.odd;
    return false;
  }
  if (parts.size() - 1 > kDeepest) {
    note_unread(facts_, file.path);
    return false;
  }
  if (file.size > known_->largest()) ++facts_.large;
  return file.size <= known_->largest();
}

// In the folder that was chosen, to that on a server.
std::string NamedFolder::on_server(std::string_view path) const {
  return prefix_ + std::string(path.substr(root_.size()));
}

void NamedFolder::ask(Request request, Then then) {
  request_ = std::move(request);
  then_ = std::move(then);
}

void NamedFolder::give(std::string answer) {
  request_ = {};
  // What it calls may ask again.
  const Then then = std::exchange(then_, {});
  if (then) then(std::move(answer));
}

void NamedFolder::read_next_file() {
  if (next_ == order_.size()) {
    read_texts();
    return;
  }
  const std::size_t number = order_[next_++];
  ask({Wanted::digest, number, 0, {}},
      [this, number](const std::string& digest) { take_digest(number, digest_prefix(digest)); });
}

void NamedFolder::take_digest(std::size_t number, std::string digest) {
  if (digest.empty()) {
    note_unread(facts_, named_[number].path.substr(root_.size()));
    read_next_file();
    return;
  }
  digest_ = std::move(digest);
  if (known_->knows(digest_)) {
    keep(number);
  } else if (may_have_other_ends(*known_, on_server(named_[number].path))) {
    ask({Wanted::beginning, number, kMostWithEnds, {}}, [this, number](const std::string& content) {
      try_other_ends(number, with_other_ends(content));
    });
  } else {
    open_unknown(number);
  }
}

// The last of the texts first.
void NamedFolder::try_other_ends(std::size_t number, std::vector<std::string> texts) {
  if (texts.empty()) {
    open_unknown(number);
    return;
  }
  std::string text = std::move(texts.back());
  texts.pop_back();
  ask({Wanted::digest_of_bytes, number, 0, std::move(text)},
      [this, number, texts = std::move(texts)](const std::string& digest) {
        std::string prefix = digest_prefix(digest);
        if (!known_->knows(prefix)) {
          try_other_ends(number, texts);
        } else {
          digest_ = std::move(prefix);
          keep(number);
        }
      });
}

void NamedFolder::open_unknown(std::size_t number) {
  const std::string path = on_server(named_[number].path);
  const Openings::What what = openings_.next(path, facts_);
  if (what == Openings::What::plugin) {
    ask({Wanted::beginning, number, kMostOfPlugin, {}},
        [this, number](const std::string& file) { open_plugin(number, file); });
  } else if (what == Openings::What::library) {
    ask({Wanted::beginning, number, kMostOfLibrary, {}}, [this, number](const std::string& file) {
      const std::string place = on_server(named_[number].path);
      if (const auto found = introduction_of(file, is_platform_path(place))) {
        facts_.introduced[place] = *found;
      }
      keep(number);
    });
  } else {
    keep(number);
  }
}

void NamedFolder::open_plugin(std::size_t number, const std::string& file) {
  const auto packed = pawn::packed_image(file);
  if (!packed) {
    keep(number);
    return;
  }
  const auto most = std::min<std::size_t>(packed->size, pawn::kMostOfImage);
  ask({Wanted::inflated, number, most, std::string(packed->stream)},
      [this, number](std::string image) {
        if (const auto found = pawn::registration_in(std::move(image))) {
          facts_.registered[on_server(named_[number].path)] = *found;
        }
        keep(number);
      });
}

void NamedFolder::keep(std::size_t number) {
  facts_.files.push_back({on_server(named_[number].path), std::move(digest_)});
  read_next_file();
}

// Runs what reads texts again and again, until it has all that it reads: what it lacks is asked
// for.
void NamedFolder::read_texts() {
  find_linux_gsm();
  find_loaded();
  if (request_.wanted == Wanted::nothing) find_declarations();
}

// Beside whose folder the server is.
void NamedFolder::find_linux_gsm() {
  constexpr std::string_view kInner = "serverfiles/";
  home_.reset();
  if (!root_.ends_with(kInner)) return;
  std::string home = root_.substr(0, root_.size() - kInner.size());
  if (has_folder(home + "lgsm")) home_ = std::move(home);
}

// In the folder that was chosen; std::nullopt for what is not in it. `path`: on a server, or
// LinuxGSM's.
std::optional<std::string> NamedFolder::place_of(std::string_view path) const {
  if (path.starts_with("lgsm/")) {
    return home_ ? std::optional(*home_ + std::string(path)) : std::nullopt;
  }
  if (!(std::string(path) + "/").starts_with(prefix_)) return std::nullopt;
  return root_ + std::string(path.substr(std::min(prefix_.size(), path.size())));
}

// "" for a text that is not there, or has to be read first: it is asked for then. `path`: in the
// folder that was chosen.
std::string NamedFolder::text_at(const std::string& path) {
  const auto number = numbers_.find(path);
  if (number == numbers_.end()) return {};
  if (const auto found = texts_.find(path); found != texts_.end()) return found->second;
  if (request_.wanted == Wanted::nothing) {
    ask({Wanted::beginning, number->second, kMostOfAsked, {}}, [this, path](std::string content) {
      texts_[path] = std::move(content);
      read_texts();
    });
  }
  return {};
}

std::string NamedFolder::text_on_server(std::string_view path) {
  const auto place = place_of(path);
  return place ? text_at(*place) : "";
}

// The files in a folder, sorted; "" is that of the server.
std::vector<std::string> NamedFolder::names_on_server(std::string_view folder) const {
  std::vector<std::string> names;
  const auto place = place_of(folder);
  if (!place) return names;
  const std::string begin = place->empty() || place->ends_with('/') ? *place : *place + "/";
  for (auto each = numbers_.lower_bound(begin); each != numbers_.end(); ++each) {
    const std::string_view path = each->first;
    if (!path.starts_with(begin) || names.size() == kMostNames) break;
    const std::string_view name = path.substr(begin.size());
    const bool is_read = name.find('/') == name.npos && !is_odd(name);
    if (is_read && named_[each->second].size <= kMostOfAsked) names.emplace_back(name);
  }
  return names;
}

void NamedFolder::find_loaded() {
  facts_.loaded = loaded_by({[this](std::string_view path) { return text_on_server(path); },
                             [this](std::string_view path) { return names_on_server(path); }});
}

void NamedFolder::find_declarations() {
  std::vector<std::string> places{""};
  if (!root_.empty()) places.push_back(root_);
  if (home_ && !home_->empty()) places.push_back(*home_);
  facts_.declared.clear();
  for (const std::string& place : places) {
    for (const std::string_view path : declaring_files()) {
      if (!has_file(place + std::string(path))) continue;
      std::string content = text_at(place + std::string(path)).substr(0, kMostDeclared);
      const bool is_list = path == kModList;
      for (const std::string_view source : is_list ? mod_sources() : decltype(mod_sources())()) {
        content.append("\n").append(text_at(place + std::string(source)).substr(0, kMostDeclared));
      }
      for (Declaration& each : declarations_of(path, content)) {
        facts_.declared.push_back(std::move(each));
      }
    }
  }
}

}  // namespace goldsmith::owner

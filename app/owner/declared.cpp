#include "app/owner/declared.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "app/base/json.hpp"
#include "app/base/text.hpp"
#include "app/domain/names.hpp"
#include "app/domain/version.hpp"
#include "app/owner/declared_text.hpp"

namespace goldsmith::owner {
namespace {

using Kind = Declaration::Kind;

constexpr std::size_t kMostTold = 100;
constexpr std::size_t kMostAddresses = 20;  // of a line
constexpr std::string_view kArchives[] = {".zip", ".tgz", ".tar.gz", ".tar.xz"};
constexpr std::string_view kPlatformName = "AMX Mod X";

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  std::vector<Declaration> read(std::string_view content) {
    if (file_ == ".amxxpack.json") {
      const auto value = json::parsed(content);
      if (value) read_amxxpack(*value);
    } else {
      for (const std::string& line : lines_of(content)) read_line(line);
    }
    finish();
    return std::move(told_);
  }

 private:
  bool is_of_mods() const { return file_ == kModList; }
  bool is_of_docker() const {
    return file_ == "Dockerfile" || file_.starts_with("docker-compose.") ||
           file_.starts_with("compose.");
  }

  // Without commands for terminals.
  std::vector<std::string> lines_of(std::string_view content) const {
    std::vector<std::string> lines(1);
    for (const char c : content) {
      if (c == '\n' || c == '\r' || c == '\0') {
        lines.emplace_back();
      } else if (lines.back().size() < kLongestDeclared) {
        const bool is_quote = c == '"' || c == '\'';
        if (is_quote && !is_of_mods()) {
          lines.back() += ' ';
        } else if (c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7F')) {
          lines.back() += c;
        }
      }
    }
    return lines;
  }

  void read_line(std::string_view line) {
    if (file_.starts_with("amxbuild.")) {
      read_amxbuild(line);
    } else if (file_ == "DEPS_LIST") {
      tell_dependency(word(words_of(without_comment(line)), 0));
    } else if (is_of_docker()) {
      read_docker(without_comment(line));
    } else if (is_of_mods()) {
      read_mods(line);
    } else {
      read_steam(words_of(line));
    }
  }

  static std::string_view without_comment(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    return first != line.npos && line[first] == '#' ? std::string_view() : line;
  }

  void tell(Kind kind, std::string_view name, std::string_view version) {
    // Such as "latest".
    const bool has_number = std::any_of(version.begin(), version.end(), domain::is_digit);
    if (!has_number || !is_made_of(version, "._+-")) version = {};
    constexpr std::size_t kLongestVersion = 60;
    Declaration declaration{kind, std::string(file_), std::string(name),
                            std::string(version.substr(0, kLongestVersion))};
    if (told_.size() == kMostTold || std::ranges::find(told_, declaration) != told_.end()) return;
    told_.push_back(std::move(declaration));
  }

  void tell_repository(std::string_view repository, std::string_view version) {
    if (repository.ends_with(".git")) repository.remove_suffix(4);
    if (domain::is_github_repository(repository)) tell(Kind::repository, repository, version);
  }

  // "OWNER/REPOSITORY[@TAG][:PATH]"
  void tell_dependency(std::string_view text) {
    constexpr std::string_view kHost = "https://github.com/";
    if (text.starts_with(kHost)) text.remove_prefix(kHost.size());
    const std::vector<std::string_view> pieces = base::split(text.substr(0, text.find(':')), '@');
    tell_repository(pieces[0], word(pieces, 1));
  }

  // Releases on GitHub, and archives that are named like
  // "amxmodx-1.9.0-git5294-base-linux.tar.gz".
  void tell_addresses(std::string_view text) {
    std::size_t left = kMostAddresses;
    for (const std::string_view each : words_of(text)) {
      const std::size_t begin = std::min(each.find("https://"), each.find("http://"));
      if (begin == each.npos) continue;
      if (left-- == 0) return;
      tell_address(each.substr(begin));
    }
  }

  void tell_address(std::string_view address) {
    std::string secure(address);
    if (secure.starts_with("http:")) secure.insert(4, "s");
    if (const auto release = domain::github_tag(secure)) {
      tell_repository(release->repository, release->tag);
      return;
    }
    std::string_view name = address.substr(address.rfind('/') + 1);
    const auto* const archive = std::ranges::find_if(
        kArchives, [&](std::string_view suffix) { return name.ends_with(suffix); });
    if (archive == std::end(kArchives)) return;
    name.remove_suffix(archive->size());
    const std::size_t mark = version_mark(name);
    if (mark == name.npos) return;
    tell(Kind::name, name.substr(0, mark), version_in(name.substr(mark + 1)));
  }

  // Where "-1.2", "_v1.2" begins.
  static std::size_t version_mark(std::string_view name) {
    for (std::size_t at = name.find_first_of("-_"); at != name.npos;
         at = name.find_first_of("-_", at + 1)) {
      const std::size_t first = at + (name.substr(at + 1).starts_with('v') ? 2 : 1);
      const std::size_t dot = std::min(name.find_first_not_of("0123456789", first), name.size());
      const std::string_view rest = name.substr(dot);
      if (dot > first && rest.size() > 1 && rest[0] == '.' && domain::is_digit(rest[1])) return at;
    }
    return name.npos;
  }

  // "1.9.0-dev-git5294" of "1.9.0-dev-git5294-base-linux".
  static std::string_view version_in(std::string_view text) {
    std::size_t end = std::min(text.find_first_of("-_"), text.size());
    constexpr std::string_view kDev = "-dev";
    constexpr std::string_view kGit = "-git";
    if (text.substr(end).starts_with(kDev)) end += kDev.size();
    if (text.substr(end).starts_with(kGit)) {
      std::size_t last = end + kGit.size();
      while (last < text.size() && domain::is_digit(text[last])) ++last;
      if (last > end + kGit.size()) end = last;
    }
    return text.substr(0, end);
  }

  // amxx-builder: in lists "OWNER/REPOSITORY@TAG:PATH", or "repo: OWNER/REPOSITORY" and "ref: TAG".
  void read_amxbuild(std::string_view line) {
    line = line.substr(0, line.starts_with('#') ? 0 : std::min(line.find(" #"), line.find("\t#")));
    std::vector<std::string_view> words = words_of(line);
    if (!line.empty() && domain::is_alphanumeric(line.front()) && !domain::is_digit(line.front())) {
      tell_item();
      section_ = word(words, 0);
      depth_ = kNoDepth;
    }
    if (section_ == "amxmodx:" && word(words, 0) == "version:") {
      tell(Kind::repository, kPlatformName, platform_version(word(words, 1)));
    }
    if (section_ != "deps:" && section_ != "repos:" && section_ != "assets:") return;
    std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (line.substr(indent).starts_with("- ")) {
      const std::size_t inner = std::min(line.find_first_not_of(' ', indent + 1), line.size());
      if (depth_ == kNoDepth || inner <= depth_) {
        tell_item();
        indent = depth_ = inner;
        words = words_of(line.substr(inner));
        const std::string_view first = word(words, 0);
        if (section_ != "assets:" && first.find('/') != first.npos) tell_dependency(first);
      }
    }
    if (indent != depth_) return;
    if (word(words, 0) == "repo:") repository_ = word(words, 1);
    if (word(words, 0) == "ref:") reference_ = word(words, 1);
  }

  // Without the third of its four numbers: 1.10.5428.
  static std::string platform_version(std::string_view version) {
    const auto pieces = base::split(version, '.');
    const auto build =
        pieces.size() == 3 ? base::parse_number(pieces[2]) : std::optional<std::uint64_t>();
    constexpr std::uint64_t kLeastBuild = 100;
    if (!build || *build < kLeastBuild) return std::string(version);
    return std::string(pieces[0]).append(".").append(pieces[1]).append(".0.").append(pieces[2]);
  }

  void tell_item() {
    if (!repository_.empty()) tell_repository(repository_, reference_);
    repository_.clear();
    reference_.clear();
  }

  // AMXXPack: addresses of releases, and the version of the compiler.
  void read_amxxpack(const json::Value& value) {
    if (const auto* const text = value.as_string()) tell_addresses(*text);
    if (const auto* const array = value.as_array()) {
      for (const json::Value& each : *array) read_amxxpack(each);
    }
    const json::Object* const object = value.as_object();
    if (object == nullptr) return;
    for (const auto& [key, each] : *object) {
      const json::Object* const inner = each.as_object();
      const auto version =
          inner == nullptr ? json::Object::const_iterator() : inner->find("version");
      if (key == "compiler" && inner != nullptr && version != inner->end()) {
        const std::string* const number = version->second.as_string();
        if (number != nullptr) tell(Kind::repository, kPlatformName, *number);
      }
      read_amxxpack(each);
    }
  }

  // What is downloaded, variables for versions, and images of game servers.
  void read_docker(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    const std::string_view first = word(words, 0);
    if (first == "image:" || first == "FROM") tell_image(words);
    if (first == "ENV" && is_identifier(word(words, 1))) {
      variables_.set(words[1], variables_.expanded(word(words, 2)));
    }
    if (words.size() == 2 && first.ends_with(':') &&
        is_identifier(first.substr(0, first.size() - 1))) {
      variables_.set(first.substr(0, first.size() - 1), variables_.expanded(words[1]));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == words[i].npos || !is_identifier(words[i].substr(0, equals))) continue;
      const std::string_view value = words[i].substr(equals + 1);
      variables_.set(words[i].substr(0, equals),
                     variables_.expanded(value.empty() ? word(words, i + 1) : value));
    }
    tell_addresses(variables_.expanded(line));
  }

  void tell_image(const std::vector<std::string_view>& words) {
    constexpr std::string_view kGames[] = {
        "hlds",  "cstrike", "counterstrike", "counter-strike", "cs16",      "cs1.6",
        "cs-16", "cs-1.6",  "halflife",      "half-life",      "gameserver"};
    for (const std::string_view each : words) {
      const bool is_game = std::ranges::any_of(
          kGames, [&](std::string_view game) { return each.find(game) != each.npos; });
      if (!is_game) continue;
      const std::string image = variables_.expanded(each);
      constexpr std::size_t kLongestImage = 100;
      if (domain::is_alphanumeric(image.front()) && is_made_of(image, "._/:@-")) {
        tell(Kind::thing, "image " + image.substr(0, kLongestImage), "");
      }
      return;
    }
  }

  // LinuxGSM: the names of what it installed, and then its list of what it installs.
  void read_mods(std::string_view line) {
    const bool is_name = !line.empty() && std::all_of(line.begin(), line.end(), is_small);
    if (is_name) {
      if (mods_.size() < kMostTold) mods_.emplace_back(line);
      return;
    }
    const auto end = std::find_if_not(line.begin(), line.end(), is_small);
    const auto name = static_cast<std::size_t>(end - line.begin());
    const std::string_view value = line.substr(name);
    if (name > 0 && value.size() > 2 && value.starts_with("=\"") && value.ends_with('"')) {
      variables_.set(line.substr(0, name), variables_.expanded(value.substr(2, value.size() - 3)));
    }
    if (!line.starts_with("mod_info_")) return;
    const std::vector<std::string_view> pieces = base::split(line, '"');
    if (!pieces[0].ends_with("=(MOD ") || pieces.size() < 6) return;
    if (std::ranges::find(mods_, pieces[1]) == mods_.end()) return;
    mod_addresses_[std::string(pieces[1])] = variables_.expanded(pieces[5]);
  }

  void read_steam(const std::vector<std::string_view>& words) {
    const std::string_view value = word(words, 1);
    if (value.empty()) return;
    constexpr std::size_t kLongestBuild = 20;
    constexpr std::size_t kLongestBranch = 40;
    if (word(words, 0) == "buildid" && std::all_of(value.begin(), value.end(), domain::is_digit)) {
      steam_build_ = value.substr(0, kLongestBuild);
    }
    const bool is_branch =
        std::all_of(value.begin(), value.end(), [](char c) { return is_small(c) || c == '_'; });
    if (base::equals_ignoring_case(word(words, 0), "betakey") && is_branch) {
      branch_ = value.substr(0, kLongestBranch);
    }
  }

  void finish() {
    tell_item();
    if (!is_of_mods()) tell_variables();
    for (const std::string& mod : mods_) {
      const std::size_t before = told_.size();
      const auto address = mod_addresses_.find(mod);
      if (address != mod_addresses_.end()) tell_addresses(address->second);
      if (told_.size() == before) tell(Kind::name, mod, "");
    }
    if (steam_build_.empty()) return;
    const std::string branch = branch_.empty() ? "" : "branch " + branch_ + ", ";
    tell(Kind::thing, "Steam app 90, " + branch + "build " + steam_build_, "");
  }

  // "rehlds" is in version "3.14.0.857" by REHLDS_VERSION=3.14.0.857; AMXX_VERSION=1.9.0 and
  // AMXX_BUILD=5303 go together.
  void tell_variables() {
    struct Numbers {
      std::string name;
      std::string version;
      std::string build;
    };
    std::vector<Numbers> all;
    for (const std::string& variable : variables_.order()) {
      std::string name = base::to_lower_ascii(variable);
      const std::size_t underscore = name.rfind('_');
      const std::string kind = underscore == name.npos ? "" : name.substr(underscore + 1);
      const std::string& value = variables_.value(variable);
      const std::string_view number =
          std::string_view(value).substr(value.starts_with('v') ? 1 : 0);
      if (kind != "version" && kind != "ver" && kind != "build") continue;
      if (number.empty() || !domain::is_digit(number.front())) continue;
      if (!is_made_of(number, "._+-")) continue;
      name.resize(underscore);
      if (name.ends_with("_base")) name.resize(name.size() - 5);
      auto found = std::ranges::find(all, name, &Numbers::name);
      if (found == all.end()) found = all.insert(all.end(), {name, "", ""});
      (kind == "build" ? found->build : found->version) = value;
    }
    for (const Numbers& each : all) {
      const bool has_both = !each.version.empty() && !each.build.empty();
      tell(Kind::variable, each.name, each.version + (has_both ? "." : "") + each.build);
    }
  }

  static constexpr std::size_t kNoDepth = static_cast<std::size_t>(-1);

  std::string_view file_;
  std::vector<Declaration> told_;
  Variables variables_;
  std::string section_;
  std::size_t depth_ = kNoDepth;
  std::string repository_;
  std::string reference_;
  std::vector<std::string> mods_;
  std::map<std::string, std::string> mod_addresses_;
  std::string steam_build_;
  std::string branch_;
};

}  // namespace

std::span<const std::string_view> declaring_files() {
  static constexpr std::array<std::string_view, 11> kFiles{"amxbuild.yml",
                                                           "amxbuild.yaml",
                                                           "DEPS_LIST",
                                                           ".amxxpack.json",
                                                           "Dockerfile",
                                                           "docker-compose.yml",
                                                           "docker-compose.yaml",
                                                           "compose.yml",
                                                           "compose.yaml",
                                                           kModList,
                                                           "steamapps/appmanifest_90.acf"};
  return kFiles;
}

std::span<const std::string_view> mod_sources() {
  static constexpr std::array<std::string_view, 2> kSources{"lgsm/modules/mods_list.sh",
                                                            "lgsm/functions/mods_list.sh"};
  return kSources;
}

std::vector<Declaration> declarations_of(std::string_view file, std::string_view content) {
  return Reader(file).read(content);
}

}  // namespace goldsmith::owner

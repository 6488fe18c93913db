// What an update does with each file (decision S24).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/message.hpp"
#include "app/owner/build_facts.hpp"
#include "app/owner/identity.hpp"
#include "app/owner/installation.hpp"
#include "app/owner/metamod_list.hpp"

namespace goldsmith::owner {

// What the service says of the wanted build.
struct WantedBuild {
  std::string hash;
  std::string held;    // "SLUG@VERSION,…"; "" if nothing is
  std::string fastdl;  // the address for sv_downloadurl; "" if it has none
  FileList list;
  std::optional<PluginFacts> plugins;    // none of a service that does not tell
  std::optional<PathSet> configuration;  // likewise
  UpdateFacts facts;

  bool is_configuration(std::string_view path) const;
};

struct PlannedFile {
  enum class Action {
    put,   // installs it, or replaces one that was not edited
    side,  // puts it beside an edited one, as PATH.new
    back,  // puts back what the first installation replaced
    del,   // removes one that was not edited
    keep,  // edited here
  } action = Action::keep;
  std::string now;     // as ServerFiles::look() says it
  std::string wanted;  // the same of the new build
  std::string path;
};

struct Plan {
  std::vector<PlannedFile> files;
  FileList wanted;  // what the folder has then
  // Files of plugins that the build lacks, which stay, and whose they are; "?" if nobody knows.
  FileList kept;
  std::map<std::string, std::string, std::less<>> kept_owners;
  std::string kept_list;  // the content of kKeptPlugins; "" for none
  // Content that comes from here and not from the archive, by path.
  std::map<std::string, std::string, std::less<>> contents;
  OwnedLines metamod;
  // Configuration that is not installed, since that of the owner counts: by path, the owner's.
  std::map<std::string, std::string, std::less<>> elsewhere;

  bool changes_anything() const;
};

class Planner {
 public:
  // `preview`: the content of a small file of the build. `metamod_list`: the list that the server
  // reads now, "" if it has none.
  using Preview = std::function<std::string(const std::string& path)>;
  Planner(const Installation& installation, const WantedBuild& build,
          const Authentication& authentication, std::string metamod_list, std::string selection,
          Preview preview);

  // Throws Stop if something stands in the way.
  Plan plan();

 private:
  void want_files(const std::string& selection);
  void keep_loaded();
  void merge_metamod_list();
  void find_elsewhere();
  void plan_file(const std::string& path);
  PlannedFile::Action action_for(const PlannedFile& file, const std::string& old) const;
  void check_place(const std::string& path) const;
  std::string look(const std::string& path) const;
  const FileList& installed() const;

  const Installation& installation_;
  const ServerFiles& files_;
  const WantedBuild& build_;
  const Authentication& authentication_;
  std::string metamod_list_;  // that the server reads now
  std::string selection_;
  Preview preview_;
  Plan plan_;
};

// The engine, libraries and liblist.gam: where these are again what the first installation
// replaced, SteamCMD has put them back; anything else the owner.
bool is_base_game_again(const ServerFiles& files, std::string_view path, const std::string& now);
bool is_original(const ServerFiles& files, std::string_view path, const std::string& now);
bool has_original(const ServerFiles& files, std::string_view path);
bool is_base_game_back(const ServerFiles& files, const FileList& installed);

// Slugs that a selection names, as they are spelled there.
std::set<std::string, std::less<>> named_plugins(std::string_view selection);

}  // namespace goldsmith::owner

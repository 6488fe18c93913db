#include "app/scan/plugin_checks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/encoding.hpp"
#include "app/base/text.hpp"
#include "app/compile/content.hpp"
#include "app/creator/plugin_requirements.hpp"
#include "app/domain/names.hpp"
#include "app/pawn/includes.hpp"
#include "db/component_store.hpp"

namespace goldsmith::scan {

namespace {

std::string sentence(const std::string& path, std::string_view owner) {
  return path + " is a file of " + std::string(owner);
}

bool is_read(const domain::PluginFile& file) {
  constexpr std::array<std::string_view, 6> kKinds{"sma", "inc", "inl", "cfg", "ini", "txt"};
  return file.content.size() <= pawn::kLargestSource &&
         std::find(kKinds.begin(), kKinds.end(), file.kind) != kKinds.end();
}

}  // namespace

domain::FileOwners file_owners(db::Database& database) {
  db::ComponentStore components(database);
  return creator::file_owners(components, components.load_catalog());
}

std::vector<std::string> foreign_files(domain::PluginVersion version,
                                       const domain::FileOwners& owners) {
  owners.mark(version);
  std::vector<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    if (domain::is_foreign(file)) all.push_back(sentence(domain::path_on_server(file), file.owner));
  }
  return all;
}

std::vector<std::string> foreign_files(const domain::Plugin& plugin,
                                       const domain::FileOwners& owners) {
  std::set<std::string> all;
  for (const domain::PluginVersion& version : plugin.versions) {
    for (std::string& each : foreign_files(version, owners)) all.insert(std::move(each));
  }
  return {all.begin(), all.end()};
}

std::string foreign_binary(const domain::PluginVersion& version, const domain::FileOwners& owners) {
  const domain::PluginFile* entry = domain::entry_point(version);
  if (entry == nullptr) return "";
  const std::string path = "cstrike/" + compile::installed_binary(*entry);
  const std::string_view owner = owners.find(path);
  return owner.empty() ? "" : sentence(path, owner) + ", too; servers with that keep theirs";
}

std::vector<std::string> secrets_of(const domain::PluginFile& file, const pawn::TextReader& texts) {
  std::vector<std::string> all;
  if (!is_read(file)) return all;
  for (const pawn::Secret& secret : texts.secrets(file.content)) {
    all.push_back(fmt::format("{}, line {}: {}", file.filename, secret.line, secret.what));
  }
  return all;
}

std::vector<std::string> secrets_of(const domain::PluginVersion& version,
                                    const pawn::TextReader& texts) {
  std::vector<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    std::vector<std::string> found = secrets_of(file, texts);
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

std::string secrets_sha256(const domain::PluginVersion& version, const pawn::TextReader& texts) {
  std::set<std::string> all;
  for (const domain::PluginFile& file : version.files) {
    if (!is_read(file)) continue;
    for (const pawn::Secret& secret : texts.secrets(file.content)) all.insert(secret.sha256);
  }
  return base::sha256_hex(base::join(all, "\n"));
}

std::vector<std::string> foreign_texts(const domain::PluginVersion& version,
                                       const pawn::TextReader& texts) {
  std::vector<std::string> notes;
  for (const domain::PluginFile& file : version.files) {
    const bool is_include =
        file.kind != "sma" && file.named.has_value() && file.named->shows_foreign_text;
    const bool is_dictionary = file.kind == "txt" && file.install_dir == "addons/amxmodx/data/lang";
    if (!is_include && !is_dictionary) continue;
    const bool is_shown_right = domain::is_utf8(file.content) || !base::is_text(file.content);
    const std::string code_page = is_shown_right ? "" : texts.code_page(file.content);
    if (code_page.empty()) continue;
    notes.push_back("players read wrong letters: " + domain::installed_path(file) + " is in " +
                    code_page + ", while the game shows UTF-8");
  }
  return notes;
}

}  // namespace goldsmith::scan

#include <algorithm>
#include <system_error>

#include "app/cli/commands/plugin_scan.hpp"
#include "app/json/writer.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecord = "scan.json";  // what the last scan wrote

json::Object read_record(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kRecord, error)) return {};
  const json::Value record = json::parse(sys::read_file(folder / kRecord));
  return record.as_object() ? *record.as_object() : json::Object{};
}

std::string text_in(const json::Value& entry, std::string_view name) {
  const json::Object* object = entry.as_object();
  const auto found = object ? object->find(name) : json::Object::const_iterator{};
  if (!object || found == object->end() || !found->second.as_string()) return "";
  return *found->second.as_string();
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  sys::write_atomically(file, text);
}

json::Array files_of(const ScannedPlugin& plugin) {
  json::Array files;
  for (const domain::PluginFile& file : plugin.version.files) {
    json::Object entry{{"path", place_of(file)}, {"install_dir", file.install_dir}};
    if (file.is_primary) entry.emplace("primary", true);
    files.emplace_back(std::move(entry));
  }
  return files;
}

// One plugin into its folder. Returns the digest of the manifest that the scan wrote last.
std::string write_plugin(const fs::path& folder, const ScannedPlugin& plugin,
                         const std::string& category, const std::string& last_digest,
                         std::vector<std::string>& remarks) {
  const fs::path file = folder / "plugin.json";
  const std::string text = json::to_pretty_string(manifest_of(plugin, category)) + "\n";
  const std::string digest = sys::sha256_hex(text);
  std::error_code error;
  if (fs::exists(file, error)) {
    const std::string there = sys::sha256_hex(sys::read_file(file));
    if (there != digest && there != last_digest) {
      if (digest != last_digest) {
        write(folder / "plugin.json.proposed", text);
        remarks.push_back(file.string() +
                          " was edited and is kept; plugin.json.proposed is what the scan found");
      }
      return digest;
    }
  }
  for (const domain::PluginFile& each : plugin.version.files) {
    write(folder / place_of(each), each.content);
  }
  if (last_digest != digest || !fs::exists(file, error)) write(file, text);
  return digest;
}

}  // namespace

std::string place_of(const domain::PluginFile& file) {
  return file.install_dir.empty() ? file.filename : file.install_dir + '/' + file.filename;
}

json::Object manifest_of(const ScannedPlugin& plugin, const std::string& category) {
  const scan::SourceFacts& facts = plugin.facts;
  json::Array cvars;
  for (const scan::CvarFact& cvar : facts.cvars) {
    cvars.emplace_back(
        json::Object{{"name", cvar.name}, {"default", cvar.default_value}, {"help", cvar.help}});
  }
  json::Array commands;
  for (const scan::CommandFact& command : facts.commands) {
    json::Object entry{{"name", command.name}, {"help", command.help}};
    if (command.flags) entry.emplace("flags", *command.flags);
    commands.emplace_back(std::move(entry));
  }
  json::Object manifest{{"slug", plugin.slug},
                        {"name", plugin.name()},
                        {"summary", plugin.prose.summary},
                        {"description", plugin.prose.description},
                        {"category", category},
                        {"author", facts.author},
                        {"license", facts.license},
                        {"original_url", facts.url},
                        {"cvars", std::move(cvars)},
                        {"commands", std::move(commands)},
                        {"versions", json::Array{json::Object{{"version", plugin.version.version},
                                                              {"files", files_of(plugin)}}}}};
  if (!plugin.toolchain.empty()) manifest.emplace("toolchain", plugin.toolchain);
  return manifest;
}

std::map<std::string, std::string> known_slugs(const fs::path& folder) {
  std::map<std::string, std::string> slugs;
  for (const auto& [slug, entry] : read_record(folder)) slugs[text_in(entry, "source")] = slug;
  return slugs;
}

std::vector<std::string> write_manifests(const fs::path& folder,
                                         const std::vector<ScannedPlugin>& plugins,
                                         const std::string& category) {
  std::vector<std::string> remarks;
  json::Object record = read_record(folder);
  json::Array questions;
  for (const ScannedPlugin& plugin : plugins) {
    for (const std::string& question : plugin.questions) {
      questions.emplace_back(
          json::Object{{"plugin", plugin.slug}, {"question", question}, {"source", plugin.path}});
    }
    if (plugin.toolchain.empty()) continue;
    const auto known = record.find(plugin.slug.view());
    const std::string last = known == record.end() ? "" : text_in(known->second, "manifest_sha256");
    const std::string digest =
        write_plugin(folder / plugin.slug.view(), plugin, category, last, remarks);
    record.insert_or_assign(plugin.slug.str(),
                            json::Object{{"source", plugin.path}, {"manifest_sha256", digest}});
  }
  write(folder / kRecord, json::to_pretty_string(record) + "\n");
  write(folder / "questions.json", json::to_pretty_string(questions) + "\n");
  return remarks;
}

std::string write_pack(const fs::path& folder, const std::vector<ScannedPlugin>& plugins,
                       const domain::Slug& pack) {
  constexpr std::size_t kMostPlugins = 1000;
  json::Array slugs;
  std::size_t left_out = 0;
  for (const ScannedPlugin& plugin : plugins) {
    if (plugin.state() != "ready") continue;
    if (slugs.size() == kMostPlugins) {
      ++left_out;
    } else {
      slugs.emplace_back(plugin.slug);
    }
  }
  const json::Object manifest{{"slug", pack}, {"name", pack}, {"plugins", std::move(slugs)}};
  const std::string text = json::to_pretty_string(manifest) + "\n";
  const fs::path file = folder / "addon.json";
  std::error_code error;
  if (fs::exists(file, error) && sys::read_file(file) != text) {
    write(folder / "addon.json.proposed", text);
    return file.string() + " is kept; addon.json.proposed is what the scan found";
  }
  write(file, text);
  if (left_out == 0) return "";
  return file.string() + " lacks " + std::to_string(left_out) +
         " of the plugins: a pack has at most 1000";
}

}  // namespace goldsmith::cli

#include "app/compile/plugin_sources.hpp"

#include <utility>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/compile/content.hpp"
#include "app/pawn/includes.hpp"

namespace goldsmith::compile {
namespace {

std::string title_of(std::int64_t version_id) {
  return fmt::format("the plugin version {}", version_id);
}

[[noreturn]] void fail_gone(std::int64_t version_id) {
  throw PluginGone(title_of(version_id) + " was taken out or replaced meanwhile");
}

// What a compile reads: the likelier a file is included, the sooner it comes.
std::vector<domain::PluginFile*> read_by_compiles(domain::PluginVersion& version) {
  const domain::PluginFile* entry = domain::entry_point(version);
  std::vector<domain::PluginFile*> wanted;
  std::uint64_t bytes = 0;
  for (const int turn : {0, 1, 2}) {
    for (domain::PluginFile& file : version.files) {
      const int own_turn = &file == entry ? 0 : domain::is_source(file) ? 1 : 2;
      if (own_turn != turn || (turn > 0 && !pawn::is_placed(file))) continue;
      bytes += static_cast<std::uint64_t>(file.size_bytes);
      if (turn > 0 && bytes > domain::kMostVersionBytes) return wanted;
      wanted.push_back(&file);
    }
  }
  return wanted;
}

}  // namespace

std::optional<db::PublishedVersion> PluginSources::find_version(
    const domain::Slug& slug, const domain::Version& version) const {
  auto found = store_.find_version(slug, version);
  if (found && found->version.content_digest.empty()) describe(found->version);
  return found;
}

void PluginSources::load_files(const std::vector<domain::PluginVersion*>& versions) const {
  store_.load_files(versions);
  static const std::string digest_of_none = base::sha256_hex("");
  for (domain::PluginVersion* version : versions) {
    const std::string& digest = version->content_digest;
    if (version->files.empty() && !digest.empty() && digest != digest_of_none) {
      fail_gone(version->id);
    }
  }
}

void PluginSources::load_sources(domain::PluginVersion& version) const {
  const std::vector<domain::PluginFile*> wanted = read_by_compiles(version);
  const bool is_there = store_.each_content(
      version.id, {wanted.begin(), wanted.end()},
      [&](std::size_t index, std::string content) { wanted[index]->content = std::move(content); });
  if (!is_there) fail_gone(version.id);
}

std::string PluginSources::read(std::int64_t version_id, std::int64_t position) const {
  auto content = store_.read_content(version_id, position);
  if (!content) fail_gone(version_id);
  return *std::move(content);
}

void PluginSources::describe(domain::PluginVersion& version) const {
  std::vector<const domain::PluginFile*> files;
  for (const domain::PluginFile& file : version.files) files.push_back(&file);
  Description description(version, [&](std::string_view content) {
    if (!texts_) return pawn::named_files(content);
    return read_named(title_of(version.id), [&] { return texts_->named_files(content); });
  });
  const bool is_there = store_.each_content(
      version.id, files,
      [&](std::size_t, const std::string& content) { description.add(content); });
  if (!is_there) fail_gone(version.id);
  description.finish();
}

}  // namespace goldsmith::compile

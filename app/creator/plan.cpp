#include "app/creator/plan.hpp"

#include <algorithm>
#include <utility>

#include "app/creator/build_hash.hpp"
#include "app/creator/download_query.hpp"
#include "app/creator/file_set.hpp"
#include "app/creator/generated_files.hpp"
#include "app/creator/notes.hpp"
#include "app/creator/overlays.hpp"
#include "app/creator/plugin_files.hpp"

namespace goldsmith::creator {
namespace {

// In load order, so that the later of two components with the same path wins (decision S6).
FileSet component_files(const Selection& selection) {
  FileSet files;
  for (std::size_t i = 0; i < selection.components.size(); ++i) {
    const Selected& selected = selection.components[i];
    for (const domain::ManifestFile& file : selected.version->files) {
      files.insert_or_assign(file.path, PlannedFile{file.path, file.size, file.executable,
                                                    file.sha256, selected.component->slug.str(),
                                                    Origin::upstream, PlannedFile::FromDepot{i}});
    }
  }
  return files;
}

void add_generated(const Selection& selection, FileSet& files) {
  put_bytes(files, kLiblistPath, liblist_gam(selection), "svc", Origin::generated);
  put_bytes(files, kMetamodListPath, metamod_plugins_ini(selection), "svc", Origin::generated);
}

// Callers pass them sorted, but the plan must not depend on that.
void sort_unique(std::vector<PluginOutcome>& plugins) {
  std::stable_sort(
      plugins.begin(), plugins.end(),
      [](const PluginOutcome& left, const PluginOutcome& right) { return left.slug < right.slug; });
  plugins.erase(std::unique(plugins.begin(), plugins.end(),
                            [](const PluginOutcome& left, const PluginOutcome& right) {
                              return left.slug == right.slug;
                            }),
                plugins.end());
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::upstream:
      return "upstream";
    case Origin::generated:
      return "generated";
    case Origin::edited:
      return "edited";
    case Origin::plugin:
      return "plugin";
  }
  return "upstream";
}

Plan make_plan(PlanInput input) {
  FileSet files = component_files(input.selection);
  if (input.request.optimized) apply_overlays(std::move(input.overlays), input.selection, files);
  add_generated(input.selection, files);
  sort_unique(input.plugins);
  AddedPlugins plugins = add_plugins(input.plugins, files);
  if (!plugins.binaries.empty()) {
    put_bytes(files, kPluginListPath, plugins_svc_ini(plugins.binaries), "svc", Origin::generated);
  }

  Plan plan;
  plan.optimized = input.request.optimized;
  plan.download_query = download_query(input.request, input.selection);
  plan.files.reserve(files.size());
  for (auto& [path, file] : files) {
    plan.total_bytes += file.size;
    plan.files.push_back(std::move(file));
  }
  for (const PluginOutcome* plugin : plugins.included) {
    const auto& compiled = std::get<CompiledPlugin>(plugin->result);
    plan.plugins.push_back({plugin->slug, compiled.version.version, compiled.content_digest,
                            compiled.toolchain_fingerprint});
  }
  plan.build_hash = build_hash(input.selection, plugins.included, plan.files);
  plan.notes = component_notes(input.selection);
  plan.notes.insert(plan.notes.end(), std::make_move_iterator(plugins.notes.begin()),
                    std::make_move_iterator(plugins.notes.end()));
  plan.selection = std::move(input.selection);
  return plan;
}

const PlannedFile* find_file(const Plan& plan, std::string_view path) {
  const auto found = std::lower_bound(
      plan.files.begin(), plan.files.end(), path,
      [](const PlannedFile& file, std::string_view wanted) { return file.path < wanted; });
  return found != plan.files.end() && found->path == path ? &*found : nullptr;
}

}  // namespace goldsmith::creator

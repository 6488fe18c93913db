#include "app/start/probes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "app/compile/compile_inputs.hpp"
#include "app/creator/selection.hpp"
#include "app/domain/plugin.hpp"
#include "app/start/resolving.hpp"
#include "app/start/stand_ins.hpp"
#include "app/start/texts.hpp"

namespace goldsmith::start {
namespace {

constexpr const char* kProbeFolder = "cstrike/addons/amxmodx/plugins/";

std::string source_of(const std::string& include, const std::string& call) {
  return "#include <amxmodx>\n#include <" + include +
         ">\npublic plugin_init() {\n  register_plugin(\"Probe\", \"1\", \"goldsmith\");\n  " +
         call + ";\n}\npublic goldsmith_probe() {\n}\n";
}

}  // namespace

// Of modules in the catalog, and of AMX Mod X's own: without players, and nothing of it lasts.
const std::vector<KnownCall>& known_calls() {
  static const std::vector<KnownCall> calls{
      {"amxmodx", "get_mapname", "get_mapname(text, most)", kMap},
      {"reapi", "rh_get_mapname", "rh_get_mapname(text, most)", kMap},
      {"reapi", "rg_get_weapon_info", "rg_get_weapon_info(WEAPON_AK47, WI_NAME, text, most)",
       "weapon_ak47"},
      {"reapi", "get_entvar", "get_entvar(0, var_classname, text, most)", "worldspawn"},
      {"reapi", "set_entvar",
       "new id = rg_create_entity(\"info_target\"); set_entvar(id, var_netname, \"goldsmith\"); "
       "get_entvar(id, var_netname, text, most)",
       "goldsmith"},
      {"reapi", "FClassnameIs", "formatex(text, most, \"%d\", FClassnameIs(0, \"worldspawn\"))",
       "1"},
      {"fakemeta", "pev", "pev(0, pev_classname, text, most)", "worldspawn"},
      {"fakemeta", "global_get", "global_get(glb_mapname, text, most)", kMap},
      {"fakemeta", "engfunc",
       "engfunc(EngFunc_SzFromIndex, engfunc(EngFunc_AllocString, \"goldsmith\"), text, most)",
       "goldsmith"},
      {"engine", "entity_get_string", "entity_get_string(0, EV_SZ_classname, text, most)",
       "worldspawn"},
      {"cstrike", "cs_get_item_alias", "cs_get_item_alias(CSI_AK47, text, most)", "ak47"},
      {"csx", "xmod_get_wpnname", "xmod_get_wpnname(28, text, most)", "ak47"},
      {"nvault", "nvault_get",
       "new id = nvault_open(\"goldsmith\"); nvault_set(id, \"a\", \"goldsmith\"); "
       "nvault_get(id, \"a\", text, most); nvault_close(id)",
       "goldsmith"},
      {"regex", "regex_substr",
       "new found; new Regex:id = regex_match(\"a goldsmith\", \"gold[a-z]+\", found, text, most); "
       "regex_substr(id, 0, text, most)",
       "goldsmith"},
      {"json", "json_object_get_string",
       "new JSON:id = json_parse(\"{^\"a^\": ^\"goldsmith^\"}\"); "
       "json_object_get_string(id, \"a\", text, most)",
       "goldsmith"}};
  return calls;
}

std::string statement_of(const KnownCall& call) {
  return fmt::format(
      "new text[64]; new const most = {}; {}; new why[192]; "
      "formatex(why, 191, \"{} gives ^\"%s^\", not ^\"{}^\"\", text); "
      "if (!equal(text, \"{}\")) set_fail_state(why)",
      call.result.size(), call.statement, call.name, call.result, call.result);
}

std::string ProbeCompiler::compiled(const compile::Toolchain& toolchain,
                                    const compile::ComponentIncludes& includes,
                                    const std::string& include, const std::string& call) {
  domain::PluginVersion version;
  domain::PluginFile file;
  file.filename = "probe.sma";
  file.kind = "sma";
  file.install_dir = "addons/amxmodx/scripting";
  file.is_primary = true;
  file.content = source_of(include, call);
  version.files.push_back(std::move(file));
  const compile::Toolchains& toolchains = builds_.stack.toolchains;
  const compile::CompileInputs inputs = reading_texts([&] {
    return compile::equip(toolchain, toolchains.include_index(toolchain),
                          toolchains.fingerprint(toolchain), version, includes);
  });
  const std::string key = inputs.fingerprint + version.files.front().content;
  if (const auto known = binaries_.find(key); known != binaries_.end()) return known->second;
  const compile::Compilation made =
      compiler_.compile(inputs.toolchain, version, compile::Priority::background);
  if (made.result == compile::Result::unavailable) throw Unbuildable(made.cause);
  return binaries_.emplace(key, made.binary).first->second;
}

void add_probe(const std::string& file, std::string binary, StartedBeside& beside) {
  beside.plugins.push_back({file, file});
  beside.files.push_back({kProbeFolder + file, std::move(binary), false});
}

Probed probe(const creator::Plan& plan, creator::OfflineBuilds& builds,
             const base::Config& config) {
  Probed probed;
  const creator::Selected* const platform = creator::platform(plan.selection);
  const auto toolchain =
      platform == nullptr
          ? std::nullopt
          : builds.stack.toolchains.find(platform->component->loads.toolchain.value_or(""));
  if (!toolchain) return probed;
  ProbeCompiler compiler(builds, config.compile);
  const compile::ComponentIncludes includes = builds.includes.of(plan.selection);
  StartedBeside beside;
  std::map<std::string, std::string_view> names;  // by file
  for (const KnownCall& call : known_calls()) {
    std::string binary =
        compiler.compiled(*toolchain, includes, std::string(call.include), statement_of(call));
    if (binary.empty()) continue;
    const std::string file = fmt::format("goldsmith_probe{}.amxx", names.size() + 1);
    names.emplace(file, call.name);
    add_probe(file, std::move(binary), beside);
  }
  if (names.empty()) return probed;
  const Report report = start_plan(plan, builds.builds, config.start, beside);
  for (const LoadedPlugin& plugin : report.plugins) {
    const auto name = names.find(plugin.slug);
    if (name == names.end()) continue;
    std::string fault = plugin.errors.empty() ? plugin.state : plugin.errors.front();
    if (runs(plugin)) fault.clear();
    probed.emplace(name->second, std::move(fault));
  }
  return probed;
}

std::string new_defects(const Probed& now, const Probed& before) {
  std::string text;
  for (const auto& [name, fault] : now) {
    const auto known = before.find(name);
    if (fault.empty() || known == before.end() || !known->second.empty()) continue;
    text.append(text.empty() ? "" : "; ").append(name).append(": ").append(fault);
  }
  return text;
}

}  // namespace goldsmith::start

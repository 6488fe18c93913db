// Plugins and toolchains for the tests of this layer.
#pragma once

#include <filesystem>
#include <string>

#include "app/base/file.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/toolchain.hpp"

namespace goldsmith::compile {

inline domain::PluginFile source_file(std::string name, std::string content) {
  domain::PluginFile file;
  file.kind = name.substr(name.rfind('.') + 1);
  file.filename = std::move(name);
  file.install_dir = "addons/amxmodx/scripting";
  file.content = std::move(content);
  return file;
}

inline domain::PluginVersion plugin_of(std::vector<domain::PluginFile> files) {
  domain::PluginVersion version;
  version.version = "1.0";
  version.files = std::move(files);
  return version;
}

inline constexpr const char* kHello =
    "#include <amxmodx>\n"
    "public plugin_init() {\n"
    "  register_plugin(\"Hello\", \"1.0\", \"tests\");\n"
    "}\n";

inline Toolchains standin_toolchains() { return {STANDIN_TOOLCHAINS, "/nonexistent"}; }
inline Toolchain standin(std::string_view line = "1.9") {
  return standin_toolchains().find(line).value();
}

// A copy of the stand-in that a test may break.
inline Toolchain copied_standin(const std::filesystem::path& root) {
  std::filesystem::copy(standin().folder, root / "1.9", std::filesystem::copy_options::recursive);
  return Toolchains(root, "/nonexistent").find("1.9").value();
}

// Generous limits, so that a slow machine never ends a compile that a test means to succeed.
inline base::CompileConfig patient() {
  base::CompileConfig config;
  config.wall_clock = std::chrono::minutes(2);
  config.cpu_seconds = 60;
  return config;
}

inline Compilation compile_with(const Toolchain& toolchain, const domain::PluginVersion& version,
                                const base::CompileConfig& config = patient()) {
  const base::TempDir scratch;
  return Compiler(config, scratch.path()).compile(toolchain, version, Priority::normal);
}

inline Compilation compile_source(std::string source,
                                  const base::CompileConfig& config = patient()) {
  return compile_with(standin(), plugin_of({source_file("hello.sma", std::move(source))}), config);
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace goldsmith::compile

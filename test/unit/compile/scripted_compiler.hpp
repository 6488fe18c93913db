// A compiler whose verdicts a test decides, with the parts around it that share out compiles.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/base/file.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/scheduler.hpp"

namespace goldsmith::compile::test {

class ScriptedCompiler final : public compile::Compiler {
 public:
  ScriptedCompiler() : Compiler({}, "/nonexistent") {}

  compile::Compilation compile(const compile::Toolchain&, const domain::PluginVersion&,
                               const compile::Pace& pace) const override {
    ++starts;
    priority = pace.priority;
    return behave ? behave(pace) : next;
  }

  compile::Compilation next;
  std::function<compile::Compilation(const compile::Pace&)> behave;  // instead of `next`
  mutable int starts = 0;
  mutable compile::Priority priority = compile::Priority::normal;  // of the last one
};

class SetClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point now() const override { return time; }
  std::chrono::system_clock::time_point time{std::chrono::hours(24) * 20'000};
};

inline compile::Compilation compiled(std::chrono::milliseconds processor_time) {
  compile::Compilation result;
  result.result = compile::Result::compiled;
  result.processor_time = processor_time;
  return result;
}

inline compile::Compilation rejected(std::string output) {
  compile::Compilation result;
  result.result = compile::Result::failed;
  result.names_error = true;
  result.output = std::move(output);
  return result;
}

inline compile::Compilation stopped(std::string output) {
  compile::Compilation result;
  result.result = compile::Result::failed;
  result.limit_hit = true;
  result.output = std::move(output);
  return result;
}

// It got no end within the wall clock.
inline compile::Compilation timed_out() {
  compile::Compilation result;
  result.timed_out = true;
  return result;
}

inline domain::PluginVersion plugin(std::string source) {
  domain::PluginFile file;
  file.filename = "a.sma";
  file.kind = "sma";
  file.install_dir = "addons/amxmodx/scripting";
  file.content = std::move(source);
  domain::PluginVersion version;
  version.version = "1.0";
  version.files = {std::move(file)};
  return version;
}

struct HostParts {
  HostParts() {
    for (const char* name : {"amxxpc", "amxxpc32.so", "include/amxmodx.inc"}) {
      const auto file = folder.path() / "toolchains" / "1.9" / name;
      std::filesystem::create_directories(file.parent_path());
      base::write_atomically(file, name, 0755);
    }
    config.toolchains = folder.path() / "toolchains";
    config.includes = "/nonexistent";
    config.artefact_cache = folder.path() / "compiled";
    config.cache.artefact_bytes = 1U << 20;
    config.cache.free_bytes = 0;
  }

  base::TempDir folder;
  base::Config config;
  std::size_t workers = 4;
  ScriptedCompiler compiler;
  SetClock clock;
};

// A host with `workers` build workers, of which this process is one.
struct Host : HostParts, CompileService {
  Host() : CompileService(config, folder.path(), clock, compiler, [this] { return workers; }) {}
};

}  // namespace goldsmith::compile::test

// A compiler whose verdicts a test decides, with the parts around it that share out compiles.
#pragma once

#include <filesystem>
#include <string>

#include "app/compile/compiler.hpp"
#include "app/compile/ledger.hpp"
#include "app/service/fair_compiles.hpp"
#include "app/service/toolchain_watch.hpp"
#include "app/service/worker_shares.hpp"
#include "app/sys/file.hpp"
#include "app/sys/seats.hpp"

namespace goldsmith::service::test {

class ScriptedCompiler final : public compile::Compiler {
 public:
  ScriptedCompiler() : Compiler({}, "/nonexistent") {}

  compile::Compilation compile(const compile::Toolchain&, const domain::PluginVersion&,
                               compile::Priority asked) const override {
    ++starts;
    priority = asked;
    return next;
  }

  compile::Compilation next;
  mutable int starts = 0;
  mutable compile::Priority priority = compile::Priority::normal;  // of the last one
};

class SetClock final : public sys::Clock {
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

// A host with `workers` build workers, of which this process is one.
struct Host {
  Host() {
    for (const char* name : {"amxxpc", "amxxpc32.so", "include/amxmodx.inc"}) {
      const auto file = folder.path() / "toolchains" / "1.9" / name;
      std::filesystem::create_directories(file.parent_path());
      sys::write_atomically(file, name, 0755);
    }
  }

  sys::TempDir folder;
  std::size_t workers = 4;
  ScriptedCompiler compiler;
  SetClock clock;
  compile::Toolchains toolchains{folder.path() / "toolchains", "/nonexistent"};
  compile::Ledger ledger{folder.path() / "compiles"};
  sys::Seats seats{folder.path() / "seats"};
  WorkerShares shares{seats, [this] { return workers; }};
  ToolchainWatch watch{toolchains};
  FairCompiles compiles{{compiler, ledger, shares, clock}};
};

}  // namespace goldsmith::service::test

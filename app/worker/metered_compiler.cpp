#include "app/worker/metered_compiler.hpp"

#include <chrono>

namespace goldsmith::worker {
namespace {

std::string_view name_of(const compile::Compilation& compilation) {
  switch (compilation.result) {
    case compile::Result::compiled:
      return "compiled";
    case compile::Result::failed:
      return compilation.limit_hit ? "limit" : "failed";
    case compile::Result::unavailable:
      break;
  }
  return "unavailable";
}

}  // namespace

compile::Compilation MeteredCompiler::compile(const compile::Toolchain& toolchain,
                                              const domain::PluginVersion& version) const {
  compile::Compilation compilation = Compiler::compile(toolchain, version);
  metrics_.add("goldsmith_compiles_total",
               {{"result", name_of(compilation)}, {"toolchain", toolchain.line}});
  metrics_.observe("goldsmith_compile_duration_seconds", {{"toolchain", toolchain.line}},
                   std::chrono::duration<double>(compilation.duration).count());
  return compilation;
}

}  // namespace goldsmith::worker

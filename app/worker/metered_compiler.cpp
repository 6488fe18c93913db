#include "app/worker/metered_compiler.hpp"

#include "app/sys/log.hpp"

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
                                              const domain::PluginVersion& version,
                                              const compile::Pace& pace) const {
  compile::Compilation compilation = Compiler::compile(toolchain, version, pace);
  metrics_.compiles.add(name_of(compilation), toolchain.line);
  metrics_.compile_duration.observe(toolchain.line, compilation.duration);
  sys::log(sys::LogLevel::info, "compiled",
           {{"toolchain", toolchain.line},
            {"result", std::string(name_of(compilation))},
            {"ms", std::to_string(compilation.duration.count())}});
  return compilation;
}

}  // namespace goldsmith::worker

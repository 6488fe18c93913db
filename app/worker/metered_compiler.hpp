// A compiler whose runs are counted.
#pragma once

#include "app/compile/compiler.hpp"
#include "app/sys/metrics.hpp"

namespace goldsmith::worker {

class MeteredCompiler final : public compile::Compiler {
 public:
  MeteredCompiler(const sys::CompileConfig& config, std::filesystem::path scratch,
                  sys::Metrics& metrics)
      : Compiler(config, std::move(scratch)), metrics_(metrics) {}

  compile::Compilation compile(const compile::Toolchain& toolchain,
                               const domain::PluginVersion& version,
                               const compile::Pace& pace) const override;

 private:
  sys::Metrics& metrics_;
};

}  // namespace goldsmith::worker

// Small plugins that call what components offer, to see whether it works (rule S51).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/base/config.hpp"
#include "app/compile/compiler.hpp"
#include "app/creator/server_builds.hpp"
#include "app/start/planned_server.hpp"

namespace goldsmith::start {

// Compiles them, each source once. Throws Unbuildable where nothing can be compiled.
class ProbeCompiler {
 public:
  // The builds must outlive the object.
  ProbeCompiler(creator::OfflineBuilds& builds, const base::CompileConfig& config)
      : builds_(builds), compiler_(compile::command_compiler(config)) {}

  // The plugin, for the toolchain and includes of a server; "" if it does not compile. `call`: a
  // statement of plugin_init(), in which goldsmith_probe is a public function; `include`: what
  // declares what it calls. Throws as reading_texts() does.
  std::string compiled(const compile::Toolchain& toolchain,
                       const compile::ComponentIncludes& includes, const std::string& include,
                       const std::string& call);

 private:
  creator::OfflineBuilds& builds_;
  compile::Compiler compiler_;
  std::map<std::string, std::string> binaries_;
};

// A call whose result is known.
struct KnownCall {
  std::string_view include;
  std::string_view name;       // the native
  std::string_view statement;  // puts its result into `text`, which has room for `most` letters
  std::string_view result;     // of as many letters as there is room for: none is cut
};
const std::vector<KnownCall>& known_calls();
// What fails the plugin unless the result is that.
std::string statement_of(const KnownCall& call);

// What the known calls gave on a server: names of natives, and what is wrong; "" = nothing. Those
// that do not compile there are not among them. Throws as start_plan() does, and Unbuildable.
using Probed = std::map<std::string, std::string>;
Probed probe(const creator::Plan& plan, creator::OfflineBuilds& builds, const base::Config& config);

// What is wrong with `now` that was tried and right `before`, for people; "" = nothing.
std::string new_defects(const Probed& now, const Probed& before);

// Puts a compiled plugin into what a server is started with, as `file`.
void add_probe(const std::string& file, std::string binary, StartedBeside& beside);

}  // namespace goldsmith::start

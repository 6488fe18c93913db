#include <exception>

#include "app/cli/commands/plugin_scan.hpp"
#include "app/cli/context.hpp"
#include "app/cli/parallel.hpp"
#include "app/compile/compiler.hpp"
#include "app/compile/diagnostics.hpp"
#include "app/sys/interruption.hpp"
#include "app/sys/text.hpp"

namespace goldsmith::cli {
namespace {

class Compiling {
 public:
  Compiling(ScannedPlugins& plugins, const scan::Heap& heap, const std::vector<ScanLine>& lines,
            const sys::CompileConfig& config)
      : plugins_(plugins),
        heap_(heap),
        lines_(lines),
        compiler_(compile::command_compiler(config)) {}

  void run(std::size_t jobs, ProgressLine& progress) {
    in_threads(
        jobs, plugins_.size(),
        [&](std::size_t, std::size_t i) {
          if (plugins_[i].facts.is_plugin) compile_all(plugins_[i]);
        },
        progress, "plugins compiled");
  }

 private:
  compile::Compilation compile(const ScannedPlugin& plugin, const ScanLine& line) const try {
    const compile::Equipment equipment = compile::equip(
        line.toolchain, *line.includes, line.fingerprint, plugin.version, line.components);
    return compiler_.compile(equipment.toolchain, plugin.version, compile::Priority::normal);
  } catch (const sys::Interrupted&) {
    throw;
  } catch (const std::exception& failure) {  // such as a file that the depot lacks
    compile::Compilation made;
    made.cause = failure.what();
    return made;
  }

  void compile_all(ScannedPlugin& plugin) const {
    for (const ScanLine& line : lines_) {
      const compile::Compilation made = compile(plugin, line);
      std::string& result = plugin.results[line.toolchain.line];
      if (made.result == compile::Result::compiled) {
        result = "ok";
        plugin.toolchain = line.toolchain.line;  // the newest comes last
      } else {
        result = made.is_verdict() ? "failed" : "unknown";
        plugin.why = why(plugin, line, made);
      }
    }
  }

  std::string why(const ScannedPlugin& plugin, const ScanLine& line,
                  const compile::Compilation& made) const {
    if (made.result == compile::Result::unavailable) return "not compiled: " + made.cause;
    if (made.missing_include.empty()) return one_line(compile::first_errors(made.output));
    const auto found = heap_.find(made.missing_include + ".inc", scan::folder_of(plugin.path));
    if (!found.empty()) {
      return "the include \"" + made.missing_include + "\" is missing; it is at " + found[0]->path;
    }
    std::vector<std::string> missing{made.missing_include};
    for (const std::string& name : plugin.missing) {
      if (name != made.missing_include && !line.has(name)) missing.push_back(name);
    }
    return "the include" + std::string(missing.size() == 1 ? " \"" : "s \"") +
           sys::join(missing, "\", \"") + (missing.size() == 1 ? "\" is" : "\" are") +
           " missing, in the scanned folders, too";
  }

  ScannedPlugins& plugins_;
  const scan::Heap& heap_;
  const std::vector<ScanLine>& lines_;
  const compile::Compiler compiler_;
};

}  // namespace

void compile_sources(ScannedPlugins& plugins, const scan::Heap& heap,
                     const std::vector<ScanLine>& lines, const sys::CompileConfig& config,
                     std::size_t jobs, ProgressLine& progress) {
  Compiling(plugins, heap, lines, config).run(jobs, progress);
}

}  // namespace goldsmith::cli

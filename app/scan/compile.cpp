#include "app/scan/steps.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <random>

#include <fmt/core.h>

#include "app/base/digest.hpp"
#include "app/base/interruption.hpp"
#include "app/base/parallel.hpp"
#include "app/base/text.hpp"
#include "app/compile/compiler.hpp"
#include "app/directory/compile_checks.hpp"
#include "app/pawn/amxx_file.hpp"
#include "app/pawn/diagnostics.hpp"

namespace goldsmith::scan {
namespace {

// What the plugins that are compiled at once may have in memory: one waits until the others leave
// room for it.
class Room {
 public:
  class Taken {
   public:
    Taken(Room& room, const ScannedPlugin& plugin) : room_(room) {
      for (const ScannedFile& file : plugin.files) bytes_ += file.source->size;
      std::unique_lock lock(room_.mutex_);
      room_.left_.wait(lock,
                       [&] { return room_.taken_ == 0 || room_.taken_ + bytes_ <= kMostBytes; });
      room_.taken_ += bytes_;
    }
    ~Taken() {
      {
        const std::lock_guard lock(room_.mutex_);
        room_.taken_ -= bytes_;
      }
      room_.left_.notify_all();
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;

   private:
    Room& room_;
    std::uint64_t bytes_ = 0;
  };

 private:
  static constexpr std::uint64_t kMostBytes = 2 * domain::kMostVersionBytes;

  std::mutex mutex_;
  std::condition_variable left_;
  std::uint64_t taken_ = 0;
};

class Compiling {
 public:
  Compiling(ScannedPlugins& plugins, const SourceTree& tree, const compile::Toolchains& toolchains,
            const std::vector<ScanLine>& lines, const base::CompileConfig& config,
            const KnownVerdict& known, std::chrono::steady_clock::time_point until)
      : plugins_(plugins),
        tree_(tree),
        toolchains_(toolchains),
        lines_(lines),
        known_(known),
        until_(until),
        compiler_(compile::command_compiler(config)) {}

  void run(std::size_t jobs, Progress& progress) {
    // Where the time may end, what comes first by name has not all of it in each call.
    const std::size_t first = std::random_device()();
    base::in_threads(
        jobs, plugins_.size(),
        [&](std::size_t, std::size_t i) {
          ScannedPlugin& plugin = plugins_[(first + i) % plugins_.size()];
          if (plugin.facts.is_plugin) compile_all(plugin);
        },
        [&](std::size_t done, std::size_t total) {
          progress.show_count("plugins compiled", done, total);
        });
  }

 private:
  // Keeps the verdict for the import.
  compile::Compilation compile(ScannedPlugin& plugin, const domain::PluginVersion& version,
                               const ScanLine& line) const try {
    const compile::CompileInputs inputs =
        compile::equip(line.toolchain, *line.includes, line.fingerprint, version, line.components);
    compile::Compilation made =
        compiler_.compile(inputs.toolchain, version, compile::Priority::normal);
    auto verdict =
        directory::verdict_of(made, inputs, line.components.offers.get(), line.toolchain.line,
                              line.fingerprint, line.natives, toolchains_);
    if (verdict) plugin.verdicts.push_back(*std::move(verdict));
    return made;
  } catch (const base::Interrupted&) {
    throw;
  } catch (const std::exception& failure) {  // such as a file that the depot lacks
    compile::Compilation made;
    made.cause = failure.what();
    return made;
  }

  // True if it need not be compiled.
  bool takes_known(ScannedPlugin& plugin) const {
    if (!known_) return false;
    std::vector<domain::CompileVerdict> verdicts;
    for (const ScanLine& line : lines_) {
      std::optional<domain::CompileVerdict> verdict = known_(plugin.content_digest, line);
      if (!verdict || verdict->result == domain::CompileResult::undecided) return false;
      verdicts.push_back(*std::move(verdict));
    }
    for (const domain::CompileVerdict& verdict : verdicts) {
      const bool is_ok = verdict.result == domain::CompileResult::ok;
      plugin.results[verdict.toolchain] = verdict.result;
      if (is_ok) {
        plugin.toolchain = verdict.toolchain;
      } else if (verdict.findings) {
        const std::string& hint = verdict.findings->hint;
        plugin.why = base::one_line(hint.empty() ? verdict.findings->errors : hint);
      }
    }
    plugin.verdicts = std::move(verdicts);
    return true;
  }

  void compile_all(ScannedPlugin& plugin) const {
    if (!takes_known(plugin)) {
      plugin.is_late = std::chrono::steady_clock::now() >= until_;
      if (plugin.is_late) {
        plugin.why = "not compiled yet: the time of this call was over; the next one goes on";
        return;
      }
      compile_with_each(plugin);
    }
    if (const std::string lost = lost_include(plugin); !lost.empty() && plugin.toolchain.empty()) {
      plugin.why = lost;
    }
    if (!plugin.facts.has_platform_version || plugin.toolchain.empty()) return;
    plugin.version = domain::Version::parse(plugin.toolchain).value();
    plugin.notes.push_back("its version is that of AMX Mod X, " + plugin.toolchain +
                           ": the source registers AMXX_VERSION_STR");
  }

  // One that is there, but is not what its name says; "" if none is.
  static std::string lost_include(const ScannedPlugin& plugin) {
    for (const Refusal& each : plugin.unfit) {
      for (const std::string& name : plugin.missing) {
        if (base::equals_ignoring_case(name_in(each.path), name_in(name))) {
          return "the include \"" + name + "\" is missing: " + each.text();
        }
      }
    }
    return "";
  }

  void compile_with_each(ScannedPlugin& plugin) const {
    const Room::Taken room(room_, plugin);
    const domain::PluginVersion version = plugin.whole();
    std::string programs;  // that of each line may be another one, by its version
    bool is_decided = true;
    for (const ScanLine& line : lines_) {
      const compile::Compilation made = compile(plugin, version, line);
      domain::CompileResult& result = plugin.results[line.toolchain.line];
      if (made.result == compile::Result::compiled) {
        result = domain::CompileResult::ok;
        plugin.toolchain = line.toolchain.line;  // the newest comes last
        programs += base::sha256_hex(line.fingerprint + pawn::program_of(made.binary));
      } else {
        result =
            made.is_verdict() ? domain::CompileResult::failed : domain::CompileResult::undecided;
        plugin.why = why(plugin, line, made);
        is_decided = is_decided && made.is_verdict();
      }
      programs += line.toolchain.line + ";";
    }
    if (is_decided && !plugin.toolchain.empty()) {
      plugin.compiled_sha256 = base::sha256_hex(programs);
    }
  }

  std::string why(const ScannedPlugin& plugin, const ScanLine& line,
                  const compile::Compilation& made) const {
    if (made.result == compile::Result::unavailable) return "not compiled: " + made.cause;
    if (made.missing_include.empty()) return base::one_line(pawn::first_errors(made.output));
    const auto found = tree_.find(made.missing_include + ".inc", folder_of(plugin.path));
    if (!found.empty()) {
      return "the include \"" + made.missing_include + "\" is missing; it is at " + found[0]->path;
    }
    std::vector<std::string> missing{made.missing_include};
    for (const std::string& name : plugin.missing) {
      if (name != made.missing_include && !line.has(name)) missing.push_back(name);
    }
    const bool is_one = missing.size() == 1;
    return fmt::format("the include{} \"{}\" {} missing, in the scanned folders, too",
                       is_one ? "" : "s", base::join(missing, "\", \""), is_one ? "is" : "are");
  }

  ScannedPlugins& plugins_;
  const SourceTree& tree_;
  const compile::Toolchains& toolchains_;
  const std::vector<ScanLine>& lines_;
  const KnownVerdict& known_;
  const std::chrono::steady_clock::time_point until_;
  const compile::Compiler compiler_;
  mutable Room room_;
};

}  // namespace

void compile_sources(ScannedPlugins& plugins, const SourceTree& tree,
                     const compile::Toolchains& toolchains, const std::vector<ScanLine>& lines,
                     const base::CompileConfig& config, const KnownVerdict& known,
                     const CompileRequest& request, Progress& progress) {
  Compiling(plugins, tree, toolchains, lines, config, known, request.until)
      .run(request.jobs, progress);
}

}  // namespace goldsmith::scan

// Compiles one source again and again, as it is told on standard input; bench_compile.py drives it.
//
//   bench_compile TOOLCHAINS LINE SOURCE
//
// Each line of input is one compile: `bare` runs the compiler as it is, `sandboxed` as the service
// does. The answer is a line with the microseconds that it took.

#include <chrono>
#include <filesystem>
#include <iostream>
#include <string>

#include "app/base/file.hpp"
#include "app/compile/compiler.hpp"
#include "app/host/process.hpp"

namespace goldsmith::bench {
namespace {

namespace fs = std::filesystem;

class Subject {
 public:
  Subject(const fs::path& toolchains, const std::string& line, fs::path source)
      : source_(std::move(source)) {
    const auto found = compile::Toolchains(toolchains, "/nonexistent").find(line);
    if (!found) {
      throw std::runtime_error("there is no toolchain " + line + " in " + toolchains.native());
    }
    toolchain_ = *found;
    domain::PluginFile file;
    file.filename = "bench.sma";
    file.kind = "sma";
    file.content = base::read_file(source_);
    version_.version = "1.0";
    version_.files = {file};
  }

  void compile_bare() const {
    const base::TempDir out;
    const fs::path binary = out.path() / "plugin.amxx";
    host::Command command;
    command.arguments = {(toolchain_.folder / "amxxpc").native(), source_.native(),
                         "-o" + binary.native(), "-i" + (toolchain_.folder / "include").native()};
    command.working_directory = toolchain_.folder;
    const host::ProcessOutcome outcome = host::run_process(command);
    if (!fs::exists(binary)) throw std::runtime_error("no binary: " + outcome.output);
  }

  void compile_sandboxed() const {
    const compile::Compilation done =
        compiler_.compile(toolchain_, version_, compile::Priority::normal);
    if (done.result != compile::Result::compiled) {
      throw std::runtime_error("not compiled: " + done.output + done.cause);
    }
  }

 private:
  fs::path source_;
  compile::Toolchain toolchain_;
  domain::PluginVersion version_;
  base::TempDir scratch_;
  compile::Compiler compiler_{base::CompileConfig{}, scratch_.path()};
};

void serve(const Subject& subject) {
  using Clock = std::chrono::steady_clock;
  for (std::string word; std::getline(std::cin, word);) {
    const Clock::time_point start = Clock::now();
    if (word == "bare") {
      subject.compile_bare();
    } else if (word == "sandboxed") {
      subject.compile_sandboxed();
    } else {
      throw std::runtime_error("neither bare nor sandboxed: " + word);
    }
    const auto taken = Clock::now() - start;
    std::cout << std::chrono::duration_cast<std::chrono::microseconds>(taken).count() << std::endl;
  }
}

}  // namespace
}  // namespace goldsmith::bench

int main(int count, char** arguments) try {
  if (count != 4) {
    std::cerr << "usage: bench_compile TOOLCHAINS LINE SOURCE\n";
    return 2;
  }
  goldsmith::bench::serve({arguments[1], arguments[2], arguments[3]});
  return 0;
} catch (const std::exception& error) {
  std::cerr << "bench_compile: " << error.what() << '\n';
  return 1;
}

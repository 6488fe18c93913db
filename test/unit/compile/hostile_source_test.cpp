// Sources that attack the compiler or what surrounds it. The stand-in misbehaves on request.
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <vector>

#include "app/compile/compiler.hpp"
#include "app/domain/names.hpp"
#include "test/unit/compile/plugin_builder.hpp"

using namespace goldsmith::compile;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

namespace {

// A warning first, to see that what was said before the end is not lost.
std::string misbehaving(const std::string& hook) {
  return "#pragma nonsense\n#pragma standin " + hook + "\n" + kHello;
}
constexpr const char* kWarning = "hello.sma(1) : warning 207: unknown #pragma\n";

void check_stopped(const Compilation& compilation, const std::string& output) {
  BOOST_TEST((compilation.result == Result::failed), compilation.cause);
  BOOST_TEST(compilation.limit_hit);
  BOOST_TEST(compilation.binary.empty());
  BOOST_TEST(compilation.output == output);
}

// Processes that use up all the processor time that they get, until the end of the scope. They and
// what is started beside them have one processor: the others are for other tests.
class Burners {
 public:
  explicit Burners(unsigned count) {
    BOOST_REQUIRE(::sched_getaffinity(0, sizeof all_, &all_) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &all_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    BOOST_REQUIRE(::sched_setaffinity(0, sizeof one, &one) == 0);
    for (unsigned i = 0; i < count; ++i) {
      const pid_t child = ::fork();
      if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::setsid();  // the kernel may share processors by sessions first
        for (volatile unsigned turns = 0;;) turns = turns + 1;
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~Burners() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    ::sched_setaffinity(0, sizeof all_, &all_);
  }
  Burners(const Burners&) = delete;
  Burners& operator=(const Burners&) = delete;

 private:
  std::vector<pid_t> children_;
  cpu_set_t all_{};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile_source)

BOOST_AUTO_TEST_CASE(a_crash_is_a_rejection_that_keeps_the_diagnostics) {
  check_stopped(compile_source(misbehaving("crash")),
                std::string(kWarning) +
                    "The compiler crashed (SIGSEGV), as it does when it needs more than 256 MiB "
                    "of memory.");
  check_stopped(compile_source(misbehaving("abort")),
                std::string(kWarning) +
                    "The compiler crashed (SIGABRT), as it does when it needs more than 256 MiB "
                    "of memory.");
}

BOOST_AUTO_TEST_CASE(a_crash_after_an_error_is_not_laid_to_memory) {
  const auto compilation = compile_source(misbehaving("fatal"));
  BOOST_TEST((compilation.result == Result::failed), compilation.cause);
  BOOST_TEST(contains(compilation.output, "fatal error 100: cannot read from file: \"x\"\n"),
             compilation.output);
  BOOST_TEST(compilation.output.ends_with("\nThe compiler crashed (SIGABRT)."), compilation.output);
  BOOST_TEST(!compilation.limit_hit);
  BOOST_TEST(compilation.is_verdict());
}

BOOST_AUTO_TEST_CASE(a_compiler_that_hangs_is_given_up_at_the_wall_clock_without_a_verdict) {
  auto config = patient();
  config.wall_clock = milliseconds(400);
  const auto compilation = compile_source(misbehaving("hang"), config);
  BOOST_TEST((compilation.result == Result::unavailable), compilation.output);
  BOOST_TEST(compilation.cause.starts_with("the compiler did not end within 0.400 s, of which it "),
             compilation.cause);
  BOOST_TEST(compilation.output.empty());
  BOOST_TEST(!compilation.is_verdict());
}

BOOST_AUTO_TEST_CASE(patience_has_four_times_the_wall_clock_and_ends_with_the_request) {
  auto config = patient();
  config.wall_clock = milliseconds(200);
  const goldsmith::base::TempDir scratch;
  const Compiler compiler(config, scratch.path());
  const auto version = plugin_of({source_file("hello.sma", misbehaving("hang"))});
  for (const auto& [pace, seconds] :
       {std::pair(Pace(Priority::background), "0.200 s"),
        std::pair(Pace(Priority::patient), "0.800 s"),
        std::pair(Pace(Priority::patient, milliseconds(300)), "0.300 s"),
        std::pair(Pace(Priority::normal, milliseconds(100)), "0.100 s")}) {
    const auto compilation = compiler.compile(standin(), version, pace);
    BOOST_TEST(compilation.timed_out);
    BOOST_TEST(contains(compilation.cause, std::string("did not end within ") + seconds),
               compilation.cause);
  }
}

BOOST_AUTO_TEST_CASE(a_compiler_that_never_ends_is_stopped_by_its_processor_time) {
  auto config = patient();
  config.cpu_seconds = 1;
  check_stopped(
      compile_source(misbehaving("spin"), config),
      std::string(kWarning) + "The compiler was stopped: it used more than 1 s of processor time.");
}

// The compiler's own processor time, the sandbox around it or not.
BOOST_AUTO_TEST_CASE(the_processor_time_of_a_compile_is_told) {
  for (const bool sandbox : {true, false}) {
    auto config = patient();
    config.sandbox = sandbox;
    const auto slow = compile_source(misbehaving("busy"), config);
    BOOST_TEST((slow.result == Result::compiled), slow.output << slow.cause);
    BOOST_TEST((slow.processor_time >= milliseconds(3000)), slow.processor_time.count());
    BOOST_TEST((slow.processor_time < milliseconds(4000)), slow.processor_time.count());
    const auto quick = compile_source(kHello, config);
    BOOST_TEST((quick.processor_time < milliseconds(1000)), quick.processor_time.count());
  }
  auto config = patient();
  config.cpu_seconds = 1;
  const auto spun = compile_source(misbehaving("spin"), config);
  // The limit counts in ticks, of which a busy machine gives parts to others.
  BOOST_TEST((spun.processor_time > milliseconds(500)), spun.processor_time.count());
  config.wall_clock = milliseconds(700);
  BOOST_TEST((compile_source(misbehaving("hang"), config).processor_time < milliseconds(500)));
}

// The compile takes several times as long as its processor time.
BOOST_AUTO_TEST_CASE(a_good_plugin_compiles_on_a_host_that_is_far_too_busy) {
  const Burners burners(4);
  auto config = patient();
  config.cpu_seconds = 4;
  const auto compilation = compile_source(misbehaving("busy"), config);
  BOOST_TEST((compilation.result == Result::compiled), compilation.output << compilation.cause);
  BOOST_TEST((compilation.processor_time < milliseconds(4000)));
  BOOST_TEST((compilation.duration > 2 * compilation.processor_time));
}

BOOST_AUTO_TEST_CASE(endless_messages_are_stopped) {
  check_stopped(
      compile_source(misbehaving("spam")),
      std::string(kWarning) + "The compiler was stopped: it wrote more than 256 KiB of messages.");
}

BOOST_AUTO_TEST_CASE(endless_diagnostics_are_stopped_and_cut) {
  auto config = patient();
  config.binary_bytes = 1U << 20;
  const auto compilation = compile_source(misbehaving("flood"), config);
  BOOST_TEST(compilation.limit_hit);
  BOOST_TEST(compilation.output.size() <= 4000U);
  BOOST_TEST(compilation.output.starts_with(kWarning));
  BOOST_TEST(
      compilation.output.ends_with("\nThe compiler was stopped: its output is larger than 1 MiB."));
}

BOOST_AUTO_TEST_CASE(a_compiler_that_takes_too_much_memory_is_stopped) {
  auto config = patient();
  config.memory_bytes = 64U << 20;
  check_stopped(compile_source(misbehaving("memory"), config),
                std::string(kWarning) +
                    "The compiler crashed (SIGSEGV), as it does when it needs more than 64 MiB "
                    "of memory.");
}

BOOST_AUTO_TEST_CASE(a_compiler_can_not_start_processes) {
  const auto compilation = compile_source(misbehaving("fork"));
  BOOST_TEST((compilation.result == Result::unavailable), compilation.output);
  BOOST_TEST(compilation.cause.starts_with(
                 "it made a system call that its sandbox does not allow: clone ("),
             compilation.cause);
  BOOST_TEST(!compilation.is_verdict());
}

// It tries to make 100,000. Three of the 16 are the folder and what a compile leaves.
BOOST_AUTO_TEST_CASE(a_compiler_can_create_a_few_files_and_no_more) {
  const auto compilation = compile_source(misbehaving("files"));
  BOOST_TEST((compilation.result == Result::failed), compilation.cause);
  BOOST_TEST(contains(compilation.output, "error 900: sees 13 new files"), compilation.output);
}

BOOST_AUTO_TEST_CASE(the_compiler_sees_nothing_of_the_host) {
  const auto compilation = compile_source(misbehaving("look"));
  BOOST_TEST((compilation.result == Result::failed));
  std::string seen = compilation.output;
  for (const char* harmless : {"environment MALLOC_PERTURB_=255", "environment PWD=/tc", "/tc",
                               "/job", "/lib", "/lib32", "/usr"}) {
    const std::string line = std::string("plugin.sma(1) : error 900: sees ") + harmless;
    const std::size_t at = (seen + "\n").find(line + "\n");
    if (at != std::string::npos) seen.erase(at, line.size() + 1);
  }
  BOOST_TEST(seen == std::string(kWarning));
}

BOOST_AUTO_TEST_CASE(files_of_the_host_can_not_be_included) {
  for (const std::string path :
       {"/etc/passwd", "../../../../etc/passwd", "/proc/self/environ", "/dev/zero",
        "/usr/lib/os-release", "/lib/os-release", "../out", "/tmp"}) {
    const auto compilation =
        compile_source("#include \"" + path + "\"\n#include <" + path + ">\n" + kHello);
    BOOST_TEST((compilation.result == Result::failed));
    BOOST_TEST(compilation.output ==
               "hello.sma(1) : fatal error 100: cannot read from file: \"" + path + "\"");
  }
}

BOOST_AUTO_TEST_CASE(a_pipe_or_a_link_among_the_includes_leads_nowhere) {
  const goldsmith::base::TempDir includes;
  BOOST_REQUIRE(::mkfifo((includes.path() / "pipe.inc").c_str(), 0644) == 0);
  fs::create_symlink("/etc/passwd", includes.path() / "link.inc");
  fs::create_directory(includes.path() / "folder.inc");
  Toolchain toolchain = standin();
  toolchain.operator_includes = includes.path();
  auto config = patient();
  config.wall_clock = std::chrono::seconds(2);
  for (const std::string name : {"pipe", "link", "folder"}) {
    const auto version = plugin_of({source_file("a.sma", "#include <" + name + ">\n" + kHello)});
    const auto compilation = compile_with(toolchain, version, config);
    BOOST_TEST((compilation.result == Result::failed), name << ": " << compilation.output);
    BOOST_TEST(!contains(compilation.output, "root"), compilation.output);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_includes_itself_is_a_rejection) {
  const auto compilation = compile_with(
      standin(), plugin_of({source_file("a.sma", "#include \"own.inc\"\n" + std::string(kHello)),
                            source_file("own.inc", "#include \"own.inc\"\n")}));
  BOOST_TEST((compilation.result == Result::failed), compilation.cause);
  BOOST_TEST(!compilation.output.empty());
}

BOOST_AUTO_TEST_CASE(a_macro_that_grows_without_end_is_a_rejection) {
  auto config = patient();
  config.cpu_seconds = 5;
  const auto compilation =
      compile_source("#define A B B\n#define B A A\npublic plugin_init() {\n  A;\n}\n", config);
  BOOST_TEST((compilation.result == Result::failed), compilation.cause);
  BOOST_TEST(!compilation.output.empty());
}

BOOST_AUTO_TEST_CASE(huge_lines_zero_bytes_and_deep_nesting_do_no_harm) {
  const std::string deep(100'000, '(');
  for (const std::string& rubbish :
       {std::string(900'000, 'x'), std::string(900'000, '\0'), "new a = " + deep,
        "#if " + deep + "\n", std::string(300'000, '\r'), "/*" + std::string(500'000, '*')}) {
    const auto compilation = compile_source(rubbish);
    BOOST_TEST((compilation.result == Result::failed), compilation.cause);
    BOOST_TEST(goldsmith::domain::is_utf8(compilation.output));
    BOOST_TEST(compilation.output.size() <= 4U * 4000U);
  }
}

BOOST_AUTO_TEST_CASE(a_source_of_fifty_megabytes_ends_within_its_limits) {
  std::string source(kHello);
  while (source.size() < (50U << 20)) source += "// a line that says nothing, again and again\n";
  const auto compilation = compile_source(source);
  BOOST_TEST((compilation.result != Result::unavailable), compilation.cause);
}

BOOST_AUTO_TEST_CASE(a_binary_that_is_none_is_a_rejection) {
  const auto compilation = compile_source(misbehaving("garbage"));
  BOOST_TEST((compilation.result == Result::failed));
  BOOST_TEST(!compilation.limit_hit);
  BOOST_TEST(!compilation.is_verdict());
  BOOST_TEST(compilation.output ==
             std::string(kWarning) + "The compiler reported no error, but made no valid plugin.");
}

BOOST_AUTO_TEST_CASE(a_source_that_pretends_to_be_another_is_only_text) {
  BOOST_TEST(compile_source("#file \"/srv/secret.sma\"\n#line 41\n#error bwrap: no\n").output ==
             "/srv/secret.sma(42) : fatal error 111: user error: bwrap: no");
}

BOOST_AUTO_TEST_CASE(binary_rubbish_is_rejected_with_readable_words) {
  std::string rubbish;
  for (int i = 0; i < 256 * 40; ++i) rubbish += static_cast<char>(i * 7);
  const auto compilation = compile_source("#error \xFF\xFE" + rubbish);
  BOOST_TEST((compilation.result == Result::failed));
  BOOST_TEST(!compilation.output.empty());
  BOOST_TEST(goldsmith::domain::is_utf8(compilation.output));
}

BOOST_AUTO_TEST_SUITE_END()

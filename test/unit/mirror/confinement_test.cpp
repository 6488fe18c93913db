// What reads the archives of strangers has no rights, and what becomes of it changes nothing.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "app/base/interruption.hpp"
#include "app/host/account.hpp"
#include "test/support/processes.hpp"
#include "test/unit/mirror/mirror_fixture.hpp"

namespace goldsmith::mirror {
namespace {

using namespace test;
using namespace goldsmith::test;
namespace fs = std::filesystem;

#ifdef GOLDSMITH_SANITIZED
constexpr bool kSanitized = true;  // needs /proc and terabytes of address space
#else
constexpr bool kSanitized = false;
#endif

struct Fixture : MirrorFixture {
  Fixture() {
    pack(upstream, Format::zip, {{"a", "1"}});
    limits.memory_bytes = 256U << 20;
  }

  void probe(const std::string& mode, std::vector<std::string> words) {
    rules.drop = {mode};
    rules.executables = std::move(words);
    normalise({upstream}, rules, limits, target, MIRROR_PROBE);
  }

  // Of the last archive that told() saw refused.
  bool is_too_much = false;
  // What the probe says of itself.
  std::string told(const std::string& mode, std::vector<std::string> words = {}) {
    try {
      probe(mode, std::move(words));
    } catch (const RefusedArchive& refused) {
      is_too_much = refused.is_too_much();
      return std::string(refused.what()).substr(upstream.string().size() + 2);
    }
    return "nothing";
  }

  // Why it can't be told what is in the archive.
  std::string problem(const std::string& mode, std::vector<std::string> words = {}) {
    std::string reason = "none";
    try {
      probe(mode, std::move(words));
    } catch (const UnpackError& error) {
      reason = error.what();
    }
    fs::remove(target);
    BOOST_TEST(left_beside_target() == "");
    return reason;
  }
};

// In the sandbox that `caller` started; 0 = none yet.
pid_t find_unpacker(pid_t caller) { return find_descendant(caller, "goldsmith-unpac"); }

// A process that mirrors, and the probe that it waits for, until the end of the scope.
struct WaitingProbe {
  explicit WaitingProbe(Fixture& fixture) : caller(::fork()) {
    if (caller == 0) {
      fixture.probe("wait", {});
      ::_exit(0);
    }
    BOOST_TEST_REQUIRE(within_a_minute([&] { return (unpacker = find_unpacker(caller)) != 0; }));
  }
  ~WaitingProbe() { kill_caller(); }
  WaitingProbe(const WaitingProbe&) = delete;
  WaitingProbe& operator=(const WaitingProbe&) = delete;

  void kill_caller() {
    if (caller > 0) {
      ::kill(caller, SIGKILL);
      ::waitpid(caller, nullptr, 0);
    }
    caller = 0;
  }
  std::string status(const std::string& name) const {
    return status_of(std::to_string(unpacker), name);
  }
  fs::path proc() const { return "/proc/" + std::to_string(unpacker); }

  pid_t caller;
  pid_t unpacker = 0;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(confinement, Fixture)

BOOST_AUTO_TEST_CASE(root_drops_to_an_unprivileged_account) {
  const auto account = host::unprivileged_account(host::kMirrorAccount);
  BOOST_TEST(account.has_value() == (::geteuid() == 0));
  if (account) BOOST_TEST(account->account.user != 0U);
  const WaitingProbe probe(*this);
  BOOST_TEST(users_of(probe.unpacker) == four_times(account ? account->account.user : ::geteuid()));
  if (account) {
    BOOST_TEST(probe.status("Groups").find_first_of("0123456789") == std::string::npos);
  }
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"}) {
    BOOST_TEST(probe.status(set) == "0000000000000000", set);
  }
  BOOST_TEST(probe.status("NoNewPrivs") == "1");
  BOOST_TEST(probe.status("Seccomp") == "2");
}

BOOST_AUTO_TEST_CASE(it_shares_no_name_space_with_the_host) {
  const WaitingProbe probe(*this);
  for (const char* kind : {"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"}) {
    BOOST_TEST(fs::read_symlink(probe.proc() / "ns" / kind) !=
                   fs::read_symlink(fs::path("/proc/self/ns") / kind),
               kind);
  }
}

BOOST_AUTO_TEST_CASE(no_file_of_the_host_is_there) {
  const fs::path secret = folder.path() / "operator.conf";
  base::write_atomically(secret, "password", 0644);
  BOOST_TEST(told("files", {secret.string(), upstream.string(), depot.string(), "/etc/passwd",
                            "/etc/goldsmith", "/dev/null", "/usr/bin/sh"}) ==
             "ENOENT ENOENT ENOENT ENOENT ENOENT ENOENT ENOENT create EROFS");
  if (!kSanitized) BOOST_TEST(told("files", {"/proc/self/status"}) == "ENOENT create EROFS");
  const WaitingProbe probe(*this);
  for (const auto& entry : fs::directory_iterator(probe.proc() / "root")) {
    const std::string name = entry.path().filename();
    const bool known = name == "lib" || name == "lib64" || name == "usr" ||
                       name == "goldsmith-unpack" || (kSanitized && name == "proc");
    BOOST_TEST(known, name);
  }
}

BOOST_AUTO_TEST_CASE(a_system_call_that_is_not_allowed_is_named) {
  BOOST_TEST(problem("fork").starts_with(
      "goldsmith-unpack: it made a system call that its sandbox does not allow: clone ("));
}

BOOST_AUTO_TEST_CASE(it_has_the_descriptors_of_its_job_and_no_other) {
  const base::UniqueFd leaky(::open("/etc/passwd", O_RDONLY));
  BOOST_TEST(told("descriptors") == "others: 0 1 2, writing to the archive: EBADF");
}

BOOST_AUTO_TEST_CASE(memory_is_limited) {
  limits.memory_bytes = 64U << 20;
  if (!kSanitized) BOOST_TEST(told("memory") == "little");
}

BOOST_AUTO_TEST_CASE(what_crashes_spins_or_floods_is_an_error_that_says_so) {
  BOOST_TEST(problem("crash") == "goldsmith-unpack: it was ended by SIGSEGV");
  limits.cpu_seconds = 1;
  BOOST_TEST(problem("spin") ==
             "goldsmith-unpack: it needs more than the 1 s of processor time that "
             "mirror.cpu_seconds allows");
  limits.min_wall_clock = std::chrono::seconds(1);
  BOOST_TEST(problem("wait") ==
             "goldsmith-unpack: it did not end within 4 s, which depends on mirror.cpu_seconds");
  limits.min_wall_clock = std::chrono::seconds(60);
  BOOST_TEST(problem("chatter") == "goldsmith-unpack: it said more than a report can have");
  limits.unpacked_bytes = 1U << 20;
  limits.entries = 1;
  BOOST_TEST(problem("fill") == "goldsmith-unpack: it wrote more than mirror.unpacked_mb allows");
}

BOOST_AUTO_TEST_CASE(a_report_is_not_believed_unless_it_is_one) {
  const std::string invalid = "goldsmith-unpack: it ended with code ";
  for (const std::string words : {"", "done", "done ", "done x", "done -1", "done 1 2",
                                  "done 1\ndone 1", "bwrap: no", "done 99999999999999999999"}) {
    BOOST_TEST(problem("say", {words}) == invalid + "0 and no valid report", words);
  }
  for (const std::string words : {"refused", "refused 0 x", "refused 2 x", "refused 1\x1B[2J x",
                                  "refused 1 x\nrefused 1 y", "refused 1 \xFF"}) {
    BOOST_TEST(problem("say", {words}) == invalid + "1 and no valid report", words);
  }
  BOOST_TEST(problem("say", {"failed no disk"}) == "goldsmith-unpack: no disk");
  BOOST_TEST(told("say", {"refused 1 it smells"}) == "it smells");
  BOOST_TEST(!is_too_much);
  BOOST_TEST(told("say", {"too much 1 it is large"}) == "it is large");
  BOOST_TEST(is_too_much);
}

BOOST_AUTO_TEST_CASE(a_result_is_not_believed_unless_it_is_one) {
  BOOST_TEST(problem("say", {"done 1"})
                 .starts_with("goldsmith-unpack wrote an invalid result: the unpacked files: "));
  BOOST_TEST(problem("garbage").starts_with(
      "goldsmith-unpack wrote an invalid result: the unpacked files: "));
}

BOOST_AUTO_TEST_CASE(a_missing_program_is_named) {
  BOOST_CHECK_EXCEPTION(normalise({upstream}, rules, limits, target, "/nowhere/goldsmith-unpack"),
                        base::FileError, [](const base::FileError& error) {
                          return contains(error.what(),
                                          "/nowhere/goldsmith-unpack: can't be opened");
                        });
  BOOST_TEST(left_beside_target() == "");
}

BOOST_AUTO_TEST_CASE(a_signal_ends_it_and_nothing_is_left) {
  constexpr int kInterrupted = 42;
  const pid_t caller = ::fork();
  if (caller == 0) {
    const base::InterruptionGuard guard;
    try {
      probe("wait", {});
    } catch (const base::Interrupted&) {
      ::_exit(kInterrupted);
    } catch (...) {
    }
    ::_exit(0);
  }
  pid_t unpacker = 0;
  BOOST_TEST_REQUIRE(within_a_minute([&] { return (unpacker = find_unpacker(caller)) != 0; }));
  ::kill(caller, SIGTERM);
  int status = 0;
  ::waitpid(caller, &status, 0);
  BOOST_TEST(WEXITSTATUS(status) == kInterrupted);
  BOOST_TEST(left_beside_target() == "");
  BOOST_TEST(within_a_minute([&] { return ::kill(unpacker, 0) != 0; }));
}

BOOST_AUTO_TEST_CASE(the_unpacker_dies_with_a_killed_caller) {
  WaitingProbe probe(*this);
  probe.kill_caller();
  BOOST_TEST(within_a_minute([&] { return ::kill(probe.unpacker, 0) != 0; }));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::mirror

// Tries every number of the kernel's interfaces under the filter, which each child applies to
// itself, so that one that is refused or waits is the end of that child alone.
#include "app/host/syscall_filter.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>

using namespace goldsmith::host;

namespace {

using Arguments = std::array<long, 5>;
using Names = std::set<std::string>;
constexpr Arguments kNonsense = {-1, -1, -1, -1, -1};
constexpr int kNumbers = 512;

enum class Answer { refused, absent, allowed };

// A call that is let through by mistake must do no harm.
void lose_rights() {
  constexpr uid_t kNobody = 65534;
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  if (::geteuid() != 0) return;
  if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::abort();
}

// The program's own interface.
long native_call(long number, const Arguments& arguments) {
  const long result =
      ::syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
  return result < 0 ? -errno : result;
}

#ifdef __x86_64__
// As 32-bit programs make it, which works from 64-bit ones, too.
long x86_call(long number, const Arguments& arguments) {
  int result = 0;
  asm volatile("int $0x80"
               : "=a"(result)
               : "a"(static_cast<int>(number)), "b"(arguments[0]), "c"(arguments[1]),
                 "d"(arguments[2]), "S"(arguments[3]), "D"(arguments[4])
               : "r8", "r9", "r10", "r11", "memory");
  return result;
}

// Kernels can be built or started without it, and end who asks.
boost::test_tools::assertion_result kernel_runs_32_bit_programs(
    boost::unit_test::test_unit_id /*unused*/) {
  constexpr long kGetpid = 20;
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, SIG_DFL);
    lose_rights();
    x86_call(kGetpid, kNonsense);
    ::_exit(0);
  }
  int status = 0;
  boost::test_tools::assertion_result runs(::waitpid(child, &status, 0) == child &&
                                           WIFEXITED(status));
  if (!runs) runs.message() << "this kernel runs no 32-bit programs";
  return runs;
}

long x32_call(long number, const Arguments& arguments) {
  constexpr long kX32 = 0x40000000;
  return native_call(kX32 + number, arguments);
}
#endif

using Interface = long (*)(long, const Arguments&);

std::vector<sock_filter> program_of(Profile profile) {
  const auto file = syscall_filter(profile);
  const auto bytes = ::lseek(file.get(), 0, SEEK_END);
  std::vector<sock_filter> program(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
  BOOST_TEST_REQUIRE(::pread(file.get(), program.data(), static_cast<std::size_t>(bytes), 0) ==
                     bytes);
  return program;
}

[[noreturn]] void make_call(const std::vector<sock_filter>& program, Interface interface,
                            long number, const Arguments& arguments) {
  constexpr unsigned kAlarm = 5;
  lose_rights();
  ::alarm(kAlarm);
  sock_fprog filter{static_cast<unsigned short>(program.size()),
                    const_cast<sock_filter*>(program.data())};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    ::abort();
  }
  const long result = interface(number, arguments);
  ::_exit(result == -ENOSYS ? 1 : 0);
}

Answer answer_to(const std::vector<sock_filter>& program, Interface interface, long number,
                 const Arguments& arguments = kNonsense) {
  const pid_t child = ::fork();
  if (child == 0) make_call(program, interface, number, arguments);
  int status = 0;
  BOOST_TEST_REQUIRE(::waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) {
    BOOST_TEST(WTERMSIG(status) == SIGSYS, number);
    return Answer::refused;
  }
  return WEXITSTATUS(status) == 1 ? Answer::absent : Answer::allowed;
}

std::string name_of(std::uint32_t architecture, int number) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      seccomp_syscall_resolve_num_arch(architecture, number), std::free);
  return name ? std::string(name.get()) : std::to_string(number);
}

// The kernel itself makes these two of x86-64 for its probes, past every filter; they do nothing
// for a program.
bool is_of_the_kernel(std::uint32_t architecture, int number) {
  return architecture == SCMP_ARCH_X86_64 && (number == 335 || number == 336);
}

// The names of the system calls with that answer.
Names reachable(const std::vector<sock_filter>& program, Interface interface,
                std::uint32_t architecture, Answer wanted) {
  Names names;
  for (int number = 0; number < kNumbers; ++number) {
    if (is_of_the_kernel(architecture, number)) continue;
    // Without a signal to return from, it goes on anywhere.
    if (architecture == SCMP_ARCH_X86_64 && number == SYS_rt_sigreturn) continue;
    if (answer_to(program, interface, number) == wanted) {
      names.insert(name_of(architecture, number));
    }
  }
  return names;
}

void check_equal(const Names& found, const Names& expected) {
  for (const std::string& name : found) BOOST_TEST(expected.contains(name), name << " is allowed");
  for (const std::string& name : expected) BOOST_TEST(found.contains(name), name << " is refused");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(syscall_filters)

#ifdef __x86_64__

// clang-format off
const Names kNative = {
#ifdef GOLDSMITH_SANITIZED
    "madvise",         "open",      "pipe2",         "rt_sigaction",    "sigaltstack",
#endif
    "access",          "brk",             "clock_gettime",   "clock_nanosleep", "close",
    "copy_file_range", "execve",          "exit_group",      "fstat",           "ftruncate",
    "getcwd",          "getpid",          "getrandom",       "gettid",          "gettimeofday",
    "lseek",           "mremap",          "munmap",          "newfstatat",      "openat",
    "pread64",         "pwrite64",        "read",            "readlink",        "readlinkat",
    "rt_sigprocmask",  "set_tid_address", "sync_file_range", "time",            "unlink",
    "wait4",           "write",           "writev"};
const Names kOf32Bit = {
    "_llseek",        "access",          "brk",             "clock_gettime", "clock_gettime64",
    "close",          "exit_group",      "getcwd",          "getpid",        "getrandom",
    "gettid",         "gettimeofday",    "lseek",           "mprotect",      "mremap",
    "munmap",         "openat",          "read",            "readlink",      "readlinkat",
    "rt_sigprocmask", "set_thread_area", "set_tid_address", "stat64",        "statx",
    "time",           "ugetrlimit",      "unlink",          "write",         "writev"};
// clang-format on
const Names kAbsent = {"rseq", "set_robust_list"};

BOOST_AUTO_TEST_CASE(a_compiler_can_make_the_calls_of_the_list_and_no_other) {
  const auto program = program_of(Profile::compiler);
  check_equal(reachable(program, native_call, SCMP_ARCH_X86_64, Answer::allowed), kNative);
  check_equal(reachable(program, native_call, SCMP_ARCH_X86_64, Answer::absent), kAbsent);
  for (int number = 0; number < 548; ++number) {
    BOOST_TEST((answer_to(program, x32_call, number) == Answer::refused), number);
  }
}

BOOST_AUTO_TEST_CASE(so_can_a_32_bit_compiler_where_the_kernel_runs_such_programs,
                     *boost::unit_test::precondition(kernel_runs_32_bit_programs)) {
  const auto program = program_of(Profile::compiler);
  check_equal(reachable(program, x86_call, SCMP_ARCH_X86, Answer::allowed), kOf32Bit);
  check_equal(reachable(program, x86_call, SCMP_ARCH_X86, Answer::absent), kAbsent);
}

BOOST_AUTO_TEST_CASE(a_reader_of_archives_has_no_32_bit_interface) {
  const auto program = program_of(Profile::reader);
  check_equal(reachable(program, native_call, SCMP_ARCH_X86_64, Answer::allowed), kNative);
  for (int number = 0; number < kNumbers; ++number) {
    BOOST_TEST((answer_to(program, x86_call, number) == Answer::refused), number);
  }
}

BOOST_AUTO_TEST_CASE(
    what_a_32_bit_program_maps_where_the_kernel_runs_it_is_not_both_written_and_executed,
    *boost::unit_test::precondition(kernel_runs_32_bit_programs)) {
  constexpr long kMmap2 = 192;
  const auto program = program_of(Profile::compiler);
  const auto answer = [&](long protection) {
    return answer_to(program, x86_call, kMmap2,
                     {0, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1});
  };
  BOOST_TEST((answer(PROT_READ | PROT_WRITE) == Answer::allowed));
  BOOST_TEST((answer(PROT_READ | PROT_EXEC) == Answer::allowed));
  BOOST_TEST((answer(PROT_WRITE | PROT_EXEC) == Answer::refused));
}

BOOST_AUTO_TEST_CASE(an_engine_has_threads_and_sockets_but_no_processes) {
  const auto program = program_of(Profile::engine);
  const auto answer = [&](long number, const Arguments& arguments) {
    return answer_to(program, native_call, number, arguments);
  };
  constexpr long kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
  Names expected = kNative;
  expected.insert({"bind",     "chdir",      "clone",       "connect",      "dup2",
                   "exit",     "fchmod",     "getdents64",  "getsockname",  "getuid",
                   "madvise",  "mkdir",      "nanosleep",   "poll",         "ppoll",
                   "pselect6", "recvfrom",   "rename",      "rt_sigaction", "sched_yield",
                   "sendto",   "setsockopt", "socket",      "statx",        "symlink",
                   "sysinfo",  "uname",      "getpeername", "getsockopt",   "recvmsg",
                   "sendmmsg", "sendmsg",    "shutdown"});
  const Names found = reachable(program, native_call, SCMP_ARCH_X86_64, Answer::allowed);
  check_equal(found, expected);
  BOOST_TEST((answer(SYS_clone, {kThread, 0}) == Answer::allowed));
  BOOST_TEST((answer(SYS_clone, {SIGCHLD, 0}) == Answer::refused));
  BOOST_TEST((answer(SYS_clone, {CLONE_NEWUSER | SIGCHLD, 0}) == Answer::refused));
  BOOST_TEST((answer(SYS_clone3, kNonsense) == Answer::absent));
  BOOST_TEST((answer(SYS_fork, kNonsense) == Answer::refused));
  BOOST_TEST((answer(SYS_ptrace, kNonsense) == Answer::refused));
  BOOST_TEST((answer(SYS_ioctl, {-1, TIOCSTI}) == Answer::refused));
  BOOST_TEST((answer(SYS_mprotect, {1 << 30, 4096, PROT_READ | PROT_EXEC}) == Answer::refused));
}

BOOST_AUTO_TEST_CASE(an_emulator_makes_code_and_no_files_in_memory) {
  const auto program = program_of(Profile::emulator);
  const auto answer = [&](long number, const Arguments& arguments) {
    return answer_to(program, native_call, number, arguments);
  };
  BOOST_TEST((answer(SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS, -1}) == Answer::allowed));
  BOOST_TEST((answer(SYS_memfd_create, kNonsense) == Answer::absent));
  BOOST_TEST((answer(SYS_fork, kNonsense) == Answer::refused));
  BOOST_TEST((answer_to(program, x86_call, 20, kNonsense) == Answer::refused));
}

BOOST_AUTO_TEST_CASE(some_calls_depend_on_their_arguments) {
  struct Case {
    long number;
    Arguments arguments;
    bool allowed;
  };
  const long somewhere = 1 << 30;
  const auto program = program_of(Profile::reader);
  for (const Case& each : {
           Case{SYS_ioctl, {-1, TCGETS}, true},
           Case{SYS_ioctl, {-1, TIOCSTI}, false},
           Case{SYS_fcntl, {-1, F_DUPFD_CLOEXEC}, true},
           Case{SYS_fcntl, {-1, F_SETOWN}, false},
           Case{SYS_futex, {0, FUTEX_WAKE_PRIVATE}, true},
           Case{SYS_futex, {0, FUTEX_WAIT_PRIVATE}, true},
           Case{SYS_futex, {0, FUTEX_CMP_REQUEUE_PI}, false},
           Case{SYS_tgkill, {-1, -1, SIGABRT}, true},
           Case{SYS_tgkill, {-1, -1, SIGKILL}, false},
           Case{SYS_prctl, {PR_CAPBSET_READ, 0}, true},
           Case{SYS_prctl, {PR_SET_NAME, 0}, false},
           Case{SYS_prctl, {PR_SET_DUMPABLE, 1}, false},
           Case{SYS_prlimit64, {0, RLIMIT_STACK, 0, 0}, true},
           Case{SYS_prlimit64, {0, RLIMIT_STACK, somewhere, 0}, false},
           Case{SYS_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1}, true},
           Case{SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1}, true},
           Case{
               SYS_mmap, {0, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1}, false},
           Case{SYS_mprotect, {somewhere, 4096, PROT_READ}, true},
           Case{SYS_mprotect, {somewhere, 4096, PROT_READ | PROT_EXEC}, false},
       }) {
    const bool allowed =
        answer_to(program, native_call, each.number, each.arguments) == Answer::allowed;
    BOOST_TEST(allowed == each.allowed, name_of(SCMP_ARCH_NATIVE, static_cast<int>(each.number))
                                            << " " << each.arguments[1]);
  }
}

#endif

BOOST_AUTO_TEST_SUITE_END()

// Tries every number of the kernel's interfaces under the filter, which each child applies to
// itself, so that one that is refused or waits is the end of that child alone.
#include "app/host/syscall_filter.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
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
#include <tuple>

using namespace goldsmith::host;

namespace {

using Arguments = std::array<long, 5>;
using Names = std::set<std::string>;
constexpr Arguments kNonsense = {-1, -1, -1, -1, -1};
constexpr int kNumbers = 512;

enum class Answer { refused, absent, denied, allowed };  // SIGSYS, ENOSYS, EPERM

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

std::vector<sock_filter> program_in(const goldsmith::base::UniqueFd& file) {
  const auto bytes = ::lseek(file.get(), 0, SEEK_END);
  std::vector<sock_filter> program(static_cast<std::size_t>(bytes) / sizeof(sock_filter));
  BOOST_TEST_REQUIRE(::pread(file.get(), program.data(), static_cast<std::size_t>(bytes), 0) ==
                     bytes);
  return program;
}

std::vector<sock_filter> program_of(Profile profile) { return program_in(syscall_filter(profile)); }

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
  ::_exit(result == -ENOSYS ? 1 : result == -EPERM ? 2 : 0);
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
  const int code = WEXITSTATUS(status);  // exit(2) has another
  return code == 1 ? Answer::absent : code == 2 ? Answer::denied : Answer::allowed;
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
  expected.insert({"accept4",  "bind",        "chdir",      "connect",     "dup2",
                   "exit",     "fchmod",      "getdents64", "getuid",      "getsockname",
                   "listen",   "mkdir",       "nanosleep",  "poll",        "ppoll",
                   "pselect6", "rename",      "shutdown",   "getpeername", "rt_sigaction",
                   "statx",    "sched_yield", "symlink",    "sysinfo",     "uname"});
  const Names limited{"getsockopt", "madvise", "recvfrom",   "recvmsg", "sendmmsg",
                      "sendmsg",    "sendto",  "setsockopt", "socket",  "socketpair"};
  expected.erase("madvise");  // of any arguments only in other profiles with sanitizers
  check_equal(reachable(program, native_call, SCMP_ARCH_X86_64, Answer::allowed), expected);
  check_equal(reachable(program, native_call, SCMP_ARCH_X86_64, Answer::denied), limited);
  BOOST_TEST((answer(SYS_clone, {kThread, 0}) == Answer::allowed));
  for (const unsigned more : {CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWIPC, CLONE_PTRACE, CLONE_PARENT,
                              CLONE_UNTRACED, CLONE_VFORK, CLONE_PIDFD, SIGKILL}) {
    BOOST_TEST((answer(SYS_clone, {kThread | more, 0}) == Answer::refused), more);
  }
  BOOST_TEST((answer(SYS_clone, {SIGCHLD, 0}) == Answer::refused));
  BOOST_TEST((answer(SYS_clone, {CLONE_NEWUSER | SIGCHLD, 0}) == Answer::refused));
  BOOST_TEST((answer(SYS_clone3, kNonsense) == Answer::absent));
  BOOST_TEST((answer(SYS_fork, kNonsense) == Answer::refused));
  BOOST_TEST((answer(SYS_ptrace, kNonsense) == Answer::refused));
  BOOST_TEST((answer(SYS_ioctl, {-1, TIOCSTI}) == Answer::refused));
  BOOST_TEST((answer(SYS_mprotect, {1 << 30, 4096, PROT_READ | PROT_EXEC}) == Answer::refused));
}

// The same arguments for each interface, whose numbers differ.
struct Numbers {
  Interface interface;
  long socket, socketpair, sendto, sendmsg, recvfrom, recvmsg, setsockopt, getsockopt, madvise;
};
constexpr Numbers kNativeNumbers{native_call,    SYS_socket,   SYS_socketpair, SYS_sendto,
                                 SYS_sendmsg,    SYS_recvfrom, SYS_recvmsg,    SYS_setsockopt,
                                 SYS_getsockopt, SYS_madvise};
constexpr Numbers kX86Numbers{x86_call, 359, 360, 369, 370, 371, 372, 366, 365, 219};

void check_limits(Profile profile, const Numbers& numbers) {
  const auto program = program_of(profile);
  const auto check = [&](const char* what, Answer answer, long number, const Arguments& arguments) {
    BOOST_TEST((answer_to(program, numbers.interface, number, arguments) == answer),
               what << " " << arguments[0] << " " << arguments[1] << " " << arguments[2]);
  };
  const auto socket = [&](Answer answer, long family, long type, long protocol) {
    check("socket", answer, numbers.socket, {family, type, protocol, 0, 0});
  };
  constexpr long kRaw = SOCK_RAW;
  for (long family = -1; family < 64; ++family) {
    const bool has = family == AF_UNIX || family == AF_INET || family == AF_INET6;
    socket(has ? Answer::allowed : Answer::denied, family, SOCK_DGRAM, 0);
    check("socketpair", family == AF_UNIX ? Answer::allowed : Answer::denied, numbers.socketpair,
          {family, SOCK_STREAM, 0, 0, 0});
  }
  for (const long family : {AF_INET, AF_INET6}) {
    for (long type = 0; type < 16; ++type) {
      const bool has = type == SOCK_STREAM || type == SOCK_DGRAM;
      for (const long flags : {0, SOCK_CLOEXEC | SOCK_NONBLOCK}) {
        socket(has ? Answer::allowed : Answer::denied, family, type | flags, 0);
      }
    }
    for (long protocol = -1; protocol < 300; ++protocol) {
      const bool tcp = protocol == 0 || protocol == IPPROTO_TCP;
      const bool udp = protocol == 0 || protocol == IPPROTO_UDP;
      socket(tcp ? Answer::allowed : Answer::denied, family, SOCK_STREAM, protocol);
      socket(udp ? Answer::allowed : Answer::denied, family, SOCK_DGRAM, protocol);
      socket(Answer::denied, family, kRaw, protocol);
    }
  }
  for (const auto& [name, number, at] : {std::tuple{"sendto", numbers.sendto, 3U},
                                         {"sendmsg", numbers.sendmsg, 2U},
                                         {"recvfrom", numbers.recvfrom, 3U},
                                         {"recvmsg", numbers.recvmsg, 2U}}) {
    Arguments arguments{-1, 0, 0, 0, 0};
    for (const long flags : {0, MSG_DONTWAIT | MSG_NOSIGNAL, MSG_PEEK | MSG_TRUNC}) {
      arguments[at] = flags;
      check(name, Answer::allowed, number, arguments);
    }
    for (const int flags : {+MSG_OOB, MSG_OOB | MSG_DONTWAIT, +MSG_ZEROCOPY, +MSG_FASTOPEN}) {
      arguments[at] = flags;
      check(name, Answer::denied, number, arguments);
    }
  }
  for (const long number : {numbers.setsockopt, numbers.getsockopt}) {
    for (const auto& [level, option] : {std::pair{SOL_SOCKET, SO_REUSEADDR},
                                        {SOL_SOCKET, SO_BROADCAST},
                                        {SOL_SOCKET, SO_ERROR},
                                        {IPPROTO_IP, IP_TOS},
                                        {IPPROTO_IP, IP_RECVERR},
                                        {IPPROTO_TCP, TCP_NODELAY},
                                        {IPPROTO_IPV6, IPV6_V6ONLY}}) {
      check("option", Answer::allowed, number, {-1, level, option, 0, 0});
    }
    for (const auto& [level, option] : {std::pair{SOL_SOCKET, SO_ATTACH_FILTER},
                                        {SOL_SOCKET, SO_ATTACH_BPF},
                                        {SOL_SOCKET, SO_BINDTODEVICE},
                                        {SOL_SOCKET, SO_ZEROCOPY},
                                        {IPPROTO_TCP, TCP_ULP},
                                        {IPPROTO_TCP, TCP_CONGESTION},
                                        {IPPROTO_TCP, TCP_MD5SIG},
                                        {IPPROTO_TCP, TCP_REPAIR},
                                        {IPPROTO_UDP, 100},
                                        {IPPROTO_IP, 64},
                                        {IPPROTO_IP, IP_ADD_MEMBERSHIP},
                                        {IPPROTO_IPV6, 64},
                                        {270, 1},
                                        {-1, -1}}) {
      check("option", Answer::denied, number, {-1, level, option, 0, 0});
    }
  }
  check("madvise", Answer::allowed, numbers.madvise, {0, 4096, MADV_DONTNEED, 0, 0});
#ifndef GOLDSMITH_SANITIZED
  for (const long advice : {MADV_MERGEABLE, MADV_HWPOISON, MADV_REMOVE, MADV_PAGEOUT}) {
    check("madvise", Answer::denied, numbers.madvise, {0, 4096, advice, 0, 0});
  }
#endif
}

BOOST_AUTO_TEST_CASE(sockets_are_of_the_internet_or_the_host_and_have_no_more_than_servers_need) {
  check_limits(Profile::engine, kNativeNumbers);
  check_limits(Profile::emulator, kNativeNumbers);
}

BOOST_AUTO_TEST_CASE(so_are_those_of_the_32_bit_interface_which_has_no_other_way_to_them,
                     *boost::unit_test::precondition(kernel_runs_32_bit_programs)) {
  check_limits(Profile::engine, kX86Numbers);
  constexpr long kSocketcall = 102;
  constexpr long kClone = 120;
  const auto program = program_of(Profile::engine);
  for (long call = 0; call < 24; ++call) {
    BOOST_TEST((answer_to(program, x86_call, kSocketcall, {call, 0, 0, 0, 0}) == Answer::refused),
               call);
  }
  for (const long flags : {SIGCHLD, CLONE_NEWUSER | SIGCHLD, CLONE_VM | CLONE_VFORK | SIGCHLD}) {
    BOOST_TEST((answer_to(program, x86_call, kClone, {flags, 0, 0, 0, 0}) == Answer::refused));
  }
}

// What finds out which call ended a program allows nothing more.
BOOST_AUTO_TEST_CASE(a_search_for_the_call_that_ended_a_program_has_the_same_limits) {
  const auto program = program_in(searching_filter(Profile::engine, kRefusableCalls));
  const auto socket = [&](long family) {
    return answer_to(program, native_call, SYS_socket, {family, SOCK_STREAM, 0, 0, 0});
  };
  BOOST_TEST((socket(AF_INET) == Answer::allowed));
  BOOST_TEST((socket(AF_VSOCK) == Answer::denied));
  BOOST_TEST((answer_to(program, native_call, SYS_fork) == Answer::absent));
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
           Case{SYS_prlimit64, {1, RLIMIT_STACK, 0, 0}, false},
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

#include "app/host/syscall_lists.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include <csignal>
#include <iterator>
#include <span>

namespace goldsmith::host {
namespace {

// ARCH_SET_FS and ARCH_SET_GS, which only x86-64 declares.
constexpr scmp_datum_t kSetThreadPointer = 0x1002;
constexpr scmp_datum_t kSetSecondPointer = 0x1001;
// clone() for threads: what it must say, and what else it may.
constexpr scmp_datum_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
constexpr scmp_datum_t kThreadOptions = CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
                                        CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED;

constexpr scmp_arg_cmp is(unsigned argument, scmp_datum_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
constexpr scmp_arg_cmp lacks(unsigned argument, scmp_datum_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, 0};
}
constexpr scmp_arg_cmp is_among(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}
constexpr scmp_arg_cmp only_has(unsigned argument, scmp_datum_t bits) {
  return lacks(argument, ~bits);
}

// What every profile has: all that the compilers and goldsmith-unpack need, seen with strace(1) and
// in what their programs import, and why. A name that an interface does not have means nothing
// there.
constexpr Call kCalls[] = {
    // bubblewrap applies the filter to itself: the sandbox's first process starts the program with
    // execve, waits for it and reports its end. The program could start only what its view holds,
    // with the same filter, limits and rights.
    {SCMP_SYS(execve), Where::native},
    {SCMP_SYS(wait4), Where::native},
    {SCMP_SYS(exit_group)},
    // The dynamic loader and the C library map libraries and take memory. Data is never executed,
    // except that amxxpc32.so of all lines has relocations in its text.
    {SCMP_SYS(brk)},
    {SCMP_SYS(mmap), Where::native, lacks(2, PROT_EXEC)},
    {SCMP_SYS(mmap), Where::native, lacks(2, PROT_WRITE)},
    {SCMP_SYS(mmap2), Where::x86, lacks(2, PROT_EXEC)},
    {SCMP_SYS(mmap2), Where::x86, lacks(2, PROT_WRITE)},
    {SCMP_SYS(mprotect), Where::native, lacks(2, PROT_EXEC)},
    {SCMP_SYS(mprotect), Where::x86},
    {SCMP_SYS(mremap)},  // realloc
    {SCMP_SYS(munmap)},
    // They prepare the only thread, the stack's size and what makes a heap hard to predict.
    {SCMP_SYS(arch_prctl), Where::native, is(0, kSetThreadPointer)},
    {SCMP_SYS(set_thread_area), Where::x86},
    {SCMP_SYS(set_tid_address)},
    {SCMP_SYS(prlimit64), Where::everywhere, {is(0, 0), is(2, 0)}},  // its own, to read
    {SCMP_SYS(ugetrlimit), Where::x86},
    {SCMP_SYS(getrandom)},
    // Every C library does without these two.
    {SCMP_SYS(set_robust_list), Where::everywhere, {}, kAbsent},
    {SCMP_SYS(rseq), Where::everywhere, {}, kAbsent},
    // Locks between threads of one process, such as std::call_once.
    {SCMP_SYS(futex), Where::everywhere, is(1, FUTEX_WAIT_PRIVATE)},
    {SCMP_SYS(futex), Where::everywhere, is(1, FUTEX_WAKE_PRIVATE)},
    // Libraries, sources, includes, diagnostics and the plugin, as the C library opens and reads
    // them; stat64, access and getcwd to look for includes.
    {SCMP_SYS(openat)},
    {SCMP_SYS(close)},
    {SCMP_SYS(read)},
    {SCMP_SYS(write)},
    {SCMP_SYS(writev)},
    {SCMP_SYS(lseek)},
    {SCMP_SYS(_llseek)},
    {SCMP_SYS(newfstatat)},
    {SCMP_SYS(fstat), Where::native},
    {SCMP_SYS(statx), Where::x86},
    {SCMP_SYS(stat64)},
    {SCMP_SYS(access)},
    {SCMP_SYS(getcwd)},
    {SCMP_SYS(readlink)},                                 // where the program itself lies
    {SCMP_SYS(readlinkat)},                               // readlink, by newer C libraries
    {SCMP_SYS(ioctl), Where::everywhere, is(1, TCGETS)},  // is stdout a terminal?
    // The image that becomes the plugin, which the compilers write first.
    {SCMP_SYS(unlink)},
    // abort().
    {SCMP_SYS(rt_sigprocmask)},
    {SCMP_SYS(getpid)},
    {SCMP_SYS(gettid)},
    {SCMP_SYS(tgkill), Where::everywhere, is(2, SIGABRT)},
    // The date; a host whose clock the program can't read by itself is asked for it.
    {SCMP_SYS(time)},
    {SCMP_SYS(gettimeofday)},
    {SCMP_SYS(clock_gettime)},
    {SCMP_SYS(clock_gettime64)},
    // goldsmith-unpack reads and writes the files that it was given; libarchive duplicates one, and
    // libcap asks which capabilities there are.
    {SCMP_SYS(pread64), Where::native},
    {SCMP_SYS(pwrite64), Where::native},
    {SCMP_SYS(copy_file_range), Where::native},
    {SCMP_SYS(sync_file_range), Where::native},
    {SCMP_SYS(ftruncate), Where::native},
    {SCMP_SYS(clock_nanosleep), Where::native},  // between the steps of a long copy
    {SCMP_SYS(fcntl), Where::native, is(1, F_DUPFD_CLOEXEC)},
    {SCMP_SYS(prctl), Where::native, is(0, PR_CAPBSET_READ)},
#ifdef GOLDSMITH_SANITIZED
    // goldsmith-unpack in a build with sanitizers.
    {SCMP_SYS(open), Where::native},
    {SCMP_SYS(madvise), Where::native},
    {SCMP_SYS(pipe2), Where::native},
    {SCMP_SYS(rt_sigaction), Where::native},
    {SCMP_SYS(sigaltstack), Where::native},
#endif
};

// What game servers need besides: ReHLDS, ReGameDLL_CS, Metamod-r and AMX Mod X with its modules.
constexpr Call kEngineCalls[] = {
    // goldsmith-unpack prepares the server's folder, and becomes the engine.
    {SCMP_SYS(mkdir)},
    {SCMP_SYS(symlink), Where::native},
    {SCMP_SYS(chdir), Where::native},
    {SCMP_SYS(dup2), Where::native},
    {SCMP_SYS(fchmod), Where::native},
    // Files are looked for in any letter case; what is written stays in the folder in memory.
    {SCMP_SYS(getdents64)},
    {SCMP_SYS(statx), Where::native},
    {SCMP_SYS(fstat64), Where::x86},
    {SCMP_SYS(lstat64), Where::x86},
    {SCMP_SYS(rename)},
    {SCMP_SYS(fcntl), Where::native, is(1, F_GETFL)},
    {SCMP_SYS(fcntl), Where::native, is(1, F_SETFD)},  // of a folder that is listed
    {SCMP_SYS(fcntl64), Where::x86, is(1, F_GETFL)},
    // Hooks are code that Metamod, AMX Mod X and modules write when they load.
    {SCMP_SYS(mmap2), Where::x86},
    // The console: is it a terminal, is there input?
    {SCMP_SYS(ioctl), Where::everywhere, is(1, TCSETS)},
    {SCMP_SYS(pselect6)},
    {SCMP_SYS(pselect6_time64), Where::x86},
    {SCMP_SYS(_newselect), Where::x86},
    {SCMP_SYS(poll)},
    {SCMP_SYS(ppoll)},
    // Pauses between frames.
    {SCMP_SYS(nanosleep)},
    {SCMP_SYS(clock_nanosleep), Where::x86},
    {SCMP_SYS(clock_nanosleep_time64), Where::x86},
    {SCMP_SYS(sched_yield)},
    {SCMP_SYS(rt_sigaction)},
    {SCMP_SYS(rt_sigreturn)},
    {SCMP_SYS(sigreturn), Where::x86},
    {SCMP_SYS(uname)},
    {SCMP_SYS(sysinfo)},
    {SCMP_SYS(getuid)},
    {SCMP_SYS(getuid32), Where::x86},
    // Its port and those of modules, in a network that ends at this process; see kLimitedCalls.
    // A filter does not see the arguments of socketcall, the only way to sockets that the 32-bit C
    // library of Debian has: app/start/steam_api.c makes the calls instead that it stands for.
    {SCMP_SYS(socketcall), Where::x86, {}, SCMP_ACT_TRAP},
    {SCMP_SYS(socket)},
    {SCMP_SYS(socketpair)},
    {SCMP_SYS(bind)},
    {SCMP_SYS(listen)},
    {SCMP_SYS(accept4)},
    {SCMP_SYS(connect)},
    {SCMP_SYS(getsockname)},
    {SCMP_SYS(setsockopt)},
    {SCMP_SYS(recvfrom)},
    {SCMP_SYS(sendto)},
    {SCMP_SYS(ioctl), Where::everywhere, is(1, FIONBIO)},
    // The clients of MySQL and of plugins: names are looked up, and nothing answers.
    {SCMP_SYS(fcntl64), Where::x86, {is(1, F_SETFL), lacks(2, O_ASYNC)}},
    {SCMP_SYS(getsockopt)},
    {SCMP_SYS(getpeername)},
    {SCMP_SYS(sendmsg)},
    {SCMP_SYS(sendmmsg)},
    {SCMP_SYS(recvmsg)},
    {SCMP_SYS(shutdown)},
    // Threads, of modules and of an emulator, as C libraries make them, but no processes or
    // namespaces. What clone3 is for is not in its arguments; C libraries do without it.
    {SCMP_SYS(clone), Where::everywhere, is_among(0, ~kThreadOptions, kThread)},
    {SCMP_SYS(clone3), Where::everywhere, {}, kAbsent},
    {SCMP_SYS(madvise)},
    {SCMP_SYS(exit)},
    {SCMP_SYS(futex), Where::everywhere, is(1, FUTEX_WAIT)},
    {SCMP_SYS(futex), Where::everywhere, is(1, FUTEX_WAKE)},
    {SCMP_SYS(futex), Where::everywhere, is(1, FUTEX_WAIT_BITSET_PRIVATE)},
    {SCMP_SYS(futex), Where::everywhere, is(1, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME)},
    // Waits for the end of a thread.
    {SCMP_SYS(futex), Where::x86, is(1, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME)},
    {SCMP_SYS(sched_getaffinity), Where::x86},
    {SCMP_SYS(futex_time64), Where::x86, is(1, FUTEX_WAIT_PRIVATE)},
    {SCMP_SYS(futex_time64), Where::x86, is(1, FUTEX_WAIT_BITSET_PRIVATE)},
};

// Neither raw sockets nor SCTP, DCCP or MPTCP.
constexpr struct {
  int type, protocol;
} kInternetSockets[] = {
    {SOCK_STREAM, 0}, {SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, 0}, {SOCK_DGRAM, IPPROTO_UDP}};
constexpr scmp_datum_t kSocketType = 0xf;  // of flags besides it the kernel refuses what is none

constexpr scmp_datum_t kMessageFlags = MSG_PEEK | MSG_DONTROUTE | MSG_TRUNC | MSG_DONTWAIT |
                                       MSG_EOR | MSG_WAITALL | MSG_ERRQUEUE | MSG_NOSIGNAL |
                                       MSG_MORE | MSG_CMSG_CLOEXEC;

// See limited_calls().
constexpr Call kLimitedCalls[] = {
    // The kernel has dozens of families of sockets, and loads modules for them; VSOCK is outside of
    // all namespaces. Below: those of the internet.
    {SCMP_SYS(socket), Where::everywhere, is(0, AF_UNIX)},
    {SCMP_SYS(socketpair), Where::everywhere, is(0, AF_UNIX)},
    // No urgent data, which sockets of AF_UNIX have had trouble with, no zero-copy.
    {SCMP_SYS(sendto), Where::everywhere, only_has(3, kMessageFlags)},
    {SCMP_SYS(sendmsg), Where::everywhere, only_has(2, kMessageFlags)},
    {SCMP_SYS(sendmmsg), Where::everywhere, only_has(3, kMessageFlags)},
    {SCMP_SYS(recvfrom), Where::everywhere, only_has(3, kMessageFlags)},
    {SCMP_SYS(recvmsg), Where::everywhere, only_has(2, kMessageFlags)},
    // Memory is given back and left out of dumps, never merged with that of other processes.
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_NORMAL)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_WILLNEED)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_DONTNEED)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_FREE)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_DONTFORK)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_HUGEPAGE)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_NOHUGEPAGE)},
    {SCMP_SYS(madvise), Where::everywhere, is(2, MADV_DONTDUMP)},
};

// Those that game servers, resolvers and clients of databases and of HTTP set and ask for. No
// programs on sockets, protocols above TCP, tunnels or tables of the firewall.
constexpr struct {
  int level, name;
} kSocketOptions[] = {
    {SOL_SOCKET, SO_REUSEADDR},
    {SOL_SOCKET, SO_TYPE},
    {SOL_SOCKET, SO_ERROR},
    {SOL_SOCKET, SO_BROADCAST},
    {SOL_SOCKET, SO_SNDBUF},
    {SOL_SOCKET, SO_RCVBUF},
    {SOL_SOCKET, SO_KEEPALIVE},
    {SOL_SOCKET, SO_LINGER},
    {SOL_SOCKET, SO_REUSEPORT},
    {SOL_SOCKET, 20},  // SO_RCVTIMEO and
    {SOL_SOCKET, 21},  // SO_SNDTIMEO of 32-bit programs, and
    {SOL_SOCKET, 66},  // with times
    {SOL_SOCKET, 67},  // of 64 bits
    {IPPROTO_IP, IP_TOS},
    {IPPROTO_IP, IP_TTL},
    {IPPROTO_IP, IP_MTU_DISCOVER},
    {IPPROTO_IP, IP_RECVERR},
    {IPPROTO_IP, IP_MULTICAST_TTL},
    {IPPROTO_IP, IP_MULTICAST_LOOP},
    {IPPROTO_TCP, TCP_NODELAY},
    {IPPROTO_TCP, TCP_MAXSEG},
    {IPPROTO_TCP, TCP_KEEPIDLE},
    {IPPROTO_TCP, TCP_KEEPINTVL},
    {IPPROTO_TCP, TCP_KEEPCNT},
    {IPPROTO_TCP, TCP_INFO},
    {IPPROTO_TCP, TCP_USER_TIMEOUT},
    {IPPROTO_IPV6, IPV6_UNICAST_HOPS},
    {IPPROTO_IPV6, IPV6_RECVERR},
    {IPPROTO_IPV6, IPV6_V6ONLY},
    {IPPROTO_IPV6, IPV6_TCLASS},
};

// And what qemu-i386 needs besides.
constexpr Call kEmulatorCalls[] = {
    // It translates programs to code that it then runs.
    {SCMP_SYS(mmap), Where::native},
    {SCMP_SYS(mprotect), Where::native},
    // Where the memory of the program begins.
    {SCMP_SYS(arch_prctl), Where::native, is(0, kSetSecondPointer)},
    // What may run where, and threads that wait for signals and for each other.
    {SCMP_SYS(sched_getaffinity), Where::native},
    {SCMP_SYS(rt_sigsuspend), Where::native},
    {SCMP_SYS(sigaltstack), Where::native},
    {SCMP_SYS(prctl), Where::native, is(0, PR_SET_NAME)},
    {SCMP_SYS(getppid), Where::native},
    {SCMP_SYS(geteuid), Where::native},
    {SCMP_SYS(getgid), Where::native},
    {SCMP_SYS(getegid), Where::native},
    // Libraries of it ask at their start.
    {SCMP_SYS(get_mempolicy), Where::native, {}, kAbsent},
    {SCMP_SYS(set_mempolicy), Where::native, {}, kAbsent},
    {SCMP_SYS(membarrier), Where::native, {}, kAbsent},
    // Files in memory would be in no folder that is bounded; it takes temporary ones instead.
    {SCMP_SYS(memfd_create), Where::native, {}, kAbsent},
};

bool has_sockets(Profile profile) {
  return profile == Profile::engine || profile == Profile::emulator;
}

}  // namespace

std::vector<Call> allowed_calls(Profile profile) {
  std::vector<Call> calls(std::begin(kCalls), std::end(kCalls));
  const auto add = [&](std::span<const Call> more) {
    calls.insert(calls.end(), more.begin(), more.end());
  };
  if (has_sockets(profile)) add(kEngineCalls);
  if (profile == Profile::emulator) add(kEmulatorCalls);
  return calls;
}

std::vector<Call> limited_calls(Profile profile) {
  if (!has_sockets(profile)) return {};
  std::vector<Call> calls(std::begin(kLimitedCalls), std::end(kLimitedCalls));
  const auto add = [&](int call, Conditions arguments) {
    calls.push_back({call, Where::everywhere, arguments});
  };
  for (const scmp_datum_t family : {AF_INET, AF_INET6}) {
    for (const auto& [type, protocol] : kInternetSockets) {
      add(SCMP_SYS(socket), {is(0, family), is_among(1, kSocketType, type), is(2, protocol)});
    }
  }
  for (const auto& [level, name] : kSocketOptions) {
    add(SCMP_SYS(setsockopt), {is(1, level), is(2, name)});
    add(SCMP_SYS(getsockopt), {is(1, level), is(2, name)});
  }
  return calls;
}

}  // namespace goldsmith::host

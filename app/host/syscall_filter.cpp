#include "app/host/syscall_filter.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <type_traits>
#include <vector>

#include "app/base/text.hpp"

namespace goldsmith::host {
namespace {

// ARCH_SET_FS and ARCH_SET_GS, which only x86-64 declares.
constexpr scmp_datum_t kSetThreadPointer = 0x1002;
constexpr scmp_datum_t kSetSecondPointer = 0x1001;
constexpr const char* kName = "system call filter";
constexpr int kNumbers = kRefusableCalls / 2;  // of one interface

enum class Where { everywhere, native, x86 };
constexpr std::uint32_t kAbsent = SCMP_ACT_ERRNO(ENOSYS);  // as on a kernel that does not have it

struct Call {
  int number;
  Where where = Where::everywhere;
  std::optional<scmp_arg_cmp> argument =
      std::nullopt;  // only if it is so; several rows: one of them
  std::uint32_t answer = SCMP_ACT_ALLOW;
};

constexpr scmp_arg_cmp is(unsigned argument, scmp_datum_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
constexpr scmp_arg_cmp lacks(unsigned argument, scmp_datum_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, 0};
}
constexpr scmp_arg_cmp has(unsigned argument, scmp_datum_t bit) {
  return {argument, SCMP_CMP_MASKED_EQ, bit, bit};
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
    {SCMP_SYS(prlimit64), Where::everywhere, is(2, 0)},  // to read
    {SCMP_SYS(ugetrlimit), Where::x86},
    {SCMP_SYS(getrandom)},
    // Every C library does without these two.
    {SCMP_SYS(set_robust_list), Where::everywhere, std::nullopt, kAbsent},
    {SCMP_SYS(rseq), Where::everywhere, std::nullopt, kAbsent},
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
    // Its port and those of modules, in a network that ends at this process.
    {SCMP_SYS(socketcall), Where::x86},
    {SCMP_SYS(socket)},
    {SCMP_SYS(bind)},
    {SCMP_SYS(connect)},
    {SCMP_SYS(getsockname)},
    {SCMP_SYS(setsockopt)},
    {SCMP_SYS(recvfrom)},
    {SCMP_SYS(sendto)},
    {SCMP_SYS(ioctl), Where::everywhere, is(1, FIONBIO)},
    // The clients of MySQL and of plugins: names are looked up, and nothing answers.
    {SCMP_SYS(fcntl64), Where::x86, is(1, F_SETFL)},
    {SCMP_SYS(getsockopt)},
    {SCMP_SYS(getpeername)},
    {SCMP_SYS(sendmsg)},
    {SCMP_SYS(sendmmsg)},
    {SCMP_SYS(recvmsg)},
    {SCMP_SYS(shutdown)},
    // Threads, of modules and of an emulator, but no processes. What clone3 is for is not in its
    // arguments; C libraries do without it.
    {SCMP_SYS(clone), Where::everywhere, has(0, CLONE_THREAD)},
    {SCMP_SYS(clone3), Where::everywhere, std::nullopt, kAbsent},
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
    {SCMP_SYS(get_mempolicy), Where::native, std::nullopt, kAbsent},
    {SCMP_SYS(set_mempolicy), Where::native, std::nullopt, kAbsent},
    {SCMP_SYS(membarrier), Where::native, std::nullopt, kAbsent},
    // Files in memory would be in no folder that is bounded; it takes temporary ones instead.
    {SCMP_SYS(memfd_create), Where::native, std::nullopt, kAbsent},
};

std::vector<Call> calls_of(Profile profile) {
  std::vector<Call> calls(std::begin(kCalls), std::end(kCalls));
  const auto add = [&](std::span<const Call> more) {
    calls.insert(calls.end(), more.begin(), more.end());
  };
  if (profile == Profile::engine || profile == Profile::emulator) add(kEngineCalls);
  if (profile == Profile::emulator) add(kEmulatorCalls);
  return calls;
}

[[noreturn]] void fail(const std::string& step, int error_number) {
  throw base::FileError(kName, step, error_number);
}

// libseccomp returns a negative errno.
void check(const char* step, int result) {
  if (result < 0) fail(step, -result);
}

base::UniqueFd memory_file() {
  base::UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file) fail("memfd_create", errno);
  return file;
}

bool is_in(const Call& call, Where where) {
  return call.where == Where::everywhere || call.where == where;
}

std::string name_of(Where where, int number) {
  const std::uint32_t architecture = where == Where::x86 ? SCMP_ARCH_X86 : seccomp_arch_native();
  const std::unique_ptr<char, decltype(&std::free)> name(
      seccomp_syscall_resolve_num_arch(architecture, number), std::free);
  return name ? std::string(name.get()) : std::string();
}

// libseccomp's filter of one interface, until another one is merged into it.
class Filter {
 public:
  // `otherwise`: what happens to a call without a rule.
  Filter(Profile profile, Where where, std::uint32_t otherwise)
      : calls_(calls_of(profile)),
        where_(where),
        otherwise_(otherwise),
        context_(seccomp_init(otherwise), seccomp_release) {
    if (!context_) fail("seccomp_init", ENOMEM);
    check("seccomp_attr_set",
          seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    // A binary tree instead of a list: the kernel runs the program for every number when it is
    // loaded.
    check("seccomp_attr_set", seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
    if (where != Where::x86) return;
    check("seccomp_arch_add", seccomp_arch_add(context_.get(), SCMP_ARCH_X86));
    check("seccomp_arch_remove", seccomp_arch_remove(context_.get(), SCMP_ARCH_NATIVE));
  }

  void add_table() {
    for (const Call& call : calls_) {
      if (is_in(call, where_)) add(call.answer, call.number, call.argument);
    }
  }

  // Calls that have no row and a number of at least `first`.
  void add_the_end_of_others(int first) {
    for (int number = std::max(first, 0); number < kNumbers; ++number) {
      const int call = by_name(number);
      const bool listed = std::any_of(calls_.begin(), calls_.end(), [&](const Call& row) {
        return is_in(row, where_) && row.number == call;
      });
      if (call != __NR_SCMP_ERROR && !listed) add(SCMP_ACT_KILL_PROCESS, call, std::nullopt);
    }
  }

  void merge(Filter other) {
    check("seccomp_merge", seccomp_merge(context_.get(), other.context_.get()));
    [[maybe_unused]] const auto merged = other.context_.release();
  }

  std::string program() const {
    const base::UniqueFd file = memory_file();
    check("seccomp_export_bpf", seccomp_export_bpf(context_.get(), file.get()));
    std::string program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
    const ssize_t got = ::pread(file.get(), program.data(), program.size(), 0);
    if (got != static_cast<ssize_t>(program.size())) fail("pread", errno);
    return program;
  }

 private:
  void add(std::uint32_t action, int call, const std::optional<scmp_arg_cmp>& argument) {
    if (action == otherwise_) return;
    const scmp_arg_cmp condition = argument.value_or(scmp_arg_cmp{});
    check("seccomp_rule_add",
          seccomp_rule_add_array(context_.get(), action, call, argument ? 1U : 0U, &condition));
  }

  // libseccomp's rules have the numbers of this machine's interface, or numbers of its own for
  // names that it lacks.
  int by_name(int number) const {
    if (where_ != Where::x86) return number;
    const std::string name = name_of(where_, number);
    return name.empty() ? __NR_SCMP_ERROR : seccomp_syscall_resolve_name(name.c_str());
  }

  std::vector<Call> calls_;
  Where where_;
  std::uint32_t otherwise_;
  std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)> context_;
};

bool has_x86(Profile profile) {
  return (profile == Profile::compiler || profile == Profile::engine) &&
         seccomp_arch_native() == SCMP_ARCH_X86_64;
}

std::string make_program(Profile profile) {
  const auto make = [profile](Where where) {
    Filter filter(profile, where, SCMP_ACT_KILL_PROCESS);
    filter.add_table();
    return filter;
  };
  Filter filter = make(Where::native);
  if (has_x86(profile)) filter.merge(make(Where::x86));
  return filter.program();
}

base::UniqueFd file_of(const std::string& program) {
  base::UniqueFd file = memory_file();
  if (::pwrite(file.get(), program.data(), program.size(), 0) !=
      static_cast<ssize_t>(program.size())) {
    fail("pwrite", errno);
  }
  return file;
}

}  // namespace

base::UniqueFd syscall_filter(Profile profile) {
  static std::mutex mutex;
  static std::map<Profile, std::string> programs;
  const std::scoped_lock lock(mutex);
  std::string& program = programs[profile];
  if (program.empty()) program = make_program(profile);
  return file_of(program);
}

base::UniqueFd searching_filter(Profile profile, int first) {
  const auto make = [profile](Where where, int first_number) {
    Filter filter(profile, where, kAbsent);
    filter.add_table();
    filter.add_the_end_of_others(first_number);
    return filter;
  };
  Filter filter = make(Where::native, first);
  if (has_x86(profile)) filter.merge(make(Where::x86, first - kNumbers));
  return file_of(filter.program());
}

std::string refusable_call(int number) {
  const bool native = number < kNumbers;
  const int own = native ? number : number - kNumbers;
  const std::string name = name_of(native ? Where::native : Where::x86, own);
  return (name.empty() ? "number " + std::to_string(own) : name) +
         (native ? "" : " of the 32-bit interface");
}

std::string calls_with_checked_arguments(Profile profile) {
  std::set<std::string> names;
  for (const Call& call : calls_of(profile)) {
    if (call.argument) names.insert(name_of(Where::native, call.number));
  }
  return base::join(names, ", ");
}

}  // namespace goldsmith::host

#include "app/host/syscall_filter.hpp"

#include <linux/filter.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/base/text.hpp"
#include "app/host/syscall_lists.hpp"

namespace goldsmith::host {
namespace {

constexpr const char* kName = "system call filter";
constexpr int kNumbers = kRefusableCalls / 2;  // of one interface

using Program = std::vector<sock_filter>;

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
  Filter(std::vector<Call> calls, Where where, std::uint32_t otherwise)
      : calls_(std::move(calls)),
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
      if (is_in(call, where_)) add(call.answer, call.number, call.arguments);
    }
  }

  // Calls that have no row and a number of at least `first`.
  void add_the_end_of_others(int first) {
    for (int number = std::max(first, 0); number < kNumbers; ++number) {
      const int call = by_name(number);
      const bool listed = std::any_of(calls_.begin(), calls_.end(), [&](const Call& row) {
        return is_in(row, where_) && row.number == call;
      });
      if (call != __NR_SCMP_ERROR && !listed) add(SCMP_ACT_KILL_PROCESS, call, {});
    }
  }

  void merge(Filter other) {
    check("seccomp_merge", seccomp_merge(context_.get(), other.context_.get()));
    [[maybe_unused]] const auto merged = other.context_.release();
  }

  Program program() const {
    const base::UniqueFd file = memory_file();
    check("seccomp_export_bpf", seccomp_export_bpf(context_.get(), file.get()));
    Program program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)) /
                    sizeof(sock_filter));
    const std::size_t bytes = program.size() * sizeof(sock_filter);
    if (::pread(file.get(), program.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
      fail("pread", errno);
    }
    return program;
  }

 private:
  void add(std::uint32_t action, int call, const Conditions& arguments) {
    if (action == otherwise_) return;
    check("seccomp_rule_add", seccomp_rule_add_array(context_.get(), action, call, arguments.count,
                                                     arguments.all.data()));
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

// What the first program allows, the second one decides.
Program both(Program first, const Program& second) {
  const std::size_t length = first.size();
  for (std::size_t at = 0; at < length; ++at) {
    sock_filter& step = first[at];
    if (step.code != (BPF_RET | BPF_K) || step.k != SCMP_ACT_ALLOW) continue;
    step = BPF_STMT(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(length - at - 1));
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The rows of limited_calls(), and all others of allowed_calls() whatever their arguments.
std::vector<Call> with_limits(Profile profile) {
  std::vector<Call> calls = limited_calls(profile);
  std::set<int> numbers;
  for (const Call& call : calls) numbers.insert(call.number);
  for (const Call& call : allowed_calls(profile)) {
    if (!numbers.contains(call.number)) calls.push_back({call.number, call.where});
  }
  return calls;
}

// `make`: the filter of one interface, from which what decides about arguments follows.
Program make_program(Profile profile, const std::function<Filter(Where)>& make) {
  const auto of_all_interfaces = [profile](const std::function<Filter(Where)>& of) {
    Filter filter = of(Where::native);
    if (has_x86(profile)) filter.merge(of(Where::x86));
    return filter.program();
  };
  Program program = of_all_interfaces(make);
  if (limited_calls(profile).empty()) return program;
  const std::vector<Call> limits = with_limits(profile);
  return both(std::move(program), of_all_interfaces([&](Where where) {
                Filter filter(limits, where, SCMP_ACT_ERRNO(EPERM));
                filter.add_table();
                return filter;
              }));
}

base::UniqueFd file_of(const Program& program) {
  base::UniqueFd file = memory_file();
  const std::size_t bytes = program.size() * sizeof(sock_filter);
  if (::pwrite(file.get(), program.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
    fail("pwrite", errno);
  }
  return file;
}

}  // namespace

base::UniqueFd syscall_filter(Profile profile) {
  static std::mutex mutex;
  static std::map<Profile, Program> programs;
  const std::scoped_lock lock(mutex);
  Program& program = programs[profile];
  if (program.empty()) {
    program = make_program(profile, [profile](Where where) {
      Filter filter(allowed_calls(profile), where, SCMP_ACT_KILL_PROCESS);
      filter.add_table();
      return filter;
    });
  }
  return file_of(program);
}

base::UniqueFd searching_filter(Profile profile, int first) {
  return file_of(make_program(profile, [&](Where where) {
    Filter filter(allowed_calls(profile), where, kAbsent);
    filter.add_table();
    filter.add_the_end_of_others(where == Where::x86 ? first - kNumbers : first);
    return filter;
  }));
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
  for (const Call& call : allowed_calls(profile)) {
    if (call.arguments.count > 0) names.insert(name_of(Where::native, call.number));
  }
  return base::join(names, ", ");
}

}  // namespace goldsmith::host

#include "app/sandbox/syscall_filter.hpp"

#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string>
#include <type_traits>

namespace goldsmith::sandbox {
namespace {

constexpr const char* kName = "system call filter";

// execve is not here: bubblewrap itself starts the program with it.
constexpr std::array kRefused = {
    // A compiler is one process and one thread, and so is a reader of archives.
    SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(clone), SCMP_SYS(clone3),
    // It communicates with nobody.
    SCMP_SYS(socket), SCMP_SYS(socketcall), SCMP_SYS(socketpair), SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
    // It does not change its view of the file system.
    SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
    SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(open_tree), SCMP_SYS(move_mount),
    SCMP_SYS(mount_setattr), SCMP_SYS(open_by_handle_at), SCMP_SYS(name_to_handle_at),
    SCMP_SYS(unshare), SCMP_SYS(setns),
    // Calls in which kernel bugs were found.
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(kexec_load), SCMP_SYS(init_module), SCMP_SYS(finit_module),
    SCMP_SYS(modify_ldt), SCMP_SYS(vm86), SCMP_SYS(vm86old), SCMP_SYS(quotactl), SCMP_SYS(swapon)};

[[noreturn]] void fail(const std::string& step, int error_number) {
  throw sys::FileError(kName, step, error_number);
}

// libseccomp returns a negative errno.
void check(const char* step, int result) {
  if (result < 0) fail(step, -result);
}

sys::UniqueFd memory_file() {
  sys::UniqueFd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file) fail("memfd_create", errno);
  return file;
}

std::string make_program() {
  const std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)> filter(
      seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (!filter) fail("seccomp_init", ENOMEM);
  if (seccomp_arch_native() == SCMP_ARCH_X86_64) {
    check("seccomp_arch_add", seccomp_arch_add(filter.get(), SCMP_ARCH_X86));
  }
  for (const int call : kRefused) {
    check("seccomp_rule_add", seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0));
  }
  const sys::UniqueFd file = memory_file();
  check("seccomp_export_bpf", seccomp_export_bpf(filter.get(), file.get()));
  std::string program(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  const ssize_t got = ::pread(file.get(), program.data(), program.size(), 0);
  if (got != static_cast<ssize_t>(program.size())) fail("pread", errno);
  return program;
}

}  // namespace

sys::UniqueFd syscall_filter() {
  static const std::string program = make_program();
  sys::UniqueFd file = memory_file();
  if (::pwrite(file.get(), program.data(), program.size(), 0) !=
      static_cast<ssize_t>(program.size())) {
    fail("pwrite", errno);
  }
  return file;
}

}  // namespace goldsmith::sandbox

"""The system calls of programs that write to disks, as strace(1) records them."""

import dataclasses
import os
import re
import subprocess

CALLS = ("open openat creat write pwrite64 writev lseek ftruncate truncate fallocate rename renameat renameat2 link linkat "
         "symlink symlinkat unlink unlinkat mkdir mkdirat rmdir fsync fdatasync sync syncfs utimensat fchmod fchmodat chmod "
         "sendto copy_file_range chdir fchdir").split()
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?')
DESCRIPTOR = re.compile(r"^(-?\d+)(?: /\* AT_FDCWD \*/)?<((?:\\x[0-9a-f]{2})*)>?(\(deleted\))?")


def plain(text):
    """The bytes of a string of strace -xx."""
    return bytes.fromhex(text.replace("\\x", ""))


def split_arguments(text):
    """At the commas that are in no string, structure or descriptor."""
    parts, depth, quoted, start = [], 0, False, 0
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "[{<":
            depth += 1
        elif not quoted and letter in "]}>" and text[at - 1] != "-":
            depth -= 1
        elif letter == "," and not quoted and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


@dataclasses.dataclass
class Call:
    name: str
    arguments: list
    result: int
    here: str = "/"  # the working folder

    def descriptor(self, number):
        """The path of a descriptor, also of AT_FDCWD; "" for what has none, such as a socket."""
        found = DESCRIPTOR.match(self.arguments[number])
        path = os.fsdecode(plain(found[2])) if found and not found[3] else ""
        return "" if path.endswith(" (deleted)") else path

    def string(self, number):
        """An argument's bytes; none if it is NULL."""
        found = STRING.match(self.arguments[number])
        return plain(found[1]) if found else b""

    def path(self, number, folder=None):
        """An argument that is a path; `folder` is the number of the descriptor that it starts from."""
        return os.path.normpath(os.path.join(self.descriptor(folder) if folder is not None else self.here,
                                             os.fsdecode(self.string(number))))

    def number(self, number):
        text = self.arguments[number].split()[0]
        return int(text, 8 if re.fullmatch("0[0-7]+", text) else 0)


def calls_of(trace):
    """In the order in which they ended."""
    unfinished, here = {}, {}  # by process
    with open(trace, encoding="ascii", errors="replace") as file:
        for line in file:
            pid, text = re.match(r"(?:(\d+) +)?(.*)", line).groups()  # the number is not there if there is one process
            if text.endswith("<unfinished ...>"):
                unfinished[pid] = text.removesuffix("<unfinished ...>")
                continue
            if resumed := re.match(r"<\.\.\. \w+ resumed>", text):
                text = unfinished.pop(pid, "") + text[resumed.end():]
            found = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", text)
            if not found or int(found[3]) < 0:
                continue
            call = Call(found[1], split_arguments(found[2]), int(found[3]), here.get(pid, "/"))
            if call.arguments[0].startswith("-100 ") or call.name == "fchdir":
                here[pid] = call.descriptor(0)
            elif call.name == "chdir":
                here[pid] = call.path(0)
            if "chdir" not in call.name:
                yield call


def options(trace, children=False):
    """The command line of strace, before a command or `-p PID`. Copies inside the kernel would not show what they copy:
    programs do without. With children a sandbox fails, whose filter of system calls does not expect a tracer."""
    return ["strace", *(["-f"] if children else []), "-q", "-yy", "-X", "verbose", "-xx", "-s", str(1 << 26), "-o", trace, "-e", "signal=none",
            "-e", "trace=" + ",".join(CALLS), "-e", "inject=copy_file_range:error=EXDEV"]


def obstacle():
    """Why nothing can be recorded here; None if it can."""
    tried = subprocess.run(["strace", "-q", "-o", "/dev/null", "true"], stderr=subprocess.PIPE, text=True, check=False)
    return f"strace does not work here ({tried.stderr.strip()})" if tried.returncode else None


def is_traced(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return "TracerPid:\t0\n" not in file.read()

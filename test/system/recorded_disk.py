"""What programs do to folders, and what a power cut leaves of it.

strace(1) records each write, rename and fsync. A cut may come after any of them, and then one of four disks is found:
  lost     what was not synced is gone: names of folders, content of files
  names    the names are there, as with the journal of ext4 and others, but not the content: files are as they were
           when they were synced, or empty
  zeros    the same, with files that have their size already and zeros for what was not synced
  kept     all is there, as after a kill
A rename is one step on a disk with a journal: it is never half of one, except with `lost`, where folders that were synced
have it and the others do not."""

import contextlib
import copy
import os
import re
import shutil
import stat
import subprocess

from recorded_calls import Call, calls_of, options, plain

KINDS = ("lost", "names", "zeros", "kept")


class Inode:
    """A file, a folder or a link: `now` is what programs see, `synced` what is on the disk. What is in a file is never
    changed but replaced, so that copies of a disk share it."""

    def __init__(self, mode, content, is_new=True):
        self.mode, self.time = mode, None  # the modification time in seconds, if it was set
        self.now, self.position = content, 0
        self.synced = None if is_new else copy.copy(content)
        self.synced_time = None

    @property
    def is_folder(self):
        return isinstance(self.now, dict)

    def sync(self):
        self.synced, self.synced_time = copy.copy(self.now), self.time


class RecordedDisk:
    """Some folders, whose content is read when the object is made."""

    def __init__(self, *folders):
        self.folders = [os.path.realpath(folder) for folder in folders]
        self.roots = {folder: self.load(folder) for folder in self.folders}
        self.steps = []  # (what was done, a copy of the roots after it)
        self.marks = []  # (number of steps before it, bytes that were sent to a socket)

    def load(self, path):
        status = os.lstat(path)
        if stat.S_ISLNK(status.st_mode):
            return Inode(status.st_mode, os.readlink(path), is_new=False)
        if stat.S_ISDIR(status.st_mode):
            entries = {name: self.load(os.path.join(path, name)) for name in os.listdir(path)}
            return Inode(status.st_mode, entries, is_new=False)
        with open(path, "rb") as file:
            inode = Inode(status.st_mode, file.read(), is_new=False)
        inode.time = inode.synced_time = int(status.st_mtime)
        return inode

    # --- What was done ---

    def place(self, path):
        """(folder, name) of a path in one of the folders; the folder is None for others."""
        for root in self.folders:
            if path.startswith(root + "/"):
                folder, (*parents, name) = self.roots[root], path[len(root) + 1:].split("/")
                for parent in parents:
                    folder = folder.now.get(parent) if folder and folder.is_folder else None
                return folder, name
        return None, ""

    def find(self, path):
        if path in self.roots:
            return self.roots[path]
        folder, name = self.place(path)
        return folder.now.get(name) if folder else None

    def take(self, trace):
        """Does what a trace says."""
        for call in calls_of(trace):
            if call.name == "sendto":
                self.marks.append((len(self.steps), call.string(1)))
                continue
            done = getattr(self, "do_" + {"open": "openat", "creat": "openat"}.get(call.name, call.name))(call)
            if done:
                self.steps.append((f"{call.name} {done}", copy.deepcopy(self.roots)))

    def do_openat(self, call):
        first = 1 if call.name == "openat" else 0
        path = call.path(first, 0 if first else None)
        folder, name = self.place(path)
        if folder is None:
            return None
        flags = call.arguments[first + 1]
        inode = folder.now.get(name)
        if inode is None:
            if "O_CREAT" not in flags:
                return None
            mode = call.number(first + 2) & ~0o022
            folder.now[name] = Inode(stat.S_IFREG | mode, b"")
            return path
        if not inode.is_folder:
            inode.position = len(inode.now) if "O_APPEND" in flags else 0
        if "O_TRUNC" in flags and inode.now:
            inode.now = b""
            return path
        return None

    def written(self, path, offset, content):
        inode = self.find(path)
        if inode is None or not content:
            return None
        if offset is None:
            offset, inode.position = inode.position, inode.position + len(content)
        inode.now = inode.now[:offset].ljust(offset, b"\0") + content + inode.now[offset + len(content):]
        return path

    def do_write(self, call):
        return self.written(call.descriptor(0), None, call.string(1)[:call.result])

    def do_writev(self, call):
        content = b"".join(plain(each) for each in re.findall(r'iov_base="((?:\\x..)*)"', call.arguments[1]))
        return self.written(call.descriptor(0), None, content[:call.result])

    def do_pwrite64(self, call):
        return self.written(call.descriptor(0), call.number(3), call.string(1)[:call.result])

    def do_lseek(self, call):
        if (inode := self.find(call.descriptor(0))) and not inode.is_folder:
            inode.position = call.result

    def do_copy_file_range(self, call):
        assert self.find(call.descriptor(2)) is None, "what it copies is not in the trace"

    def resized(self, path, size, shrinks=True):
        inode = self.find(path)
        if inode is None or len(inode.now) == size or (len(inode.now) > size and not shrinks):
            return None
        inode.now = inode.now[:size].ljust(size, b"\0")
        return path

    def do_ftruncate(self, call):
        return self.resized(call.descriptor(0), call.number(1))

    def do_truncate(self, call):
        return self.resized(call.path(0), call.number(1))

    def do_fallocate(self, call):
        return self.resized(call.descriptor(0), call.number(2) + call.number(3), shrinks=False)

    def moved(self, old, new):
        (folder, name), (other, other_name) = self.place(old), self.place(new)
        inode = folder.now.pop(name) if folder else None
        if other:
            assert inode, f"{new} comes from elsewhere"
            other.now[other_name] = inode
        return f"{old} to {new}" if folder or other else None

    def do_rename(self, call):
        return self.moved(call.path(0), call.path(1))

    def do_renameat(self, call):
        return self.moved(call.path(1, 0), call.path(3, 2))

    do_renameat2 = do_renameat

    def linked(self, old, new):
        folder, name = self.place(new)
        if folder is None:
            return None
        folder.now[name] = self.find(old)
        return f"{old} as {new}"

    def do_link(self, call):
        return self.linked(call.path(0), call.path(1))

    def do_linkat(self, call):
        return self.linked(call.path(1, 0), call.path(3, 2))

    def do_symlinkat(self, call):
        folder, name = self.place(call.path(2, 1))
        if folder:
            folder.now[name] = Inode(stat.S_IFLNK | 0o777, os.fsdecode(call.string(0)))
            return name
        return None

    def do_symlink(self, call):
        return self.do_symlinkat(Call("symlinkat", [call.arguments[0], "-1<>", call.arguments[1]], 0))

    def removed(self, path):
        folder, name = self.place(path)
        return path if folder and folder.now.pop(name, None) else None

    def do_unlink(self, call):
        return self.removed(call.path(0))

    do_rmdir = do_unlink

    def do_unlinkat(self, call):
        return self.removed(call.path(1, 0))

    def made(self, path, mode):
        folder, name = self.place(path)
        if folder is None:
            return None
        folder.now[name] = Inode(stat.S_IFDIR | (mode & ~0o022), {})
        return path

    def do_mkdir(self, call):
        return self.made(call.path(0), call.number(1))

    def do_mkdirat(self, call):
        return self.made(call.path(1, 0), call.number(2))

    def do_fsync(self, call):
        inode = self.find(call.descriptor(0))
        if inode:
            inode.sync()
            return call.descriptor(0)
        return None

    do_fdatasync = do_fsync

    def do_sync(self, _call):
        for root in self.roots.values():
            self.sync_all(root)
        return "all"

    do_syncfs = do_sync

    def sync_all(self, inode):
        inode.sync()
        if inode.is_folder:
            for entry in inode.now.values():
                self.sync_all(entry)

    def do_utimensat(self, call):
        inode = self.find(call.descriptor(0))
        times = re.findall(r"tv_sec=(\d+)", call.arguments[2])
        if inode and call.arguments[1] == "NULL" and times:
            inode.time = int(times[-1])
            return call.descriptor(0)
        return None

    def changed_mode(self, path, mode):
        if inode := self.find(path):
            inode.mode = stat.S_IFMT(inode.mode) | mode
            return path
        return None

    def do_fchmod(self, call):
        return self.changed_mode(call.descriptor(0), call.number(1))

    def do_chmod(self, call):
        return self.changed_mode(call.path(0), call.number(1))

    def do_fchmodat(self, call):
        return self.changed_mode(call.path(1, 0), call.number(2))

    # --- What is found ---

    def found(self, roots, kind):
        """{path: (mode, time, content)} of a kind of disk; the content of a folder is None."""
        disk = {}
        for path, root in roots.items():
            add(disk, path, root, kind)
        return disk

    def check(self):
        """That the record is that of the folders as they are now."""
        real = RecordedDisk(*self.folders)
        one, other = ({path: content for path, (_, _, content) in disk.found(disk.roots, "kept").items()} for disk in (self, real))
        differs = [path for path in one.keys() | other.keys() if one.get(path, "") != other.get(path, "")]
        assert not differs, f"the record differs from the folders: {differs[:5]}"

    def disks(self, when=lambda number: True):
        """(number of steps before the cut, kind, what is found) of each disk that differs from those before, for cuts at
        which the number of steps is such."""
        seen = set()
        for number, (_, roots) in enumerate(self.steps, 1):
            if not when(number):
                continue
            for kind in KINDS:
                disk = self.found(roots, kind)
                key = tuple((path, mode, content) for path, (mode, _, content) in sorted(disk.items()))
                if hash(key) not in seen:
                    seen.add(hash(key))
                    yield number, kind, disk

    def put(self, disk):
        """Makes the folders those of a disk."""
        for folder in self.folders:
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        for path, (mode, time, content) in sorted(disk.items()):
            if content is None:
                os.makedirs(path, exist_ok=True)
                os.chmod(path, stat.S_IMODE(mode))
            elif isinstance(content, str):
                os.symlink(content, path)
            else:
                with open(path, "wb") as file:
                    file.write(content)
                os.chmod(path, stat.S_IMODE(mode))
                if time is not None:
                    os.utime(path, (time, time))


def add(disk, path, inode, kind):
    content, time = (inode.synced, inode.synced_time) if kind == "lost" else (inode.now, inode.time)
    if inode.is_folder:
        disk[path] = (inode.mode, None, None)
        for name, entry in (content or {}).items():
            add(disk, path + "/" + name, entry, kind)
        return
    if stat.S_ISREG(inode.mode) and kind != "kept":
        content = inode.synced or b""
        if kind == "zeros":
            content = content[:len(inode.now)].ljust(len(inode.now), b"\0")
    disk[path] = (inode.mode, time, content)


def record(command, folders, trace, children=False, **of_run):
    """Runs a command; the disk with what it did. `children`: and what those that it starts did."""
    disk = RecordedDisk(*folders)
    done = subprocess.run([*options(trace, children), *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **of_run)
    assert done.returncode == 0, (command, done.stdout)
    disk.take(trace)
    disk.check()
    return disk


@contextlib.contextmanager
def recording(pids, folders, trace, is_traced):
    """Yields the disk, which after the block has what these processes did in it."""
    disk = RecordedDisk(*folders)
    command = options(trace)
    for pid in pids:
        command += ["-p", str(pid)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as tracer:
        try:
            is_traced()
            yield disk
        finally:
            tracer.terminate()
    disk.take(trace)
    disk.check()

"""What may happen to a stack, each as a context manager: it holds while the block runs, and has ended when it ends."""

import contextlib
import errno
import os
import random
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from recorded_calls import is_traced
from running_stack import wait_until

POOLS = ("api", "build")
FAKE_TIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


@contextlib.contextmanager
def again_and_again(action, pause):
    """Until the block ends, with so many seconds between; what it raises, the block raises at its end."""
    stopped, failures = threading.Event(), []

    def run():
        try:
            while not stopped.is_set():
                action()
                stopped.wait(pause)
        except Exception as error:  # pylint: disable=broad-except  # raised below
            failures.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
    if failures:
        raise failures[0]


# --- Workers ------------------------------------------------------------------------------------

def workers_killed(stack, pool):
    """One of them, again and again, a moment after the last was started again."""
    def kill():
        with contextlib.suppress(ProcessLookupError, IndexError):
            os.kill(stack.worker_pids(pool)[0], signal.SIGKILL)
    return again_and_again(kill, 1.2)


@contextlib.contextmanager
def stopped(process):
    """It stands still; its sockets go on taking connections."""
    os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(process, signal.SIGCONT)


def worker_stopped(stack, pool):
    return stopped(stack.worker_pids(pool)[0])


@contextlib.contextmanager
def no_descriptors(stack):
    """None of the workers may open one more."""
    before = {}
    for pid in (pid for pool in POOLS for pid in stack.worker_pids(pool)):
        before[pid] = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = set(map(int, os.listdir(f"/proc/{pid}/fd")))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (min(set(range(len(used) + 1)) - used), before[pid][1]))
    try:
        yield
    finally:
        for pid, limits in before.items():
            with contextlib.suppress(ProcessLookupError):
                resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)


MEMORY_EATER = """
import os, sys, time
group, count_file = sys.argv[1:]
with open(os.path.join(group, "cgroup.procs"), "w") as file: file.write(str(os.getpid()))
def killed():
    with open(count_file) as file: return [line for line in file if line.startswith("oom_kill ")]
while True:
    before, pieces = killed(), []
    while killed() == before: pieces.append(b"x" * (1 << 20))
    del pieces
    time.sleep(1.2)
"""


@contextlib.contextmanager
def out_of_memory(stack, megabytes=400):
    """The workers share a control group that something else fills: the kernel kills one of them again and again."""
    root = "/sys/fs/cgroup" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "/sys/fs/cgroup/memory"
    is_new = os.path.exists(os.path.join(root, "cgroup.controllers"))
    limit, events = ("memory.max", "memory.events") if is_new else ("memory.limit_in_bytes", "memory.oom_control")
    group = os.path.join(root, f"goldsmith-faults-{os.getpid()}")
    with open("/proc/self/cgroup", encoding="ascii") as file:
        own = [line.strip().split(":", 2) for line in file]
    home = root + next(path for _, names, path in own if names == ("" if is_new else "memory"))

    def move(folder):
        for pool in POOLS:
            for pid in stack.processes(pool):
                with contextlib.suppress(ProcessLookupError):
                    with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as file:
                        file.write(str(pid))
    os.mkdir(group)
    with open(os.path.join(group, limit), "w", encoding="ascii") as file:
        file.write(str(megabytes << 20))
    move(group)
    stack.prepare_workers("echo 1000 >/proc/self/oom_score_adj")  # rather one of them than what fills the group
    eater = subprocess.Popen(["python3", "-c", MEMORY_EATER, group, os.path.join(group, events)])
    try:
        yield
    finally:
        eater.kill()
        eater.wait()
        with open(os.path.join(group, events), encoding="ascii") as file:
            count = int(next(line for line in file if line.startswith("oom_kill ")).split()[1])
        move(home)
        stack.prepare_workers("")
        wait_until(lambda: _succeeds(lambda: os.rmdir(group), OSError), 20)
        assert count > 0, "the kernel killed no worker"


@contextlib.contextmanager
def clock_wrong(stack, offset):
    """The clock of the workers, but no other, jumps there and, at the end, back (libfaketime)."""
    jump = os.path.join(stack.folder, "jump")

    def set_clock(text):
        with open(jump + ".new", "w", encoding="ascii") as file:
            file.write(text)
        os.replace(jump + ".new", jump)

    def is_at(seconds):
        """The end of a window, of a minute or a day, shows the clock."""
        left = int(stack.get("/v1/meta").all("RateLimit-Reset")[0])
        return (left + time.time() + seconds + 3) % 60 < 6
    set_clock("+0")
    stack.prepare_workers(f"export LD_PRELOAD={FAKE_TIME} FAKETIME_TIMESTAMP_FILE={jump} FAKETIME_CACHE_DURATION=1 "
                          "FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1")
    try:
        set_clock(f"{offset:+}")
        wait_until(lambda: is_at(offset), 10)
        yield
        set_clock("+0")
        wait_until(lambda: is_at(0), 10)
    finally:
        stack.prepare_workers("")


# --- Database -----------------------------------------------------------------------------------

def database_process(stack):
    with open(os.path.join(stack.folder, "db", "pid"), encoding="ascii") as file:
        return int(file.read())


@contextlib.contextmanager
def database_killed(stack):
    os.kill(database_process(stack), signal.SIGKILL)
    try:
        yield
    finally:
        stack.run("database", "start")


def database_silent(stack):
    return stopped(database_process(stack))


@contextlib.contextmanager
def database_refusing(stack):
    """It has no connection left: others have them, again and again those of the workers too."""
    most = int(stack.rows("SELECT @@global.max_connections")[0][0])
    stack.run("sql", "SET GLOBAL max_connections = 10")
    command = ["mariadb", "--no-defaults", "--user=root", "--socket=" + os.path.realpath(os.path.join(stack.folder, "db", "sock"))]
    others = []

    def hold():
        others.append(subprocess.Popen([*command, "--execute=SELECT SLEEP(86400)"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL))

    def take_all():
        with contextlib.suppress(RuntimeError):  # one may have ended by itself
            for each in stack.rows("SELECT id FROM information_schema.processlist WHERE user LIKE 'goldsmith_%'"):
                stack.run("sql", f"KILL {each[0]}")
                hold()
    for _ in range(2):
        hold()
    try:
        with again_and_again(take_all, 0.3):
            yield
    finally:
        for each in others:
            each.kill()
            each.wait()
        wait_until(lambda: _succeeds(lambda: stack.run("sql", f"SET GLOBAL max_connections = {most}")), 20)


def _succeeds(action, failure=RuntimeError):
    with contextlib.suppress(failure):
        action()
        return True
    return False


@contextlib.contextmanager
def database_stopped(stack):
    stack.run("database", "stop")
    try:
        yield
    finally:
        stack.run("database", "start")


@contextlib.contextmanager
def database_restarted(stack):
    for action in ("stop", "start"):
        stack.run("database", action)
    yield


class SlowSocket:
    """A Unix socket in front of another one, which passes pieces on only after a while, until stop()."""

    def __init__(self, path, behind, seconds):
        self.path, self.behind, self.seconds = path, behind, seconds
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        os.chmod(path, 0o777)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return  # stop()
            threading.Thread(target=self.connect, args=(client,), daemon=True).start()

    def connect(self, client):
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self.behind)
            back = threading.Thread(target=self.copy, args=(server, client), daemon=True)
            back.start()
            self.copy(client, server)
            back.join()

    def copy(self, source, target):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                time.sleep(self.seconds)
                target.sendall(piece)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        os.unlink(self.path)


@contextlib.contextmanager
def database_slow(stack, *configuration, seconds=0.05):
    """`configuration` is what the stack has otherwise."""
    behind = os.path.realpath(os.path.join(stack.folder, "db", "sock"))
    front = SlowSocket(os.path.join(stack.folder, "run", "slow.sock"), behind, seconds)
    stack.run("configure", *configuration, f"database.socket = {front.path}")
    try:
        yield
    finally:
        stack.run("configure", *configuration)
        front.stop()


# --- Files --------------------------------------------------------------------------------------

class SmallDisk:
    """A tmpfs in place of a folder, with what was in it, until unmount()."""

    def __init__(self, folder, megabytes):
        """The folder is made if it does not exist; nothing may write to it meanwhile. Needs the right to mount."""
        self.folder, self.fill = folder, os.path.join(folder, ".fill-of-the-test")
        os.makedirs(folder, exist_ok=True)
        status = os.stat(folder)
        with tempfile.TemporaryDirectory() as aside:
            subprocess.run(["cp", "-a", os.path.join(folder, "."), aside], check=True)
            options = f"size={megabytes}m,mode={status.st_mode & 0o7777:o},uid={status.st_uid},gid={status.st_gid}"
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", folder], check=True)
            subprocess.run(["cp", "-a", os.path.join(aside, "."), folder], check=True)

    def unmount(self):
        subprocess.run(["umount", "--lazy", self.folder], check=True)

    @contextlib.contextmanager
    def full(self):
        """No byte fits while the block runs; what is removed meanwhile is used up again."""
        try:
            self.use_up()
            with again_and_again(self.use_up, 0.1):
                yield
        finally:
            os.unlink(self.fill)

    def use_up(self):
        with open(self.fill, "ab", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise


@contextlib.contextmanager
def bad_disk(pids, files, calls):
    """These calls of these processes fail for these files with an error of input and output (strace(1))."""
    assert files, "all calls would fail"
    trace = subprocess.Popen(["strace", "-q", "-o", "/dev/null", "-e", "signal=none", "-e", f"trace={calls}",
                              "-e", f"inject={calls}:error=EIO", *(f"--attach={pid}" for pid in pids),
                              *(f"--trace-path={os.path.realpath(file)}" for file in files)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: all(map(is_traced, pids)), 20)
        yield
    finally:
        trace.terminate()
        trace.wait()


def compiler_taken_away(stack, line):
    """And put back, again and again."""
    folder = os.path.join(stack.toolchains, line)

    def take_and_put_back():
        os.rename(folder, folder + ".aside")
        time.sleep(0.3)
        os.rename(folder + ".aside", folder)
    return again_and_again(take_and_put_back, 0.3)


@contextlib.contextmanager
def compiler_replaced(stack, line):
    """By one that is the same, in one step, again and again."""
    folder = os.path.join(stack.toolchains, line)
    copies = [folder + ".one", folder + ".two"]
    os.rename(folder, copies[0])
    os.symlink(copies[0], folder)
    shutil.copytree(*copies, symlinks=True)

    def replace():
        copies.reverse()
        os.symlink(copies[0], folder + ".new")
        os.replace(folder + ".new", folder)
    try:
        with again_and_again(replace, 0.2):
            yield
    finally:
        os.unlink(folder)
        os.rename(copies[0], folder)
        shutil.rmtree(copies[1])


def change_state(stack, change):
    """`change` gets each of the files that the workers share, open."""
    for name in ("state", "counters", "compiles", "compiled_plugins"):
        with open(os.path.join(stack.folder, "run", name), "r+b") as file:
            change(file)


@contextlib.contextmanager
def state_cut(stack):
    change_state(stack, lambda file: file.truncate(100))
    yield


@contextlib.contextmanager
def state_of_another_version(stack):
    """Workers that are running do not look again; each that is started does."""
    def change(file):
        file.write(b"\xff\xff")  # the lower part: the layout
    change_state(stack, change)
    with workers_killed(stack, "api"), workers_killed(stack, "build"):
        yield


@contextlib.contextmanager
def state_of_somebody_else(stack):
    """Until it is emptied. No worker that is started meanwhile can work: one of each pool is killed."""
    noise = random.Random(27)
    change_state(stack, lambda file: file.write(noise.randbytes(4096)))
    for pool in POOLS:
        os.kill(stack.worker_pids(pool)[0], signal.SIGKILL)
    try:
        yield
    finally:
        change_state(stack, lambda file: file.truncate(0))


# --- Web server and clients ---------------------------------------------------------------------

def web_server_reloaded(stack):
    return again_and_again(lambda: os.kill(stack.processes("nginx")[0], signal.SIGHUP), 0.7)


def stop_web_server(stack):
    """As systemd does: it finishes what is under way."""
    process = stack.processes("nginx")[0]
    os.kill(process, signal.SIGQUIT)
    wait_until(lambda: not os.path.exists(f"/proc/{process}"), 20)


@contextlib.contextmanager
def web_server_restarted(stack):
    """The next one begins only when the last has ended."""
    stop_web_server(stack)
    stack.run("nginx", "start")
    yield


@contextlib.contextmanager
def rude_clients(stack, behaviour, count=60):
    """Each with an address of its own."""
    stopped = threading.Event()
    context = ssl.create_default_context(cafile=stack.client.certificate)

    def run(number):
        while not stopped.is_set():
            with contextlib.suppress(OSError):
                with socket.create_connection(("127.0.0.1", stack.client.https_port), 30,
                                              (f"127.200.0.{number + 1}", 0)) as plain:
                    with context.wrap_socket(plain, server_hostname="127.0.0.1") as client:
                        behaviour(client, stopped)
            stopped.wait(0.2)
    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def stall(client, stopped):
    """Asks for an archive and reads nothing of it."""
    client.sendall(b"GET /v1/server-builder/download HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    stopped.wait(3600)


def reset(client, _stopped):
    """Is gone before the answer comes."""
    client.sendall(b"GET /v1/server-builder/resolve HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def dribble(client, stopped):
    """A byte a second."""
    for byte in b"GET /v1/plugins HTTP/1.1\r\nHost: 127.0.0.1\r\n" * 100:
        if stopped.wait(1):
            return
        client.sendall(bytes([byte]))

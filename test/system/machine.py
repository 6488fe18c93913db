"""A Debian with a systemd of its own, in a systemd-nspawn container, for tests of the package.

scripts/tools/debian-tree makes the tree once and keeps it; each Machine is a copy of it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

DEBIAN_TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/tools/debian-tree")
PACKAGES = ["systemd", "systemd-sysv", "dbus", "ca-certificates"]
TOOLS = ["nginx-light", "mariadb-server", "curl", "openssl", "procps", "nghttp2-client", "libc6-i386", "logrotate",
         "unzip",  # which update.sh of 1.0.0 needs
         "ansible-core", "python3-apt"]  # which is Ansible's way to packages
NAME = "goldsmith.example"  # of the site that the tests set up
ENVIRONMENT = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TERM=dumb", "SYSTEMD_PAGER="]


def obstacle():
    """Why this host cannot run a Machine; None if it can."""
    if os.geteuid() != 0:
        return "it boots a container, which needs root"
    missing = [each for each in ("systemd-nspawn", "lintian") if not shutil.which(each)]
    if missing:
        return f"{', '.join(missing)} not installed"
    # What systemd-nspawn does first; CI containers often forbid it.
    tried = subprocess.run(["unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--fork", "sh", "-c",
                            "mount -t tmpfs none /mnt && mknod /mnt/null c 1 3 && mount -t cgroup2 none /mnt"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if tried.returncode != 0:
        return f"the kernel does not allow containers here ({tried.stderr.strip()})"
    return None


def field(package, name):
    """Of its control file."""
    return subprocess.run(["dpkg-deb", "-f", package, name], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def dependencies(package):
    """Of a package, by name."""
    return [re.sub(r"\(.*|\|.*", "", each).strip() for each in field(package, "Depends").split(",")]


def skip(reason):
    """Ends the program as one that this host can't run."""
    print(f"cannot run here: {reason}")
    sys.exit(77)


def require(packages=(), builder=None):
    """Skips if this host can't run a Machine, or if packages are missing; `builder` says what builds them."""
    reason = obstacle() or (None if all(map(os.path.exists, packages)) else builder)
    if reason:
        skip(reason)


def make_tree(suite, *packages):
    """The folder of a Debian of that release with everything the packages need, but without them. Skips if the mirror does not
    have the release. One for several packages is another one."""
    needed = [name for package in packages for name in dependencies(package)]
    name = f"machine-{suite}" if len(packages) == 1 else f"upgraded-{suite}"
    made = subprocess.run([DEBIAN_TREE, "make", name, suite, *PACKAGES, *TOOLS, *needed],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if made.returncode == 77:
        skip(made.stderr.strip().splitlines()[-1])
    if made.returncode != 0:
        raise RuntimeError(made.stderr)
    return made.stdout.strip()


class Machine:
    def __init__(self, tree, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        subprocess.run(["cp", "-a", "--reflink=auto", tree, folder], check=True)
        self.folder = folder
        self.binds = []  # folders of this host, as PATH:PATH_INSIDE, from the next boot on
        self.process = None

    def boot(self, seconds=60):
        command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network",
                   "--machine=" + os.path.basename(self.folder), "-D", self.folder, "--boot", "--console=pipe",
                   *(f"--bind={each}" for each in self.binds)]
        with open(self.folder + ".log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
                                            start_new_session=True)
        deadline = time.monotonic() + seconds
        while self.run("systemctl", "is-system-running", check=False).strip() not in ("running", "degraded"):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"the machine does not boot; see {self.folder}.log")
            time.sleep(0.1)

    def reboot(self):
        self.halt()
        self.boot()

    def command(self, *arguments):
        """The command line that runs a program inside, as root."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], stdout=subprocess.PIPE, text=True,
                                  check=False).stdout.split()
        if not children:
            return ["false"]
        return ["nsenter", "-t", children[0], "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w", *ENVIRONMENT, *arguments]

    def run(self, *arguments, check=True, timeout=300):
        """The output, both streams; with check=False even if the command fails."""
        done = subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=timeout)
        if check and done.returncode != 0:
            raise AssertionError(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return done.stdout

    def fails(self, *arguments):
        """The output of a command that must fail."""
        done = subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=300)
        if done.returncode == 0:
            raise AssertionError(f"{' '.join(arguments)} did not fail:\n{done.stdout[-2000:]}")
        return done.stdout

    def start(self, *arguments):
        return subprocess.Popen(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def curl(self, target, *arguments):
        """What the service answers, whoever vouches for its certificate."""
        return self.run("curl", "-sk", "--max-time", "60", "--resolve", f"{NAME}:443:127.0.0.1", *arguments,
                        f"https://{NAME}{target}")

    def status(self, target):
        return self.curl(target, "-o", "/dev/null", "-w", "%{http_code}")

    def path(self, inside):
        return os.path.join(self.folder, inside.lstrip("/"))

    def halt(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def stop(self):
        self.halt()
        shutil.rmtree(self.folder, ignore_errors=True)


# What the changelog tells: a build has another hash, once, and notes have another order. Downloads are counted meanwhile.
TOLD = {"archive_sha256", "build_hash", "downloads", "notes"}


def lost(before, after, place=""):
    """What was in an answer of 1.0.0, or in a list of its command, and is not, or is another one. Fields may be added."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [each for key in before if key not in TOLD
                for each in (lost(before[key], after[key], f"{place}.{key}") if key in after else [f"{place}.{key} is gone"])]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [each for i, (old, new) in enumerate(zip(before, after)) for each in lost(old, new, f"{place}[{i}]")]
    return [] if before == after else [f"{place}: {before!r:.200} became {after!r:.200}"]


# Arguments: how often to ask somebody who closes the connection without an answer, the name of the site, and what is asked
# for, in turn.
LOAD = r"""
tries=$1
name=$2
shift 2
for client in 1 2 3 4; do
  while [ ! -e /tmp/load-stop ]; do
    for target; do
      for try in $(seq "$tries"); do
        code=$(curl -sk --max-time 60 --resolve "$name:443:127.0.0.1" -o /dev/null -w "%{http_code}" "https://$name$target") && break
      done
      echo "$code $target"
    done
  done &
done
wait
"""


class Load:
    """Four clients ask a machine's service without a pause while the block runs; no answer may be anything but 200. `tries`: 2 if
    nginx is reloaded, which cuts off clients that have connected and not asked yet."""

    def __init__(self, case, machine, *targets, tries=1):
        self.case, self.machine, self.arguments = case, machine, (str(tries), NAME, *targets)
        self.file = machine.path("/root/load")

    def answers(self):
        with open(self.file, encoding="ascii") as file:
            return file.read().splitlines()

    def __enter__(self):
        self.machine.run("rm", "-f", "/tmp/load-stop", "/root/load")
        self.clients = self.machine.start("bash", "-c", f"({LOAD}) >/root/load", "load", *self.arguments)
        self.wait_for_more()
        return self

    def wait_for_more(self, count=20):
        """So many answers more: what was done before is behind every one of them."""
        before = len(self.answers()) if os.path.exists(self.file) else 0
        deadline = time.monotonic() + 60
        while not os.path.exists(self.file) or len(self.answers()) < before + count:
            if time.monotonic() > deadline:
                raise AssertionError("no answers")
            time.sleep(0.05)

    def __exit__(self, *failure):
        self.wait_for_more()
        self.machine.run("touch", "/tmp/load-stop")
        self.clients.communicate(timeout=120)
        answers = self.answers()
        wrong = [each for each in answers if not each.startswith("200 ")]
        logged = self.machine.run("journalctl", "--no-pager", "-p", "warning", "-n", "40", check=False) if wrong else ""
        self.case.assertEqual(wrong, [], f"{len(answers)} answers\n{logged}")


# machine.py [SUITE PACKAGE]: exit code 77 and the reason if this host can't run a Machine; makes the tree, so that a test
# need not.
if __name__ == "__main__":
    require()
    if sys.argv[1:]:
        make_tree(*sys.argv[1:])

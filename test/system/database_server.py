"""A database server of a test's own, MariaDB's or, with MYSQL_TREE, MySQL's, that the test may stop, freeze and kill."""

import os
import signal
import subprocess

from running_stack import ROOT, wait_until

PRIVATE_DATABASE = os.path.join(ROOT, "scripts", "tools", "private-database")


class DatabaseServer:
    def __init__(self, name, folder):
        """`folder` is private-database's."""
        self.name, self.folder = name, folder

    def script(self, *arguments):
        done = subprocess.run([PRIVATE_DATABASE, self.folder, *arguments], check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {done.stdout}")

    def stop(self):
        self.script("stop")

    def pid(self):
        with open(os.path.join(self.folder, "pid"), encoding="ascii") as file:
            return int(file.read())

    def kill(self):
        pid = self.pid()
        os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: has_ended(pid))

    def pause(self):
        os.kill(self.pid(), signal.SIGSTOP)

    def resume(self):
        os.kill(self.pid(), signal.SIGCONT)

    def sql(self, statement, check=True):
        """The rows, as lists of text; [] if the server refuses the statement and `check` is false."""
        done = subprocess.run(["mariadb", "--no-defaults", "--user=root", f"--socket={self.folder}/sock", "--batch",
                               "--skip-column-names", "--connect-timeout=2"], check=False, input=statement, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check and done.returncode != 0:
            raise RuntimeError(f"{self.name}: {statement}: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def wait_until(self, holds):
        wait_until(holds, hint=lambda: f"; see {self.folder}/server.log")


def has_ended(pid):
    """A process that nobody has waited for has ended, too."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except FileNotFoundError:
        return True

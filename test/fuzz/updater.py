#!/usr/bin/env python3
"""updater.py SCRIPT SEED… | updater.py SCRIPT for SECONDS: /server/update.sh with lists, states and answers made from seeds.

A seed makes two builds with odd names and has the script install the first and update to the second: the folder must have
exactly what they have. Then it damages what the script reads, here or in the answers of the service, and runs it again:
it must end with a status that it documents and without an error of the shell, and nothing outside of the folder may
change. The service is a program in place of curl that has its answers in files."""

import hashlib
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import zipfile

NAMES = ["a", "b c", " x", "y ", "-", "-rf", "--", "*", "?[a]", "$HOME", "$(id)", "`id`", "'", '"', "a;b", "&", "|", "#", "~", "%s", "!", "é", "карта",
         "a.new", "original", "state", "end", "files", "put", "1e3", "1000", "=", "{}", "a  b", ".a", "...", "x" * 200]
HOSTILE = [b"..", b".", b"", b"/", b"../x", b".goldsmith", b"\\", b"\x01", b"\x00", b"\n", b"\r", b"\xff", b"end", b"files", b"  ", b"first", b"put - - ",
           b"del - - ", b"side - - ", b"$(touch pwned)", b"`touch pwned`", b"/etc/passwd", b"../../victim", b"link/victim", b"99999999999999999999", b"*"]
ANSWERS = ("checksums.txt", "plugins.txt", "configuration.txt", "headers", "archive", "partial")
STATE = ("state", "work/commit", "work/folders", "work/changes", "original/a", "lock")
SHELL_ERRORS = re.compile(rb"not found|unbound|parameter not set|[Ss]yntax error|[Bb]ad substitution|awk:|sed:|grep:|unexpected operator|out of range|Illegal number")
CURL = """#!/bin/sh
for url; do case $last in -D) headers=$url ;; -o) output=$url ;; esac; last=$url; done
case $url in *checksums*) name=checksums.txt ;; *plugins*) name=plugins.txt ;; *configuration*) name=configuration.txt ;; *from=*) name=partial ;; *) name=archive ;; esac
cat "$ANSWERS/headers" >"$headers"
case " $* " in *" -I "*) : >"$output" ;; *) cat "$ANSWERS/$name" >"$output" ;; esac
printf 200
"""


def tree(folder):
    """{path: content} of what is in a folder, but for .goldsmith."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and ".goldsmith" not in path.relative_to(folder).parts[:1]}


class World:
    """The folder of a server, what is around it, and the service."""

    def __init__(self, script, place, seed):
        self.random = random.Random(seed)
        self.here = pathlib.Path(place)
        for name in ("server", "answers", "bin", "elsewhere"):
            (self.here / name).mkdir()
        self.folder = self.here / "server"
        for victim in (self.here / "victim", self.here / "elsewhere/victim"):
            victim.write_bytes(b"another's\n")
        curl = self.here / "bin/curl"
        curl.write_text(CURL)
        curl.chmod(0o755)
        values = {name: f"https://s/{name}" for name in ("checksums_url", "plugins_url", "configuration_url", "download_url")}
        values.update(language="en", service="https://s", selection="plugins=p,q", secrets="make\ta\tz =\nsuggest\tb c\tz\n")
        self.served = {}  # by the build hash, what was served before
        self.script = self.here / "update.sh"
        text = pathlib.Path(script).read_text(encoding="utf-8")
        self.script.write_text(re.sub(r"(?m)^(\w+)=@(\w+)@$", lambda found: f"{found[1]}='{values[found[2]]}'", text))

    def path(self):
        return "/".join(self.random.choice(NAMES) for _ in range(self.random.randint(1, 3)))

    def build(self, before=()):
        """Files of a server, none of which is a folder of another, here or in the build before."""
        build = {}
        for _ in range(self.random.randint(1, 8)):
            path = self.path()
            if not any(path.startswith(each + "/") or each.startswith(path + "/") for each in (*build, *before)):
                build[path] = self.random.choice(["", "x", "y\n"])
        return build or {"alone": "x"}

    def serve(self, build):
        answers = self.here / "answers"
        lines = "".join(f"{hashlib.sha256(content.encode()).hexdigest()}  {path}\n" for path, content in sorted(build.items()))
        (answers / "checksums.txt").write_text(lines)
        build_hash = hashlib.sha256(lines.encode()).hexdigest()
        (answers / "headers").write_text(f"HTTP/1.1 200 OK\r\nX-Svc-Build-Hash: {build_hash}\r\n\r\n")
        owned = next(iter(build))
        (answers / "plugins.txt").write_text(f"plugin p added 1.0 -\nplugin q skipped - It does not compile.\nfile p {owned}\n")
        (answers / "configuration.txt").write_text("".join(f"{path}\n" for path in sorted(build) if self.random.random() < 0.5))
        self.write_archive("archive", build, build_hash)
        base, before = next(iter(self.served.items()), (build_hash, {}))
        name = hashlib.sha256(f"goldsmith partial archive 1\nfrom {base}\nto {build_hash}\n{lines}".encode()).hexdigest()
        changed = {path: content for path, content in build.items() if before.get(path) != content}
        self.write_archive("partial", changed, name if before else build_hash)
        self.served = {build_hash: build}

    def write_archive(self, name, build, comment):
        with zipfile.ZipFile(self.here / "answers" / name, "w") as archive:
            archive.comment = comment.encode()
            for path, content in build.items():
                archive.writestr(path, content)

    def run(self, shell):
        environment = {"PATH": f"{self.here}/bin:/usr/bin:/bin", "ANSWERS": str(self.here / "answers"), "TMPDIR": str(self.here), "HOME": "/nonexistent"}
        return subprocess.run([*shell, str(self.script), "--yes", str(self.folder)], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=60, check=False, cwd=self.here)

    def around(self):
        return {path: path.read_bytes() for path in (self.here / "victim", self.here / "elsewhere/victim")}, sorted(os.listdir(self.here))

    def damage(self, content):
        """A few bytes, lines or pieces changed, added or left out."""
        content = bytearray(content)
        for _ in range(self.random.randint(1, 3)):
            at = self.random.randint(0, len(content))
            match self.random.randrange(5):
                case 0:
                    content[at:at] = self.random.choice(HOSTILE)
                case 1:
                    del content[at:at + self.random.randint(1, 80)]
                case 2:
                    content[at:at + 1] = bytes([self.random.randrange(256)])
                case 3:
                    content[at:at] = content[self.random.randint(0, len(content)):][:100]
                case 4:
                    lines = bytes(content).splitlines(True) or [b"\n"]
                    lines[self.random.randrange(len(lines))] = b"0" * 64 + b"  " + self.random.choice(HOSTILE) + b"\n"
                    content = bytearray(b"".join(lines))
        return bytes(content)

    def damage_something(self):
        if self.random.random() < 0.5:
            file = self.here / "answers" / self.random.choice(ANSWERS)
            file.write_bytes(self.damage(file.read_bytes()))
            return
        state = (self.folder / ".goldsmith/state").read_bytes()
        file = self.folder / ".goldsmith" / self.random.choice(STATE)
        file.parent.mkdir(exist_ok=True)
        start = state if file.name == "state" else b"\n".join([*state.splitlines()[:2], b"", b"del - - a", b"put - - b", b"end"]) + b"\n"
        file.write_bytes(self.damage(start))
        if self.random.random() < 0.3:
            (self.folder / "link").symlink_to(self.here / "elsewhere")


def expect(holds, what, done=None):
    if not holds:
        raise AssertionError(f"{what}\n{done.stdout.decode(errors='replace')}{done.stderr.decode(errors='replace')}" if done else what)


def check_seed(script, seed):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        world = World(script, place, seed)
        shell = world.random.choice([["dash"], ["busybox", "sh"]])
        around = world.around()
        first = world.build()
        for build in (first, world.build(first)):
            world.serve(build)
            done = world.run(shell)
            expect(done.returncode == 0, "a build is installed", done)
            found = {str(path.relative_to(world.folder)): content.decode() for path, content in tree(world.folder).items()}
            expect(found == build, f"the folder has what the build has: {found} {build}", done)
        expect(b"Nothing to do" in world.run(shell).stdout, "a second run has nothing to do")
        before = tree(world.folder)
        world.damage_something()
        done = world.run(shell)
        expect(done.returncode in (0, 1, 3), f"status {done.returncode} is documented", done)
        expect(not SHELL_ERRORS.search(done.stderr), "no error of the shell", done)
        expect(world.around() == around, "nothing else changes", done)
        expect(done.returncode != 3 or tree(world.folder) == before, "who refuses changes nothing", done)


def main():
    script, *seeds = sys.argv[1:]
    executions, start = 0, time.monotonic()
    if seeds[0] == "for":
        ends = start + float(seeds[1])
        seeds = iter(lambda: random.randrange(1 << 32) if time.monotonic() < ends else None, None)
    for seed in seeds:
        try:
            check_seed(script, int(seed))
        except Exception as error:  # pylint: disable=broad-except  # whatever it is, its seed is wanted
            sys.exit(f"updater.py: seed {seed}: {error!r}")
        executions += 1
    print("FUZZED_FILES: handlers/documents/update/")
    print(f"stat::number_of_executed_units: {executions}\nstat::average_exec_per_sec: {executions / (time.monotonic() - start):.0f}")


if __name__ == "__main__":
    main()

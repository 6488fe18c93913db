#!/usr/bin/env python3
"""updater.py PROGRAM SEED… | updater.py PROGRAM for SECONDS: `goldsmith-keeper update` with lists, states and answers made from seeds.

A seed makes two builds with odd names and has the program install the first and update to the second, take that back and
do it again: the folder must have exactly what they have. Then it damages what the program reads, here or in the answers of
the service, and runs it again: it must end with a status that it documents, and nothing outside of the folder may change.
The service is a program in place of curl that has its answers in files."""

import hashlib
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

NAMES = ["a", "b c", " x", "y ", "-", "-rf", "--", "*", "?[a]", "$HOME", "$(id)", "`id`", "'", '"', "a;b", "&", "|", "#", "~", "%s", "!", "é", "карта",
         "a.new", "original", "state", "end", "files", "put", "1e3", "1000", "=", "{}", "a  b", ".a", "...", "x" * 200]
HOSTILE = [b"..", b".", b"", b"/", b"../x", b".goldsmith", b"\\", b"\x01", b"\x00", b"\n", b"\r", b"\xff", b"end", b"files", b"  ", b"first", b"put - - ",
           b"del - - ", b"side - - ", b"$(touch pwned)", b"`touch pwned`", b"/etc/passwd", b"../../victim", b"link/victim", b"99999999999999999999", b"*"]
ANSWERS = ("checksums.txt", "plugins.txt", "configuration.txt", "update.txt", "headers", "archive", "partial")
STATE = ("state", "former", "last", "work/commit", "work/undo", "work/folders", "work/changes", "original/a", "lock")
CURL = """#!/bin/sh
for url; do case $last in -o) output=$url ;; esac; last=$url; done
case $url in
  *checksums.txt*) name=checksums.txt ;; */plugins.txt*) name=plugins.txt ;; *configuration.txt*) name=configuration.txt ;;
  *update.txt*) name=update.txt ;; *from=*) name=partial ;; *) name=archive ;;
esac
cat "$ANSWERS/headers"
case " $* " in
  *" -I "*) ;;
  *" -o "*) cat "$ANSWERS/$name" >"$output" ;;
  *) cat "$ANSWERS/$name" ;;
esac
printf 200
"""


def archive_of(files, comment):
    """A ZIP as the service writes it."""
    local, central = b"", b""
    for path, content in files.items():
        name, content = path.encode(), content.encode()
        common = struct.pack("<HHHHHIIIH", 10, 1 << 11, 0, 0, 33, zlib.crc32(content), len(content), len(content), len(name))
        central += b"PK\1\2" + struct.pack("<H", 3 << 8 | 45) + common + struct.pack("<HHHHII", 0, 0, 0, 0, 0o100644 << 16, len(local)) + name
        local += b"PK\3\4" + common + struct.pack("<H", 0) + name + content
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(central), len(local), len(comment))
    return local + central + b"PK\5\6" + end + comment.encode()


def tree(folder):
    """{path: content} of what is in a folder, but for .goldsmith."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and ".goldsmith" not in path.relative_to(folder).parts[:1]}


class World:
    """The folder of a server, what is around it, and the service."""

    def __init__(self, program, place, seed):
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
        self.served = {}  # by the build hash, what was served before
        self.program = program

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
        (answers / "update.txt").write_text("goldsmith-update-facts 1\ndownload\thttps://s/v1/download?x\ncomponent\tc\t1\tauth\tC\nloads\tc/c.so\n"
                                            "reads\ta\t@library/a\tcstrike/a\ta\nidentity\ta\tz\nmake\ta\tz =\nsuggest\tb c\tz\n"
                                            "replaces\td.so\td\tauth\tD\nconflicts\te.so\te\tauth\tE\tNo.\nend\n")
        self.write_archive("archive", build, build_hash)
        base, before = next(iter(self.served.items()), (build_hash, {}))
        name = hashlib.sha256(f"goldsmith partial archive 1\nfrom {base}\nto {build_hash}\n{lines}".encode()).hexdigest()
        changed = {path: content for path, content in build.items() if before.get(path) != content}
        self.write_archive("partial", changed, name if before else build_hash)
        self.served = {build_hash: build}

    def write_archive(self, name, build, comment):
        (self.here / "answers" / name).write_bytes(archive_of(build, comment))

    def run(self, *verb):
        environment = {"PATH": f"{self.here}/bin:/usr/bin:/bin", "ANSWERS": str(self.here / "answers"), "TMPDIR": str(self.here), "HOME": "/nonexistent"}
        verb = verb or ("update", "--yes", "--selection", "?plugins=p,q")
        return subprocess.run([self.program, "--service", "https://s", *verb, str(self.folder)], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60, check=False, cwd=self.here)

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


def check_seed(program, seed):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        world = World(program, place, seed)
        around = world.around()

        def expect_build(build, done):
            expect(done.returncode == 0, "a build is installed", done)
            found = {str(path.relative_to(world.folder)): content.decode() for path, content in tree(world.folder).items()}
            expect(found == build, f"the folder has what the build has: {found} {build}", done)

        first = world.build()
        second = world.build(first)
        world.serve(first)
        expect_build(first, world.run())
        world.serve(second)
        expect_build(second, world.run())
        if first != second:
            expect_build(first, world.run("rollback", "--yes"))
            expect_build(second, world.run("rollback", "--yes"))
        expect(b"Nothing to do" in world.run().stdout, "a second run has nothing to do")
        before = tree(world.folder)
        world.damage_something()
        for verb in ((), ("rollback", "--yes"), ("status", "--known", "/dev/null")):
            done = world.run(*verb)
            expect(done.returncode in (0, 1, 3), f"status {done.returncode} is documented", done)
            expect(world.around() == around, "nothing else changes", done)
            expect(verb or done.returncode != 3 or tree(world.folder) == before, "who refuses changes nothing", done)


def main():
    program, *seeds = os.path.abspath(sys.argv[1]), *sys.argv[2:]
    executions, start = 0, time.monotonic()
    if seeds[0] == "for":
        ends = start + float(seeds[1])
        seeds = iter(lambda: random.randrange(1 << 32) if time.monotonic() < ends else None, None)
    for seed in seeds:
        try:
            check_seed(program, int(seed))
        except Exception as error:  # pylint: disable=broad-except  # whatever it is, its seed is wanted
            sys.exit(f"updater.py: seed {seed}: {error!r}")
        executions += 1
    print("FUZZED_FILES: app/owner/")
    print(f"stat::number_of_executed_units: {executions}\nstat::average_exec_per_sec: {executions / (time.monotonic() - start):.0f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""scripts/repository, and apt of both releases of Debian: repository_test.py BUILD_FOLDER PACKAGE_12 PACKAGE_13

apt runs in the trees that the packages are tested in. The exit code is 77 if this host cannot run them; the last line
says why."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from machine import field, make_tree, require

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGES = TREES = WORK = None

# As systemd/OPERATING.md has it, with a folder instead of a web server.
SOURCE = """Types: deb
URIs: file:/repository/public
Suites: {suite}
Components: main
Signed-By: /repository/public/goldsmith.asc
"""


def make_key(name):
    subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", name, "ed25519", "sign"], check=True,
                   stderr=subprocess.DEVNULL)


def repository(*arguments):
    """The output; fails if the command does."""
    done = subprocess.run([os.path.join(ROOT, "scripts", "repository"), os.path.join(WORK, "repository"), *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def setUpModule():
    os.environ["GNUPGHOME"] = os.path.join(WORK, "gnupg")
    os.mkdir(os.environ["GNUPGHOME"], 0o700)
    make_key("publisher")
    make_key("somebody")


def tearDownModule():
    subprocess.run(["gpgconf", "--kill", "all"], check=False)
    shutil.rmtree(WORK)


class Repository(unittest.TestCase):
    def apt(self, suite, command):
        """apt-get in the tree of the release, with this repository alone and an index of its own."""
        sources = os.path.join(WORK, suite)
        os.makedirs(sources, exist_ok=True)
        with open(os.path.join(sources, "goldsmith.sources"), "w", encoding="ascii") as file:
            file.write(SOURCE.format(suite=suite))
        script = ("install -d /tmp/lists/partial /tmp/archives/partial && cd /tmp && apt() { apt-get -o Dir::State::Lists=/tmp/lists"
                  " -o Dir::Cache::Archives=/tmp/archives -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts=/sources"
                  f" -o APT::Update::Error-Mode=any \"$@\"; }} && apt update && {command}")
        done = subprocess.run(["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--console=pipe",
                               "--volatile=overlay", f"--directory={TREES[suite]}",
                               f"--bind-ro={WORK}/repository:/repository", f"--bind-ro={sources}:/sources",
                               "bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_1_each_suite_has_its_package(self):
        code, said = repository("publisher", *PACKAGES.values())
        self.assertEqual(code, 0, said)
        for suite, package in PACKAGES.items():
            code, said = self.apt(suite, "apt --simulate install goldsmith && apt download goldsmith && sha256sum goldsmith_*.deb")
            self.assertEqual(code, 0, said)
            self.assertNotRegex(said, "(?m)^[WE]: ")
            self.assertIn(f"Inst goldsmith ({field(package, 'Version')} ", said)
            with open(package, "rb") as file:
                self.assertIn(hashlib.sha256(file.read()).hexdigest(), said)

    def test_2_a_newer_package_is_installed_and_the_former_one_can_be(self):
        newer = os.path.join(os.path.dirname(PACKAGES["trixie"]), "next.deb")
        code, said = repository("publisher", newer)
        self.assertEqual(code, 0, said)
        self.assertIn(f"Inst goldsmith ({field(newer, 'Version')} ", self.apt("trixie", "apt --simulate install goldsmith")[1])
        self.assertIn(f"Inst goldsmith ({field(PACKAGES['bookworm'], 'Version')} ",
                      self.apt("bookworm", "apt --simulate install goldsmith")[1])
        # The way back.
        former = field(PACKAGES["trixie"], "Version")
        code, said = self.apt("trixie", f"apt --simulate install goldsmith={former} && apt download goldsmith={former}")
        self.assertEqual(code, 0, said)
        self.assertIn(f"Inst goldsmith ({former} ", said)

    def test_2a_its_indexes_end_and_are_signed_anew_without_a_package(self):
        index = os.path.join(WORK, "repository", "public", "dists", "bookworm", "InRelease")
        os.remove(index)
        code, said = repository("publisher")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"The indexes are valid until 20\d\d-\d\d-\d\d\.\n.*\nThe key's fingerprint, .*: [0-9A-F]{40}\n")
        with open(index, encoding="utf-8") as file:
            self.assertRegex(file.read(), r"(?m)^Valid-Until: ")
        self.assertEqual(self.apt("bookworm", "apt download goldsmith")[0], 0)

    def test_3_apt_refuses_what_somebody_else_changed(self):
        public = os.path.join(WORK, "repository", "public")
        shutil.copytree(public, public + ".good")
        for change, says in (
                (f"find {public}/pool -name '*deb12u1*.deb' -exec sh -c 'echo x >>\"$1\"' - {{}} ';'", "Hash Sum mismatch|unexpected size"),
                (f"rm {public}/dists/bookworm/main/binary-amd64/Packages.gz && echo x >>{public}/dists/bookworm/main/binary-amd64/Packages",
                 "Hash Sum mismatch|unexpected size"),
                (f"sed -i 's/^Date: .*/Date: Thu, 01 Jan 2026 00:00:00 UTC/' {public}/dists/bookworm/*Release", "BADSIG|invalid|not signed"),
                (f"cd {public}/dists/bookworm && gpg --batch --yes --local-user somebody --clearsign --output InRelease Release && "
                 "rm Release.gpg", "NO_PUBKEY|not signed")):
            subprocess.run(["sh", "-c", change], check=True, stderr=subprocess.DEVNULL)
            code, said = self.apt("bookworm", "apt download goldsmith")
            self.assertNotEqual(code, 0, change)
            self.assertRegex(said, says)
            shutil.rmtree(public)
            shutil.copytree(public + ".good", public)
        self.assertEqual(self.apt("bookworm", "apt download goldsmith")[0], 0)

    def test_4_what_cannot_be_published_is_named(self):
        for arguments, says in (
                (("nobody", PACKAGES["trixie"]), 'gpg has no secret key "nobody"; gpg --list-secret-keys lists'),
                (("publisher", os.path.join(WORK, "bookworm", "goldsmith.sources")), "goldsmith.sources is not a Debian package"),
                ((), "usage: scripts/repository")):
            code, said = repository(*arguments)
            self.assertNotEqual(code, 0)
            self.assertIn(says, said)


def main():
    global PACKAGES, TREES, WORK
    PACKAGES = dict(zip(("bookworm", "trixie"), map(os.path.abspath, sys.argv[2:4])))
    require(PACKAGES.values(), "scripts/test platforms builds the packages for it")
    TREES = {suite: make_tree(suite, package) for suite, package in PACKAGES.items()}
    WORK = tempfile.mkdtemp()
    os.chmod(WORK, 0o755)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])


main()

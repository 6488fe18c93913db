#!/usr/bin/env python3
"""scripts/repository: what stays of packages, and when it must be signed anew. test/system/repository_test.py has apt."""

import datetime
import glob
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="goldsmith-repository-"))
        os.environ["GNUPGHOME"] = os.path.join(cls.work, "gnupg")
        os.mkdir(os.environ["GNUPGHOME"], 0o700)
        cls.addClassCleanup(subprocess.run, ["gpgconf", "--kill", "all"], check=False)
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "publisher", "ed25519", "sign"],
                       check=True, stderr=subprocess.DEVNULL)

    def setUp(self):
        self.folder = os.path.join(self.enterContext(tempfile.TemporaryDirectory(dir=self.work)), "repository")

    def package(self, version, text="text", name="goldsmith"):
        folder = self.enterContext(tempfile.TemporaryDirectory(dir=self.work))
        os.makedirs(os.path.join(folder, "tree", "DEBIAN"))
        with open(os.path.join(folder, "tree", "DEBIAN", "control"), "w", encoding="ascii") as file:
            file.write(f"Package: {name}\nVersion: {version}\nArchitecture: amd64\nMaintainer: A <a@example.org>\n"
                       f"Description: {text}\n")
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", os.path.join(folder, "tree"), os.path.join(folder, "x.deb")],
                       check=True, stdout=subprocess.DEVNULL)
        return os.path.join(folder, "x.deb")

    @staticmethod
    def run_it(*arguments):
        done = subprocess.run([os.path.join(ROOT, "scripts", "repository"), *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def publish(self, *packages):
        code, said = self.run_it(self.folder, "publisher", *packages)
        self.assertEqual(code, 0, said)
        return said

    def published(self, suite):
        """The versions in the index, whose files are those of the pool."""
        public = os.path.join(self.folder, "public")
        with open(os.path.join(public, "dists", suite, "main", "binary-amd64", "Packages"), encoding="utf-8") as file:
            text = file.read()
        files = re.findall("(?m)^Filename: (.*)$", text)
        self.assertEqual(sorted(files), sorted(glob.glob(f"pool/{suite}/*", root_dir=public)))
        return sorted(re.findall("(?m)^Version: (.*)$", text))

    def test_the_former_package_of_a_suite_stays(self):
        for version in ("1.9.0", "1.10.0~rc1", "1.10.0"):
            self.publish(self.package(version + "~deb12u1"))
        self.publish(self.package("1.8.0~deb13u1"))
        self.assertEqual(self.published("bookworm"), ["1.10.0~deb12u1", "1.10.0~rc1~deb12u1"])
        self.assertEqual(self.published("trixie"), ["1.8.0~deb13u1"])
        # What is older than both does not come back.
        self.publish(self.package("1.2.0~deb12u1"))
        self.assertEqual(self.published("bookworm"), ["1.10.0~deb12u1", "1.10.0~rc1~deb12u1"])

    def test_a_repository_of_before_goes_on(self):
        former = os.path.join(self.folder, "public", "pool", "main", "g", "goldsmith")
        os.makedirs(former)
        shutil.copy(self.package("1.0.0~deb12u1"), os.path.join(former, "goldsmith_1.0.0~deb12u1_amd64.deb"))
        self.publish(self.package("1.1.0~deb12u1"))
        self.assertEqual(self.published("bookworm"), ["1.0.0~deb12u1", "1.1.0~deb12u1"])

    def test_what_is_published_stays_whole_if_it_can_not_be_signed(self):
        former = os.path.join(self.folder, "public", "pool", "main", "g", "goldsmith", "goldsmith_1.0.0~deb12u1_amd64.deb")
        os.makedirs(os.path.dirname(former))
        shutil.copy(self.package("1.0.0~deb12u1"), former)
        subprocess.run(["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "secret",
                        "--quick-generate-key", "locked", "ed25519", "sign"], check=True, stderr=subprocess.DEVNULL)
        with open(os.path.join(os.environ["GNUPGHOME"], "gpg-agent.conf"), "w", encoding="ascii") as file:
            file.write("pinentry-program /bin/false\n")
        subprocess.run(["gpgconf", "--kill", "gpg-agent"], check=True)
        code, said = self.run_it(self.folder, "locked", self.package("1.1.0~deb12u1"))
        self.assertNotEqual(code, 0, said)
        # The indexes of before name it.
        self.assertTrue(os.path.exists(former))

    def test_a_package_of_another_program_is_refused(self):
        code, said = self.run_it(self.folder, "publisher", self.package("1.0.0~deb12u1", name="goldsmith-dbgsym"))
        self.assertEqual(code, 1)
        self.assertIn("is another package than goldsmith", said)

    def test_a_version_is_never_published_with_other_content(self):
        package = self.package("1.0.0~deb12u1")
        self.publish(package, package)
        code, said = self.run_it(self.folder, "publisher", self.package("1.0.0~deb12u1", "other"))
        self.assertEqual(code, 1)
        self.assertIn("goldsmith_1.0.0~deb12u1_amd64.deb is published already, with other content; build a newer version", said)

    def test_who_publishes_is_told_in_time(self):
        said = self.publish()
        day = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=90)).date()
        self.assertRegex(said, f"The indexes are valid until ({day - datetime.timedelta(days=1)}|{day})")
        self.assertIn(f"scripts/repository --check {self.folder}, run by cron", said)
        self.assertEqual(self.run_it("--check", self.folder)[0], 0)
        index = os.path.join(self.folder, "public", "dists", "trixie", "InRelease")
        with open(index, encoding="utf-8") as file:
            text = file.read()
        for hours, code, says in ((15 * 24, 0, "The indexes are valid until"), (14 * 24 - 1, 1, "for 13 more days. Sign them before:"),
                                  (1, 1, "for 0 more days. Sign them before:"), (-1, 1, "apt refuses them. Sign them: scripts/repository")):
            until = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
            with open(index, "w", encoding="utf-8") as file:
                file.write(re.sub("(?m)^Valid-Until: .*$", f"Valid-Until: {until:%a, %d %b %Y %T} UTC", text))
            self.assertEqual((self.run_it("--check", self.folder)[0], says in self.run_it("--check", self.folder)[1]), (code, True))
        self.publish()
        self.assertEqual(self.run_it("--check", self.folder)[0], 0)

    def test_a_repository_that_is_none_is_no_good_one(self):
        for folder in (self.folder, "/nowhere"):
            code, said = self.run_it("--check", folder)
            self.assertEqual(code, 1)
            self.assertIn("/public/dists/bookworm/InRelease is missing", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)

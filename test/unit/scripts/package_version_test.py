#!/usr/bin/env python3
"""Tests scripts/lib/version.sh, its versions by the order in which dpkg puts them."""

import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


class PackageVersion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.hour = folder.name, 0

    def git(self, *arguments):
        self.hour += 1
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
                       "GIT_COMMITTER_DATE": f"2026-01-31T{self.hour:02}:00:00+0000"}
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", self.folder, *identity, *arguments], check=True, env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def said_by(self, function, *arguments):
        """One of the library."""
        script = '. "$1/scripts/lib/version.sh"; "${@:2}"'
        environment = {**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(self.folder)}
        return subprocess.run(["bash", "-euo", "pipefail", "-c", script, "-", ROOT, function, *arguments], check=True,
                              env=environment, stdout=subprocess.PIPE, text=True).stdout.strip()

    def version(self, release="1.2.0"):
        return self.said_by("package_version", self.folder, release)

    def commit(self):
        self.git("commit", "--allow-empty", "-m", "x")
        return self.version()

    def assert_ascending(self, versions):
        for older, newer in zip(versions, versions[1:]):
            done = subprocess.run(["dpkg", "--compare-versions", older, "lt", newer], check=False)
            self.assertEqual(done.returncode, 0, f"{older} is not older than {newer}")

    def test_the_build_and_the_changelog_have_one_release(self):
        # Which is the newest that has a date: a commit that makes a release changes both.
        with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            project = re.search(r"^project\(goldsmith VERSION (\S+)", file.read(), re.MULTILINE)[1]
        with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            dated = re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$", file.read(), re.MULTILINE)
        self.assertEqual(dated[0][0], project)
        self.assertEqual([date for _, date in dated], sorted((date for _, date in dated), reverse=True))

    def test_sources_without_git_are_a_release(self):
        self.assertEqual(self.version(), "1.2.0")

    def test_versions_ascend_from_release_to_release(self):
        self.git("init")
        versions = ["1.1.0", self.commit(), self.commit()]
        self.assertRegex(versions[-1], r"^1\.2\.0~git20260131030000\.[0-9a-f]+$")
        with open(os.path.join(self.folder, "changed"), "w", encoding="ascii"):
            versions.append(self.version())
        self.assertTrue(versions[-1].endswith(".local"))
        self.git("add", ".")
        versions.append(self.commit())
        self.git("tag", "v1.2.0")
        versions.append(self.version())
        self.assertEqual(versions[-1], "1.2.0")
        versions.append(self.commit())
        self.assertRegex(versions[-1], r"^1\.2\.0\+git")
        self.assert_ascending([*versions, self.version("1.2.1"), "1.2.1", self.version("1.3.0"), "1.3.0"])

    def test_sources_have_the_time_of_their_commit_in_an_archive_too(self):
        with open(os.path.join(self.folder, "CHANGELOG.md"), "w", encoding="ascii"):
            pass
        self.git("init")
        self.git("add", ".")
        self.commit()
        unpacked = os.path.join(self.folder, "unpacked")
        os.mkdir(unpacked)
        subprocess.run(f"git -C '{self.folder}' archive HEAD | tar -x -C '{unpacked}'", shell=True, check=True)
        self.assertEqual(self.said_by("source_time", self.folder), f"{1769817600 + 3600 * self.hour}")
        self.assertEqual(self.said_by("source_time", unpacked), self.said_by("source_time", self.folder))

    def test_an_archive_within_a_repository_is_not_of_it(self):
        self.git("init")
        self.commit()
        unpacked = os.path.join(self.folder, "unpacked")
        os.mkdir(unpacked)
        self.assertEqual(self.said_by("package_version", unpacked, "1.2.0"), "1.2.0")

    @unittest.skipIf(os.geteuid(), "only root can give a repository to another user")
    def test_a_repository_of_another_user_has_its_version(self):
        self.git("init")
        version = self.commit()
        os.chown(self.folder, 65534, -1)
        os.chown(os.path.join(self.folder, ".git"), 65534, -1)
        self.assertEqual(self.version(), version)
        self.assertEqual(self.said_by("source_time", self.folder), f"{1769817600 + 3600 * self.hour}")

    def test_a_repository_that_git_cannot_read_has_no_version(self):
        os.mkdir(os.path.join(self.folder, ".git"))
        with self.assertRaises(subprocess.CalledProcessError):
            self.version()

    def test_a_release_with_changes_is_no_release(self):
        self.git("init")
        self.commit()
        self.git("tag", "v1.2.0")
        with open(os.path.join(self.folder, "changed"), "w", encoding="ascii"):
            self.assertRegex(self.version(), r"^1\.2\.0\+git.*\.local$")


unittest.main()

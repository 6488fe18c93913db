#!/usr/bin/env python3
"""Which new versions are published by themselves, and which wait: those not final yet, leaps, and lower ones."""

import unittest

from followed_test import OneTest
from host import UpstreamTest
from plugins_test import REPOSITORY, source
import upstream_server


class VersionsTest(OneTest):
    """By the versions that sources register."""

    def publishes(self, version, **more):
        """Whether the next version of One is published by itself; the reason if it is not."""
        self.repository.change({"scripting/one.sma": source(
            "One", version, more=f"new g_{len(self.repository.history)} = 1;")}, **more)
        lines = self.mirror()
        self.assertIn(lines[0].split(" one ")[0], ("published ", "waits     "), lines)
        return "" if lines[0].startswith("published") else lines[0].split(": ", 1)[1]

    def test_what_is_not_final_waits_and_the_final_one_is_published(self):
        self.begin("One")
        for version in ("1.1-rc1", "1.1b3", "9.9.9-test", "v3 beta-1"):
            self.assertEqual(self.publishes(version), "it is a prerelease, and not of the line of 1.0, which is published")
        self.assertEqual(self.publishes("1.1"), "")
        self.assertEqual(self.published("one"), ["1.1", "1.0"])

    def test_a_prerelease_that_a_person_published_is_followed_by_those_of_its_line(self):
        self.begin("One")
        self.publishes("1.1-rc1")
        self.plugin("publish", "one", "1.1-rc1")
        self.assertEqual(self.publishes("1.1-rc2"), "")
        self.assertIn("prerelease", self.publishes("1.2-beta"))
        self.assertEqual(self.publishes("1.1"), "")
        self.assertEqual(self.published("one"), ["1.1", "1.1-rc2", "1.1-rc1", "1.0"])

    def test_prereleases_are_published_where_the_operator_says_so(self):
        self.begin("One")
        self.follow("--prereleases")
        self.assertEqual(self.publishes("1.1-rc1"), "")
        self.assertEqual(self.publishes("1.2-beta2"), "")
        self.assertIn("at least ten times", self.publishes("99-beta"))

    def test_a_leap_waits_and_what_follows_on_the_public_one_does_not(self):
        self.begin("One")
        self.assertEqual(self.publishes("99"), "its number is at least ten times that of 1.0, which is published")
        self.assertEqual(self.publishes("20150213.1"), "its number is a date, unlike that of 1.0, which is published")
        self.assertEqual(self.publishes("1.20150213"), "its number is a date, unlike that of 1.0, which is published")
        self.assertEqual(self.publishes("2015.02"), "its number is a date, unlike that of 1.0, which is published")
        self.assertEqual((self.publishes("1.2"), self.publishes("1.3"), self.publishes("2.0")), ("", "", ""))
        self.assertEqual(self.held(), {})

    def test_a_leap_that_a_person_publishes_is_what_counts_from_then_on(self):
        self.begin("One")
        self.publishes("99")
        self.plugin("publish", "one", "99")
        self.assertEqual(self.publishes("1.2"), "its number is lower than that of 99, which is published")
        self.assertEqual(self.publishes("100"), "")

    def test_a_project_may_go_over_to_years_and_months(self):
        self.begin("One")
        self.assertEqual((self.publishes("3.0"), self.publishes("2025.05"), self.publishes("2025.06")), ("", "", ""))

    def test_a_beta_with_a_v_hides_none_of_the_releases_after_it(self):
        self.begin("One")
        self.assertNotEqual(self.publishes("v3 beta-1"), "")
        self.assertEqual((self.publishes("3.0"), self.publishes("2025.05")), ("", ""))
        self.assertEqual((self.published("one"), self.held()), (["2025.05", "3.0", "1.0"], {}))

    def test_a_lower_number_and_a_patch_letter(self):
        self.begin("One")
        self.assertEqual((self.publishes("1.2"), self.publishes("1.2a")), ("", ""))
        self.assertEqual(self.publishes("1.1.9"), "its number is lower than that of 1.2a, which is published")


class TagsTest(OneTest):
    """By tags and releases."""

    def tag(self, name, version, commit=None):
        self.repository.tagged[name] = commit or self.repository.change(
            {"one.sma": source("One", version, more=f"new g_{len(self.repository.history)} = 1;")})

    def begin_tags(self):
        self.repository.commit({"one.sma": source("One")})
        self.repository.tagged["v1.0"] = self.repository.history[-1].sha
        return self.follow("--publish", "--releases", "tags")

    def test_the_final_release_after_a_candidate_is_seen(self):
        self.begin_tags()
        self.tag("v1.2-rc1", "1.2")
        self.assertEqual(self.mirror()[0], "waits      one 1.2: the tag v1.2-rc1 waits: it is a prerelease, and not of the line of "
                         "v1.0, which is published")
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])
        self.tag("v1.2", "1.2")
        self.assertEqual(self.mirror()[0], "published  one 1.2")
        self.assertEqual((self.published("one"), self.held()), (["1.2", "1.0"], {}))
        self.assertEqual(self.show_plugin("one")["versions"][0]["origin"]["commit"], "v1.2")
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])

    def test_betas_follow_by_tags_until_something_final_is_public(self):
        self.repository.tagged["v1.0-beta"] = self.repository.commit({"one.sma": source("One", "1.0-beta")})
        self.assertEqual(self.follow("--publish", "--releases", "tags")[0], "created    one 1.0-beta")
        self.tag("v2.0-beta", "2.0-beta")
        self.assertEqual(self.mirror()[0], "published  one 2.0-beta")
        self.tag("v3.0", "3.0")
        self.tag("v3.1-beta", "3.1-beta")
        lines = self.mirror()
        self.assertEqual(lines[0], "published  one 3.0")
        self.assertTrue(lines[1].startswith("waits      one 3.1-beta: the tag v3.1-beta waits: it is a prerelease"), lines)

    def test_betas_follow_by_tags_also_where_plugins_have_final_numbers_of_their_own(self):
        self.repository.tagged["v0.3-beta"] = self.repository.commit({"one.sma": source("One", "1.0")})
        self.assertEqual(self.follow("--publish", "--releases", "tags")[0], "created    one 1.0")
        self.tag("v0.5-beta", "1.1")
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        self.tag("v0.7", "1.2")
        self.tag("v0.8-beta", "1.3")
        lines = self.mirror()
        self.assertEqual(lines[0], "published  one 1.2")
        self.assertTrue(lines[1].startswith("waits      one 1.3: the tag v0.8-beta waits: it is a prerelease"), lines)

    def test_a_draft_of_a_tag_that_leaps_is_published_as_that_of_the_tag_that_follows(self):
        self.begin_tags()
        self.tag("v20240503", "1.1")
        self.assertTrue(self.mirror()[0].startswith("waits      one 1.1: the tag v20240503 waits: "))
        self.tag("v1.1", "1.1", self.repository.tagged["v20240503"])
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        self.assertEqual(self.show_plugin("one")["versions"][0]["origin"]["commit"], "v1.1")
        self.tag("v1.2", "1.2")
        self.assertEqual((self.mirror()[0], self.held()), ("published  one 1.2", {}))

    def test_tags_that_leap_hide_no_ordinary_ones(self):
        self.begin_tags()
        for tag, version in (("20150213.1", "1.1-a"), ("v99", "1.1-b"), ("9.9.9-test", "1.1-c")):
            self.tag(tag, version)
            lines = self.mirror()
            self.assertIn(f"waits      one {version}: the tag {tag} waits: it", lines[0])
            self.assertEqual(self.published("one"), ["1.0"])
        for number in ("1.2", "1.3"):
            self.tag("v" + number, number)
            self.assertEqual(self.mirror()[0], f"published  one {number}")
            self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])
        self.assertEqual(self.published("one"), ["1.3", "1.2", "1.0"])

    def test_a_leap_among_tags_that_a_person_publishes_is_what_counts(self):
        self.begin_tags()
        self.tag("v99", "99")
        self.mirror()
        self.plugin("publish", "one", "99")
        self.tag("v1.2", "1.2")
        lines = self.mirror()
        self.assertEqual(self.published("one"), ["99", "1.0"])
        self.assertIn("noted      owner/plugins: the tag v1.2 is on a newer commit than v99, but has a lower number", lines)
        self.tag("v100", "100")
        self.assertEqual(self.mirror()[0], "published  one 100")

    def test_a_tag_below_the_highest_on_a_newer_commit_is_told(self):
        self.begin_tags()
        self.tag("v1.2", "1.2")
        self.mirror()
        self.tag("v1.1", "1.2.1")
        remark = "the tag v1.1 is on a newer commit than v1.2, but has a lower number"
        self.assertEqual(self.mirror()[0], f"noted      owner/plugins: {remark}")
        self.assertEqual(self.followed()[REPOSITORY]["problem"], remark)
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])
        self.assertEqual(self.followed()[REPOSITORY]["problem"], remark)
        self.tag("v1.3", "1.3")
        self.assertEqual(self.mirror()[0], "published  one 1.3")
        self.assertEqual(self.followed()[REPOSITORY]["problem"], "")

    def test_the_first_tag_is_no_stray_one_and_a_new_count_goes_on(self):
        self.repository.commit({"one.sma": source("One", "0.9")})
        for tag, version in (("v0.9", "0.9"), ("v99", "1.1"), ("v1.0-rc1", "1.0")):
            self.tag(tag, version)
        self.follow("--publish", "--releases", "tags")
        self.assertEqual((self.published("one"), sorted(self.held())), (["0.9"], [("one", "1.0"), ("one", "1.1")]))

    def test_releases_are_judged_alike(self):
        self.repository.commit({"one.sma": source("One")})

        def release(tag, version, **more):
            self.tag(tag, version)
            self.upstream.add_release(REPOSITORY, tag, {}, body=f"What is in {tag}.", **more)

        release("v1.0", "1.0", published=upstream_server.EPOCH)
        self.follow("--publish", "--releases", "releases")
        for day, (tag, version, word) in enumerate((("v99", "1.1", "waits"), ("v1.2-rc1", "1.2", "waits"), ("v1.2", "1.2", "published"),
                                                    ("v1.3", "1.3", "published")), 1):
            release(tag, version, published=upstream_server.EPOCH + 86400 * day)
            self.assertEqual(self.mirror()[0].split(":")[0].split(), [word, "one", version])
        self.assertEqual(self.published("one"), ["1.3", "1.2", "1.0"])
        self.assertEqual(self.show_plugin("one")["versions"][0]["changes"], "What is in v1.3.")
        release("v1.1", "1.1.1", published=upstream_server.EPOCH + 86400 * 9)
        self.assertEqual(self.mirror()[0], "noted      owner/plugins: the release v1.1 is newer than v1.3, but has a lower number")
        self.assertEqual(self.published("one"), ["1.3", "1.2", "1.0"])


class ComponentsTest(UpstreamTest):
    """A component's newest release is its latest version only if its number follows on."""

    def release(self, version, day):
        self.add_release(version, published=upstream_server.EPOCH + 86400 * day)

    def latest(self):
        return next(each["version"] for each in self.show()["versions"] if not each["held"])

    def test_what_does_not_follow_on_the_latest_version_is_held(self):
        self.import_component()
        self.release("2.0", 0)
        self.mirror()
        for day, (version, reason) in enumerate((("1.9", "its number is lower than that of 2.0, which is the latest"),
                                                 ("2.1-rc1", "it is a prerelease, and not of the line of 2.0, which is the latest"),
                                                 ("20", "its number is at least ten times that of 2.0, which is the latest")), 1):
            self.release(version, day)
            ended = self.run_goldsmith("component", "mirror", "engine")
            self.assertIn(f'  held: {reason}; "goldsmith component release engine {version}" hands it out\n', ended.stdout)
            self.assertEqual((ended.returncode, ended.stderr), (
                1, "goldsmith: 1 version is held, because its number does not follow on that of the latest\n"))
            self.assertEqual((self.show()["versions"][0]["held"], self.latest()), (reason, "2.0"))
            self.assertIn("unchanged", self.mirror())
        self.release("2.1", 4)
        self.mirror()
        self.assertEqual(self.latest(), "2.1")

    def test_what_the_operator_names_or_hands_out_is_the_latest(self):
        self.import_component()
        self.release("2.0", 0)
        self.mirror()
        self.release("1.9", 1)
        self.mirror("engine", "--version", "1.9")
        self.assertEqual(self.latest(), "1.9")
        self.release("30", 2)
        self.mirror_failed()
        self.done("component", "release", "engine", "30")
        self.assertEqual(self.latest(), "30")
        self.release("31", 3)
        self.mirror()
        self.assertEqual(self.latest(), "31")


if __name__ == "__main__":
    unittest.main()

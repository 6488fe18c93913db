#!/usr/bin/env python3
"""goldsmith plugin follow, mirror and inbox: whose a plugin is, when others have a copy of it or its repository's name."""

import os
import shutil
import unittest

from followed_test import OneTest
from plugins_test import REPOSITORY, source


class OwnershipTest(OneTest):
    """A plugin is that of its upstream alone, whatever others have."""

    def is_not_taken(self, upstream):
        """By evil/repo, which has a copy of One and then a version of its own."""
        evil = self.add_repository("evil/repo", {"x/other.sma": source("Other", author="Evil")})
        self.plugin("follow", "evil/repo")
        before = self.show_plugin("one")
        evil.change({"x/one.sma": source("One"), "x/README.md": "# One\n\nA text of somebody else, which is long enough to be read.\n"})
        self.mirror()
        self.assertEqual(self.show_plugin("one"), before)
        self.change_one("9.9", evil, "x/one.sma")
        self.assertIn("asks       one: the directory has a plugin one already", "\n".join(self.mirror()))
        self.assertEqual(self.show_plugin("one"), before)
        self.assertEqual((before["upstream"] or {}).get("repository"), upstream)

    def test_a_copy_gives_no_right_to_the_plugin_of_another_repository(self):
        self.begin("One")
        self.is_not_taken(REPOSITORY)
        # What a person wants from there waits until that version, or the repository, is trusted.
        self.assertIn("waits      one 9.9: evil/repo is another repository", "\n".join(
            self.plugin("follow", "evil/repo", "--answer", "directory=replace")))
        self.assertEqual((self.published("one"), self.show_plugin("one")["upstream"]["repository"]), (["1.0"], "evil/repo"))
        self.assertIn("published  one 9.9", self.plugin("follow", "evil/repo", "--trust"))
        # And the former one has no right to it any more.
        self.change_one("1.1")
        self.assertIn("asks       one: the directory has", "\n".join(self.mirror()))

    def test_a_copy_gives_no_right_to_the_plugin_of_a_person(self):
        self.import_own("one", "One", license="GPL-3.0-or-later")
        self.is_not_taken(None)

    def take_over_by_rename(self):
        """Two repositories that manifests name, the second of which then gets the name of the first."""
        self.repository.commit({"one.sma": source("One")})
        evil = self.add_repository("evil/repo", {"two.sma": source("Two")})
        self.import_own("mine", "One", upstream={"repository": REPOSITORY})
        self.import_own("two", "Two", upstream={"repository": "evil/repo"})
        self.mirror()
        self.change_one("1.1", path="one.sma")
        self.assertIn("published  mine 1.1", self.mirror())
        self.upstream.repositories[REPOSITORY] = self.upstream.repositories.pop("evil/repo")
        self.upstream.renamed["evil/repo"] = REPOSITORY
        return evil

    def stays(self, evil):
        for version in ("6.6", "6.7"):
            self.change_one(version, evil, "one.sma")
            self.assertNotIn("published", "\n".join(line for line in self.mirror() if " mine " in line))
        self.assertEqual(self.published("mine"), ["1.1", "1.0"])
        self.assertEqual(self.show_plugin("mine")["upstream"]["repository"], REPOSITORY)
        self.assertTrue(all("another repository" in reasons[0] for (slug, _), reasons in self.held().items() if slug == "mine"))
        self.assertTrue(self.held())

    def test_a_name_that_was_taken_over_is_not_merged_into_what_the_thief_has(self):
        self.stays(self.take_over_by_rename())

    def test_neither_is_one_of_which_only_its_public_versions_tell_whose_it_was(self):
        evil = self.take_over_by_rename()
        shutil.rmtree(os.path.join(self.conf["followed"], "owner+plugins"))
        self.stays(evil)

    def test_what_is_left_in_the_inbox_replaces_nothing_of_a_repository(self):
        self.begin("One")
        self.repository.change({"scripting/one.sma": source("One", "1.1", author="Another", more="new g_a = 1;")})
        self.mirror()
        before = self.show_plugin("one")
        self.write("inbox/one.sma", source("One"))
        self.write("inbox/README.md", "# One\n\nA text of a tenant, which is long enough to be read by people.\n")
        self.inbox()
        self.assertEqual(self.show_plugin("one"), before)
        self.write("inbox/one.sma", source("One", "1.1", more="new g_tenant = 1;"))
        self.assertEqual(self.inbox()["one.sma"]["state"], "questions")
        self.assertEqual(self.show_plugin("one"), before)
        self.inbox("--answer", "directory=replace")
        versions = {each["version"]: each for each in self.show_plugin("one")["versions"]}
        self.assertEqual((len(versions), versions["1.1"]["origin"]["repository"]), (3, REPOSITORY))
        self.assertEqual(self.published("one"), ["1.0"])

    @unittest.skipIf(os.geteuid() != 0, "only root may give a link to another user")
    def test_links_of_the_user_that_mirrors_lead_root_nowhere(self):
        self.begin("One")
        self.add_repository("re/leases", {"a.sma": source("A")})
        answers = os.path.join(self.conf["followed"], ".upstream")
        target = os.path.join(self.folder, "target")
        os.mkdir(target)

        def put_link(handler):
            os.rename(answers, answers + ".former")
            os.symlink(target, answers)
            os.chown(answers, 64123, 64123, follow_symlinks=False)
            handler.answer()

        self.upstream.add_release("re/leases", "1.0", {})
        self.upstream.repositories["re/leases"].tagged["1.0"] = self.upstream.repositories["re/leases"].history[-1].sha
        self.upstream.fail("/repos/re/leases/releases", put_link)
        self.run_goldsmith("plugin", "follow", "re/leases", "--releases", "releases")
        self.assertTrue(os.path.islink(answers))
        self.assertEqual(os.listdir(target), [])


if __name__ == "__main__":
    unittest.main()

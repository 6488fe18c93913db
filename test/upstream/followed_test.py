#!/usr/bin/env python3
"""goldsmith plugin follow, unfollow and mirror: whose a repository is, when it is renamed, gone or ended, and killed runs."""

import json
import os
import shutil
import subprocess
import tarfile
import threading
import time
import unittest

from host import sql
from plugins_test import REPOSITORY, PluginsTest, repositories, source
import upstream_server


class OneTest(PluginsTest):
    """With changes of the plugin One."""

    def change_one(self, version, repository=None, path="scripting/one.sma", **more):
        (repository or self.repository).change({path: source("One", version, more=f"new g_{version.replace('.', '_')} = 1;")}, **more)

    def rewrite_history(self, time=1714900000):
        files = dict(self.repository.history[-1].files)
        self.repository.history.clear()
        self.repository.commit(files, "From scratch", time=time)

    def add_repository(self, name, files):
        made = self.upstream.repositories[name] = repositories.MadeRepository()
        made.commit(files)
        return made

    def take_name_over(self):
        """A stranger has the name, with the history up to now."""
        stranger = repositories.MadeRepository()
        stranger.history = list(self.repository.history)
        self.repository = self.upstream.repositories[REPOSITORY] = stranger


class IdentityTest(OneTest):
    """A name is not the repository, and what waits does so until a person has looked."""

    def rewrite(self):
        self.begin("One", "Two")
        self.rewrite_history()
        self.change_one("1.1")
        return self.mirror()

    def test_what_follows_a_rewritten_history_waits_too(self):
        lines = self.rewrite()
        self.assertEqual(lines[0], "waits      one 1.1: the history of owner/plugins was rewritten: what was mirrored before "
                         "is not in it")
        self.assertIn("\"goldsmith plugin follow owner/plugins --trust\" says so", lines[-1])
        self.change_one("1.2")
        self.repository.change({"scripting/two.sma": source("Two", "1.1", more="new g_a = 1;")})
        self.assertEqual([line.split(":")[0] for line in self.mirror()[:2]], ["waits      one 1.2", "waits      two 1.1"])
        self.assertEqual((self.published("one"), self.published("two")), (["1.0"], ["1.0"]))
        self.assertIn("was rewritten", self.followed()["owner/plugins"]["problem"])

    def test_a_version_that_a_person_publishes_ends_the_doubt_about_its_plugin(self):
        self.rewrite()
        self.plugin("publish", "one", "1.1")
        self.change_one("1.2")
        self.repository.change({"scripting/two.sma": source("Two", "1.1", more="new g_a = 1;")})
        lines = self.mirror()
        self.assertEqual((lines[0], lines[1].split(":")[0]), ("published  one 1.2", "waits      two 1.1"))
        self.assertEqual(self.published("one"), ["1.2", "1.1", "1.0"])

    def test_a_repository_that_a_person_trusts_is_in_no_doubt_any_more(self):
        self.rewrite()
        self.assertEqual(self.follow("--trust")[0], "published  one 1.1")
        self.assertEqual(self.followed()["owner/plugins"]["problem"], "")
        self.change_one("1.2")
        self.assertEqual(self.mirror()[0], "published  one 1.2")

    def test_an_old_name_that_a_stranger_registered_waits_with_the_old_history_in_it(self):
        self.begin("One")
        self.take_name_over()
        self.change_one("1.1")
        self.assertEqual(self.mirror()[0], "waits      one 1.1: owner/plugins is another repository than the one that was "
                         "mirrored before; owner/plugins belongs to another account than before")
        self.change_one("1.2")
        self.assertEqual(self.mirror()[0][:18], "waits      one 1.2")
        self.assertEqual(self.published("one"), ["1.0"])

    def test_a_repository_that_was_given_to_another_account_waits(self):
        self.begin("One")
        self.repository.owner = next(repositories.NUMBERS)
        self.change_one("1.1")
        self.assertEqual(self.mirror()[0], "waits      one 1.1: owner/plugins belongs to another account than before")

    def test_a_stranger_is_known_by_what_is_published_where_the_followed_folder_was_lost(self):
        self.begin("One")
        shutil.rmtree(self.conf["followed"])
        self.take_name_over()
        for version in ("1.1", "1.2"):
            self.change_one(version)
            self.assertEqual(self.mirror()[0][:18], f"waits      one {version}")

    def test_a_stranger_is_known_although_the_newest_version_is_one_that_a_person_imported(self):
        self.begin("One")
        self.change_one("1.1")
        self.mirror()
        # As one that a person imports.
        sql(f"UPDATE {self.database}.plugin_versions SET origin = NULL WHERE version = '1.1'")
        shutil.rmtree(self.conf["followed"])
        self.take_name_over()
        for version in ("1.2", "1.3"):
            self.change_one(version)
            self.assertEqual(self.mirror()[0][:18], f"waits      one {version}")
        self.assertIn("another repository", self.held()[("one", "1.3")][0])

    def test_a_second_rewrite_is_one_although_the_first_was_forgotten(self):
        self.rewrite()
        self.plugin("publish", "one", "1.1")
        for forget, version in ((lambda: shutil.rmtree(self.conf["followed"]), "1.2"),
                                (lambda: self.plugin("unfollow", REPOSITORY), "1.3")):
            with self.subTest(version):
                forget()
                self.follow("--answer", "directory=replace")
                self.rewrite_history(self.repository.history[-1].time + 1)
                self.change_one(version)
                self.assertIn(f"waits      one {version}: the history of", self.mirror()[0])
                self.follow("--trust")
        # Neither is one hidden that came together with the loss.
        shutil.rmtree(self.conf["followed"])
        self.rewrite_history(self.repository.history[-1].time + 1)
        self.change_one("1.4")
        self.assertIn("waits      one 1.4: the history of", self.mirror()[0])

    def test_what_is_public_stays_while_its_repository_is_in_doubt(self):
        self.begin("One", "Two")
        before = self.show_plugin("one"), self.show_plugin("two")
        readme = "# One\n\nThe new version is [here](https://example.org/other.zip), and it is much better than this one.\n"
        self.take_name_over()
        self.repository.change({"scripting/README.md": readme, "LICENSE": "MIT License\n", "scripting/two.sma": None})
        self.mirror()
        self.assertEqual((self.show_plugin("one"), self.show_plugin("two")), before)
        self.follow("--trust")
        self.assertIn("The new version is", self.show_plugin("one")["description"])
        self.assertNotEqual(self.show_plugin("two")["upstream"]["gone_since"], "")

    def test_what_a_person_wants_to_be_asked_about_is_not_public_at_once(self):
        self.begin("One")
        before = self.show_plugin("one")
        self.conf["mirror.publish_plugins"] = "ask"
        self.repository.change({"scripting/README.md": "# One\n\nAnother text, which says at length what this plugin does.\n"})
        self.mirror()
        self.assertEqual(self.show_plugin("one"), before)

    def test_a_license_beside_an_unchanged_source_is_told_and_stays(self):
        text = ("MIT License\n\nCopyright (c) 2019 Someone\n\nPermission is hereby granted, free of charge, to any person obtaining "
                "a copy of this software and associated documentation files, to deal in the Software without restriction.\n")
        self.repository.commit({"one.sma": source("One", comment="A plugin"), "LICENSE": text})
        self.follow("--publish")
        before = self.show_plugin("one")
        self.assertEqual(before["license"], "MIT")
        self.repository.change({"LICENSE": None})
        self.assertEqual(self.mirror()[0], "noted      one: its license was \"MIT\", and is none now")
        self.assertEqual(self.show_plugin("one"), before)

    def test_a_trust_holds_although_nothing_could_be_started(self):
        self.recommend_a_server()
        self.begin("One")
        self.change_one("1.1")
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        self.rewrite_history()
        self.change_one("1.2")
        self.conf["start.emulator"] = "/nowhere"
        ended = self.run_goldsmith("plugin", "follow", REPOSITORY, "--trust")
        self.assertIn("waits      one 1.2: it was not started", ended.stdout)
        del self.conf["start.emulator"]
        self.assertEqual(self.mirror()[0], "published  one 1.2")
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])

    def test_what_is_trusted_later_is_started_by_the_next_run_that_can(self):
        self.recommend_a_server()
        self.begin("One")
        self.change_one("1.1")
        self.mirror()
        self.rewrite_history()
        self.change_one("1.2")
        self.assertEqual(self.mirror()[0][:18], "waits      one 1.2")
        self.conf["start.emulator"] = "/nowhere"
        self.run_goldsmith("plugin", "follow", REPOSITORY, "--trust")
        del self.conf["start.emulator"]
        self.assertEqual(self.mirror()[0], "published  one 1.2")

    def test_all_that_waited_for_a_doubt_is_news_when_a_person_has_ended_it(self):
        self.begin("One")
        self.repository.owner = next(repositories.NUMBERS)
        for version in ("1.1", "1.2"):
            self.change_one(version)
            self.mirror()
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])
        self.plugin("publish", "one", "1.1")
        self.assertEqual(self.mirror()[0], "published  one 1.2")
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])

    def test_a_renamed_repository_is_followed_once_under_its_new_name(self):
        self.begin("One")
        self.upstream.repositories["new/home"] = self.upstream.repositories.pop(REPOSITORY)
        self.upstream.renamed[REPOSITORY] = "new/home"
        self.change_one("1.1")
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        self.assertEqual(list(self.followed()), ["new/home"])
        self.assertEqual(self.show_plugin("one")["upstream"]["repository"], "new/home")
        self.assertEqual([each for each in os.listdir(self.conf["followed"]) if each != ".upstream"], ["new+home"])
        # Under each of its names it is that one, and a stranger may have the old name by now.
        self.follow()
        self.plugin("follow", "New/Home")
        self.assertEqual(list(self.followed()), ["new/home"])
        self.upstream.renamed.clear()
        self.upstream.repositories[REPOSITORY] = repositories.MadeRepository()
        self.change_one("1.2")
        self.assertEqual(self.mirror()[0], "published  one 1.2")

    def test_letter_case_makes_no_second_repository(self):
        self.repository.commit({"one.sma": source("One")})
        self.plugin("follow", "OWNER/Plugins", "--publish")
        self.follow()
        self.assertEqual(list(self.followed()), [REPOSITORY])
        self.assertEqual([row["slug"] for row in json.loads(self.done("plugin", "list", "--json"))], ["one"])
        self.plugin("unfollow", "Owner/PLUGINS")
        self.assertEqual(self.followed(), {})

    def test_what_was_followed_twice_is_mirrored_once(self):
        self.begin("One")
        # As two names of one repository were followed by a version that did not compare them.
        second = os.path.join(self.conf["followed"], "old+name")
        os.mkdir(second)
        with open(os.path.join(second, "upstream.json"), "w", encoding="utf-8") as file:
            json.dump({"upstream": {"repository": "old/name", "releases": "commits"}, "publishes_new": True}, file)
        self.upstream.renamed["old/name"] = REPOSITORY
        self.change_one("1.1")
        lines = self.mirror()
        self.assertIn("same       old/name: it is owner/plugins, which is followed, too", lines)
        self.assertIn("published  one 1.1", lines)
        self.assertEqual([row["slug"] for row in json.loads(self.done("plugin", "list", "--json"))], ["one"])
        self.assertIn("ends one of them", self.followed()["old/name"]["problem"])
        self.plugin("unfollow", "old/name")
        self.assertEqual(self.show_plugin("one")["upstream"]["repository"], REPOSITORY)

    def test_what_waits_and_is_older_than_what_is_published_by_now_is_not_listed(self):
        self.begin("One")
        self.repository.change({"scripting/one.sma": source("One", "1.1", author="Another", more="new g_a = 1;")})
        self.mirror()
        self.assertEqual(list(self.held()), [("one", "1.1")])
        self.change_one("1.2")
        self.mirror()
        self.assertEqual((self.published("one"), self.held()), (["1.2", "1.0"], {}))
        self.assertEqual(json.loads(self.done("plugin", "list", "--json"))[0]["held"], 0)

    def test_a_commit_of_the_future_is_one_of_now(self):
        self.begin("One")
        before = time.time()
        self.change_one("1.1", time=4102444800)
        self.mirror()
        self.change_one("1.2", time=4102444800)
        self.mirror()
        versions = self.show_plugin("one")["versions"]
        self.assertEqual([each["version"] for each in versions], ["1.2", "1.1", "1.0"])
        for each in versions[:2]:
            for told in (each["created_at"], each["origin"]["time"]):
                self.assertTrue(upstream_server.iso_time(before).replace("T", " ")[:19] <= told
                                <= upstream_server.iso_time(time.time()).replace("T", " ")[:19], told)

    def test_an_archive_of_the_future_is_one_of_now(self):
        url = self.upstream.add_file("/other/mod/main.tar.gz", repositories.archive_of(
            "mod-main", {"three.sma": source("Three").encode()}), modified=4102444800)
        self.plugin("follow", url, "--publish")
        self.assertLessEqual(self.show_plugin("three")["versions"][0]["created_at"],
                             upstream_server.iso_time(time.time()).replace("T", " "))


class TellingTest(OneTest):
    """What is wrong with a source is told: to the operator, by name, and to whoever looks at the plugin."""

    def test_a_newest_source_that_does_not_compile_is_told_of_its_plugin(self):
        self.begin("One", "Two")
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="#error not yet")})
        lines = self.mirror()
        self.assertIn("fails      one: one.sma(3) : fatal error 111: user error: not yet", lines[0].replace("error 110", "error 111"))
        told = self.show_plugin("one")["upstream"]
        self.assertIn("not yet", told["problem"])
        self.assertNotEqual(told["problem_since"], "")
        self.assertIn("does not compile since", self.done("plugin", "show", "one"))
        self.assertEqual(self.show_plugin("two")["upstream"]["problem"], "")
        # It stays what it was, also beside news of others, until the source compiles again.
        self.change_one("1.1", path="scripting/two.sma")
        self.mirror()
        self.assertEqual(self.show_plugin("one")["upstream"], told)
        self.change_one("1.1")
        self.assertIn("published  one 1.1", self.mirror())
        after = self.show_plugin("one")["upstream"]
        self.assertEqual((after["problem"], after["problem_since"]), ("", ""))

    def test_sources_that_do_not_compile_are_named_then_and_later(self):
        self.repository.commit({"one.sma": source("One"), "deep/broken.sma": source("No", more="#error no way")})
        lines = self.follow("--publish")
        self.assertIn("; 1 source does not compile", lines[-2])
        self.assertRegex(lines[-1], r"^  deep/broken\.sma: .*no way")
        self.assertEqual([(each["path"], "no way" in each["why"]) for each in self.followed()[REPOSITORY]["uncompiled"]],
                         [("deep/broken.sma", True)])
        self.assertIn("BROKEN", self.done("plugin", "follow").splitlines()[0])
        self.repository.change({"deep/broken.sma": source("No")})
        self.mirror()
        self.assertEqual(self.followed()[REPOSITORY]["uncompiled"], [])

    def test_another_name_moves_no_plugin_out_of_its_category(self):
        self.repository.commit({"one.sma": source("Team Balance")})
        self.follow("--publish")
        (slug,) = [row["slug"] for row in json.loads(self.done("plugin", "list", "--json"))]
        category = self.show_plugin(slug)["category"]
        self.assertNotEqual(category, "general")
        self.repository.change({"one.sma": source("Xylo", "1.1", more="new g_a = 1;")})
        self.mirror()
        shown = self.show_plugin(slug)
        self.assertEqual((shown["name"], shown["category"], self.published(slug)[0]), ("Xylo", category, "1.1"))
        # What tells another one counts.
        self.repository.change({"one.sma": source("Vote Menu", "1.2", more="new g_a = 2;")})
        self.mirror()
        self.assertNotIn(self.show_plugin(slug)["category"], ("general", category))


class EndingTest(PluginsTest):
    """What ends, ends: a repository that is not followed, one that is gone, and a run that is killed."""

    def change_both(self, version):
        for name in ("one", "two"):
            self.repository.change({f"scripting/{name}.sma": source(name.title(), version, more=f"new g_a{version[-1]} = 1;")})

    def test_what_is_not_followed_any_more_is_not_mirrored_either(self):
        self.begin("One", "Two")
        self.assertEqual(self.plugin("unfollow", REPOSITORY), [
            "owner/plugins is not followed any more; 2 plugins of it stay as they are, without an upstream"])
        self.change_both("1.1")
        self.assertEqual(self.mirror(), ["No repository is followed; \"goldsmith plugin follow REPOSITORY\" begins."])
        self.assertEqual((self.published("one"), self.show_plugin("one")["upstream"]), (["1.0"], None))
        self.assertEqual(self.show_plugin("one")["versions"][0]["origin"]["repository"], REPOSITORY)
        self.assertIn("comes from no repository", self.failed("plugin", "mirror", "one"))
        # And it can be followed again.
        self.assertIn("published  one 1.1", self.follow("--answer", "directory=replace"))
        self.assertEqual(self.show_plugin("one")["upstream"]["repository"], REPOSITORY)

    def test_what_manifests_alone_name_ends_as_well(self):
        self.repository.commit({"one.sma": source("One")})
        manifest = {"slug": "mine", "name": "One", "author": "Someone", "category": "general", "status": "published",
                    "upstream": {"repository": "Owner/Plugins"},
                    "versions": [{"version": "1.0", "files": [{"path": "one.sma", "install_dir": "addons/amxmodx/scripting"}]}]}
        self.write("mine/one.sma", source("One"))
        self.write("mine/plugin.json", json.dumps(manifest))
        self.done("plugin", "import", os.path.join(self.folder, "mine"))
        self.assertIn("1 unchanged", self.mirror()[-1])
        self.plugin("unfollow", REPOSITORY)
        self.assertIn("No repository is followed", self.mirror()[0])
        # The operator's word counts again once it is said again, and no more when it is taken back.
        self.done("plugin", "import", os.path.join(self.folder, "mine"))
        self.assertIn("1 unchanged", self.mirror()[-1])
        self.write("mine/plugin.json", json.dumps({**manifest, "upstream": None}))
        self.done("plugin", "import", os.path.join(self.folder, "mine"))
        self.assertIn("No repository is followed", self.mirror()[0])
        self.assertIn("is not followed", self.failed("plugin", "unfollow", "nobody/else"))

    def test_a_repository_that_is_gone_fails_three_runs_and_is_told_from_then_on(self):
        self.begin("One")
        for status in (404, 410, 451):
            self.upstream.fail(f"/repos/{REPOSITORY}/commits", always=upstream_server.answers(status))
            self.assertEqual(self.show_plugin("one")["upstream"]["gone_since"], "")
            ended = self.run_goldsmith("plugin", "mirror", "--all")
            self.assertEqual((ended.returncode, status == 451), (0 if status == 451 else 1, ended.returncode == 0), ended)
        self.assertRegex(ended.stdout, r"gone       one\ngone       owner/plugins since .*\(451\)")
        self.assertNotEqual(self.show_plugin("one")["upstream"]["gone_since"], "")
        self.assertEqual(len(self.mirror()), 1)
        followed = self.followed()[REPOSITORY]
        self.assertIn("(451)", followed["problem"])
        self.assertNotEqual(followed["failing_since"], "")
        checked = self.run_goldsmith("doctor").stdout
        self.assertIn("nothing comes from them any more: owner/plugins (since", checked)
        self.assertIn("goldsmith plugin unfollow REPOSITORY", checked)
        # Whoever asks for it alone is told.
        self.assertIn("(451)", self.failed("plugin", "mirror", "one"))
        # It may come back.
        self.upstream.faults.clear()
        self.assertIn("1 unchanged", self.mirror()[-1])
        self.assertEqual((self.show_plugin("one")["upstream"]["gone_since"], self.followed()[REPOSITORY]["failing_since"]), ("", ""))

    def test_a_refused_archive_is_no_failure_of_every_run(self):
        self.begin("One")
        self.repository.extra = [(tarfile.TarInfo("../../etc/passwd"), b"")]
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new;")})
        for _ in range(2):
            self.assertIn("is refused", self.failed("plugin", "mirror", "--all"))
        self.assertRegex(self.mirror()[0], "fails      owner/plugins since .* is refused")

    def test_a_run_that_is_killed_in_a_repository_begins_with_the_others_the_next_time(self):
        self.begin("One")
        other = self.upstream.repositories["other/plugins"] = repositories.MadeRepository()
        other.commit({"two.sma": source("Two")})
        time.sleep(1 - time.time() % 1)  # who waits longest is asked first, by the second
        self.plugin("follow", "other/plugins", "--publish")
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_a = 1;")})
        other.change({"two.sma": source("Two", "1.1", more="new g_a = 1;")})
        before = self.followed()[REPOSITORY]
        archive = f"/objects/{REPOSITORY}/{self.repository.history[-1].sha}.tar.gz"
        reached = threading.Event()
        self.upstream.fail(archive, upstream_server.stops(10, reached))
        # pylint: disable-next=consider-using-with
        run = subprocess.Popen(self.command(["plugin", "mirror", "--all"]), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(reached.wait(60))
        run.kill()
        run.wait()
        # Nothing counts as done, but it was tried.
        killed = self.followed()[REPOSITORY]
        self.assertGreater(killed["asked_at"], before["asked_at"])
        self.assertEqual({**killed, "asked_at": ""}, {**before, "asked_at": ""})
        self.upstream.requests.clear()
        lines = self.mirror()
        self.assertEqual([line for line in lines if line.startswith("published")], ["published  two 1.1", "published  one 1.1"])
        self.assertIn("/repos/other/plugins/", self.api_requests()[0].path)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""goldsmith plugin follow, mirror and inbox: what becomes of plugins when their repository has something new."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest

from host import ROOT, UpstreamTest, make_zip, sql
import upstream_server

sys.path.insert(0, os.path.join(ROOT, "test", "support"))
import repositories  # noqa: E402  (found by the line above)

BUILD = os.environ.get("GOLDSMITH_BUILD", os.path.join(ROOT, "build", "release"))
REPOSITORY = "owner/plugins"
GIVEN = "SPDX-License-Identifier: GPL-3.0-or-later"


def source(name, version="1.0", author="Someone", comment=GIVEN, more="", mark=""):
    return (f"/* {comment} */\n#include <amxmodx>\n{more}\npublic plugin_init() {{\n"
            f"  register_plugin(\"{name}\", \"{version}\", \"{author}\");\n}}\n" + (f"// start: {mark}\n" if mark else ""))


class PluginsTest(UpstreamTest):
    def setUp(self):
        super().setUp()
        self.repository = self.upstream.repositories[REPOSITORY] = repositories.MadeRepository()
        self.conf.update({"toolchains": os.path.join(BUILD, "toolchain"), "includes": os.path.join(self.folder, "includes"),
                          "followed": os.path.join(self.folder, "followed"), "compile.sandbox": "on",
                          "archive_cache": os.path.join(self.folder, "archives"),
                          "artefact_cache": os.path.join(self.folder, "artefacts"),
                          "catalog": os.path.join(ROOT, "db", "catalog")})
        for name in ("archives", "artefacts"):
            os.makedirs(self.conf["archive_cache" if name == "archives" else "artefact_cache"])

    def plugin(self, *words):
        """The lines that it printed."""
        return self.done("plugin", *words).splitlines()

    def follow(self, *words):
        return self.plugin("follow", REPOSITORY, *words)

    def mirror(self, *words):
        return self.plugin("mirror", *(words or ("--all",)))

    def show_plugin(self, slug):
        return json.loads(self.done("plugin", "show", slug, "--json"))

    def published(self, slug):
        """Its published versions, newest first."""
        return [version["version"] for version in self.show_plugin(slug)["versions"] if version["status"] == "published"]

    def files_of(self, slug, version):
        return sorted(file["filename"] for each in self.show_plugin(slug)["versions"] if each["version"] == version
                      for file in each["files"])

    def held(self):
        """Why each version waits, by slug and version."""
        return {(row["slug"], row["version"]): row["held"]
                for row in json.loads(self.done("plugin", "list", "--held", "--json"))}

    def followed(self):
        """What is known of each repository that is followed, by its name."""
        return {row["repository"]: row for row in json.loads(self.done("plugin", "follow", "--json"))}

    def begin(self, *names, publish=True):
        self.repository.commit({f"scripting/{name.lower()}.sma": source(name) for name in names})
        return self.follow(*(["--publish"] if publish else []))

    def import_own(self, slug, name, **more):
        """As a person who has version 1.0 of it."""
        manifest = {"slug": slug, "name": name, "author": "Someone", "category": "general", "status": "published",
                    "versions": [{"version": "1.0", "files": [{"path": "one.sma", "install_dir": "addons/amxmodx/scripting"}]}], **more}
        self.write(f"{slug}/one.sma", source(name))
        self.write(f"{slug}/plugin.json", json.dumps(manifest))
        self.done("plugin", "import", os.path.join(self.folder, slug))

    def inbox(self, *words):
        """What is reported, by the names of files."""
        rows = json.loads(self.done("plugin", "inbox", os.path.join(self.folder, "inbox"), "--json", *words))
        return {os.path.basename(row["path"]): row for row in rows}

    def recommend_a_server(self):
        engine = os.path.join(BUILD, "test", "fixtures", "engine", "standin_engine")
        with open(engine, "rb") as file:
            archive = make_zip({"hlds_linux": file.read(), "version.txt": "1"})
        path = os.path.join(self.folder, "server.zip")
        with open(path, "wb") as file:
            file.write(archive)
        self.done("component", "import", self.write("server.json", json.dumps(
            {"slug": "server", "name": "Server", "layer": "amxmodx", "is_default": True, "loads": {"toolchain": "1.9"}})))
        self.done("component", "mirror", "server", "--version", "1.0", "--archive", path)


class FollowingTest(PluginsTest):
    def test_what_a_repository_has_becomes_plugins_with_their_origin(self):
        lines = self.begin("One", "Two")
        self.assertEqual(lines[:2], ["created    one 1.0", "created    two 1.0"])
        self.assertIn(": 2 created, 0 published, 0 wait, 0 ask, 0 gone, 0 fail, 0 unchanged", lines[2])
        shown = self.show_plugin("one")
        commit = self.repository.history[-1]
        self.assertEqual((shown["status"], shown["license"]), ("published", "GPL-3.0-or-later"))
        self.assertEqual(shown["upstream"]["repository"], REPOSITORY)
        origin = shown["versions"][0]["origin"]
        self.assertEqual((origin["commit"], origin["path"]), (commit.sha, "scripting/one.sma"))
        self.assertEqual(len(origin["sha256"]), 64)
        self.assertEqual(shown["versions"][0]["created_at"], "2024-05-01 12:00:00")

    def test_without_publish_they_are_drafts_until_it_is_asked_for(self):
        self.begin("One", publish=False)
        self.assertEqual(self.show_plugin("one")["status"], "draft")
        self.assertEqual(self.held(), {("one", "1.0"): ["it is new, and new plugins of its repository are drafts"]})
        self.follow("--publish")
        self.assertEqual((self.show_plugin("one")["status"], self.published("one"), self.held()), ("published", ["1.0"], {}))

    def test_nothing_is_downloaded_where_nothing_is_new(self):
        self.begin("One")
        before = len(self.downloads())
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])
        self.assertEqual(len(self.downloads()), before)
        self.assertEqual(self.plugin("mirror", "--check"), ["Nothing that is followed has anything new."])

    def test_a_new_version_is_published_with_what_its_commits_say(self):
        self.begin("One", "Two")
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="// new\nnew g_new = 1;")}, "Kick *faster*\n\nLong text.")
        self.repository.change({"scripting/two.sma": source("Two", "1.0")}, "Nothing of One")
        self.assertIn("owner/plugins", self.plugin("mirror", "--check")[1])
        self.assertEqual(self.mirror("one")[0], "published  one 1.1")
        self.assertEqual((self.published("one"), self.published("two")), (["1.1", "1.0"], ["1.0"]))
        self.assertEqual(self.show_plugin("one")["versions"][0]["changes"], "- Kick \\*faster\\*")

    def test_other_content_of_one_number_gets_its_day_and_the_same_program_is_no_news(self):
        self.begin("One")
        self.repository.change({"scripting/one.sma": source("One", comment=GIVEN + " and a comment that compiles to nothing")})
        self.assertIn("1 unchanged", self.mirror()[-1])
        self.repository.change({"scripting/one.sma": source("One", more="new g_other = 2;")})
        self.mirror()
        self.assertEqual(self.published("one"), ["1.0-20240503", "1.0"])
        # What was there before is no news either.
        self.repository.change({"scripting/one.sma": source("One")})
        self.mirror()
        self.assertEqual(self.published("one"), ["1.0-20240503", "1.0"])

    def test_what_one_toolchain_alone_compiles_to_another_program_is_news(self):
        self.begin("One")
        old = "#if AMXX_VERSION_NUM < 190\nnew g_old[{}];\n#endif"
        for day, more in (("20240502", old.format(2)), ("20240503", old.format(3))):
            self.repository.change({"scripting/one.sma": source("One", more=more)})
            self.assertEqual(self.mirror()[0], f"published  one 1.0-{day}")
        self.repository.change({"scripting/one.sma": source("One", comment=GIVEN + " and a comment", more=old.format(3))})
        self.assertIn("1 unchanged", self.mirror()[-1])

    def test_an_include_of_several_plugins_is_news_of_those_that_it_changes(self):
        api, more = "stock api() { }\n", "#include <api>"
        self.repository.commit({"one.sma": source("One", more=more), "two.sma": source("Two", more=more), "api.inc": api})
        self.follow("--publish")
        self.repository.change({"two.sma": source("Two", "1.1", more=more + "\nnew g_two = 1;"), "api.inc": "/* for Two */" + api})
        lines = self.mirror()
        self.assertEqual(lines[0], "published  two 1.1")
        self.assertIn("1 unchanged", lines[-1])
        self.assertEqual(self.published("one"), ["1.0"])
        # Of one that is its plugin's alone, others may wait for what is new in it.
        self.repository.change({"two.sma": None, "api.inc": "/* for others */" + api})
        self.assertTrue(self.mirror()[0].startswith("published  one 1.0-2"))

    def test_what_was_moved_is_the_same_plugin_and_what_is_gone_says_so(self):
        self.begin("One", "Two")
        self.repository.change({"scripting/one.sma": None, "scripting/two.sma": None,
                                "old/first.sma": source("One", "1.1", more="new g_moved = 1;")})
        lines = self.mirror()
        self.assertEqual(lines[:2], ["published  one 1.1", "gone       two"])
        self.assertEqual(self.show_plugin("one")["versions"][0]["origin"]["path"], "old/first.sma")
        self.assertEqual(self.published("two"), ["1.0"])
        self.assertNotEqual(self.show_plugin("two")["upstream"]["gone_since"], "")
        self.repository.change({"scripting/two.sma": source("Two")})
        self.mirror()
        self.assertFalse(self.show_plugin("two")["upstream"].get("gone_since"))

    def test_what_was_moved_before_it_was_published_keeps_its_slug(self):
        self.repository.commit({"one.sma": source("OneTwo", "")})
        self.follow("--publish")
        self.repository.change({"one.sma": None, "scripting/one_two.sma": source("One Two", "", more="new g_moved = 1;")})
        self.assertTrue(self.mirror()[0].startswith("asks       onetwo: "))
        self.repository.change({"scripting/one_two.sma": source("One Two", "1.1")})
        self.assertEqual(self.mirror()[0], "created    onetwo 1.1")
        # Another way to write its name makes no other plugin.
        self.repository.change({"scripting/one_two.sma": None, "one-two.sma": source("onetwo", "1.2")})
        self.assertEqual(self.mirror()[0], "published  onetwo 1.2")

    def test_what_was_moved_by_one_of_its_authors_is_the_same_plugin(self):
        self.repository.commit({"scripting/one.sma": source("One", author="Someone and Other")})
        self.follow("--publish")
        self.repository.change({"scripting/one.sma": None, "amxmodx/one.sma": source("One", "1.1", more="new g_moved = 1;")})
        self.assertEqual(self.mirror()[0], "waits      one 1.1: its author was \"Someone and Other\", and is \"Someone\" now")

    def test_a_moved_plugin_is_its_authors_and_not_a_strangers_of_the_same_file_name(self):
        self.begin("One")
        self.repository.change({"scripting/one.sma": None, "a/one.sma": source("One", "9.0", author="Stranger"),
                                "b/first.sma": source("One", "1.1", more="new g_moved = 1;")})
        lines = self.mirror()
        self.assertIn("published  one 1.1", lines)
        self.assertEqual(self.show_plugin("one")["versions"][0]["origin"]["path"], "b/first.sma")
        self.assertEqual(self.published("one"), ["1.1", "1.0"])

    def test_an_author_who_appears_when_a_plugin_moves_waits_until_a_person_has_looked(self):
        self.repository.commit({"scripting/one.sma": source("One", author="")})
        self.follow("--publish")
        for version in ("1.1", "1.2"):
            self.repository.change({"scripting/one.sma": None, "amxmodx/one.sma": source("One", version)})
            self.assertEqual(self.mirror()[0], f"waits      one {version}: its author was none, and is \"Someone\" now")
        self.plugin("publish", "one", "1.2")
        self.repository.change({"amxmodx/one.sma": source("One", "1.3")})
        self.assertEqual(self.mirror()[0], "published  one 1.3")

    def test_a_former_version_beside_the_newest_one_is_no_plugin(self):
        self.repository.commit({"one.sma": source("Mini One")})
        self.follow("--publish")
        # Its slug would be shorter, and it is that of no other plugin.
        former = source("One", more="new g_former = 1;")
        self.repository.change({"one.sma": former})
        self.mirror()
        self.repository.change({"one.sma": source("One", "2.0", more="new g_other = 2;"), "stable/one.sma": former})
        lines = self.mirror()
        self.assertEqual(lines[0], "published  mini-one 2.0")
        self.assertIn(": 0 created, 1 published, 0 wait, 0 ask, 0 gone, 0 fail", lines[1])
        # What was never a version of it is asked about, and does not hold up the plugin that has the name.
        self.repository.change({"one.sma": source("One", "3.0", more="new g_third = 3;"),
                                "stable/one.sma": source("One", "1.5", more="new g_unknown = 4;")})
        lines = self.mirror()
        self.assertTrue(lines[0].startswith("asks       one: another source has this name"), lines)
        self.assertEqual(lines[1], "published  mini-one 3.0")

    def test_a_license_that_plugins_have_is_no_question_when_another_author_comes(self):
        self.repository.commit({"LICENSE": "SPDX-License-Identifier: GPL-2.0-only\n", "one.sma": source("One", comment="1"),
                                "two.sma": source("Two", comment="2")})
        self.follow("--publish")
        self.repository.change({"one.sma": source("One", "1.1", comment="1"), "three.sma": source("Three", author="Other", comment="3"),
                                "two.sma": source("Two", "1.1", author="someOne", comment="2")})
        lines = self.mirror()
        self.assertEqual(lines[1:3], ["published  one 1.1", "published  two 1.1"])
        self.assertRegex(lines[0], "^asks       three: the GPL-2.0-only at .* is of nobody, the sources below it are of Someone \\(2\\), "
                         "Other \\(1\\); ")
        self.assertEqual(self.show_plugin("one")["license"], "GPL-2.0-only")
        self.repository.change({"LICENSE": None, ".github/LICENSE": "SPDX-License-Identifier: GPL-2.0-only\n",
                                "one.sma": source("One", "1.2", comment="1")})
        self.assertIn("published  one 1.2", self.mirror())

    def test_the_answer_about_a_license_counts_as_long_as_a_person_leaves_it(self):
        path = os.path.join(self.conf["followed"], "owner+plugins", "questions.json")

        def answer(text):
            with open(path, encoding="utf-8") as file:
                questions = json.load(file)
            questions[0]["answer"] = text
            with open(path, "w", encoding="utf-8") as file:
                json.dump(questions, file)

        self.repository.commit({"LICENSE": "SPDX-License-Identifier: GPL-2.0-only\n", "one.sma": source("One", comment="1"),
                                "two.sma": source("Two", author="Other", comment="2")})
        self.follow("--publish")
        answer("all")
        self.assertEqual(self.mirror()[:2], ["created    one 1.0", "created    two 1.0"])
        self.repository.change({"one.sma": source("One", "1.1", comment="1")})
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        answer("none")  # in place of the one that is still there
        self.repository.change({"one.sma": source("One", "1.2", comment="1")})
        self.assertIn("waits      one 1.2: its license was \"GPL-2.0-only\", and is none now", self.mirror())

    def test_betas_follow_where_nothing_final_was_ever_public(self):
        self.repository.commit({"one.sma": source("One", "Beta-2.0")})
        self.follow("--publish")
        for version, became in (("Beta-2.1", "published"), ("3.0", "published"), ("3.1-beta", "waits")):
            self.repository.change({"one.sma": source("One", version)})
            self.assertTrue(self.mirror()[0].startswith(f"{became:<10} one {version}"), version)

    def test_what_a_person_changed_stays(self):
        self.begin("One")
        sql(f"UPDATE {self.database}.plugins SET name = 'My One', category = 'mine' WHERE slug = 'one'")
        self.repository.change({"scripting/one.sma": source("One again", "1.1", more="new g_new = 1;")})
        self.mirror()
        shown = self.show_plugin("one")
        self.assertEqual((shown["name"], shown["category"], self.published("one")), ("My One", "mine", ["1.1", "1.0"]))

    def test_a_restored_backup_follows_on_and_what_was_answered_stays_published(self):
        # A restore writes them, while other tests read those of this build.
        self.conf["toolchains"] = shutil.copytree(self.conf["toolchains"], os.path.join(self.folder, "toolchains"))
        self.repository.commit({"one.sma": source("One"), "two.sma": source("Two", "")})
        self.follow("--publish")
        self.follow("--answer", "version=3.0")
        self.assertEqual((self.published("one"), self.published("two")), (["1.0"], ["3.0"]))
        backups = os.path.join(self.folder, "backups")
        os.mkdir(backups)
        self.done("backup", backups)
        (name,) = os.listdir(backups)
        kept = self.followed_files()
        shutil.rmtree(self.conf["followed"])
        doctor = self.run_goldsmith("doctor").stdout
        self.assertIn("! followed plugins: of 2 plugins with an upstream, ", doctor)
        sql(f"DROP DATABASE {self.database}; CREATE DATABASE {self.database}")
        self.done("restore", os.path.join(backups, name))
        self.assertEqual(self.followed_files(), kept)
        self.assertIn("  followed plugins: 2 plugins with an upstream", self.run_goldsmith("doctor").stdout)
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])
        # What comes later is published by the answer, too.
        self.repository.change({"two.sma": source("Two", "", more="new g_new = 1;")})
        self.mirror()
        self.assertEqual((self.held(), self.published("two")[-1]), ({}, "3.0"))
        self.assertEqual(len(self.published("two")), 2)

    def followed_files(self):
        """Their contents, by path."""
        return {str(path): path.read_bytes() for path in pathlib.Path(self.conf["followed"]).rglob("*") if path.is_file()}

    def test_questions_are_asked_once(self):
        self.repository.commit({"one.sma": source("One"), "two.sma": source("Two", ""), "broken.sma": source("No", more="#error no")})
        lines = self.follow("--publish")
        self.assertIn("; 1 source does not compile", "".join(lines))
        self.assertIn("asks       two: the sources do not say their version, or leave it to releases; what is it? "
                      "Tags and releases tell it where they are followed", lines)
        self.assertIn(f"questions: version (1); \"goldsmith plugin follow {REPOSITORY} --answer TOPIC=ANSWER\" "
                      "answers all of a topic", lines)
        self.assertIn("created    two 2.0", self.follow("--answer", "version=2.0"))
        self.repository.change({"three.sma": source("Three")})
        self.assertEqual(self.mirror()[0], "created    three 1.0")

    def test_what_was_skipped_stays_skipped(self):
        private = source("Two", more="public plugin_cfg() { register_cvar(\"two_password\", \"s3cr3tpass99\"); }")
        self.repository.commit({"one.sma": source("One"), "two.sma": private})
        self.follow("--publish", "--answer", "private=skip")
        for number in (1, 2):
            self.repository.change({"one.sma": source("One", f"1.{number}", more=f"new g_new = {number};")})
            lines = self.mirror()
            self.assertEqual((lines[0], len(lines)), (f"published  one 1.{number}", 2))

    def test_an_answer_in_the_file_counts_without_anything_new(self):
        self.repository.commit({"two.sma": source("Two", "")})
        self.follow("--publish")
        path = os.path.join(self.conf["followed"], "owner+plugins", "questions.json")
        with open(path, encoding="utf-8") as file:
            questions = json.load(file)
        questions[0]["answer"] = "3.0"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(questions, file)
        self.assertEqual(self.mirror()[0], "created    two 3.0")

    def test_tags_and_releases_are_what_counts_where_it_is_said(self):
        self.repository.commit({"one.sma": source("One")})
        self.repository.tagged["v1.0"] = self.repository.history[-1].sha
        self.repository.change({"one.sma": source("One", "1.1-dev", more="new g_new = 1;")})
        self.follow("--publish", "--releases", "tags")
        self.assertEqual((self.published("one"), self.show_plugin("one")["versions"][0]["origin"]["commit"]), (["1.0"], "v1.0"))
        self.upstream.add_release(REPOSITORY, "v1.0", {}, body="First.")
        self.repository.tagged["v1.1"] = self.repository.change({"one.sma": source("One", "1.1", more="new g_new = 2;")})
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        self.upstream.add_release(REPOSITORY, "v1.1", {}, body="What is **new**.", published=upstream_server.EPOCH + 86400)
        self.plugin("unfollow", REPOSITORY, "--releases", "tags")
        self.assertIn("1 unchanged", self.follow("--publish", "--releases", "releases")[-1])

    def test_a_tag_is_the_version_of_a_source_that_says_none(self):
        self.repository.tagged = {"v1.0": self.repository.commit({"one.sma": source("One", "%VERSION%"), "two.sma": source("Two", "7")})}
        lines = self.follow("--publish", "--releases", "tags")
        self.assertEqual(lines[:2], ["created    one 1.0", "created    two 7"])
        self.repository.tagged["v1.1"] = self.repository.change({"one.sma": source("One", "%VERSION%", more="new g_other = 1;")})
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        # What a beta had waits, until a final version has it.
        self.repository.tagged["v1.2-beta"] = self.repository.change({"one.sma": source("One", "%VERSION%", more="new g_third = 1;")})
        self.assertTrue(self.mirror()[0].startswith("waits      one 1.2-beta: "))
        self.repository.tagged["v1.2"] = self.repository.change({"two.sma": source("Two", "8")})
        self.assertEqual(self.mirror()[:2], ["published  one 1.2", "published  two 8"])
        self.assertEqual((self.published("one"), self.held()), (["1.2", "1.1", "1.0"], {}))
        self.assertEqual(self.show_plugin("one")["versions"][0]["origin"]["commit"], "v1.2")
        # The same is true of a date, which hides nothing that comes later.
        day = self.repository.change({"one.sma": source("One", "%VERSION%", more="new g_fourth = 1;")})
        self.repository.tagged["v20240503"] = day
        self.assertTrue(self.mirror()[0].startswith("waits      one 20240503: "))
        self.repository.tagged["v1.3"] = day
        self.assertEqual(self.mirror()[0], "published  one 1.3")
        self.repository.tagged["v1.4"] = self.repository.change({"one.sma": source("One", "1.4")})
        self.assertEqual((self.mirror()[0], self.held()), ("published  one 1.4", {}))

    def test_what_a_person_answered_counts_before_a_tag(self):
        self.repository.tagged = {"v1.0": self.repository.commit({"one.sma": source("One", "%VERSION%")})}
        lines = self.follow("--publish", "--releases", "tags", "--answer", "version=3.0")
        self.assertEqual(lines[0], "created    one 3.0")

    def test_a_draft_whose_version_is_answered_is_published_as_that_version(self):
        self.begin("One")
        self.repository.change({"scripting/one.sma": source("One", "", more="new g_new = 1;")})
        self.assertTrue(self.mirror()[0].startswith("waits      one 0: it asks: "))
        self.assertEqual(self.follow("--answer", "version=1.3")[0], "published  one 1.3")
        self.assertEqual((self.published("one"), self.held()), (["1.3", "1.0"], {}))

    def test_a_folder_alone_and_an_archive_of_another_forge(self):
        self.repository.commit({"a/one.sma": source("One"), "b/two.sma": source("Two")})
        self.follow("--folder", "a")
        self.assertEqual([row["slug"] for row in json.loads(self.done("plugin", "list", "--json"))], ["one"])
        url = self.upstream.add_file("/other/mod/archive/main.tar.gz", repositories.archive_of(
            "mod-main", {"three.sma": source("Three").encode()}))
        self.assertEqual(self.plugin("follow", url, "--publish")[0], "created    three 1.0")
        self.assertEqual(self.mirror("three"), [f"unchanged  {url}"])
        self.upstream.add_file("/other/mod/archive/main.tar.gz", repositories.archive_of(
            "mod-main", {"three.sma": source("Three", "2.0", more="new g_new = 1;").encode()}), modified=upstream_server.EPOCH + 5)
        # Nobody can tell whose it is now, so a person has to.
        self.assertEqual(self.mirror("three")[0], f"waits      three 2.0: the forge of {url} tells neither whose it is "
                         "nor whether its history was rewritten")
        self.assertEqual(self.plugin("follow", url, "--trust")[0], "published  three 2.0")
        self.assertEqual(self.show_plugin("three")["versions"][0]["origin"]["repository"], url)

    def test_a_manifest_names_the_upstream_of_its_plugin_alone(self):
        self.repository.commit({"one.sma": source("One"), "two.sma": source("Two")})
        self.import_own("mine", "One", upstream={"repository": REPOSITORY})
        self.assertIn("1 unchanged", self.mirror("mine")[-1])
        self.repository.change({"one.sma": source("One", "1.1", more="new g_new = 1;")})
        self.assertEqual(self.mirror("mine")[0], "published  mine 1.1")
        self.assertEqual([row["slug"] for row in json.loads(self.done("plugin", "list", "--json"))], ["mine"])


class WaitingTest(PluginsTest):
    """Each of these versions waits, and what is published is what was."""

    def waits(self, files, reason, **more):
        self.begin("One")
        self.repository.change(files, **more)
        before = self.show_plugin("one")
        lines = self.mirror()
        self.assertEqual(lines[0][:14], "waits      one")
        (reasons,) = self.held().values()
        self.assertTrue(any(reason in each for each in reasons), reasons)
        after = self.show_plugin("one")
        after["versions"] = [version for version in after["versions"] if version["status"] == "published"]
        for shown in (before, after):
            shown.pop("updated_at", None)
        self.assertEqual(after, before)

    def test_one_that_does_not_compile_as_the_former_did(self):
        self.waits({"scripting/one.sma": source("One", "1.1", more="#if AMXX_VERSION_NUM < 190\n#error too old\n#endif")},
                   "it does not compile with 1.8.2, as 1.0 does")

    def test_a_version_with_another_license_waits(self):
        self.waits({"scripting/one.sma": source("One", "1.1", comment="", more="new g_new;")},
                   "its license was \"GPL-3.0-or-later\", and is none now")

    def test_a_version_of_another_author_waits(self):
        self.waits({"scripting/one.sma": source("One", "1.1", author="Thief", more="new g_new;")},
                   "its author was \"Someone\", and is \"Thief\" now")

    def test_a_version_with_a_lower_number_waits(self):
        self.waits({"scripting/one.sma": source("One", "0.9", more="new g_new;")},
                   "its number is lower than that of 1.0, which is published")

    def test_a_version_with_something_private_waits(self):
        self.waits({"scripting/one.sma": source("One", "1.1", more="new const PASSWORD[] = \"hunter2hunter2\";\n"
                                                "public plugin_cfg() { register_cvar(\"one_password\", \"s3cr3tpass99\"); }")},
                   "it asks: everybody could read what may be private")

    def test_what_comes_after_a_rewritten_history_waits(self):
        self.begin("One")
        self.repository.history.clear()
        self.repository.commit({"scripting/one.sma": source("One", "1.1", more="new g_new;")}, "From scratch")
        self.assertEqual(self.mirror()[0], "waits      one 1.1: the history of owner/plugins was rewritten: "
                         "what was mirrored before is not in it")
        self.assertEqual(self.published("one"), ["1.0"])

    def test_everything_where_the_operator_is_to_be_asked(self):
        self.begin("One")
        self.conf["mirror.publish_plugins"] = "ask"
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new;")})
        self.assertEqual(self.mirror()[0], "waits      one 1.1: mirror.publish_plugins is \"ask\"")
        self.plugin("publish", "one", "1.1")
        self.assertEqual((self.published("one"), self.held()), (["1.1", "1.0"], {}))
        self.conf["mirror.publish_plugins"] = "never"
        self.assertIn("mirror.publish_plugins is \"never\"", self.failed("plugin", "mirror", "one"))
        self.assertEqual(self.mirror(), ["Nothing is mirrored: mirror.publish_plugins is \"never\"."])

    def test_a_changed_license_counts_once_a_person_published_it(self):
        self.waits({"scripting/one.sma": source("One", "1.1", comment="", more="new g_new;")}, "its license was")
        self.plugin("publish", "one", "1.1")
        self.repository.change({"scripting/one.sma": source("One", "1.1", comment="", more="new g_new;"), "README": "x"})
        self.mirror()
        self.assertEqual(self.show_plugin("one")["license"], "")
        self.repository.change({"scripting/one.sma": source("One", "1.2", comment="", more="new g_newer;")})
        self.assertEqual(self.mirror()[0], "published  one 1.2")

    def test_a_version_with_which_no_server_runs_waits(self):
        self.recommend_a_server()
        self.waits({"scripting/one.sma": source("One", "1.1", more="new g_new;", mark="crash")},
                   "it does not run with 1.9, as 1.0 does: the engine ended by")

    def test_a_version_that_could_not_be_started_where_the_former_was_waits(self):
        self.recommend_a_server()
        self.begin("One")
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new;")})
        self.assertEqual(self.mirror()[0], "published  one 1.1")
        # Neither is one tried that the host can't start, nor one of which a start says nothing.
        self.conf["start.emulator"] = "/nowhere"
        self.repository.change({"scripting/one.sma": source("One", "1.2", more="new g_newer;")})
        ended = self.run_goldsmith("plugin", "mirror", "--all")
        self.assertEqual((ended.returncode, ended.stdout.splitlines()[0][:18]), (0, "waits      one 1.2"), ended)
        self.assertIn("no plugin was started: ", ended.stderr)
        self.assertEqual(self.held(), {("one", "1.2"): ["it was not started with 1.9 yet, as 1.1 was"]})
        self.assertEqual(self.published("one"), ["1.1", "1.0"])
        # It is tried again, although nothing is new.
        del self.conf["start.emulator"]
        self.assertEqual(self.mirror()[0], "published  one 1.2")
        self.assertEqual(self.published("one"), ["1.2", "1.1", "1.0"])
        # A platform that is gone keeps nothing back.
        self.done("component", "unmirror", "server", "1.0", "--force")
        self.repository.change({"scripting/one.sma": source("One", "1.3", more="new g_newest;")})
        self.assertEqual(self.mirror()[0], "published  one 1.3")


class HostileTest(PluginsTest):
    """A repository that turns hostile between two calls changes nothing that is published."""

    def refused(self, said):
        before = self.show_plugin("one")
        self.assertIn(said, self.failed("plugin", "mirror", "--all"))
        self.assertEqual(self.show_plugin("one"), before)
        self.assertNotEqual(json.loads(self.done("plugin", "follow", "--json"))[0]["problem"], "")
        # And the next one that is good is taken.
        self.repository.extra = ()
        self.repository.change({"scripting/one.sma": source("One", "1.2", more="new g_good;")})
        self.mirror()
        self.assertEqual(self.published("one")[0], "1.2")

    def test_a_repository_with_a_name_outside_of_it_is_refused(self):
        self.begin("One")
        self.repository.extra = [(tarfile.TarInfo("../../etc/passwd"), b"")]
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new;")})
        self.refused("is refused")

    def test_a_repository_that_unpacks_to_too_much_is_refused(self):
        self.begin("One")
        member = tarfile.TarInfo("x/zeros.txt")
        member.size = 3 << 20
        self.repository.extra = [(member, bytes(member.size))]
        self.conf["mirror.unpacked_mb"] = 1
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new;")})
        self.refused("mirror.unpacked_mb")

    def test_a_repository_that_is_away_or_a_used_up_rate_limit_changes_nothing(self):
        self.begin("One")
        del self.upstream.repositories[REPOSITORY]
        self.assertIn("404", self.failed("plugin", "mirror", "--all"))
        self.assertEqual(self.published("one"), ["1.0"])
        self.upstream.repositories[REPOSITORY] = self.repository
        self.upstream.quota = 0
        said = self.failed("plugin", "mirror", "--all")
        self.assertIn("the rate limit is used up until", said)
        self.assertIn("1 of 1 repositories were not asked about", said)

    def test_another_plugin_under_the_same_name_and_place(self):
        self.begin("One")
        self.repository.commit({"scripting/one.sma": source("Miner", "9.9", author="Stranger", comment="", more="new g_mine;")})
        self.assertEqual(self.mirror()[0][:18], "waits      one 9.9")
        self.assertEqual((self.show_plugin("one")["name"], self.published("one")), ("One", ["1.0"]))

    def test_addresses_without_tls_and_what_is_none(self):
        for words, said in ((("http://x/y.tar.gz",), "repository"), (("owner",), "repository"), ((REPOSITORY, "--folder", "../x"), "folder"),
                            ((REPOSITORY, "--releases", "nightly"), "releases")):
            ended = self.run_goldsmith("plugin", "follow", *words)
            self.assertEqual(ended.returncode, 2, ended)
            self.assertIn(said, ended.stderr)


class AccountTest(PluginsTest):
    USER = 64123  # in place of goldsmith-follow

    @unittest.skipIf(os.geteuid() != 0, "only root may run it as another user")
    def test_a_user_without_rights_mirrors_what_root_follows(self):
        for folder in (self.folder, os.path.dirname(self.upstream.ca)):
            os.chmod(folder, 0o755)
        followed = self.conf["followed"]
        os.makedirs(followed)
        os.chown(followed, self.USER, self.USER)
        self.begin("One")
        folders = [folder for folder, _, _ in os.walk(followed)]
        self.assertIn(os.path.join(followed, "owner+plugins"), folders)
        self.assertEqual({os.stat(folder).st_uid for folder in folders}, {self.USER})
        # As the unit has it: of another account, and with what systemd gives it of root's files.
        credentials = os.path.join(self.folder, "credentials")
        user = self.conf.pop("database.user")
        self.write("credentials/operator.conf", f"[database]\nuser = {user}\n")
        os.chmod(self.write("credentials/github_token", "of-the-unit\n"), 0o400)
        for file in os.listdir(credentials):
            os.chown(os.path.join(credentials, file), self.USER, self.USER)
        self.write("token", "of-root\n")
        self.conf["mirror.github_token_file"] = os.path.join(self.folder, "token")
        os.chmod(self.conf["mirror.github_token_file"], 0o600)
        # The caches are those of the workers' user.
        for option in ("archive_cache", "artefact_cache"):
            os.chmod(self.conf[option], 0o750)
            os.chown(self.conf[option], self.USER + 1, self.USER + 1)
        # In place of /run/goldsmith, which both may write to.
        run = os.path.join(self.folder, "run")
        os.mkdir(run)
        os.chown(run, self.USER, self.USER)
        self.conf["state"] = os.path.join(run, "state")
        self.write("withdrawals", "")
        os.chown(os.path.join(self.folder, "withdrawals"), self.USER, self.USER)
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new = 1;")})
        as_user = ["setpriv", f"--reuid={self.USER}", f"--regid={self.USER}", "--clear-groups", "--no-new-privs",
                   "--bounding-set=-all"]
        ended = subprocess.run([*as_user, *self.command(("plugin", "mirror", "--all"))], check=False, stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, timeout=120,
                               env={"PATH": os.environ["PATH"], "LC_ALL": "C", "CREDENTIALS_DIRECTORY": credentials})
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended)
        self.assertEqual(ended.stdout.splitlines()[0], "published  one 1.1")
        self.conf.update({"database.user": user, "state": os.path.join(self.folder, "state")})
        self.assertEqual(self.published("one"), ["1.1", "1.0"])
        self.assertEqual(self.mirror(), [f"unchanged  {REPOSITORY}"])


class InboxTest(PluginsTest):
    def test_what_was_left_is_tried_and_reported_and_never_published(self):
        self.write("inbox/one.sma", source("One"))
        self.write("inbox/deep/broken.sma", source("Broken", more="#error no"))
        os.symlink("/etc/passwd", os.path.join(self.folder, "inbox", "link.sma"))
        with open(os.path.join(self.folder, "inbox", "two.zip"), "wb") as file:
            file.write(make_zip({"two.sma": source("Two")}))
        report = os.path.join(self.folder, "report.json")
        inbox = os.path.join(self.folder, "inbox")
        self.plugin("inbox", inbox, "--report", report)
        with open(report, encoding="utf-8") as file:
            rows = {os.path.basename(row["path"]): row for row in json.load(file)}
        self.assertEqual({name: row["state"] for name, row in rows.items()},
                         {"one.sma": "ready", "broken.sma": "fails", "link.sma": "refused", "two.sma": "ready"})
        self.assertEqual(rows["one.sma"]["compiles_with"], {"1.8.2": "ok", "1.9": "ok", "1.10": "ok"})
        self.assertIn("no", rows["broken.sma"]["why"])
        shown = self.show_plugin("two")
        self.assertEqual((shown["status"], shown["versions"][0]["status"]), ("draft", "draft"))
        self.assertEqual(self.held()[("one", "1.0")][0], "it was left in the inbox")
        self.plugin("inbox", inbox)
        self.assertEqual(sorted(os.listdir(inbox)), ["deep", "link.sma", "one.sma", "two.zip"])

    def test_why_nothing_was_made_of_a_file_is_said(self):
        self.write("inbox/wide.sma", source("Wide"))
        path = os.path.join(self.folder, "inbox", "wide.sma")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "wb") as file:
            file.write(text.encode("utf-16"))
        self.write("inbox/alone.amxx", "compiled")
        self.write("inbox/both.amxx", "compiled")
        self.write("inbox/both.sma", source("Both"))
        self.write("inbox/empty.sma", "stock f() return 1\n")
        rows = self.inbox()
        self.assertEqual({name: row["state"] for name, row in rows.items()},
                         {"wide.sma": "refused", "alone.amxx": "refused", "both.sma": "ready", "empty.sma": "no plugin"})
        self.assertEqual(rows["wide.sma"]["refused"], "is in UTF-16, which no compiler reads; save it in UTF-8")
        self.assertEqual(rows["alone.amxx"]["refused"], "is compiled: only sources are read, such as alone.sma")
        printed = self.done("plugin", "inbox", os.path.join(self.folder, "inbox"))
        self.assertIn("is in UTF-16", printed)
        self.assertIn("has no function that AMX Mod X calls", printed)

    def test_what_has_no_time_left_waits_for_the_next_call(self):
        self.write("inbox/one.sma", source("One"))
        row = self.inbox("--minutes", "0")["one.sma"]
        self.assertEqual((row["state"], row["compiles_with"]), ("late", {}))
        self.assertIn("the next one goes on", row["why"])
        self.assertEqual(self.inbox()["one.sma"]["state"], "ready")
        # What is known takes no time.
        self.assertEqual(self.inbox("--minutes", "0")["one.sma"]["state"], "ready")

    def test_a_folder_of_too_many_files_is_refused(self):
        os.makedirs(os.path.join(self.folder, "inbox", "z"))
        for number in range(5001):
            os.symlink("x", os.path.join(self.folder, "inbox", "z", str(number)))
        self.write("inbox/a.sma", source("A"))
        rows = self.inbox()
        self.assertEqual((rows["a.sma"]["state"], rows["z"]["refused"]), ("ready", "has more than 5000 entries"))
        self.assertEqual(len(rows), 2)


if __name__ == "__main__":
    unittest.main()

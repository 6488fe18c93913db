"""`goldsmith component mirror` from an upstream that is well: what it takes, asks and says."""

import hashlib
import json
import os
import subprocess
import threading
import time
import unittest
import zipfile

from host import REPOSITORY, UpstreamTest, make_library, make_release, make_zip
from upstream_server import EPOCH, answers, stops

DAY = 86400


class Releases(UpstreamTest):
    def test_the_newest_release_lands_in_the_depot_and_in_the_catalog(self):
        self.import_component(install={"map": [{"from": "linux/", "to": "bin/"}]})
        content = make_zip({"linux/engine.so": "new", "windows/engine.dll": "MZ"})
        self.upstream.add_release(REPOSITORY, "v1.0", {"engine.zip": make_release("1.0")})
        self.upstream.add_release(REPOSITORY, "v1.1", {"engine.zip": content, "source.tar.gz": b"s"},
                                  EPOCH + DAY)
        digest = hashlib.sha256(content).hexdigest()
        self.assertEqual(self.mirror(),
                         "mirrored engine 1.1: 1 files, 1 left out, released 2024-05-02 12:00:00\n"
                         f"  sha256 {digest}  engine.zip\n")
        self.assertEqual(self.read_depot("engine", "1.1", "bin/engine.so"), "new")
        self.assertEqual(self.depot_files(), [".lock", "engine", "engine/1.1.DIGEST.zip"])
        version, = self.show()["versions"]
        self.assertEqual((version["version"], version["released_at"], version["size_bytes"]),
                         ("1.1", "2024-05-02 12:00:00", len(content)))
        self.assertEqual(version["sources"], [
            {"url": self.upstream.url(f"/{REPOSITORY}/releases/download/v1.1/engine.zip"),
             "size": len(content), "sha256": digest}])

    def notes(self):
        return subprocess.run(["mariadb", "--no-defaults", "--user=root", f"--socket={self.socket}", "--batch", "--raw",
                               "--skip-column-names", f"--execute=SELECT notes FROM {self.database}.component_versions"],
                              check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout

    def test_the_text_of_a_release_is_kept_with_the_version(self):
        self.import_component()
        content = make_release("1.0")
        self.upstream.add_release(REPOSITORY, "1.0", {"engine.zip": content}, body="Fixes:\r\n- a crash\x1b\n")
        self.mirror()
        self.assertEqual(self.notes(), "Fixes:\n- a crash\n")
        os.remove(self.depot_file("engine", "1.0"))
        archive = self.write("engine.zip", "")
        with open(archive, "wb") as file:
            file.write(content)
        self.assertIn("repaired", self.mirror("engine", "--version", "1.0", "--archive", archive))
        self.assertEqual(self.notes(), "Fixes:\n- a crash\n", "what is known of the same content is not lost")

    def test_the_newest_by_time_of_publication_counts_not_the_highest_or_first_listed(self):
        self.import_component()
        self.add_release("2.0", published=EPOCH)
        self.add_release("1.9.5", published=EPOCH + 2 * DAY)
        self.add_release("1.8", published=EPOCH + DAY)
        self.mirror()
        self.assertEqual(self.versions(), ["1.9.5"])

    def test_drafts_pre_releases_and_illegal_versions_are_passed_over(self):
        self.import_component()
        self.add_release("1.0")
        self.add_release("1.1-beta", published=EPOCH + DAY, prerelease=True)
        self.add_release("1.2", published=EPOCH + 2 * DAY, draft=True, published_at=None)
        self.add_release("nightly build", published=EPOCH + 3 * DAY)
        self.mirror()
        self.assertEqual(self.versions(), ["1.0"])
        self.mirror("engine", "--version", "1.1-beta")
        self.assertEqual(self.versions(), ["1.1-beta", "1.0"])
        self.assertIn("has no release 1.2; there are: 1.1-beta, 1.0",
                      self.mirror_failed("engine", "--version", "1.2"))

    def test_pre_releases_alone_are_no_release_but_are_named(self):
        self.import_component()
        self.add_release("1.1-beta", prerelease=True)
        self.assertEqual(self.mirror_failed(), f"https://github.com/{REPOSITORY} has pre-releases "
                         "alone, which --version takes: 1.1-beta\n")

    def test_a_release_that_the_manifest_holds_is_passed_over_and_taken_by_its_version(self):
        self.import_component(defects=[{"text": "It cuts.", "since": "1.1", "source": "https://example.org/383", "hold": True}])
        self.add_release("1.0")
        self.add_release("1.1", published=EPOCH + DAY)
        told = "It cuts. No release without it is known: https://example.org/383"
        self.assertIn(f"passed over engine 1.1, which the catalog holds: {told}\nmirrored engine 1.0: ", self.mirror())
        self.assertEqual(self.versions(), ["1.0"])
        self.assertIn(f"  held: {told}; \"goldsmith component release engine 1.1\" hands it out\n",
                      self.mirror("engine", "--version", "1.1"))
        self.assertEqual([each["is_latest"] for each in self.show()["versions"]], [False, True])
        self.done("component", "release", "engine", "1.1")
        self.assertIn("unchanged engine 1.1", self.mirror())

    def test_where_all_releases_are_held_it_is_said(self):
        self.import_component(defects=[{"text": "It cuts.", "source": "https://example.org/383", "hold": True}])
        self.add_release("1.0")
        self.assertEqual(self.mirror_failed(), f"https://github.com/{REPOSITORY} has releases that the catalog holds alone: 1.0\n")

    def test_where_no_tag_matches_those_that_there_are_are_named(self):
        self.import_component(upstream={"github": REPOSITORY, "asset": "*.zip", "tag": "2.*"})
        self.add_release("1.0")
        self.add_release("nightly build")
        self.assertEqual(self.mirror_failed(), f"https://github.com/{REPOSITORY} has no release "
                         'whose tag matches "2.*"; its tags: nightly build, 1.0\n')
        self.upstream.releases[REPOSITORY].clear()
        self.assertIn("its tags: none", self.mirror_failed())

    def begin_with(self, version="1.0", **more):
        """A mirrored version whose repository is known."""
        self.upstream.given[REPOSITORY] = (501, 601)
        self.import_component(**more)
        self.add_release(version)
        self.mirror()

    def test_a_name_that_leads_to_another_repository_or_account_holds_what_is_new(self):
        self.begin_with()
        for version, numbers, said in (
                ("1.1", (502, 602), "owner/engine is another repository than the one that was mirrored before; "
                                    "owner/engine belongs to another account than before"),
                ("1.2", (501, 603), "owner/engine belongs to another account than before")):
            self.upstream.given[REPOSITORY] = numbers
            self.add_release(version, published=EPOCH + DAY * int(version[-1]))
            self.assertEqual(self.mirror_failed("--all"), "1 version is held, because its repository may be another one\n")
            held = next(each for each in self.show()["versions"] if each["version"] == version)
            self.assertEqual(held["held"], said)
        # A person looks, and from then on it is that one.
        self.done("component", "release", "engine", "1.2")
        self.add_release("1.3", published=EPOCH + 3 * DAY)
        self.mirror("--all")
        self.assertEqual(next(each for each in self.show()["versions"] if each["version"] == "1.3")["held"], "")

    def test_what_a_digest_proves_is_held_for_no_repository(self):
        content = make_release("1.1")
        self.begin_with(upstream={"github": REPOSITORY, "asset": "*.zip",
                                  "sha256": {"1.1": [hashlib.sha256(content).hexdigest()]}})
        self.upstream.given[REPOSITORY] = (502, 602)
        self.upstream.add_release(REPOSITORY, "1.1", {"engine-1.1.zip": content}, published=EPOCH + DAY)
        self.mirror()
        self.assertEqual(self.show()["versions"][0]["held"], "")

    def test_a_release_or_a_file_of_the_future_is_one_of_now(self):
        self.import_component()
        self.add_release(published=4102444800)
        self.mirror()
        url = self.upstream.add_file("/web/a.zip", make_release("1"), modified=4102444800)
        self.import_component("web", {"url": url, "version": "1"})
        self.mirror("web")
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        for slug in ("engine", "web"):
            self.assertLessEqual(self.show(slug)["versions"][0]["released_at"], now)

    def test_a_run_that_is_killed_in_a_plain_address_begins_with_the_others_the_next_time(self):
        urls = {name: self.upstream.add_file(f"/{name}/a.zip", make_release("1")) for name in ("first", "second")}
        for name, url in urls.items():
            self.import_component(name, {"url": url, "version": "1"})
        reached = threading.Event()
        self.upstream.fail("/first/a.zip", stops(10, reached))
        # pylint: disable-next=consider-using-with
        run = subprocess.Popen(self.command(["component", "mirror", "--all"]), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(reached.wait(60))
        run.kill()
        run.wait()
        self.upstream.requests.clear()
        self.mirror("--all")
        self.assertEqual([request.path for request in self.downloads()], ["/second/a.zip", "/first/a.zip"])

    def test_a_repository_that_is_not_there_is_named(self):
        self.import_component(upstream={"github": "owner/gone", "asset": "*"})
        self.assertEqual(self.mirror_failed(),
                         f"{self.upstream.url()} knows no public repository owner/gone (404)\n")

    def test_the_tag_decides_which_line_of_a_repository_counts(self):
        upstream = {"github": REPOSITORY, "asset": "*.zip"}
        self.import_component("line-1-9", {**upstream, "tag": "1.9.*"})
        self.import_component("line-1-10", {**upstream, "tag": "1.10.*"})
        self.add_release("1.9.5", published=EPOCH + DAY)
        self.add_release("1.10.2")
        self.mirror("--all")
        self.assertEqual((self.versions("line-1-9"), self.versions("line-1-10")),
                         (["1.9.5"], ["1.10.2"]))
        self.assertEqual(len(self.api_requests()), 2)  # one repository: what it has, and which it is
        self.assertIn('no release 1.10.2 whose tag matches "1.9.*"; there are: 1.9.5',
                      self.mirror_failed("line-1-9", "--version", "1.10.2"))

    def test_a_version_is_named_with_or_without_its_v(self):
        self.import_component()
        self.add_release("v1.0")
        self.add_release("v1.1", published=EPOCH + DAY)
        self.mirror("engine", "--version", "1.0")
        self.assertEqual(self.mirror("engine", "--version", "v1.0").split(":")[0],
                         "unchanged engine 1.0")
        self.assertEqual(self.versions(), ["1.0"])

    def test_several_assets_are_merged_in_order_and_the_later_one_wins(self):
        self.import_component(upstream={"github": REPOSITORY,
                                        "asset": ["base-*.zip", "extra-*.zip"]})
        self.upstream.add_release(REPOSITORY, "1.0", {
            "extra-1.0.zip": make_zip({"both.cfg": "extra", "extra.cfg": "x"}),
            "base-1.0.zip": make_zip({"both.cfg": "base", "base.cfg": "b"})})
        self.assertTrue(self.mirror().startswith("mirrored engine 1.0: 3 files, "))
        self.assertEqual(self.read_depot("engine", "1.0", "both.cfg"), "extra")
        sources = [source["url"].rsplit("/", 1)[1] for source in self.show()["versions"][0]["sources"]]
        self.assertEqual(sources, ["base-1.0.zip", "extra-1.0.zip"])

    def test_a_missing_asset_is_named_with_what_there_is(self):
        self.import_component(upstream={"github": REPOSITORY, "asset": ["*.zip", "extra-*.zip"]})
        self.upstream.add_release(REPOSITORY, "1.0", {"engine.zip": make_release("1.0"),
                                                      "notes.txt": b"notes"})
        self.assertEqual(self.mirror_failed(),
                         'release 1.0 has no asset that matches "extra-*.zip"; its assets: '
                         "engine.zip, notes.txt\n")
        self.assert_nothing_left()

    def test_where_the_newest_release_lacks_them_the_newest_that_has_them_is_named(self):
        self.import_component()
        self.add_release("1.0")
        self.add_release("1.1", published=EPOCH + DAY)
        self.add_release("1.2-beta", published=EPOCH + 2 * DAY, prerelease=True)
        self.upstream.add_release(REPOSITORY, "1.2", {"notes.txt": b"notes"}, EPOCH + 3 * DAY)
        self.upstream.add_release(REPOSITORY, "1.3", {}, EPOCH + 4 * DAY)
        said = ('release 1.3 has no asset that matches "*.zip"; its assets: none; --version 1.1 '
                "takes the newest release that has what it needs\n")
        self.assertEqual(self.mirror_failed(), said)
        self.assertIn("goldsmith: engine: " + said, self.run_goldsmith("component", "mirror", "--all").stderr)
        self.assertIn("its assets: none\n", self.mirror_failed("engine", "--version", "1.3"))
        self.assert_nothing_left()
        self.assertTrue(self.mirror("engine", "--version", "1.1").startswith("mirrored engine 1.1: "))

    def test_a_glob_that_matches_several_assets_is_refused(self):
        self.import_component()
        self.upstream.add_release(REPOSITORY, "1.0", {"linux.zip": make_release("1"),
                                                      "windows.zip": make_release("2")})
        self.assertEqual(self.mirror_failed(), 'release 1.0: the glob "*.zip" matches more than '
                         "one asset: linux.zip, windows.zip\n")

    def test_an_asset_that_is_still_being_uploaded_is_not_there(self):
        self.import_component()
        self.add_release("1.0")
        self.upstream.releases[REPOSITORY][0]["assets"][0]["state"] = "starter"
        self.assertIn("its assets: none", self.mirror_failed())

    def test_all_pages_of_a_long_list_are_read(self):
        self.import_component()
        self.upstream.page_size = 2
        self.add_release("9.0", published=EPOCH + DAY)
        for number in range(4):
            self.add_release(f"1.{number}", published=EPOCH + number)
        self.mirror()  # the newest is on the last page
        self.assertEqual(self.versions(), ["9.0"])
        self.assertEqual([request.path.partition("?")[2] for request in self.api_requests()],
                         ["per_page=100", "per_page=100&page=2", "per_page=100&page=3", ""])

    def test_mirroring_all_again_costs_a_conditional_request_each_and_no_download(self):
        self.upstream.page_size = 1
        for number in range(3):
            repository = f"owner/part{number}"
            self.import_component(f"part{number}", {"github": repository, "asset": "*.zip"})
            for version in ("1.0", "1.1"):
                self.upstream.add_release(repository, version, {"p.zip": make_release(version)},
                                          digests=number > 0)
        self.assertIn("3 components: 3 mirrored\n", self.mirror("--all"))
        before = self.versions("part0"), os.stat(self.depot_file("part0", "1.1")).st_ino
        self.upstream.requests.clear()
        again = self.mirror("--all")
        self.assertIn("unchanged part0 1.1: 2 files, released 2024-05-01 12:00:00\n", again)
        self.assertIn("3 components: 3 unchanged\n", again)
        self.assertEqual([(request.path, request.status) for request in self.upstream.requests],
                         [(f"/repos/owner/part{number}/releases?per_page=100", 304)
                          for number in range(3)])
        self.assertEqual(
            (self.versions("part0"), os.stat(self.depot_file("part0", "1.1")).st_ino),
            before)

    def test_a_new_release_becomes_the_latest_and_the_old_one_stays(self):
        self.import_component()
        self.add_release("1.0")
        self.mirror()
        self.add_release("1.1", published=EPOCH + DAY)
        self.mirror("--all")
        self.assertEqual(self.versions(), ["1.1", "1.0"])
        self.assertEqual(self.read_depot("engine", "1.0", "engine.so"), "engine 1.0\n")
        self.assertTrue(self.show()["versions"][0]["is_latest"])

    def test_what_upstream_replaced_in_place_is_refused_unless_it_is_asked_for(self):
        self.import_component()
        self.add_release("1.0")
        self.mirror()
        self.upstream.releases.clear()
        self.upstream.add_release(REPOSITORY, "1.0",
                                  {"engine-1.0.zip": make_zip({"engine.so": "other"})})
        self.assertEqual(self.mirror_failed(), "engine 1.0 is mirrored with other content; "
                         "--replace takes the new one\n")
        self.assertEqual(self.read_depot("engine", "1.0", "engine.so"), "engine 1.0\n")
        self.assertTrue(self.mirror("engine", "--replace").startswith("replaced engine 1.0: "))
        self.assertEqual(self.read_depot("engine", "1.0", "engine.so"), "other")

    def test_an_asset_replaced_in_place_is_seen_where_github_names_no_digest(self):
        self.import_component()
        self.add_release("1.0", digests=False)
        self.mirror()
        asset = self.upstream.releases[REPOSITORY][0]["assets"][0]
        asset["updated_at"] = "2024-06-01T00:00:00Z"
        self.upstream.requests.clear()
        self.assertTrue(self.mirror().startswith("recorded engine 1.0: "))  # the content is the same
        self.assertEqual(len(self.downloads()), 2)  # the redirect and the file
        self.assertTrue(self.mirror().startswith("unchanged engine 1.0: "))

    def test_a_missing_or_damaged_depot_file_is_fetched_again(self):
        self.import_component()
        self.add_release("1.0")
        self.mirror()
        file = self.depot_file("engine", "1.0")
        with open(file, "rb") as opened:
            good = opened.read()
        for damaged in (None, good[:-1], good[:100]):
            os.unlink(file)
            if damaged is not None:
                with open(file, "wb") as opened:
                    opened.write(damaged)
            self.assertTrue(self.mirror("--all").startswith("repaired engine 1.0: "))
            with open(file, "rb") as opened:
                self.assertEqual(opened.read(), good)

    def test_a_version_that_was_mirrored_by_hand_learns_its_source_and_time(self):
        self.import_component()
        content = make_release("1.0")
        self.upstream.add_release(REPOSITORY, "1.0", {"engine.zip": content})
        archive = os.path.join(self.folder, "engine.zip")
        with open(archive, "wb") as file:
            file.write(content)
        self.mirror("engine", "--version", "1.0", "--archive", archive)
        self.assertTrue(self.mirror().startswith("recorded engine 1.0: "))
        version, = self.show()["versions"]
        self.assertEqual((version["released_at"], len(version["sources"])),
                         ("2024-05-01 12:00:00", 1))
        self.upstream.requests.clear()
        self.assertTrue(self.mirror().startswith("unchanged engine 1.0: "))
        self.assertEqual(self.downloads(), [])

    def test_a_release_that_is_older_than_what_was_mirrored_by_hand_says_so(self):
        self.import_component()
        archive = os.path.join(self.folder, "engine.zip")
        with open(archive, "wb") as file:
            file.write(make_release("0.9"))
        self.mirror("engine", "--version", "0.9", "--archive", archive,
                    "--released-at", "2025-01-01")
        self.add_release("1.0")
        self.assertIn("  the latest version stays 0.9, released 2025-01-01 00:00:00\n", self.mirror())
        self.assertIn("released 2025-02-01 00:00:00\n",
                      self.mirror("engine", "--replace", "--released-at", "2025-02-01"))
        self.assertEqual(self.versions(), ["1.0", "0.9"])

    def test_a_dry_run_says_what_it_would_do_and_changes_nothing(self):
        self.import_component()
        self.import_component("web", {"url": self.upstream.url("/web-{version}.zip"),
                                      "version": "3"})
        path = self.add_release("1.0")
        size = len(self.upstream.files[path].body)
        self.assertEqual(self.mirror("--all", "--dry-run"),
                         "would mirror engine 1.0, released 2024-05-01 12:00:00: engine-1.0.zip "
                         f"({size} bytes)\n"
                         "would mirror web 3: web-3.zip (size unknown)\n"
                         "2 components: 2 to mirror\n")
        self.assertEqual(self.downloads(), [])
        self.assert_nothing_left()
        self.mirror()
        self.assertIn("1 to mirror, 1 unchanged", self.mirror("--all", "--dry-run"))

    def test_check_lists_what_has_a_newer_release(self):
        self.import_component()
        self.import_component("other", {"github": "owner/other", "asset": "*"})
        self.import_component("web", {"url": self.upstream.url("/web-{version}.zip"),
                                      "version": "3"})
        self.import_component("by-hand", {"url": self.upstream.url("/web-{version}.zip")})
        self.upstream.add_release("owner/other", "7", {"o.zip": make_release("7")})
        self.add_release("1.0")
        self.mirror()
        self.mirror("other")
        self.add_release("1.1", published=EPOCH + DAY)
        downloads = len(self.downloads())
        self.assertEqual(self.mirror("--check"),
                         "SLUG    MIRRORED  UPSTREAM  RELEASED\n"
                         "engine  1.0       1.1       2024-05-02 12:00:00\n"
                         "web     -         3         -\n")
        listing = json.loads(self.mirror("engine", "--check", "--json"))
        self.assertEqual([(row["slug"], row["mirrored"], row["version"]) for row in listing],
                         [("engine", "1.0", "1.1")])
        self.assertEqual(listing[0]["files"][0]["name"], "engine-1.1.zip")
        self.assertEqual(self.mirror("other", "--check"),
                         "Everything that has an upstream is up to date.\n")
        self.assertEqual(json.loads(self.mirror("other", "--check", "--json")), [])
        self.assertEqual(len(self.downloads()), downloads)

    def test_check_goes_on_after_a_failure_and_fails_at_the_end(self):
        self.import_component()
        self.import_component("gone", {"github": "owner/gone", "asset": "*"})
        self.add_release("1.0")
        ended = self.run_goldsmith("component", "mirror", "--check")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("engine  -         1.0", ended.stdout)
        self.assertIn("goldsmith: gone: https://", ended.stderr)
        self.assertIn("goldsmith: 1 of 2 components could not be checked\n", ended.stderr)

    def test_a_component_without_an_upstream_is_mirrored_by_hand_alone(self):
        self.done("component", "import",
                  self.write("e.json", '{"slug": "engine", "name": "E", "layer": "engine"}'))
        self.assertEqual(self.mirror_failed(), "the catalog names no upstream of engine; --archive "
                         "FILE mirrors a release that was downloaded by hand\n")
        self.assertEqual(self.mirror("--all"), "0 components\n")
        self.assertEqual(self.mirror_failed("motor"),
                         'there is no component "motor"; import it first\n')


class SingleFiles(UpstreamTest):
    """A plugin whose releases are libraries, for each system one, and no archives."""

    PATH = "cstrike/addons/plugin/plugin.so"
    LIBRARY = make_library(b"1.2")

    def import_plugin(self, upstream=None, **more):
        self.import_component(upstream=upstream or {"github": REPOSITORY, "asset": "Plugin*.so", **more}, install={
            "map": [{"from": "", "to": "cstrike/addons/plugin/"}, {"file": "Plugin*.so", "to": self.PATH}]})

    def add_plugin(self, version="1.2", library=LIBRARY, **more):
        self.upstream.add_release(REPOSITORY, "v" + version, {
            "Plugin.so": library, "Plugin.dll": b"MZ", "Plugin.zip": make_zip({"readme": "x"})}, **more)

    def write_bytes(self, name, content):
        path = self.write(name, "")
        with open(path, "wb") as file:
            file.write(content)
        return path

    def files(self, version="1.2"):
        with zipfile.ZipFile(self.depot_file("engine", version)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    def test_the_file_lands_where_the_manifest_says(self):
        self.import_plugin()
        self.add_plugin()
        digest = hashlib.sha256(self.LIBRARY).hexdigest()
        self.assertIn("engine  -         1.2", self.mirror("--check"))
        self.assertIn(f": Plugin.so ({len(self.LIBRARY)} bytes)\n", self.mirror("engine", "--dry-run"))
        self.assertEqual(self.mirror(), "mirrored engine 1.2: 1 files, 0 left out, released 2024-05-01 12:00:00\n"
                         f"  sha256 {digest}  Plugin.so\n")
        self.assertEqual(self.files(), {self.PATH: self.LIBRARY})
        version, = self.show()["versions"]
        self.assertEqual(version["sources"], [
            {"url": self.upstream.url(f"/{REPOSITORY}/releases/download/v1.2/Plugin.so"),
             "size": len(self.LIBRARY), "sha256": digest}])
        self.upstream.requests.clear()
        self.assertTrue(self.mirror().startswith("unchanged engine 1.2: "))
        self.assertEqual(self.downloads(), [])

    def test_its_digest_is_checked(self):
        digest = hashlib.sha256(self.LIBRARY).hexdigest()
        self.import_plugin(sha256={"1.2": digest, "1.3": digest})
        self.add_plugin()
        self.mirror()
        self.assertEqual(self.show()["versions"][0]["verified"], "digest")
        self.add_plugin("1.3", make_library(b"other"), published=EPOCH + DAY)
        self.assertIn(f"but the catalog names {digest}", self.mirror_failed())
        self.assertEqual(self.versions(), ["1.2"])

    def test_what_is_no_whole_library_is_refused(self):
        self.import_plugin()
        for content, why in ((b"Not Found", "it is no library for Linux on 32-bit x86"),
                             (self.LIBRARY[:-1], "it is cut off: it has 86 of at least 87 bytes"),
                             (make_zip({"plugin.so": "x"}), "it is no library for Linux on 32-bit x86")):
            self.upstream.releases.clear()
            self.add_plugin(library=content)
            said = self.mirror_failed()
            self.assertTrue(said.endswith(f"/Plugin.so: {why}\n"), said)
        self.assert_nothing_left()

    def test_a_file_that_the_manifest_does_not_name_is_said_to_need_it(self):
        self.import_component(upstream={"github": REPOSITORY, "asset": "Plugin.so"})
        self.add_plugin()
        self.assertIn('Plugin.so: is no archive but a program or library, and no "file" of install.map says',
                      self.mirror_failed())
        self.assert_nothing_left()

    def test_by_hand_the_name_of_the_file_says_what_it_is(self):
        self.import_plugin()
        library = self.write_bytes("Plugin-1.2.so", self.LIBRARY)
        more = self.write_bytes("plugin.zip", make_zip({"plugin.cfg": "x"}))
        self.mirror("engine", "--version", "1.2", "--archive", library, more)
        self.assertEqual(self.files(), {"cstrike/addons/plugin/plugin.cfg": b"x", self.PATH: self.LIBRARY})
        renamed = self.write_bytes("renamed", self.LIBRARY)
        self.assertIn("renamed: is no archive but a program or library",
                      self.mirror_failed("engine", "--version", "1.3", "--archive", renamed))
        self.mirror("engine", "--version", "1.4", "--archive", library)
        self.add_plugin("1.4")
        self.assertTrue(self.mirror().startswith("recorded engine 1.4: "))

    def test_an_address_names_the_file_with_its_version(self):
        self.import_plugin({"url": self.upstream.url("/dl/Plugin%2B{version}.so?raw"), "version": "1.2"})
        self.upstream.add_file("/dl/Plugin+1.2.so", self.LIBRARY)
        self.mirror()
        self.assertEqual(self.files(), {self.PATH: self.LIBRARY})

    def test_another_depot_is_filled_from_the_same_address(self):
        self.import_plugin()
        self.add_plugin()
        self.mirror()
        first = self.depot_file("engine", "1.2")
        self.conf["depot"] = os.path.join(self.folder, "second")
        self.assertEqual(self.done("depot", "fill"), "fetched engine 1.2 from upstream\n1 file fetched, 0 missing\n")
        with open(first, "rb") as old, open(self.depot_file("engine", "1.2", self.conf["depot"]), "rb") as new:
            self.assertEqual(new.read(), old.read())
        self.done("depot", "verify")


class Addresses(UpstreamTest):
    def setUp(self):
        super().setUp()
        self.upstream.add_file("/dl/engine-1.0.zip", make_release("1.0"))

    def import_address(self, **more):
        self.import_component(upstream={"url": self.upstream.url("/dl/engine-{version}.zip"),
                                        **more})

    def test_the_version_of_the_manifest_is_mirrored_with_the_time_of_its_file(self):
        self.import_address(version="1.0")
        self.assertTrue(self.mirror().startswith(
            "mirrored engine 1.0: 2 files, 0 left out, released 2024-05-01 12:00:00\n"))
        self.assertEqual(self.api_requests(), [])

    def test_another_version_is_mirrored_by_name(self):
        self.import_address(version="1.0")
        self.upstream.add_file("/dl/engine-0.9.zip", make_release("0.9"), modified=EPOCH - DAY)
        self.mirror("--all")
        self.mirror("engine", "--version", "0.9")
        self.assertEqual(self.versions(), ["1.0", "0.9"])

    def test_an_address_without_a_version_needs_one(self):
        self.import_address()
        self.assertIn("which version? Name it with --version", self.mirror_failed())
        self.assertIn("skipped engine: its upstream names no version", self.mirror("--all"))
        self.mirror("engine", "--version", "1.0")
        self.assertEqual(self.versions(), ["1.0"])

    def test_a_fixed_address_has_one_version(self):
        self.upstream.add_file("/maps.zip", make_release("maps"))
        self.import_component(upstream={"url": self.upstream.url("/maps.zip"), "version": "2024"})
        self.assertIn("is version 2024; no other version is available",
                      self.mirror_failed("engine", "--version", "2025"))
        self.mirror()
        self.assertEqual(self.versions(), ["2024"])

    def test_an_unchanged_file_is_asked_for_by_its_etag_and_not_sent_again(self):
        self.import_address(version="1.0")
        self.mirror()
        self.upstream.requests.clear()
        self.assertTrue(self.mirror("--all").startswith("unchanged engine 1.0: "))
        self.assertEqual([request.status for request in self.upstream.requests], [304])

    def test_without_an_etag_the_time_of_the_file_does(self):
        self.upstream.add_file("/dl/engine-1.0.zip", make_release("1.0"), etag="")
        self.import_address(version="1.0")
        self.mirror()
        self.upstream.requests.clear()
        self.assertTrue(self.mirror("--all").startswith("unchanged engine 1.0: "))
        self.assertEqual([request.status for request in self.upstream.requests], [304])

    def test_a_pinned_file_that_is_mirrored_is_not_even_asked_for(self):
        digest = hashlib.sha256(self.upstream.files["/dl/engine-1.0.zip"].body).hexdigest()
        self.import_address(version="1.0", sha256={"1.0": digest})
        self.assertEqual(self.mirror(), "mirrored engine 1.0: 2 files, 0 left out, released "
                         "2024-05-01 12:00:00\n")  # a known digest is not told
        self.upstream.requests.clear()
        self.assertTrue(self.mirror("--all").startswith("unchanged engine 1.0: "))
        self.assertEqual(self.upstream.requests, [])

    def test_a_file_that_changed_is_fetched_and_refused_unless_it_is_asked_for(self):
        self.import_address(version="1.0")
        self.mirror()
        self.upstream.add_file("/dl/engine-1.0.zip", make_zip({"engine.so": "other"}))
        self.assertIn("engine 1.0 is mirrored with other content", self.mirror_failed())
        self.mirror("engine", "--replace")
        self.assertEqual(self.read_depot("engine", "1.0", "engine.so"), "other")

    def test_several_addresses_are_merged_in_order(self):
        self.upstream.add_file("/b/extra.zip?x=1.0", b"")  # a query is not part of a file's path
        self.upstream.add_file("/b/extra.zip", make_zip({"engine.so": "later"}))
        self.import_component(upstream={"version": "1.0", "url": [
            self.upstream.url("/dl/engine-{version}.zip"),
            self.upstream.url("/b/extra.zip?x={version}")]})
        self.mirror()
        self.assertEqual(self.read_depot("engine", "1.0", "engine.so"), "later")


class Token(UpstreamTest):
    SECRET = "ghp_0123456789abcdefghijklmnopqrstuvwxyz"

    def setUp(self):
        super().setUp()
        self.import_component()
        self.add_release("1.0")
        self.conf["mirror.github_token_file"] = self.write("token", self.SECRET + "\n")
        os.chmod(self.conf["mirror.github_token_file"], 0o600)

    def test_it_goes_to_the_api_alone_and_is_never_shown(self):
        self.assertNotIn(self.SECRET, self.mirror())
        for request in self.upstream.requests:
            expected = f"Bearer {self.SECRET}" if request in self.api_requests() else None
            self.assertEqual(request.headers.get("authorization"), expected, request)
        self.assertEqual(len(self.downloads()), 2)

    def test_it_does_not_follow_a_redirect_of_the_api_to_another_host(self):
        path = f"/repos/{REPOSITORY}/releases"
        self.upstream.fail(path, answers(301, location=self.upstream.url(
            f"{path}?per_page=100", "localhost")))
        self.mirror()
        api = [(request.host, "authorization" in request.headers)
               for request in self.api_requests()]
        self.assertEqual(api, [("127.0.0.1", True), ("localhost", False), ("127.0.0.1", True)])

    def test_it_follows_a_redirect_to_the_same_host_as_of_a_renamed_repository(self):
        self.import_component(upstream={"github": "owner/old-name", "asset": "*.zip"})
        self.upstream.renamed["owner/old-name"] = REPOSITORY
        self.mirror()
        self.assertTrue(all("authorization" in request.headers for request in self.api_requests()))

    def test_one_that_everybody_can_read_is_refused(self):
        os.chmod(self.conf["mirror.github_token_file"], 0o644)
        self.assertIn("is readable by everybody; run chmod o-r on it", self.mirror_failed())

    def test_what_is_no_token_is_refused_without_being_shown(self):
        for content in ("", "two words secret", "two\nlines"):
            self.write("token", content)
            said = self.mirror_failed()
            self.assertIn("must hold one token on one line", said)
            self.assertNotIn("secret", said)
        os.unlink(self.conf["mirror.github_token_file"])
        self.assertIn("mirror.github_token_file: ", self.mirror_failed())

    def test_a_token_that_github_refuses_is_named(self):
        self.upstream.fail(f"/repos/{REPOSITORY}/releases", answers(401, b'{"message": "Bad"}'))
        said = self.mirror_failed()
        self.assertIn("mirror.github_token_file", said)
        self.assertNotIn(self.SECRET, said)


if __name__ == "__main__":
    unittest.main()

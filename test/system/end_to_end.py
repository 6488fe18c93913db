#!/usr/bin/env python3
"""The whole service from outside: end_to_end.py BUILD_FOLDER [TEST…]

A stack of its own is started from the build, so that its database can be stopped, its cache be
filled up and its workers be killed."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.parse
import zipfile

import documented
from running_stack import FolderWatch, ServiceTest, Stack, numbers, wait_until

STACK = None
RESOLVE, DOWNLOAD = "/v1/server-builder/resolve", "/v1/server-builder/download"


def setUpModule():
    STACK.up()


def tearDownModule():
    STACK.run("stop")


def plugin_slugs(count):
    plugins = STACK.get_json("/v1/plugins?per_page=100")["plugins"]
    return [plugin["slug"] for plugin in plugins if plugin["latest_version"]][:count]


def selection(**parameters):
    return "?" + urllib.parse.urlencode(parameters) if parameters else ""


def temporary(name):
    folder = os.path.join(STACK.folder, "downloads")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    if os.path.exists(path):
        os.unlink(path)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def get_patiently(path):
    """As a caller who comes back: half of the workers may wait for another's build (decision S17)."""
    deadline = time.monotonic() + 30
    answer = STACK.get(path)
    while answer.status == 429 and time.monotonic() < deadline:
        time.sleep(0.2)
        answer = STACK.get(path)
    return answer


class ServerArchive(unittest.TestCase):
    maxDiff = None

    def test_what_is_downloaded_is_what_resolve_says(self):
        query = selection(plugins=",".join(plugin_slugs(5)), optimized="1")
        plan = STACK.get_json(RESOLVE + query)
        self.assertIn("plugin", {file["origin"] for file in plan["files"]})
        path, head = temporary("server.zip"), temporary("server.head")
        STACK.curl("--output", path, "--dump-header", head, "--fail", plan["download_url"])
        self.check_headers(read(head).decode(), plan, os.path.getsize(path))
        subprocess.run(["unzip", "-tqq", path], check=True)
        with zipfile.ZipFile(path) as archive:
            self.check_entries(archive, plan)
            self.check_contents(archive, plan, query)
            self.check_generated(archive, plan)

    def check_headers(self, head, plan, size):
        self.assertTrue(head.startswith("HTTP/2 200"), head)
        short = plan["build_hash"][:12]
        for line in (f"content-length: {size}",
                     f'content-disposition: attachment; filename="cs16-server-{short}.zip"',
                     "content-type: application/zip", "cache-control: public, max-age=3600",
                     f"x-svc-build-hash: {plan['build_hash']}", "accept-ranges: bytes",
                     "x-content-type-options: nosniff", "access-control-allow-origin: *"):
            self.assertIn(line + "\r\n", head)

    def check_entries(self, archive, plan):
        expected = {file["path"]: (file["size"], file["executable"]) for file in plan["files"]}
        actual = {}
        for entry in archive.infolist():
            mode = entry.external_attr >> 16
            self.assertEqual(mode & 0o170000, 0o100000, f"{entry.filename} is no plain file")
            self.assertIn(mode & 0o777, (0o644, 0o755), entry.filename)
            actual[entry.filename] = (entry.file_size, mode & 0o777 == 0o755)
        self.assertEqual(actual, expected)
        self.assertEqual(len(archive.infolist()), plan["file_count"])
        self.assertEqual(sum(size for size, _ in actual.values()), plan["total_bytes"])

    def check_contents(self, archive, plan, query):
        """Upstream files have the depot's bytes, others those that the preview shows; reading
        checks the CRC."""
        versions = {part["slug"]: part["version"] for part in plan["components"]}
        depots = {}
        compared = 0
        for file in plan["files"]:
            content = archive.read(file["path"])
            self.assertEqual(len(content), file["size"])
            if file["origin"] == "upstream":
                slug = file["from"]
                if slug not in depots:
                    depots[slug] = zipfile.ZipFile(STACK.depot_file(slug, versions[slug]))
                self.assertEqual(content, depots[slug].read(file["path"]), file["path"])
                compared += 1
            else:
                self.check_preview(content, file, query)
        for depot in depots.values():
            depot.close()
        self.assertGreater(compared, 10)

    def check_preview(self, content, file, query):
        shown = STACK.get_json("/v1/server-builder/file" + query + "&"
                               + urllib.parse.urlencode({"path": file["path"]}))["file"]
        for key in ("path", "size", "executable", "from", "origin"):
            self.assertEqual(shown[key], file[key])
        if not shown["binary"] and not shown["truncated"]:
            self.assertEqual(shown["content"].encode(), content, file["path"])

    def check_generated(self, archive, plan):
        paths = set(archive.namelist())
        liblist = archive.read("cstrike/liblist.gam").decode()
        libraries = [line for line in liblist.splitlines() if line.startswith("gamedll_linux")]
        self.assertEqual(len(libraries), 1, liblist)
        self.assertIn("cstrike/" + libraries[0].split('"')[1], paths)
        loaded = archive.read("cstrike/addons/metamod/plugins.ini").decode()
        lines = [line.split() for line in loaded.splitlines()
                 if line.strip() and not line.startswith((";", "#", "//"))]
        self.assertGreater(len(lines), 0)
        for words in lines:
            self.assertEqual(words[0], "linux")
            self.assertIn("cstrike/" + words[1], paths)
        registered = archive.read("cstrike/addons/amxmodx/configs/plugins-svc.ini").decode()
        names = [line.split()[0] for line in registered.splitlines()
                 if line.strip() and not line.startswith(";")]
        slugs = sorted({file["from"][7:] for file in plan["files"]
                        if file["from"].startswith("plugin:")})
        self.assertEqual(len(names), len(slugs))
        for name in names:
            self.assertIn("cstrike/addons/amxmodx/plugins/" + name, paths)

    def test_a_download_that_was_cut_off_is_resumed_to_the_same_bytes(self):
        whole, part = temporary("whole.zip"), temporary("part.zip")
        url = STACK.client.origin + DOWNLOAD
        STACK.curl("--fail", "--output", whole, url)
        STACK.curl("--fail", "--range", f"0-{os.path.getsize(whole) // 3}", "--output", part, url)
        self.assertLess(os.path.getsize(part), os.path.getsize(whole))
        STACK.curl("--fail", "--continue-at", "-", "--output", part, url)
        self.assertEqual(read(part), read(whole))

    def test_a_rebuilt_archive_has_the_same_bytes_and_tag(self):
        query = selection(plugins=",".join(plugin_slugs(3)))
        first = STACK.get(DOWNLOAD + query)
        STACK.empty_cache()
        again = STACK.get(DOWNLOAD + query)
        self.assertEqual((first.status, again.status), (200, 200))
        self.assertEqual(again.body, first.body)
        self.assertEqual(again.all("ETag"), first.all("ETag"))
        self.assertEqual(again.all("Last-Modified"), first.all("Last-Modified"))

    def test_a_rebuilt_archive_continues_a_download_of_the_old_one(self):
        first = STACK.get(DOWNLOAD)
        STACK.empty_cache()
        rest = STACK.get(DOWNLOAD, range="bytes=1000-", if_range=first.all("ETag")[0])
        self.assertEqual(rest.status, 206)
        self.assertEqual(first.body[:1000] + rest.body, first.body)

    def test_eight_callers_at_once_share_one_build(self):
        STACK.empty_cache()
        watch = FolderWatch(STACK.archives)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: get_patiently(DOWNLOAD), range(8)))
        self.assertEqual([answer.status for answer in answers], [200] * 8)
        self.assertEqual(len({answer.body for answer in answers}), 1)
        self.assertEqual(watch.names(), STACK.cached_archives())
        self.assertEqual(len(STACK.cached_archives()), 1)
        watch.close()

    def test_head_of_an_archive_that_is_not_built_builds_nothing(self):
        STACK.empty_cache()
        response = STACK.get(DOWNLOAD, method="HEAD")
        self.assertEqual(response.status, 200)
        self.assertEqual(response.all("Content-Length"), [])
        self.assertEqual(response.all("Content-Type"), ["application/zip"])
        self.assertEqual(STACK.cached_archives(), [])


class PluginArchive(unittest.TestCase):
    def test_the_zip_of_a_plugin_holds_its_files_and_the_binary(self):
        for slug in plugin_slugs(3):
            plugin = STACK.get_json(f"/v1/plugins/{slug}")["plugin"]
            version = plugin["versions"][0]
            path = temporary(f"{slug}.zip")
            STACK.curl("--fail", "--output", path, version["downloads"]["zip"])
            subprocess.run(["unzip", "-tqq", path], check=True)
            expected = {os.path.join(file["install_dir"], file["filename"]): file["size_bytes"]
                        for file in version["files"]}
            with zipfile.ZipFile(path) as archive:
                sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
                binaries = [name for name in sizes if name not in expected]
                self.assertEqual(len(binaries), 1, sizes)
                self.assertRegex(binaries[0], r"^addons/amxmodx/plugins/[^/]+\.amxx$")
                self.assertEqual(archive.read(binaries[0])[:4], b"XXMA")
                self.assertEqual({name: sizes.get(name) for name in expected}, expected)
            again = STACK.get(f"/v1/plugins/{slug}/download/{version['version']}?kind=zip")
            self.assertEqual(again.body, read(path), "not the same bytes from run to run")


class Failures(ServiceTest):
    """What breaks is said with the right code, nothing is left behind, the next request is fine."""

    @contextlib.contextmanager
    def small_disk(self, size):
        """The archive cache on a file system of that size."""
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", STACK.archives]
        if os.geteuid() != 0 or subprocess.run(mount, check=False).returncode != 0:
            self.skipTest("can't mount a small file system here")
        try:
            yield
        finally:
            subprocess.run(["umount", STACK.archives], check=True)

    def test_a_full_disk_has_no_room_for_a_build_and_nothing_is_left(self):
        size = len(STACK.get(DOWNLOAD).body)
        with self.small_disk(max(size // 2 // 4096, 1) * 4096):
            self.assert_error(STACK.get(DOWNLOAD), 503, "builder_unavailable")
            self.assertEqual(STACK.cached_archives(), [])
            used = sum(os.path.getsize(os.path.join(STACK.archives, name))
                       for name in os.listdir(STACK.archives))
            self.assertEqual(used, 0, os.listdir(STACK.archives))
            self.assertEqual(STACK.get(RESOLVE).status, 200)
        self.assertEqual(len(STACK.get(DOWNLOAD).body), size)

    def test_a_cache_that_is_gone_is_builder_unavailable(self):
        aside = STACK.archives + ".aside"
        os.rename(STACK.archives, aside)
        try:
            self.assert_error(STACK.get(DOWNLOAD), 503, "builder_unavailable")
            self.assertEqual(STACK.get(RESOLVE).status, 200)
        finally:
            os.rename(aside, STACK.archives)
        self.assertEqual(STACK.get(DOWNLOAD).status, 200)

    def test_a_depot_file_that_is_gone_fails_the_build(self):
        part = STACK.get_json(RESOLVE)["components"][0]
        path = STACK.depot_file(part["slug"], part["version"])
        STACK.empty_cache()
        os.rename(path, path + ".aside")
        try:
            answer = STACK.get(DOWNLOAD)
            self.assert_error(answer, 503, "builder_unavailable")
            self.assertEqual(answer.all("Retry-After"), ["30"])
            self.assertEqual(os.listdir(STACK.archives), [])
            status, body = STACK.monitor("readyz")
            self.assertEqual((status, json.loads(body)["depot_missing"]), (200, 1))
            with open(os.path.join(STACK.folder, "log", "build.log"), encoding="utf-8") as log:
                self.assertIn(os.path.basename(path) + ": is not in this host's depot yet", log.read())
            # What goldsmith-depot-fill.path waits for.
            self.assertTrue(os.path.exists(os.path.join(STACK.folder, "run", "depot-fill")))
        finally:
            os.rename(path + ".aside", path)
        self.assertEqual(STACK.get(DOWNLOAD).status, 200)

    def test_a_damaged_depot_file_is_set_aside_and_the_build_waits_for_another(self):
        part = STACK.get_json(RESOLVE)["components"][0]
        path = STACK.depot_file(part["slug"], part["version"])
        good = pathlib.Path(path).read_bytes()
        pathlib.Path(path).write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
        STACK.empty_cache()
        try:
            STACK.goldsmith("depot", "verify", "--repair")
            self.assert_error(STACK.get(DOWNLOAD), 503, "builder_unavailable")
            self.assertEqual(STACK.metric("goldsmith_depot_damaged_files"), 1)
        finally:
            pathlib.Path(path).write_bytes(good)
        self.assertEqual(STACK.get(DOWNLOAD).status, 200)
        STACK.goldsmith("depot", "verify")
        self.assertEqual(STACK.metric("goldsmith_depot_damaged_files"), 0)
        self.assertLess(abs(STACK.metric("goldsmith_depot_verified_timestamp_seconds") - time.time()), 60)

    def test_an_archive_that_nginx_can_not_read_is_build_failed_and_not_kept_by_caches(self):
        with open(os.path.join(STACK.folder, "etc", "nginx", "nginx.conf"), encoding="utf-8") as file:
            if "user www-data;" not in file.read():
                self.skipTest("nginx runs as the owner of the archives")
        STACK.empty_cache()
        STACK.get(DOWNLOAD)
        path = os.path.join(STACK.archives, STACK.cached_archives()[0])
        mode = os.stat(path).st_mode
        os.chmod(path, 0o600)
        try:
            response = STACK.get(DOWNLOAD)
            self.assert_error(response, 500, "build_failed")
            self.assertEqual(response.all("Cache-Control"), [])
        finally:
            os.chmod(path, mode)
        self.assertEqual(STACK.get(DOWNLOAD).status, 200)

    def test_a_stopped_database_is_query_failed_and_comes_back(self):
        slug = plugin_slugs(1)[0]
        version = STACK.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"]
        source = f"/v1/plugins/{slug}/download/{version}?kind=sma"
        STACK.run("database", "stop")
        try:
            # What a worker has in memory it may answer with for two more seconds.
            self.assert_error(STACK.wait_for("/v1/meta", 500, allowed=[200]), 500, "query_failed")
            self.assert_error(STACK.get(source), 500, "query_failed")
            self.assert_error(STACK.get(DOWNLOAD + "?optimized=1"), 500, "query_failed")
        finally:
            STACK.run("database", "start")
        for target in ("/v1/meta", source, DOWNLOAD + "?optimized=1"):
            self.assertEqual(STACK.get(target).status, 200, target)

    def test_a_missing_toolchain_is_compiler_unavailable(self):
        slug = plugin_slugs(1)[0]
        version = STACK.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"]
        target = f"/v1/plugins/{slug}/download/{version}?amxx="
        folder = os.path.join(STACK.toolchains, "1.9")
        os.rename(folder, folder + ".aside")
        try:
            self.assert_error(STACK.get(target + "1.9"), 502, "compiler_unavailable")
            self.assert_error(STACK.get(target + "1.9&kind=zip"), 502, "compiler_unavailable")
            self.assertEqual(STACK.get(target + "1.10").status, 200)
            self.assertEqual(STACK.get(target + "1.9&kind=sma").status, 200)
            # What reaches no compiler costs nothing of the budget.
            STACK.run("goldsmith", "setting", "set", "compiles_per_hour", "0")
            self.assert_error(STACK.get(target + "1.9"), 502, "compiler_unavailable")
            self.assert_error(STACK.get(target + "1.10"), 429, "rate_limited")
        finally:
            STACK.run("goldsmith", "setting", "set", "compiles_per_hour", "1000000")
            os.rename(folder + ".aside", folder)
        self.assertEqual(STACK.get(target + "1.9").status, 200)

    @contextlib.contextmanager
    def second_row_of_the_source(self, filename):
        """What no import lets in: another file beside the source of AFK Watch, under an SQL expression
        of the source's name `f.filename`."""
        STACK.run("sql", f"""
            INSERT INTO goldsmith.plugin_files
              (version_id, position, filename, install_dir, kind, is_primary, sha1, size_bytes, content)
            SELECT f.version_id, 1000, {filename}, f.install_dir, 'txt', 0, REPEAT('0', 40), 0, ''
              FROM goldsmith.plugin_files f
              JOIN goldsmith.plugin_versions v ON v.id = f.version_id
              JOIN goldsmith.plugins p ON p.id = v.plugin_id
             WHERE p.slug = 'afk-watch' AND f.kind = 'sma'""")
        try:
            yield
        finally:
            STACK.run("sql", "DELETE FROM goldsmith.plugin_files WHERE position = 1000")

    def last_download(self):
        return json.loads(STACK.run("goldsmith", "log", "downloads", "--limit", "1", "--json"))[0]

    def test_a_plugin_whose_archive_can_not_be_assembled_is_zip_failed(self):
        target = "/v1/plugins/afk-watch/download/2.0?kind="
        with self.second_row_of_the_source("f.filename"):
            self.assert_error(STACK.get(target + "zip"), 502, "zip_failed")
            self.assertEqual(self.last_download()["result"], "zip_failed")
            self.assertEqual(STACK.get(target + "amxx").status, 200)
        self.assertEqual(STACK.get(target + "zip").status, 200)

    def test_what_nobody_thought_of_is_an_internal_error_that_tells_nothing(self):
        target = "/v1/plugins/afk-watch/download/2.0"
        with self.second_row_of_the_source("CONCAT('../', f.filename)"):
            response = STACK.get(target)
            self.assert_error(response, 500, "internal_error")
            self.assertEqual(json.loads(response.body), {"error": "internal_error", "status": False})
        self.assertEqual(STACK.get(target).status, 200)

    def test_a_compiler_that_can_not_be_started_is_compiler_unavailable(self):
        slug = plugin_slugs(1)[0]
        version = STACK.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"]
        compiler = os.path.join(STACK.toolchains, "1.9", "amxxpc")
        os.rename(compiler, compiler + ".aside")
        with open(compiler, "wb") as file:
            file.write(b"\x7fELF, but not really")
        os.chmod(compiler, 0o755)
        try:
            self.assert_error(STACK.get(f"/v1/plugins/{slug}/download/{version}?amxx=1.9"),
                              502, "compiler_unavailable")
        finally:
            os.rename(compiler + ".aside", compiler)


class PluginImports(ServiceTest):
    COUNT = 4000

    def write_plugins(self, note):
        """Returns the folders' names, which are the slugs, and where they are."""
        parent = os.path.join(STACK.folder, "many-plugins")
        slugs = [f"many-{each}" for each in range(self.COUNT)]
        for slug in slugs:
            folder = os.path.join(parent, slug)
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, "p.sma"), "w", encoding="ascii") as file:
                file.write(f"public plugin_init() {{ }} // {note}\n")
            with open(os.path.join(folder, "plugin.json"), "w", encoding="ascii") as file:
                json.dump({"slug": slug, "name": f"Many {note}", "category": "many", "status": "published",
                           "versions": [{"version": "1.0", "files": [{"path": "p.sma"}]}]}, file)
        return slugs, parent

    def count(self, rows):
        return int(STACK.run("sql", f"SELECT COUNT(*) FROM goldsmith.{rows}").split()[-1])

    def start_import(self, slugs, parent):
        """A session of its own, so that all its processes can be killed, and no others. Its output goes to a file:
        nobody reads it before the end, and a pipe would be full."""
        self.output = self.enterContext(tempfile.TemporaryFile("w+", encoding="utf-8"))
        return subprocess.Popen([os.path.join(STACK.folder, "commands", "goldsmith"), "plugin", "import", *slugs],
                                cwd=parent, start_new_session=True, stdout=self.output, stderr=subprocess.STDOUT)

    def said_by(self, process):
        """The output of the import that was started last, once it has ended."""
        process.wait()
        self.output.seek(0)
        return self.output.read()

    def seen(self):
        return STACK.get_json("/v1/plugins?category=many")["total"]

    def test_a_killed_import_shows_nothing_and_the_next_one_shows_everything(self):
        slugs, parent = self.write_plugins("first")
        killed = self.start_import(slugs, parent)
        while killed.poll() is None and self.count("staged_plugins") < 200:
            pass
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()
        self.assertEqual(killed.returncode, -signal.SIGKILL)
        self.assertGreater(self.count("staged_plugins"), 0)
        self.assertEqual(self.seen(), 0)

        before = STACK.get_json("/v1/plugins")["total"]
        whole = self.start_import(slugs, parent)
        totals = set()
        while whole.poll() is None:
            totals.add(self.seen())
        said = self.said_by(whole)
        self.assertEqual(whole.returncode, 0, said)
        self.assertIn(f"{self.COUNT} plugins: {self.COUNT} created", said)
        self.assertLessEqual(totals, {0, self.COUNT}, "a part of the set was seen")
        wait_until(lambda: self.seen() == self.COUNT, 10)
        self.assertEqual(STACK.get_json("/v1/plugins")["total"], before + self.COUNT)
        for rows in ("staged_plugins", "staged_versions", "plugin_versions WHERE plugin_id IS NULL"):
            self.assertEqual(self.count(rows), 0, rows)

    def test_two_imports_at_once_say_so(self):
        slugs, parent = self.write_plugins("second")
        first = self.start_import(slugs, parent)
        while first.poll() is None and self.count("staged_plugins") < 100:
            pass
        os.killpg(first.pid, signal.SIGSTOP)
        try:
            second = self.start_import(slugs[:1], parent)
            said = self.said_by(second)
        finally:
            os.killpg(first.pid, signal.SIGCONT)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another import of plugins is running", said)
        self.assertEqual(first.wait(), 0)


class Command(unittest.TestCase):
    """The operator's command, whatever it is started with."""

    def shell(self, line):
        """Run by bash in the folder of the command. (exit code, standard output, standard error)"""
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=os.path.join(STACK.folder, "commands"),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        return done.returncode, done.stdout, done.stderr

    def names_of_keys(self):
        return [key["name"] for key in json.loads(STACK.goldsmith("key", "list", "--json"))]

    def test_nothing_is_done_while_standard_output_is_closed(self):
        self.assertEqual(self.shell("./goldsmith key create --name lost >&-"),
                         (1, "", "goldsmith: standard output is closed; nothing was done\n"))
        self.assertNotIn("lost", self.names_of_keys())

    def test_the_other_descriptors_may_be_closed(self):
        code, out, _ = self.shell("./goldsmith key list --json <&- 2>&-")
        self.assertEqual((code, json.loads(out)), (0, json.loads(STACK.goldsmith("key", "list", "--json"))))

    def test_a_key_that_nobody_can_see_is_removed(self):
        for output in (">/dev/full", "| exec 0<&-", "--json >/dev/full"):
            code, _, said = self.shell(f"./goldsmith key create --name lost {output}")
            self.assertEqual((code, said), (1, "goldsmith: cannot write to standard output; the key, which nobody has"
                                               " seen, was removed\n"), output)
        self.assertNotIn("lost", self.names_of_keys())

    def test_a_full_disk_is_an_error_and_a_reader_that_has_gone_is_none(self):
        self.assertEqual(self.shell("./goldsmith plugin list >/dev/full"),
                         (1, "", "goldsmith: cannot write to standard output\n"))
        self.assertEqual(self.shell("./goldsmith plugin list | { exec 0<&-; sleep 2; }"), (0, "", ""))

    def test_the_umask_decides_nothing_about_what_the_workers_read(self):
        component = temporary("masked.json")
        with open(component, "w", encoding="ascii") as file:
            json.dump({"slug": "masked", "name": "Masked", "layer": "content"}, file)
        release = temporary("masked.zip")
        with zipfile.ZipFile(release, "w") as archive:
            archive.writestr("cstrike/maps/masked.txt", "masked")
        self.assertEqual(self.shell(f"umask 077; ./goldsmith component import {component} && ./goldsmith component mirror"
                                    f" masked --version 1.0 --archive {release}")[0], 0)
        file = STACK.depot_file("masked", "1.0")
        self.assertEqual([oct(os.stat(path).st_mode & 0o7777) for path in (os.path.dirname(file), file)], ["0o755", "0o644"])
        STACK.goldsmith("component", "unmirror", "masked", "1.0", "--force")


class DownloadLog(ServiceTest):
    def test_old_downloads_and_addresses_go_and_counters_stay(self):
        target = "/v1/plugins/afk-watch"
        self.assertEqual(STACK.get(target + "/download/2.0?kind=sma").status, 200)
        downloads = STACK.get_json(target)["plugin"]["downloads"]
        STACK.run("sql", f"""
            INSERT INTO goldsmith.download_log
              (time, slug, version, kind, toolchain, caller, result, compile_milliseconds)
            SELECT UTC_TIMESTAMP() - INTERVAL seq DAY - INTERVAL 1 MINUTE, 'old', '1.0', 'sma', '', '192.0.2.1', 'ok', 0
              FROM {numbers(1, 400)}""")
        said = STACK.goldsmith("log", "prune", "--dry-run")
        self.assertIn("would remove 36 downloads older than", said)
        said = STACK.goldsmith("log", "prune")
        self.assertIn("removed 36 downloads older than", said)
        self.assertIn("blanked 335 callers' addresses older than", said)
        rows = json.loads(STACK.goldsmith("log", "downloads", "--json", "--limit", "1000"))
        self.assertEqual(sum(row["slug"] == "old" for row in rows), 364)
        self.assertEqual(sum(row["slug"] == "old" and row["caller"] != "" for row in rows), 29)
        self.assertEqual(STACK.get_json(target)["plugin"]["downloads"], downloads)
        self.assertEqual(STACK.get(target + "/download/2.0?kind=sma").status, 200)
        self.assertEqual(STACK.get_json(target)["plugin"]["downloads"], downloads + 1)


class Readme(unittest.TestCase):
    """The tour, command by command, with what README.md says that they print."""

    maxDiff = None
    # What another day, or a change of the sample, changes.
    UNSTABLE = {"downloads", "rating", "updated_at"}

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=STACK.folder)
        self.addCleanup(shutil.rmtree, self.folder)
        before = json.loads(STACK.goldsmith("setting", "list", "--json"))
        self.addCleanup(STACK.goldsmith, "setting", "set", "builds_per_hour",
                        str(next(each["value"] for each in before if each["name"] == "builds_per_hour")))

    def run_command(self, command):
        command = command.replace("https://127.0.0.1:8443", STACK.client.origin).replace("scripts/dev goldsmith", "goldsmith")
        archives = [name for name in os.listdir(self.folder) if name.startswith("cs16-server-")]
        command = re.sub(r"cs16-server-[0-9a-f]{12}\.zip", lambda _: archives[0], command)
        path = os.path.join(STACK.folder, "commands") + ":" + os.environ["PATH"]
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=self.folder, env={**os.environ, "PATH": path}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def stable(self, value):
        if isinstance(value, dict):
            return {name: self.stable(each) for name, each in value.items() if name not in self.UNSTABLE}
        if isinstance(value, list):
            return [self.stable(each) for each in value]
        return value.replace("https://127.0.0.1:8443", STACK.client.origin) if isinstance(value, str) else value

    def compare(self, said, expected):
        if expected[0].startswith("{"):
            self.assertEqual(self.stable(json.loads(said)), self.stable(json.loads(" ".join(expected))))
            return
        lines = [" ".join(each.split()) for each in said.splitlines()]
        for line in expected:
            if line != "…":
                self.assertIn(" ".join(line.split()), lines)
                del lines[:lines.index(" ".join(line.split())) + 1]

    def test_each_command_prints_what_is_written(self):
        for block in documented.blocks("README.md"):
            if not block.is_commands or block.reason:
                continue
            for command, expected in block.sessions:
                with self.subTest(block=block.place, command=command):
                    said = self.run_command(command)
                    if expected:
                        self.compare(said, expected)


class Monitoring(ServiceTest):
    """What nginx shows on loopback alone."""

    def test_each_answer_compile_and_archive_is_counted_once(self):
        names = ['goldsmith_requests_total{route="plugin_download",status="200"}',
                 'goldsmith_request_duration_seconds_count{route="plugin_download"}',
                 'goldsmith_compiles_total{result="compiled",toolchain="1.9"}',
                 'goldsmith_compile_duration_seconds_bucket{toolchain="1.9",le="+Inf"}',
                 'goldsmith_archives_total{from="build"}', 'goldsmith_archives_total{from="cache"}']
        slug = plugin_slugs(1)[0]
        version = STACK.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"]
        STACK.empty_cache()
        before = [STACK.metric(name) for name in names]
        size = STACK.metric("goldsmith_archive_bytes_total")
        self.assertEqual(STACK.get(f"/v1/plugins/{slug}/download/{version}?amxx=1.9").status, 200)
        archive = STACK.get(DOWNLOAD)
        self.assertEqual(STACK.get(DOWNLOAD).body, archive.body)
        # A request is counted when its response is on its way: a moment after it.
        for _ in range(100):
            added = [STACK.metric(name) - old for name, old in zip(names, before)]
            if added == [1, 1, 1, 1, 1, 1]:
                break
            time.sleep(0.05)
        self.assertEqual(added, [1, 1, 1, 1, 1, 1])
        self.assertEqual(STACK.metric("goldsmith_archive_bytes_total") - size, 2 * len(archive.body))

    def test_downloads_are_counted_by_their_reason(self):
        slug = plugin_slugs(1)[0]
        version = STACK.get_json(f"/v1/plugins/{slug}")["plugin"]["versions"][0]["version"]
        source = f"/v1/plugins/{slug}/download/{version}?kind=sma"
        build = STACK.get(DOWNLOAD).all("X-Svc-Build-Hash")[0]
        update = f"{DOWNLOAD}?plugins={slug}&from={build}"
        page = {"sec_fetch_mode": "navigate"}
        expected = {("plugin", "page"): 1, ("plugin", "program"): 2, ("server", "page"): 1, ("server", "program"): 1,
                    ("server", "update"): 2}

        def counted():
            return {key: STACK.metric('goldsmith_downloads_total{what="%s",reason="%s"}' % key) for key in expected}

        wait_until(lambda: counted()[("server", "program")] > 0)
        before = counted()
        for target, method, status, headers in [
                (source, "GET", 200, page), (source, "GET", 200, {}), (source, "GET", 200, {"sec_fetch_mode": "cors"}),
                (DOWNLOAD, "GET", 200, page), (DOWNLOAD, "GET", 200, {}), (update, "GET", 200, {}),
                # What is no download of its own.
                (source, "HEAD", 200, page), (DOWNLOAD, "HEAD", 200, page), (source + "x", "GET", 400, page),
                (DOWNLOAD, "GET", 206, {"range": "bytes=1-2", **page}),
                (DOWNLOAD, "GET", 416, {"range": "bytes=99999999999-", **page}),
                (DOWNLOAD, "GET", 304, {"if_none_match": "*", **page}),
                (update, "GET", 206, {"range": "bytes=0-2"})]:
            self.assertEqual(STACK.get(target, method, **headers).status, status, (target, headers))
        added = {}

        def are_counted():
            added.update({key: value - before[key] for key, value in counted().items()})
            return added == expected

        wait_until(are_counted, 20, added)

    def test_a_host_is_ready_while_database_and_pools_are(self):
        self.assertEqual(STACK.monitor("healthz"), (200, "ok\n"))
        status, body = STACK.monitor("readyz")
        self.assertEqual((status, json.loads(body)), (200, {"database": True, "depot_missing": 0, "draining": False, "status": True,
                                                            "workers_api": 2, "workers_build": 4}))
        STACK.run("pool", "build", "stop")
        try:
            status, body = STACK.monitor("readyz")
            self.assertEqual((status, json.loads(body)["workers_build"]), (503, 0))
        finally:
            STACK.run("pool", "build", "start")
        STACK.run("database", "stop")
        try:
            status, body = STACK.monitor("readyz")
            self.assertEqual((status, json.loads(body)["database"]), (503, False))
            self.assertEqual(STACK.monitor("healthz")[0], 200)
        finally:
            STACK.run("database", "start")
        self.assertEqual(STACK.monitor("readyz")[0], 200)
        # As between the files and the tables of an upgrade.
        STACK.run("sql", "UPDATE goldsmith.schema_migrations SET number = 0 ORDER BY number DESC LIMIT 1")
        try:
            wait_until(lambda: STACK.monitor("readyz")[0] == 503)
            self.assertFalse(json.loads(STACK.monitor("readyz")[1])["database"])
        finally:
            STACK.run("sql", "SET @newest = (SELECT MAX(number) + 1 FROM goldsmith.schema_migrations); "
                      "UPDATE goldsmith.schema_migrations SET number = @newest WHERE number = 0")
        wait_until(lambda: STACK.monitor("readyz")[0] == 200)

    def test_nothing_of_it_is_on_the_public_site(self):
        for name in ("metrics", "healthz", "readyz", "v1/metrics", "v1/readyz"):
            self.assertEqual(STACK.get("/" + name).status, 404, name)


class Processes(ServiceTest):
    def test_replacing_the_workers_under_load_fails_no_request(self):
        before = {pool: set(STACK.worker_pids(pool)) for pool in ("api", "build")}
        stop, failures, served = threading.Event(), [], [0, 0]

        def ask(index, target):
            while not stop.is_set():
                try:
                    response = STACK.get(target)
                    if response.status != 200 or not json.loads(response.body)["status"]:
                        failures.append(response.text()[:300])
                except Exception as error:  # whatever it is, the request failed
                    failures.append(repr(error))
                served[index] += 1

        threads = [threading.Thread(target=ask, args=(index, target))
                   for index, target in enumerate(("/v1/plugins", RESOLVE)) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(3):
                STACK.run("replace")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        self.assertGreater(min(served), 20)
        for pool, old in before.items():
            self.assertFalse(old & set(STACK.worker_pids(pool)), f"an old {pool} worker is there")

    def test_a_pool_that_is_down_is_unavailable_and_the_other_goes_on(self):
        STACK.run("pool", "build", "stop")
        try:
            response = STACK.get(RESOLVE)
            self.assert_error(response, 503, "unavailable")
            self.assertEqual(json.loads(response.body), {"error": "unavailable", "status": False})
            self.assertEqual(response.all("Retry-After"), ["5"])
            self.assertEqual(STACK.get("/v1/meta").status, 200)
        finally:
            STACK.run("pool", "build", "start")
        self.assertEqual(STACK.get(RESOLVE).status, 200)

    def test_killed_workers_are_replaced(self):
        for pid in STACK.worker_pids("api"):
            os.kill(pid, signal.SIGKILL)
        # The socket stays open: the requests wait for the new workers.
        self.assertEqual(STACK.get("/v1/meta").status, 200)

    def test_a_request_is_one_line_in_the_log_and_shows_no_key(self):
        mark, key = f"no-such-plugin-{time.time_ns()}", "svck_" + "secret0" * 5 + "12345"
        self.assertEqual(STACK.get(f"/v1/plugins/{mark}").status, 404)
        self.assertEqual(STACK.get("/v1/meta", authorization=f"Bearer {key}").status, 401)
        request = self.lines_of("nginx-access", mark)[0].split()[2]
        lines = self.lines_of("api", request)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], rf"^request id={request} method=GET route=plugin_detail "
                                   r"status=404 ms=[0-9.]+ tier=anonymous$")
        for name in os.listdir(os.path.join(STACK.folder, "log")):
            self.assertNotIn(b"secret0", read(os.path.join(STACK.folder, "log", name)), name)

    def lines_of(self, log, word):
        """The lines of a log with a word in them. They are written when the response is sent, so
        the first may come a moment after it."""
        path = os.path.join(STACK.folder, "log", log + ".log")
        for _ in range(200):
            lines = [line for line in read(path).decode().splitlines() if word in line]
            if lines:
                return lines
            time.sleep(0.05)
        self.fail(f"{path} has no line with {word}")


class Caches(unittest.TestCase):
    def test_emptying_the_cache_under_load_fails_no_download(self):
        STACK.empty_cache()
        whole = STACK.get(DOWNLOAD).body
        stop, failures, served = threading.Event(), [], [0] * 3

        def download(index):
            while not stop.is_set():
                response = STACK.get(DOWNLOAD)
                if (response.status, response.body) != (200, whole):
                    failures.append((response.status, len(response.body)))
                served[index] += 1

        threads = [threading.Thread(target=download, args=(index,)) for index in range(3)]
        for thread in threads:
            thread.start()
        path = os.path.join(STACK.archives, STACK.cached_archives()[0])
        try:
            for _ in range(3):
                before = os.stat(path).st_ino
                STACK.goldsmith("cache", "prune", "--all", "--cache.handover_seconds=3")
                self.assertNotEqual(os.stat(path).st_ino, before, "it was not built anew")
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        self.assertGreater(min(served), 5)

    def test_a_damaged_archive_is_named_and_made_anew(self):
        STACK.empty_cache()
        whole = STACK.get(DOWNLOAD).body
        path = os.path.join(STACK.archives, STACK.cached_archives()[0])
        with open(path, "r+b") as file:
            file.seek(len(whole) // 2)
            file.write(bytes([whole[len(whole) // 2] ^ 1]))
        with self.assertRaisesRegex(RuntimeError, "damaged  " + path):
            STACK.goldsmith("cache", "verify")
        STACK.goldsmith("cache", "verify", "--repair", "--cache.handover_seconds=1")
        self.assertFalse(os.path.exists(path))
        self.assertEqual(STACK.get(DOWNLOAD).body, whole)


class Toolchains(unittest.TestCase):
    """What changes a toolchain's fingerprint changes the builds that hold plugins."""

    LINES = ("1.8.2", "1.9", "1.10")

    def setUp(self):
        self.query = selection(plugins=plugin_slugs(1)[0])
        self.before = self.state()

    def state(self):
        """The fingerprints, and the hashes of a build with a plugin and of one without."""
        checks = json.loads(STACK.goldsmith("toolchain", "check", *self.LINES, "--json"))
        self.assertEqual({check["state"] for check in checks}, {"works"}, checks)
        return ([check["fingerprint"] for check in checks],
                STACK.get_json(RESOLVE + self.query)["build_hash"],
                STACK.get_json(RESOLVE)["build_hash"])

    def assert_changed(self):
        after = self.state()
        for old, new in zip(self.before[0], after[0]):
            self.assertNotEqual(old, new)
        self.assertNotEqual(after[1], self.before[1])
        self.assertEqual(after[2], self.before[2], "a build without plugins needs no compiler")
        self.assertEqual(STACK.get(DOWNLOAD + self.query).status, 200)

    def test_another_include_of_the_operator_changes_fingerprint_and_hash(self):
        folders = [os.path.join(STACK.folder, "etc", "include", line) for line in self.LINES]
        for folder in folders:
            os.makedirs(folder)
            self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
            with open(os.path.join(folder, "third_party.inc"), "w", encoding="ascii") as file:
                file.write("#define THIRD_PARTY 1\n")
        self.assert_changed()
        for folder in folders:
            shutil.rmtree(folder)
        self.assertEqual(self.state(), self.before)

    def test_another_compiler_changes_fingerprint_and_hash(self):
        compilers = [os.path.join(STACK.toolchains, line, "amxxpc") for line in self.LINES]
        for compiler in compilers:
            os.rename(compiler, compiler + ".aside")
            self.addCleanup(os.replace, compiler + ".aside", compiler)
            shutil.copy2(compiler + ".aside", compiler)
            with open(compiler, "ab") as file:
                file.write(b"of another release")
        self.assert_changed()
        self.doCleanups()
        self.assertEqual(self.state(), self.before)

    def test_a_broken_toolchain_is_named_with_the_way_out(self):
        library = os.path.join(STACK.toolchains, "1.9", "amxxpc32.so")
        os.rename(library, library + ".aside")
        try:
            with self.assertRaisesRegex(RuntimeError, library + ": there is no such file "
                                                      r"\(goldsmith-install-toolchain 1.9"):
                STACK.goldsmith("toolchain", "check")
        finally:
            os.rename(library + ".aside", library)


class Unmirroring(unittest.TestCase):
    def mirror(self, version):
        path = temporary("release.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("cstrike/maps/pack.txt", f"pack of {version}\n" * 100_000)
        STACK.goldsmith("component", "mirror", "test-pack", "--version", version,
                        "--released-at", "2024-01-01", "--archive", path)

    def test_a_build_of_a_version_that_is_removed_is_whole_or_fails_cleanly(self):
        manifest = temporary("test-pack.json")
        with open(manifest, "w", encoding="ascii") as file:
            json.dump({"slug": "test-pack", "name": "Test Pack", "layer": "content"}, file)
        STACK.goldsmith("component", "import", manifest)
        self.mirror("1.0")
        self.mirror("2.0")
        target = DOWNLOAD + "?components=test-pack@1.0"
        whole = STACK.get(target).body
        stop, answers = threading.Event(), set()

        def download():
            while not stop.is_set():
                response = STACK.get(target)
                known = response.body == whole if response.status == 200 else \
                    json.loads(response.body)["error"]
                answers.add((response.status, known))

        threads = [threading.Thread(target=download) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                STACK.goldsmith("component", "prune", "test-pack", "--keep", "1")
                STACK.empty_cache()
                self.mirror("1.0")
                STACK.wait_for(target, 200, allowed=[422, 500])
        finally:
            stop.set()
            for thread in threads:
                thread.join()
            STACK.goldsmith("component", "prune", "test-pack", "--keep", "1")
        self.assertLessEqual(answers, {(200, True), (422, "invalid_selection"),
                                       (500, "build_failed")})
        self.assertGreaterEqual(answers, {(200, True), (422, "invalid_selection")})
        findings = json.loads(STACK.goldsmith("depot", "verify", "--json"))
        self.assertEqual({finding["state"] for finding in findings}, {"ok"}, findings)


def main():
    global STACK
    build = os.path.abspath(sys.argv[1])
    folder = os.path.join(build, "test-stacks", "end-to-end")
    # The tests take compilers away, so these are copies.
    toolchains = os.path.join(build, "test-stacks", "end-to-end-toolchains")
    shutil.rmtree(toolchains, ignore_errors=True)
    shutil.copytree(os.path.join(build, "toolchain"), toolchains)
    STACK = Stack(folder, os.path.join(build, "bin"), toolchains)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])


main()

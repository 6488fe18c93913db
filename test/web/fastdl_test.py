#!/usr/bin/python3
"""Downloads of game clients over plain HTTP/1.0: fastdl_test.py STACK_FOLDER"""

import concurrent.futures
import hashlib
import html
import io
import json
import os
import pathlib
import random
import socket
import sys
import tempfile
import time
import unittest
import urllib.parse
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))

from running_stack import wait_until  # noqa: E402  (found by the line above)
from stack import Stack  # noqa: E402
from updater_case import UpdaterCase  # noqa: E402

SLUG = "web-fastdl"
HOST = "fastdl.localhost"
SELECTION = f"components=anvil-engine,forge-gamedll,hearth-loader,amber-platform,{SLUG}&plugins={SLUG}"
# As in the contract; the code has its own.
FOLDERS = ("events/", "gfx/", "maps/", "media/", "models/", "overviews/", "sound/", "sprites/")
KINDS = ("bmp", "bsp", "mdl", "mp3", "res", "sc", "spr", "tga", "txt", "wad", "wav")
LARGEST = 3 << 20


def filler(name, size):
    return random.Random(name).randbytes(size)


# What the component of this test has: by path in the archive.
RELEASE = {f"cstrike/{path}": filler(path, size) for path, size in {
    "models/web-fastdl/crate.mdl": 300_000, "models/player/web-fastdl/guard.mdl": 70_000, "maps/web_fastdl.bsp": LARGEST,
    "maps/web_fastdl.res": 40, "maps/web_fastdl.txt": 900, "overviews/web_fastdl.bmp": 5_000, "sprites/web fastdl+1%25.spr": 4_000,
    "sound/web-fastdl/UPPER.WAV": 8_000, "sound/web-fastdl/grüße.wav": 100, "web_fastdl.wad": 9_000, "media/web_fastdl.mp3": 2_000,
    "gfx/env/web_fastdlup.tga": 1, "events/web_fastdl.sc": 10,
    # Nothing for clients.
    "addons/web-fastdl/secret.txt": 30, "addons/web-fastdl/models/secret.mdl": 30, "web-fastdl.cfg": 30, "web-fastdl.txt": 30,
    "models/web-fastdl/secret.cfg": 30, "models/web-fastdl/secret.ini": 30, "models/web-fastdl/secret": 30,
    "maps/web_fastdl.bsp.cfg": 30, "other/web-fastdl.wav": 30, "folder/web_fastdl.wad": 30}.items()}
RELEASE["valve/sound/web-fastdl/ding.wav"] = filler("ding", 20_000)
RELEASE["valve/models/web-fastdl/crate.mdl"] = b"hidden by that of cstrike"
RELEASE["models/web-fastdl/nowhere.mdl"] = b"in no game folder"


def publish(stack):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with zipfile.ZipFile(folder / "release.zip", "w", zipfile.ZIP_DEFLATED) as file:
            for path, content in RELEASE.items():
                file.writestr(path, content)
        (folder / "component.json").write_text(json.dumps(
            {"slug": SLUG, "name": SLUG, "description": "Models and sounds.", "layer": "content", "sort_order": 900}), encoding="utf-8")
        (folder / "src").mkdir()
        (folder / "src/bells.sma").write_text(
            "#include <amxmodx>\npublic plugin_precache() { precache_sound(\"web-fastdl/bell.wav\") }\n", encoding="utf-8")
        (folder / "src/bell.wav").write_bytes(filler("bell", 6_000))
        (folder / "src/notes.txt").write_bytes(b"not for clients")
        (folder / "plugin.json").write_text(json.dumps(
            {"slug": SLUG, "name": SLUG, "category": "fun", "license": "MIT", "status": "published", "versions": [
                {"version": "1.0", "files": [
                    {"path": "src/bells.sma", "install_dir": "addons/amxmodx/scripting", "primary": True},
                    {"path": "src/bell.wav", "install_dir": "sound/web-fastdl"},
                    {"path": "src/notes.txt", "install_dir": "addons/amxmodx/data"}]}]}), encoding="utf-8")
        (folder / "pack.json").write_text(json.dumps(
            {"slug": SLUG, "name": SLUG, "status": "published", "plugins": [SLUG]}), encoding="utf-8")
        stack.publish(folder, SLUG)
    time.sleep(2.1)  # until every worker has seen it


def below_game(path):
    """As a client asks for it; None for what is in no game folder."""
    for game in ("cstrike/", "valve/"):
        if path.startswith(game):
            return path[len(game):]
    return None


def is_for_clients(path):
    name = path.rsplit("/", 1)[-1]
    kind = name.rsplit(".", 1)[-1].lower() if "." in name[1:] else ""
    return kind == "wad" if "/" not in path else path.startswith(FOLDERS) and kind in KINDS


class Fastdl(UpdaterCase):
    """`build` is that of SELECTION, `archive` what is in it, `resources` what clients get of it by the path they ask for."""

    @classmethod
    def setUpClass(cls):
        publish(cls.stack)
        cls.addClassCleanup(cls.stack.remove, SLUG)
        cls.build, cls.archive = cls.download(SELECTION)
        cls.resources = {}
        for path, content in sorted(cls.archive.items(), reverse=True):  # cstrike/ replaces valve/
            if below_game(path) and is_for_clients(below_game(path)):
                cls.resources[below_game(path)] = content

    @classmethod
    def download(cls, selection):
        """(build hash, {path: content}); the archive is gone from the cache then."""
        status, headers, body = cls.stack.get("/v1/server-builder/download?" + selection)
        assert status == 200, body
        build = headers["X-Svc-Build-Hash"]
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            files = {entry.filename: archive.read(entry) for entry in archive.infolist()}
        # Only after its digest is the build known for ever, and the file free.
        wait_until(lambda: cls.stack.json("/v1/server-builder/resolve?" + selection)["archive_sha256"])
        os.unlink(os.path.join(cls.stack.folder, "cache/archives", build + ".zip"))
        return build, files

    def ask(self, target, method="GET", headers=(), host=HOST):
        """(status, headers, body) of a client of HTTP/1.0 that sends the target as it is, follows nothing, and reads to the end."""
        lines = [f"{method} {target} HTTP/1.0", f"Host: {host}", *headers, "", ""]
        with socket.create_connection(("127.0.0.1", self.stack.http_port), 60) as connection:
            connection.sendall("\r\n".join(lines).encode())
            received = bytearray()
            while piece := connection.recv(1 << 16):
                received += piece
        head, _, body = bytes(received).partition(b"\r\n\r\n")
        first, *rest = head.decode("latin-1").split("\r\n")
        return int(first.split()[1]), {name.lower(): value for name, value in (line.split(": ", 1) for line in rest)}, body

    def get(self, path, build=None, **options):
        return self.ask(f"/fastdl/{build or self.build}/{urllib.parse.quote(path)}", **options)

    def assert_all_are_sent(self, build=None):
        self.assertGreater(len(self.resources), 14)
        for path, content in self.resources.items():
            status, headers, body = self.get(path, build)
            self.assertEqual((status, headers.get("content-length")), (200, str(len(content))), (path, headers, body[:200]))
            self.assertEqual(hashlib.sha256(body).hexdigest(), hashlib.sha256(content).hexdigest(), path)
            self.assertEqual(headers["content-type"], "application/octet-stream")
            self.assertEqual(headers["cache-control"], "public, max-age=31536000, immutable")

    def assert_absent(self, target, **options):
        status, headers, body = self.ask(target, **options)
        self.assertIn(status, (400, 404), (target, headers, body[:200]))
        self.assertNotIn("location", headers)
        self.assertLess(len(body), 300)
        for content in self.archive.values():
            self.assertNotEqual(body, content, target)

    def another_build(self, more):
        """A build of the same files for clients, of which nothing was asked for."""
        build, _ = self.download(SELECTION + more)
        self.assertNotEqual(build, self.build)
        return build

    def test_every_file_for_clients_cold_and_then_without_a_worker(self):
        self.assert_all_are_sent()
        self.stack.command("pool", "build", "stop")
        self.addCleanup(self.stack.command, "pool", "build", "start")
        self.assert_all_are_sent()
        self.assertEqual(self.get("models/web-fastdl/none.mdl")[0], 503)

    def test_the_first_request_prepares_the_others(self):
        build = self.another_build(",afk-watch")
        self.assertEqual(self.get("maps/web_fastdl.res", build)[0], 200)
        folder = pathlib.Path(self.stack.folder, "cache/archives/resources/fastdl", build)
        wait_until(lambda: sum(1 for each in folder.rglob("*") if each.is_symlink()) == len(self.resources), 30)
        self.stack.command("pool", "build", "stop")
        self.addCleanup(self.stack.command, "pool", "build", "start")
        self.assert_all_are_sent(build)

    def test_contents_are_kept_once_for_all_builds(self):
        build = self.another_build(",map-clock")
        self.assert_all_are_sent()
        self.assert_all_are_sent(build)
        folder = pathlib.Path(self.stack.folder, "cache/archives/resources")
        addresses = [folder / "fastdl" / each / "maps/web_fastdl.bsp" for each in (build, self.build)]
        self.assertEqual(len({os.path.realpath(each) for each in addresses}), 1)
        name = hashlib.sha256(self.resources["maps/web_fastdl.bsp"]).hexdigest()
        self.assertEqual(os.path.realpath(addresses[0]), os.path.realpath(folder / name))

    def test_what_leaves_the_cache_comes_back(self):
        self.assert_all_are_sent()
        for path in pathlib.Path(self.stack.folder, "cache/archives/resources").iterdir():
            if path.is_file():
                path.unlink()
        self.assert_all_are_sent()
        self.stack.goldsmith("cache", "prune", "--all", "--cache.handover_seconds=1")
        self.assertEqual(os.listdir(os.path.join(self.stack.folder, "cache/archives/resources/fastdl")), [])
        self.assert_all_are_sent()

    def get_in_the_end(self, path, build):
        """As get(), after answers that ask for patience: on a busy machine the workers may all be taken."""
        deadline = time.monotonic() + 30
        while (answer := self.get(path, build))[0] == 429 and time.monotonic() < deadline:
            self.assertEqual(answer[1]["retry-after"], "1")
            time.sleep(1)
        return answer

    def test_many_players_at_once_at_a_cold_build(self):
        build = self.another_build(",privet")
        wanted = list(self.resources) * 20
        with concurrent.futures.ThreadPoolExecutor(32) as players:
            answers = list(players.map(lambda path: (path, self.get_in_the_end(path, build)), wanted))
        for path, (status, _, body) in answers:
            self.assertEqual((status, body == self.resources[path]), (200, True), path)

    def test_other_files_of_a_build_are_not_served(self):
        others = [path for path in self.archive if below_game(path) not in self.resources]
        for path in ("cstrike/addons/amxmodx/configs/users.ini", "cstrike/addons/amxmodx/scripting/bells.sma",
                     "cstrike/addons/amxmodx/plugins/bells.amxx", "cstrike/liblist.gam", "hlds_linux"):
            self.assertIn(path, others)
        for path in others:
            for asked in {path, below_game(path) or path}:
                self.assert_absent(f"/fastdl/{self.build}/{urllib.parse.quote(asked)}")

    def test_unknown_builds_and_names(self):
        crate = "models/web-fastdl/crate.mdl"
        self.assertEqual(self.get(crate)[0], 200)
        self.assert_absent(f"/fastdl/{'0' * 64}/{crate}")
        for name in (self.build.upper(), self.build[:-1], self.build + "0", self.build[:32], "", "x", "..", self.build + "%0a"):
            self.assert_absent(f"/fastdl/{name}/{crate}")
        for path in ("models/web-fastdl/CRATE.mdl", "models/web-fastdl/crate.mdl%0a", "models/web-fastdl/crate.mdl%00",
                     "models/web-fastdl/crate.mdl/", "models/web-fastdl/", "models/web-fastdl", "models", "", "sound/web-fastdl/upper.wav",
                     "cstrike/" + crate, "%2e%2e/" + self.build + "/addons/web-fastdl/secret.txt"):
            self.assert_absent(f"/fastdl/{self.build}/{path}")

    def test_no_path_leads_out_of_the_files_of_a_build(self):
        crate = "models/web-fastdl/crate.mdl"
        self.assertEqual(self.get(crate)[0], 200)
        content = hashlib.sha256(self.resources[crate]).hexdigest()
        for path in (f"../../{content}", f"..%2f..%2f{content}", "../../../" + self.build + ".zip", "models/../addons/web-fastdl/secret.txt",
                     "models/..%2faddons/web-fastdl/secret.txt", "models/%2e%2e/web-fastdl.cfg", "../../../../../../etc/passwd",
                     "models/../../../../../../../../etc/passwd", "models/..%5c..%5caddons/web-fastdl/secret.txt",
                     "models/web-fastdl/..;/secret.cfg", "addons/web-fastdl/models/secret.mdl", "models/....//crate.mdl"):
            self.assert_absent(f"/fastdl/{self.build}/{path}")
        for target in (f"/resources/{content}", f"/resources/fastdl/{self.build}/{crate}", f"/{self.build}/{crate}", f"/archives/{self.build}.zip",
                       f"/_archives/{self.build}.zip", "/", "/v1/meta", "/server", "/metrics", "/healthz", "/_error/404", "/fastdl/", "/fastdl"):
            self.assert_absent(target)
        # As the engine and nginx resolve it, this is the file.
        self.assertEqual(self.ask(f"/fastdl/{self.build}/models//web-fastdl/./x/../crate.mdl")[2], self.resources[crate])

    def test_links_of_others_are_not_followed(self):
        self.assertEqual(self.get("web_fastdl.wad")[0], 200)
        folder = pathlib.Path(self.stack.folder, "cache/archives/resources/fastdl", self.build)
        strangers = folder / "models/strangers.mdl"
        strangers.parent.mkdir(exist_ok=True)
        strangers.symlink_to("/etc/passwd")
        self.addCleanup(strangers.unlink)
        os.chown(strangers, 12345, 12345, follow_symlinks=False)
        status, _, body = self.get("models/strangers.mdl")
        self.assertNotEqual(status, 200)
        self.assertNotIn(b"root:", body)

    def test_heads_and_ranges_of_client_files_are_right(self):
        content = self.resources["maps/web_fastdl.bsp"]
        path = "maps/web_fastdl.bsp"
        status, headers, body = self.get(path, method="HEAD")
        self.assertEqual((status, headers["content-length"], body), (200, str(LARGEST), b""))
        self.assertEqual(headers["accept-ranges"], "bytes")
        status, headers, body = self.get(path, headers=["Range: bytes=1000000-1000099"])
        self.assertEqual((status, headers["content-range"]), (206, f"bytes 1000000-1000099/{LARGEST}"))
        self.assertEqual(body, content[1_000_000:1_000_100])
        self.assertEqual(self.get(path, headers=[f"Range: bytes={LARGEST - 5}-"])[2], content[-5:])
        self.assertEqual(self.get(path, headers=[f"Range: bytes={LARGEST}-"])[0], 416)
        build = self.another_build(",lucky-dice")
        self.assertEqual(self.get(path, build, method="HEAD")[1]["content-length"], str(LARGEST))
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            self.assertEqual(self.get(path, method=method)[0], 405, method)

    def test_never_is_a_client_file_redirected(self):
        self.stack.command("configure", "archives.redirect = https://cdn.example/archives")
        self.addCleanup(self.stack.command, "configure")
        build = self.another_build_without_bytes(",ghost-chat")
        for each in (self.build, build):
            status, headers, body = self.get("web_fastdl.wad", each)
            self.assertEqual((status, body), (200, self.resources["web_fastdl.wad"]))
            self.assertNotIn("location", headers)

    def another_build_without_bytes(self, more):
        """One whose download was redirected."""
        build = self.stack.json("/v1/server-builder/resolve?" + SELECTION + more)["build_hash"]
        with self.assertRaises(OSError):  # cdn.example, which is not there
            self.stack.get("/v1/server-builder/download?" + SELECTION + more)
        return build

    def test_in_no_window_of_the_api_is_a_client_file_counted(self):
        build = self.another_build(",team-shuffle")
        self.stack.goldsmith("setting", "set", "anonymous_per_minute", "1")
        self.addCleanup(time.sleep, 2.1)
        self.addCleanup(self.stack.goldsmith, "setting", "set", "anonymous_per_minute", "1000000")
        time.sleep(2.1)
        self.assert_all_are_sent(build)

    def test_client_files_are_on_no_other_site(self):
        self.assertEqual(self.get("web_fastdl.wad")[0], 200)
        self.assertEqual(self.stack.get(f"/fastdl/{self.build}/web_fastdl.wad")[0], 404)
        # Plain HTTP by another name only redirects.
        status, headers, _ = self.ask(f"/fastdl/{self.build}/web_fastdl.wad", host="127.0.0.1")
        self.assertEqual((status, headers["location"]), (308, f"{self.stack.origin}/fastdl/{self.build}/web_fastdl.wad"))

    def test_switched_off_client_files_are_gone(self):
        self.stack.command("configure", "fastdl.url = off")
        self.addCleanup(self.stack.command, "configure")
        self.assertNotIn("sv_downloadurl \"", self.page())
        self.assertIsNone(self.stack.get("/server/checksums.txt?" + SELECTION)[1]["X-Svc-Fastdl"])
        build = self.another_build(",visit-counter")
        self.assert_absent(f"/fastdl/{build}/web_fastdl.wad")

    def page(self, selection=SELECTION):
        return html.unescape(self.stack.get("/server?" + selection)[2].decode())

    def address(self, selection=SELECTION):
        return self.stack.get("/server/checksums.txt?" + selection)[1]["X-Svc-Fastdl"]

    def line(self, selection=SELECTION):
        return f'sv_downloadurl "{self.address(selection)}"'

    def test_pages_suggest_it_where_there_is_something(self):
        self.assertIn(self.line(), self.page())
        self.assertRegex(self.line(), f'"http://{HOST}:{self.stack.http_port}/fastdl/[0-9a-f]{{32}}/"$')
        self.assertNotIn("sv_downloadurl \"", self.page("components=anvil-engine,forge-gamedll"))

    def test_the_updater_prints_the_line_and_changes_no_file_for_it(self):
        server_cfg = self.folder / "cstrike/server.cfg"
        server_cfg.parent.mkdir()
        server_cfg.write_text("hostname mine\n", encoding="utf-8")
        self.assertIn(f"with this line in cstrike/server.cfg:\n{self.line()}\n", self.update("?" + SELECTION).stdout)
        self.assertNotIn("sv_downloadurl", self.update("?" + SELECTION).stdout)  # nothing to do, and told before
        server_cfg.write_text(self.line() + "\n", encoding="utf-8")
        # What is configured is said again only when it is not that of the selection.
        script = self.script("?" + SELECTION)
        self.assertNotIn("sv_downloadurl", self.run_script(script).stdout)
        after = SELECTION + ",map-clock"
        changed = self.script("?" + after)
        said = ("sv_downloadurl in cstrike/server.cfg is not that of this server's selection. Write this line in its place, which stays the "
                f"same across updates:\n{self.line(after)}\n")
        self.assertIn(said, self.run_script(changed).stdout)
        self.assertIn(said, self.run_script(changed).stdout)  # until it is done
        self.assertEqual(server_cfg.read_text(encoding="utf-8"), self.line() + "\n")
        # Of the times when the line was that of a build.
        server_cfg.write_text(f'sv_downloadurl "http://{HOST}:{self.stack.http_port}/fastdl/{self.build}/"\n', encoding="utf-8")
        self.assertIn(said, self.run_script(changed).stdout)
        server_cfg.write_text(self.line(after) + "\n", encoding="utf-8")
        self.assertNotIn("sv_downloadurl", self.run_script(changed).stdout)

    def test_the_settings_of_the_selection_may_have_the_line(self):
        line = self.line()
        selection = SELECTION + "&cfg=" + urllib.parse.quote(line)
        self.assertEqual(self.line(selection), line)
        self.assertNotIn("sv_downloadurl", self.update("?" + selection).stdout)
        self.assertIn(line, (self.folder / "cstrike/addons/amxmodx/configs/svc.cfg").read_text(encoding="utf-8"))
        self.assertNotIn("sv_downloadurl", self.update("?" + selection).stdout)

    def test_the_address_stays_and_suits_all_builds(self):
        slug = "web-fastdl-moving"
        selection = f"components=anvil-engine,forge-gamedll,{slug}"
        same, changed, gone, new = (f"maps/{slug}_{name}.bsp" for name in ("same", "changed", "gone", "new"))
        self.publish_moving(slug, "1.0", {same: b"same", changed: b"first", gone: b"gone"})
        self.addCleanup(self.stack.sql, f"DELETE FROM components WHERE slug = '{slug}'; UPDATE revision SET value = value + 1")
        address = self.address(selection)
        first, _ = self.download(selection)
        name = address.rstrip("/").rsplit("/", 1)[-1]
        for path, content in ((same, b"same"), (changed, b"first"), (gone, b"gone"), (gone, b"gone")):
            status, headers, body = self.get(path, name)
            self.assertEqual((status, body, headers.get("cache-control")), (200, content, "public, max-age=60"), path)
        self.assertEqual(self.get(same, name, method="HEAD")[0], 200)
        self.assertEqual(self.get(same, first)[1]["cache-control"], "public, max-age=31536000, immutable")
        for absent in (new, "addons/x.txt", "maps/" + slug, "../" + first + "/" + same):
            self.assert_absent(f"/fastdl/{name}/{absent}" if not absent.startswith("..") else f"/fastdl/{name}/%2e%2e/{first}/addons")

        self.publish_moving(slug, "2.0", {same: b"same", changed: b"second", new: b"new"})
        self.assertEqual(self.address(selection), address)
        self.assertEqual(self.address(selection + "&optimized=1&cfg="), address)
        self.assertNotEqual(self.address(selection.replace(slug, slug + "@2.0")), address)
        second, _ = self.download(selection)
        self.assertNotEqual(second, first)
        # A host looks at what is new every ten seconds; what was linked stays until then.
        wait_until(lambda: self.get(changed, name)[0] == 404, 40)
        for path, content in ((same, b"same"), (gone, b"gone"), (new, b"new")):
            self.assertEqual(self.get(path, name)[::2], (200, content), path)
        self.assert_absent(f"/fastdl/{name}/{changed}")
        # The builds themselves are as they were.
        self.assertEqual(self.get(changed, first)[2], b"first")
        self.assertEqual(self.get(changed, second)[2], b"second")
        self.assert_absent(f"/fastdl/{'0' * 32}/{same}")

    def publish_moving(self, slug, version, content):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with zipfile.ZipFile(folder / "release.zip", "w") as file:
                for path, each in content.items():
                    file.writestr("cstrike/" + path, each)
            (folder / "component.json").write_text(json.dumps(
                {"slug": slug, "name": slug, "description": "Maps.", "layer": "content", "sort_order": 900}), encoding="utf-8")
            self.stack.goldsmith("component", "import", str(folder / "component.json"))
            self.stack.goldsmith("component", "mirror", slug, "--version", version, "--archive", str(folder / "release.zip"))
        time.sleep(2.1)


if __name__ == "__main__":
    UpdaterCase.stack = Stack(sys.argv.pop(1))
    unittest.main()

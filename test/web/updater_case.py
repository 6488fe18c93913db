"""What the tests have in common that run /server/update.sh of a stack."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

TIMEOUT = 120  # seconds
MEMORY = "/dev/shm"
BEFORE = "?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=afk-watch,map-clock"
AFTER = "?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform&plugins=map-clock,privet&optimized=1"
# With one file each that is tuned, as of setUpModule().
SMALL = "?components=forge-gamedll"
SMALL_AFTER = "?components=hearth-loader,forge-gamedll&optimized=1"
CONFIG = "cstrike/addons/amxmodx/configs/amxx.cfg"  # tuned by AFTER
USERS = "cstrike/addons/amxmodx/configs/users.ini"  # the same in both
AFK = "cstrike/addons/amxmodx/plugins/afk_watch.amxx"  # gone with AFTER
KEPT = "cstrike/addons/amxmodx/configs/plugins-kept.ini"  # written by the script
PRIVET = "cstrike/addons/amxmodx/plugins/privet.amxx"  # comes with AFTER
LIBLIST = "cstrike/liblist.gam"
METAMOD = "cstrike/addons/metamod/plugins.ini"
GAME = "cstrike/game.cfg"  # tuned by SMALL_AFTER
OTHER_USER = 12345


def tree(folder, skip=()):
    """{path: content} of all that is in a folder; of folders None, of links their target."""
    found = {}
    for path in sorted(pathlib.Path(folder).rglob("*")):
        name = str(path.relative_to(folder))
        if any(name == each or name.startswith(each + "/") for each in skip):
            continue
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = None if path.is_dir() else path.read_bytes()
    return found


def files(folder):
    """Those of the server and of the user."""
    return {name: content for name, content in tree(folder, [".goldsmith"]).items() if content is not None}


def setUpModule():  # pylint: disable=invalid-name
    with tempfile.NamedTemporaryFile() as tuned:
        tuned.write(b"// tuned\n")
        tuned.flush()
        for path in (CONFIG, GAME):
            UpdaterCase.stack.goldsmith("overlay", "set", path, "--file", tuned.name)
    time.sleep(2.1)


def tearDownModule():  # pylint: disable=invalid-name
    for path in (CONFIG, GAME):
        UpdaterCase.stack.goldsmith("overlay", "remove", path)


class UpdaterCase(unittest.TestCase):
    stack = None
    shell = ("dash",)

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="goldsmith update ", dir=MEMORY if os.access(MEMORY, os.W_OK) else None)
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.folder = self.here / "server"
        self.folder.mkdir()
        certificate = shutil.copy(os.path.join(self.stack.folder, "etc/tls/cert.pem"), self.here / "cert.pem")
        self.environment = {name: value for name, value in os.environ.items() if name not in ("LANG", "LC_ALL", "LC_MESSAGES")}
        self.environment |= {"CURL_CA_BUNDLE": str(certificate), "TMPDIR": str(self.here)}

    def give_to_other_user(self, folder):
        """Who may also make temporary files."""
        self.here.chmod(0o1777)
        (self.here / "cert.pem").chmod(0o644)
        for path in (folder, *folder.rglob("*")):
            os.chown(path, OTHER_USER, OTHER_USER, follow_symlinks=False)

    def use_only_busybox_and_curl(self):
        tools = self.here / "busybox"
        tools.mkdir()
        subprocess.run(["busybox", "--install", "-s", tools], check=True)
        (tools / "curl").symlink_to("/usr/bin/curl")
        self.shell = (str(tools / "sh"),)
        self.environment["PATH"] = str(tools)

    def script(self, selection, service=None):
        status, headers, body = self.stack.get("/server/update.sh" + selection)
        self.assertEqual((status, headers["Content-Type"]), (200, "text/x-shellscript; charset=utf-8"), body)
        if service:
            body = body.replace(self.stack.origin.encode(), service.encode())
        path = self.here / f"update-{abs(hash((selection, service)))}.sh"
        path.write_bytes(body)
        return path

    def script_through(self, proxy, selection):
        """One whose requests go to a proxy, as does what is installed."""
        state = self.folder / ".goldsmith/state"
        if state.exists():
            state.write_bytes(re.sub(rb"\nservice .*\n", b"\nservice " + proxy.url.encode() + b"\n", state.read_bytes(), count=1))
        return self.script(selection, proxy.url)

    def program(self):
        """What the scripts fetch."""
        path = self.here / "goldsmith-keeper"
        if not path.exists():
            path.write_bytes(self.stack.get("/server/goldsmith-keeper")[2])
            path.chmod(0o755)
        return path

    def command(self, script, *arguments, folder=None):
        return [*self.shell, str(script), *arguments, str(folder or self.folder)]

    def run_script(self, script, *arguments, status=0, folder=None, **options):
        done = subprocess.run(self.command(script, *(arguments or ["--yes"]), folder=folder), text=True, capture_output=True,
                              timeout=TIMEOUT, check=False, start_new_session=True,
                              **{"env": self.environment, "stdin": subprocess.DEVNULL, **options})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def update(self, selection, **options):
        return self.run_script(self.script(selection), **options)

    def known_build(self, selection):
        """Its hash, once the service knows it as a base of partial archives."""
        path = "/v1/server-builder/download" + selection
        deadline = time.monotonic() + TIMEOUT
        while True:
            headers = self.stack.get(path)[1]
            if headers["Repr-Digest"]:
                return headers["X-Svc-Build-Hash"]
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def archive(self, selection):
        folder = self.here / f"archive-{abs(hash(selection))}"
        if not folder.exists():
            archive = self.here / "archive.zip"
            archive.write_bytes(self.stack.get("/v1/server-builder/download" + selection)[2])
            subprocess.run(["unzip", "-q", archive, "-d", folder], check=True)
        return files(folder)

    def write(self, path, content, folder=None):
        path = (folder or self.folder) / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def read(self, path):
        return (self.folder / path).read_bytes()

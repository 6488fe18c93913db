"""A host of a test's own: a database on the tests' MariaDB, a depot, and the real `goldsmith`."""

import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "support"))

import upstream_server  # noqa: E402  (found by the line above)

PROGRAM = os.path.join(os.environ.get("GOLDSMITH_BUILD", os.path.join(ROOT, "build", "release")),
                       "bin", "goldsmith")
REPOSITORY = "owner/engine"


def sql(statement):
    # A socket's path may be too long: then the file is a link to a shorter one.
    socket = os.path.realpath(os.environ["GOLDSMITH_TEST_DB_SOCKET"])
    subprocess.run(["mariadb", "--no-defaults", "--user=root", f"--socket={socket}",
                    f"--execute={statement}"], check=True, stdin=subprocess.DEVNULL)
    return socket


class Schema:
    """What the migrations make of an empty database: they run once, and take many times as long as what they lead to."""
    statements = None

    @classmethod
    def make(cls, socket, database, migrate):
        account = ["--no-defaults", "--user=root", f"--socket={socket}", database]
        if cls.statements is None:
            migrate()
            cls.statements = subprocess.run(["mariadb-dump", *account], check=True, stdin=subprocess.DEVNULL,
                                            capture_output=True).stdout
        else:
            subprocess.run(["mariadb", *account], check=True, input=cls.statements)


def make_zip(files):
    """`files`: texts or bytes by path."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return buffer.getvalue()


def make_release(version, size=0):
    """An archive with a file that tells the version and `size` bytes that don't shrink."""
    return make_zip({"engine.so": f"engine {version}\n", "noise.bin": os.urandom(size)})


def make_library(content):
    """A library of 32-bit x86 whose only segment is `content`."""
    begin = 52 + 32
    header = struct.pack("<4sBBB9xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 3, 3, 1, 0, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    return header + struct.pack("<8I", 1, begin, 0, 0, len(content), len(content), 4, 4096) + content


class UpstreamTest(unittest.TestCase):
    """Each test has an upstream and a host."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="goldsmith upstream ")
        self.addCleanup(shutil.rmtree, self.folder)
        # Made once: what takes time is the keys.
        cls = type(self)
        if "certificate" not in cls.__dict__:
            cls.certificate_folder = tempfile.TemporaryDirectory(prefix="goldsmith-ca-")
            cls.addClassCleanup(cls.certificate_folder.cleanup)
            cls.certificate = upstream_server.make_certificate(cls.certificate_folder.name)
        self.upstream = self.enterContext(
            upstream_server.Upstream(self.folder, self.certificate))
        self.depot = os.path.join(self.folder, "depot")
        self.database = f"goldsmith_upstream_{os.getpid()}"
        self.socket = sql(f"DROP DATABASE IF EXISTS {self.database}; CREATE DATABASE {self.database}")
        self.addCleanup(sql, f"DROP DATABASE IF EXISTS {self.database}")
        self.conf = {"depot": self.depot, "state": os.path.join(self.folder, "state"),
                     "withdrawals": os.path.join(self.folder, "withdrawals"),
                     "database.socket": self.socket, "database.name": self.database,
                     "database.user": "root", "mirror.ca_file": self.upstream.ca,
                     "mirror.github_api": self.upstream.url(), "mirror.retry_pause_ms": 1,
                     "mirror.keys": os.path.join(self.folder, "keys")}
        Schema.make(self.socket, self.database, lambda: self.done("db", "migrate"))

    def command(self, words):
        return [PROGRAM, *words, *(f"--{name}={value}" for name, value in self.conf.items()),
                f"--config={self.write('goldsmith.conf', '')}"]

    def run_goldsmith(self, *words):
        return subprocess.run(self.command(words), check=False, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120,
                              env={"PATH": os.environ["PATH"], "LC_ALL": "C"})

    def done(self, *words):
        ended = self.run_goldsmith(*words)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended)
        return ended.stdout

    def failed(self, *words):
        """What it said on standard error, without the first "goldsmith: "."""
        ended = self.run_goldsmith(*words)
        self.assertEqual(ended.returncode, 1, ended)
        self.assertTrue(ended.stderr.startswith("goldsmith: "), ended)
        return ended.stderr.removeprefix("goldsmith: ")

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def import_component(self, slug="engine", upstream=None, **more):
        if upstream is None:
            upstream = {"github": REPOSITORY, "asset": "*.zip"}
        component = {"slug": slug, "name": slug, "layer": "engine", "upstream": upstream, **more}
        self.done("component", "import", self.write(f"{slug}.json", json.dumps(component)))

    def add_release(self, version="1.0", **more):
        """A release of the repository whose only asset is engine-VERSION.zip."""
        content = make_release(version, more.pop("size", 0))
        self.upstream.add_release(REPOSITORY, version, {f"engine-{version}.zip": content}, **more)
        return upstream_server.object_path(REPOSITORY, version, f"engine-{version}.zip")

    def mirror(self, *words):
        return self.done("component", "mirror", *(words or ("engine",)))

    def mirror_failed(self, *words):
        return self.failed("component", "mirror", *(words or ("engine",)))

    def show(self, slug="engine"):
        return json.loads(self.done("component", "show", slug, "--json"))

    def versions(self, slug="engine"):
        """Newest first."""
        return [version["version"] for version in self.show(slug)["versions"]]

    def depot_files(self):
        """Relative paths, digests in names as DIGEST; what goldsmith remembers of upstream is not among them."""
        found = []
        for path, folders, names in os.walk(self.depot):
            if ".upstream" in folders:
                folders.remove(".upstream")
            found += [os.path.relpath(os.path.join(path, name), self.depot)
                      for name in names + folders]
        return sorted(re.sub(r"\.[0-9a-f]{64}\.zip$", ".DIGEST.zip", name) for name in found)

    def assert_nothing_left(self):
        """No version, and no trace of a half-finished one."""
        self.assertEqual(self.versions(), [])
        self.assertEqual([name for name in self.depot_files() if name != ".lock"], [])

    def depot_file(self, slug, version, depot=None):
        """The file that was published last for that version."""
        folder = os.path.join(depot or self.depot, slug)
        names = [name for name in os.listdir(folder) if re.fullmatch(re.escape(version) + r"\.[0-9a-f]{64}\.zip", name)]
        return max((os.path.join(folder, name) for name in names), key=lambda file: os.stat(file).st_ctime_ns)

    def read_depot(self, slug, version, path):
        with zipfile.ZipFile(self.depot_file(slug, version)) as archive:
            return archive.read(path).decode()

    def api_requests(self):
        return [request for request in self.upstream.requests
                if request.path.startswith("/repos/")]

    def downloads(self):
        return [request for request in self.upstream.requests
                if not request.path.startswith("/repos/")]

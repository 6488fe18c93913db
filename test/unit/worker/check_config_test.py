#!/usr/bin/env python3
"""goldsmith-worker --check-config says what a worker does: check_config_test.py WORKER"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

WORKER = None


class CheckConfig(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="goldsmith-worker-"))
        os.mkdir(self.path("folder"))
        os.mkdir(self.path("run"))
        with open(self.path("file.svg"), "w", encoding="ascii") as file:
            file.write("<svg/>")
        os.symlink("nowhere", self.path("link.svg"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def command(self, options, *more):
        """With everything of its own in the folder, and then the options."""
        own = {"state": self.path("run/state"), "toolchains": self.path("toolchains"), "includes": self.path("includes"),
               "depot": self.path("depot"), "archive_cache": self.path("archives"), "artefact_cache": self.path("artefacts")}
        with open(self.path("goldsmith.conf"), "w", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in {**own, **options}.items())
        return [WORKER, f"--config={file.name}", *more]

    def check(self, options):
        """(exit code, what it said)"""
        done = subprocess.run(self.command(options, "--check-config"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return done.returncode, done.stdout

    def start(self, options):
        """The same of a worker that is ended as soon as it listens."""
        socket = self.path("socket")
        with subprocess.Popen(self.command(options, f"--socket={socket}"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as worker:
            while worker.poll() is None and not os.path.exists(socket):
                time.sleep(0.01)
            worker.send_signal(signal.SIGTERM)
            said = worker.communicate()[0]
        if os.path.exists(socket):
            os.remove(socket)
        # Before it waits for signals it ends by this one.
        return 0 if worker.returncode == -signal.SIGTERM else worker.returncode, said

    def assert_same(self, options):
        """The exit code of both."""
        (checked, said), (started, log) = self.check(options), self.start(options)
        self.assertEqual(checked, started, f"{options}\n{said}{log}")
        return checked

    def test_each_path_that_is_not_there_or_of_another_kind(self):
        template = subprocess.run([WORKER, "--default-config"], check=True, stdout=subprocess.PIPE, text=True).stdout
        names = re.findall(r"(?m)^# .*an absolute path.*\n(?:# .*\n)*#([a-z_.]+) =", template)
        self.assertLessEqual({"state", "toolchains", "site.logo", "database.tls_ca", "start.game_folder"}, set(names))
        refused = {"site.logo": 2, "state": 1}
        for value in (self.path("file.svg/below.svg"), self.path("folder"), self.path("link.svg")):
            for name, code in refused.items():
                self.assertEqual(self.assert_same({name: value}), code, (name, value))
            # No worker needs any of the others to start: it answers what it can.
            self.assertEqual(self.assert_same({name: value for name in names if name not in refused}), 0, value)

    def test_the_check_refuses_what_a_worker_would_not_start_with(self):
        for options, code in (({}, 0), ({"trusted_proxies": "300.1.1.1"}, 2), ({"site.language": "xx"}, 2),
                              ({"limits.backend": "mysql"}, 0), ({"database.read_hosts": "127.0.0.1:1"}, 0),
                              ({"site.logo": self.path("file.svg")}, 0), ({"nonsense": "x"}, 2)):
            self.assertEqual(self.assert_same(options), code, options)

    def test_a_missing_logo_is_an_invalid_configuration_with_a_way_out(self):
        os.mkdir(self.path("logo.svg"))
        for value in ("/nowhere/logo.svg", self.path("logo.svg")):
            code, said = self.check({"site.logo": value})
            # systemd does not start a worker again that ends with this code.
            self.assertEqual(code, 2)
            self.assertRegex(said, f"site.logo: {value}: .*; the workers must be able to read it, or it must be empty")

    def test_a_logo_that_no_page_shows_is_not_read(self):
        self.assertEqual(self.assert_same({"site.logo": "/nowhere/logo.svg", "site.enabled": "off"}), 0)

    def test_a_check_leaves_the_shared_files_alone(self):
        self.assertEqual(self.check({})[0], 0)
        self.assertEqual(os.listdir(self.path("run")), [])


if __name__ == "__main__":
    WORKER = os.path.abspath(sys.argv.pop(1))
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])

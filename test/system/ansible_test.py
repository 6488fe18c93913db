#!/usr/bin/env python3
"""The example role for Ansible, systemd/ansible, on a Debian of its own: ansible_test.py BUILD_FOLDER SUITE PACKAGE

PACKAGE is put into a repository of scripts/repository, from which the role installs it beside real nginx and MariaDB under a real
systemd. Ansible runs on that machine, which has no network. The exit code is 77 if this host cannot run it; the last line says why."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from machine import NAME, Machine, make_tree, require

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = SUITE = PACKAGE = TREE = MACHINE = None
# As beside a playbook.
VALUES = {"goldsmith_server_name": NAME, "goldsmith_repository": "file:/srv/repository", "goldsmith_repository_key": "/root/goldsmith.asc",
          "goldsmith_packages": ["goldsmith", "nginx-light", "mariadb-server"],  # what the machine has
          "goldsmith_options": {"site.name": "By Ansible", "site.tagline": "by a role"},
          "goldsmith_certificate": "/root/site.pem", "goldsmith_certificate_key": "/root/site.key",
          # Neither compilers nor upstreams: there is no network.
          "goldsmith_toolchains": [], "goldsmith_mirror": False,
          "goldsmith_keys": [{"name": "example-hosting", "options": ["--per-day", "20000"]}, {"name": "it's mine; true"}]}
SUBJECT = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN={NAME} -addext subjectAltName=DNS:{NAME}"


def make_repository(folder):
    """The folder that a web server would show."""
    environment = {**os.environ, "GNUPGHOME": os.path.join(folder, "gnupg")}
    os.mkdir(environment["GNUPGHOME"], 0o700)
    for command in (["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "publisher", "ed25519", "sign"],
                    [os.path.join(ROOT, "scripts", "repository"), folder + "/made", "publisher", PACKAGE],
                    ["gpgconf", "--kill", "all"]):
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder + "/made/public"


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", "ansible-" + SUITE))
    MACHINE.boot()
    with tempfile.TemporaryDirectory() as folder:
        public = make_repository(folder)
        shutil.copytree(public, MACHINE.path("/srv/repository"))
        shutil.copy(public + "/goldsmith.asc", MACHINE.path("/root/goldsmith.asc"))
    MACHINE.run("chmod", "-R", "a+rX", "/srv/repository")
    shutil.copytree(os.path.join(ROOT, "systemd", "ansible"), MACHINE.path("/root/ansible"))
    sample = os.path.join(ROOT, "test", "fixtures", "sample")
    components = []
    for name in sorted(os.listdir(sample + "/components")):
        with open(f"{sample}/components/{name}", encoding="utf-8") as file:
            components.append(json.load(file))
    with open(MACHINE.path("/root/components.json"), "w", encoding="utf-8") as file:
        json.dump(components, file)
    subprocess.run([sample + "/make_components.py", MACHINE.path("/root/upstream")], check=True, stdout=subprocess.DEVNULL)
    # Without a network an index of another repository can't be had.
    MACHINE.run("bash", "-c", "rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*")
    make_certificate()


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def make_certificate():
    MACHINE.run("bash", "-c", f"{SUBJECT} -keyout /root/site.key -out /root/site.pem")


def archives():
    """Of two components of the sample data, as operators have them on the host."""
    with open(MACHINE.path("/root/upstream/index.tsv"), encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file]
    return [{"slug": slug, "version": version, "archive": "/root/upstream/" + archive, "released_at": time}
            for slug, version, archive, time in rows if slug in ("anvil-engine", "forge-gamedll")]


def play(**more):
    """{the step: whether it changed something} of those that were not skipped."""
    with open(MACHINE.path("/root/values.json"), "w", encoding="utf-8") as file:
        json.dump({**VALUES, **more, "ansible_become": False}, file)
    said = MACHINE.run("env", "HOME=/root", "ANSIBLE_NOCOLOR=1", "ansible-playbook", "-i", "localhost,", "-c", "local",
                       "-e", "@/root/values.json", "/root/ansible/site.yml")
    steps = {}
    for name, results in re.findall(r"^(?:TASK|RUNNING HANDLER) \[(?:goldsmith : )?(.+?)\] \*+\n(.*?)(?=^\n|\Z)", said, re.S | re.M):
        outcomes = set(re.findall(r"^(ok|changed):", results, re.M))
        if outcomes:
            steps[name] = "changed" in outcomes
    changed = int(re.search(r"(?m)^localhost .* changed=(\d+) .* failed=0 ", said)[1])
    assert changed == sum(steps.values()), said
    return steps


def changed(steps):
    return [name for name, was_changed in steps.items() if was_changed]


def status(target, *arguments):
    return MACHINE.run("curl", "-s", "--cacert", "/root/site.pem", "--resolve", f"{NAME}:443:127.0.0.1", "-o", "/dev/null", "-w",
                       "%{http_code}", *arguments, f"https://{NAME}{target}")


class Role(unittest.TestCase):
    maxDiff = None

    def test_1_each_step_changes_something_once(self):
        VALUES.update(goldsmith_manifests=["/root/components.json"], goldsmith_archives=archives())
        steps = play()
        self.assertEqual(changed(steps), [
            "Key of the repository", "Repository", "Packages", "Configuration", "Folder of the certificate", "Certificate", "Setup",
            "What is set up now", "Manifests", "Components of the manifests", "Versions from archives", "Folder of the keys", "Keys",
            "Reload nginx"])
        self.assertEqual(status("/v1/meta"), "200")
        self.assertEqual(MACHINE.run("goldsmith", "config", "get", "site.tagline"), "by a role\n")
        listed = json.loads(MACHINE.run("goldsmith", "component", "list", "--json"))
        mirrored = {(each["slug"], version["version"]) for each in listed for version in each["versions"]}
        self.assertEqual(mirrored, {(each["slug"], each["version"]) for each in VALUES["goldsmith_archives"]})
        self.assertTrue(mirrored)

    def test_2_nothing_at_the_second_run(self):
        self.assertEqual(changed(play()), [])

    def test_3_keys_can_be_used_and_are_roots_alone(self):
        self.assertEqual(sorted(MACHINE.run("ls", "/root/goldsmith-keys").splitlines()), ["example-hosting", "it's mine; true"])
        self.assertEqual(MACHINE.run("bash", "-c", "stat -c %a /root/goldsmith-keys /root/goldsmith-keys/*").split(), ["700", "600", "600"])
        key = MACHINE.run("head", "-n", "1", "/root/goldsmith-keys/example-hosting").strip()
        self.assertEqual(status("/v1/meta", "-H", f"Authorization: Bearer {key}"), "200")
        self.assertEqual(status("/v1/meta", "-H", f"Authorization: Bearer {key}x"), "401")
        self.assertEqual([each["per_day"] for each in json.loads(MACHINE.run("goldsmith", "key", "list", "--json"))
                          if each["name"] == "example-hosting"], [20000])

    def test_4_what_differs_is_changed_and_nothing_else(self):
        make_certificate()
        options = {**VALUES["goldsmith_options"], "site.name": "Another"}
        self.assertEqual(changed(play(goldsmith_options=options)),
                         ["Configuration", "Certificate", "Setup", "What is set up now", "Reload nginx"])
        self.assertEqual(status("/v1/meta"), "200")  # by the new certificate
        self.assertIn("Another", MACHINE.run("curl", "-s", "--cacert", "/root/site.pem", "--resolve", f"{NAME}:443:127.0.0.1",
                                             f"https://{NAME}/"))

    def test_5_the_package_has_the_role(self):
        MACHINE.run("diff", "-r", "/root/ansible", "/usr/share/doc/goldsmith/examples/ansible")


def main():
    global BUILD, SUITE, PACKAGE, TREE
    SUITE = sys.argv[2]
    BUILD, PACKAGE = (os.path.abspath(each) for each in (sys.argv[1], sys.argv[3]))
    require([PACKAGE], "scripts/test all builds the package for it")
    TREE = make_tree(SUITE, PACKAGE)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[4:]])


main()

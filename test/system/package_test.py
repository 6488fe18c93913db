#!/usr/bin/env python3
"""The Debian package on a Debian of its own: package_test.py BUILD_FOLDER SUITE PACKAGE NEXT_PACKAGE [OPTION OF unittest…]

SUITE is the release that the packages were built for, such as bookworm.
Installs PACKAGE beside real nginx and MariaDB under a real systemd, sets it up, does the main job over HTTPS,
restarts and upgrades it to NEXT_PACKAGE under load, and purges it. The tests run in the order of their numbers, on
one machine. The exit code is 77 if this host cannot run them; the last line says why."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
import unittest
import zipfile

from machine import DEBIAN_TREE, NAME, Load, Machine, dependencies, field, make_tree, require
from removed_package import Removal
from running_stack import wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = SUITE = PACKAGE = NEXT = TREE = MACHINE = None
SETUP_CONF, PREVIOUS = "/etc/goldsmith/conf.d/10-setup.conf", "/usr/lib/goldsmith/previous"
PREVIOUS_FOLDERS = "/etc/tmpfiles.d/goldsmith-previous.conf"
SETUP = ["goldsmith", "setup", "--yes", "--server-name", NAME, "--self-signed"]


# A database server as on another host: db.example over TCP, with TLS, and an account for administrators.
OTHER_DATABASE = r"""
set -e
exec 2>&1
mkdir -p /srv/db && cd /srv/db
request() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -subj "/CN=$1" "${@:2}"; }
request ca -x509 -days 30 -out ca.pem
request server -out server.csr
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -out server.pem \
  -extfile <(printf subjectAltName=DNS:db.example)
install -m 644 ca.pem /etc/goldsmith/database-ca.pem
chown mysql: .
mariadb-install-db --no-defaults --user=mysql --datadir=/srv/db/data --auth-root-authentication-method=normal \
  --skip-test-db --force
chown -R mysql: .
echo '127.0.0.1 db.example' >>/etc/hosts
systemd-run --quiet --unit=other-database mariadbd --no-defaults --user=mysql --datadir=/srv/db/data --socket=/srv/db/sock \
  --port=3307 --bind-address=127.0.0.1 --ssl-ca=/srv/db/ca.pem --ssl-cert=/srv/db/server.pem --ssl-key=/srv/db/server.key
until mariadb-admin --no-defaults -uroot -S/srv/db/sock ping >/dev/null 2>&1; do sleep 0.1; done
mariadb --no-defaults -uroot -S/srv/db/sock -e "CREATE USER admin IDENTIFIED BY 'first' REQUIRE SSL;
  GRANT ALL ON *.* TO admin WITH GRANT OPTION"
printf '[client]\nuser = admin\npassword = first\n' >/root/admin.cnf
"""


def setUpModule():
    global MACHINE
    MACHINE = Machine(TREE, os.path.join(BUILD, "machines", SUITE))
    MACHINE.boot()
    shutil.copy(PACKAGE, MACHINE.path("/root/goldsmith.deb"))
    if os.path.exists(NEXT):
        shutil.copy(NEXT, MACHINE.path("/root/next.deb"))
    shutil.copytree(os.path.join(BUILD, "toolchain"), MACHINE.path("/root/toolchains"))
    shutil.copytree(os.path.join(ROOT, "test", "fixtures", "sample"), MACHINE.path("/root/sample"))
    subprocess.run([os.path.join(ROOT, "test", "fixtures", "sample", "make_components.py"), MACHINE.path("/root/upstream")],
                   check=True, stdout=subprocess.DEVNULL)


def tearDownModule():
    if MACHINE:
        MACHINE.stop()


def install(package):
    return MACHINE.run("dpkg", "-i", "/root/" + os.path.basename(package))


def main_pids(pool):
    shown = MACHINE.run("systemctl", "show", "--property=MainPID", f"goldsmith-{pool}@*.service")
    return [pid for pid in re.findall(r"MainPID=(\d+)", shown) if pid != "0"]


def nginx_workers():
    return sorted(MACHINE.run("pgrep", "-f", "nginx: worker process$").split())


# Runs each argument as a command and prints those that succeed.
TRIES = 'cd /; for each; do if bash -c "$each" >/dev/null 2>&1 </dev/null; then echo "$each"; fi; done'


def successes(user, attempts):
    return MACHINE.run("runuser", "-u", user, "--", "bash", "-c", TRIES, "tries", *attempts).splitlines()


def memory_bound():
    """MiB: three quarters of the machine's memory."""
    return int(re.search(r"MemTotal: +(\d+) kB", MACHINE.run("cat", "/proc/meminfo")).group(1)) * 3 // 4 // 1024


def load(case, target):
    return Load(case, MACHINE, target)


class Package(Removal, unittest.TestCase):
    maxDiff = None

    @property
    def machine(self):
        return MACHINE

    def test_00_lintian_finds_nothing(self):
        lintian, package = ["lintian"], PACKAGE
        if SUITE != platform.freedesktop_os_release().get("VERSION_CODENAME"):
            # That of the release, in the tree that the package was built in.
            lintian = [DEBIAN_TREE, "run", SUITE, "lintian"]
            package = os.path.join(ROOT, "build", os.path.relpath(PACKAGE, os.path.join(ROOT, "build", SUITE)))
        done = subprocess.run([*lintian, "--allow-root", "--fail-on", "error,warning", package],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_01_it_installs_and_says_what_to_do_next(self):
        self.assertIn("goldsmith setup", install(PACKAGE))
        self.assertEqual(MACHINE.run("stat", "-c", "%U:%G %a", "/etc/goldsmith/goldsmith.conf").strip(),
                         "root:goldsmith 640")
        self.assertEqual(MACHINE.run("stat", "-c", "%U:%G %a", "/etc/goldsmith/conf.d").strip(), "root:goldsmith 2750")
        self.assertEqual(MACHINE.run("systemctl", "is-active", "nginx", "mariadb").split(), ["active"] * 2)

    def test_01b_its_bill_of_materials_is_that_of_this_package(self):
        bill = json.loads(MACHINE.run("cat", "/usr/share/doc/goldsmith/sbom.cdx.json"))
        self.assertEqual(bill["metadata"]["component"]["version"], field(PACKAGE, "Version"))
        shared = {each["name"] for each in bill["components"]
                  if {"name": "goldsmith:use", "value": "shared library"} in each.get("properties", [])}
        # Found in another way: by dpkg-shlibdeps.
        self.assertEqual(shared, set(dependencies(PACKAGE)) - {"bubblewrap", "ca-certificates", "gpgv", "systemd"})
        inside = {each["ref"]: [package.partition(":")[0] for package in each["dependsOn"]]
                  for each in bill["dependencies"] if each["ref"] != "goldsmith"}
        for path in inside:
            self.assertTrue("/" not in path or os.path.exists(MACHINE.path(path)), path)
        self.assertIn("libc6-dev", inside["usr/lib/goldsmith/goldsmith-keeper"])
        self.assertIn("wasi-libc", inside["server.wasm"])

    def test_02_a_dry_run_changes_nothing(self):
        said = MACHINE.run(*SETUP, "--dry-run")
        self.assertIn(f"==> Memory of the workers: at most {memory_bound()} MiB together\n==> Workers", said)
        MACHINE.fails("test", "-e", "/etc/systemd/system/goldsmith.slice.d")
        self.assertEqual(MACHINE.run("ls", "/etc/goldsmith/conf.d"), "")
        self.assertNotIn("goldsmith", MACHINE.run("mariadb", "-Ne", "SHOW DATABASES"))
        MACHINE.fails("test", "-e", "/etc/nginx/goldsmith/local.conf")

    def test_03_a_setup_that_can_not_be_done_says_why(self):
        self.assertIn("goldsmith setup sets it up", MACHINE.fails("goldsmith", "drain"))
        self.assertIn("no socket /nowhere", MACHINE.fails(*SETUP, "--database-socket", "/nowhere"))
        self.assertIn("--server-name", MACHINE.fails("goldsmith", "setup", "--yes", "--self-signed"))
        self.assertIn("invalid host name", MACHINE.fails("goldsmith", "setup", "--yes", "--server-name", "a b"))
        self.assertIn("is not a readable PEM certificate", MACHINE.fails(
            "goldsmith", "setup", "--yes", "--server-name", NAME, "--certificate", "/etc/passwd", "--key", "/etc/passwd"))
        self.assertIn("unknown option", MACHINE.fails("goldsmith", "setup", "--nonsense"))

    def test_04_a_setup_makes_a_service_that_answers(self):
        self.assertIn(f"goldsmith is running at https://{NAME}", MACHINE.run(*SETUP))
        self.assertEqual(MACHINE.status("/v1/meta"), "200")
        self.assertEqual(MACHINE.run("stat", "-c", "%U %a", "/etc/goldsmith/operator.conf").strip(), "root 600")
        # What setup writes is in no file of the package: an upgrade has nothing to ask.
        self.assertEqual(MACHINE.run("stat", "-c", "%U:%G %a", SETUP_CONF).strip(), "root:goldsmith 640")
        self.assertEqual(MACHINE.run("dpkg", "--verify", "goldsmith"), "")
        self.assertEqual(json.loads(MACHINE.run("goldsmith", "config", "list", "--json"))[0],
                         {"name": "base_url", "value": f"https://{NAME}", "set_in": SETUP_CONF + " line 3", "overridden": []})
        self.assertIn("rehlds", MACHINE.run("goldsmith", "component", "list"))

    def test_04b_a_certificate_is_got_through_the_site(self):
        # setup is done with a certificate of its own; certbot puts this below its --webroot, and an authority asks for it.
        said = MACHINE.run(*SETUP)
        webroot = re.search(f"certbot certonly --webroot -w (\\S+) -d {NAME} ", said)[1]
        asked = "/.well-known/acme-challenge/a-token_1"
        challenge = ["curl", "-s", "--resolve", f"{NAME}:80:127.0.0.1", f"http://{NAME}{asked}"]
        MACHINE.run("bash", "-c", f"install -d {webroot}/.well-known/acme-challenge && printf a-key >{webroot}{asked}")
        self.assertEqual(MACHINE.run(*challenge), "a-key")
        # The certificate, as setup says; it is renewed in the same way.
        certificate, key = re.search(r"--certificate (\S+) .*\n +--key (\S+)\n", said).groups()
        MACHINE.run("bash", "-c", f"install -d {os.path.dirname(certificate)} && cp /etc/goldsmith/tls/cert.pem {certificate} && "
                    f"cp /etc/goldsmith/tls/key.pem {key}")
        said = MACHINE.run("goldsmith", "setup", "--yes", "--certificate", certificate, "--key", key)
        self.assertNotIn("certbot", said)
        self.assertIn(certificate, MACHINE.run("cat", "/etc/nginx/goldsmith/local.conf"))
        self.assertEqual((MACHINE.run(*challenge), MACHINE.status("/v1/meta"), MACHINE.curl(asked)), ("a-key", "200", "a-key"))
        MACHINE.run("rm", "-r", webroot + "/.well-known", "/etc/letsencrypt")
        MACHINE.run(*SETUP)

    def test_05_a_second_setup_changes_nothing(self):
        files = [SETUP_CONF, "/etc/goldsmith/operator.conf", "/etc/nginx/goldsmith/local.conf"]
        before = MACHINE.run("sha256sum", *files)
        MACHINE.run(*SETUP)
        self.assertEqual(MACHINE.run("sha256sum", *files), before)
        self.assertEqual(MACHINE.status("/v1/meta"), "200")

    def test_05b_the_memory_of_the_workers_has_a_bound_that_an_operator_may_change(self):
        def bound():
            return MACHINE.run("systemctl", "show", "--property=MemoryMax", "--value", "goldsmith.slice").strip()
        self.assertEqual(bound(), str(memory_bound() << 20))
        own = "/etc/systemd/system/goldsmith.slice.d/override.conf"  # as systemctl edit makes it
        MACHINE.run("bash", "-c", f"printf '[Slice]\\nMemoryMax=1G\\n' >{own}")
        MACHINE.run(*SETUP)
        self.assertEqual(bound(), str(1 << 30))
        MACHINE.run("rm", own)
        MACHINE.run("systemctl", "daemon-reload")
        self.assertEqual(bound(), str(memory_bound() << 20))

    def test_06_the_main_job_over_https(self):
        MACHINE.run("bash", "-c", "mkdir -p /opt/goldsmith && cp -a /root/toolchains /opt/goldsmith/toolchains")
        MACHINE.run("bash", "-c", "goldsmith plugin import /root/sample/plugins/*/")
        MACHINE.run("bash", "-c", "goldsmith component import /root/sample/components/*.json")
        MACHINE.run("bash", "-c", "while read -r slug version file time; do goldsmith component mirror $slug --version "
                    "$version --archive /root/upstream/$file --released-at \"$time\" || exit 1; done "
                    "</root/upstream/index.tsv")
        for name in ("anonymous_per_minute", "anonymous_per_day", "builds_per_hour", "compiles_per_hour",
                     "compile_flood_per_minute", "build_flood_per_minute"):
            MACHINE.run("goldsmith", "setting", "set", name, "1000000")
        self.assertEqual(MACHINE.curl("/v1/plugins/afk-watch/download/2.0?kind=zip", "-o", "/root/plugin.zip", "-w",
                                      "%{http_code} %{http_version}"), "200 2")
        self.assertEqual(self.download(), "200 2")
        with zipfile.ZipFile(MACHINE.path("/root/server.zip")) as archive:
            self.assertIsNone(archive.testzip())
            self.assertIn("cstrike/liblist.gam", archive.namelist())
            self.assertIn("cstrike/addons/amxmodx/configs/plugins-svc.ini", archive.namelist())
        self.assertEqual(MACHINE.run("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}",
                                     "http://127.0.0.1:9189/readyz"), "200")
        self.assertIn('goldsmith_requests_total{route="plugin_download",status="200"} 1',
                      MACHINE.run("curl", "-s", "http://127.0.0.1:9189/metrics"))
        self.assertEqual(sorted(os.listdir(MACHINE.path("/usr/share/goldsmith/monitoring"))), ["alerts.yml", "dashboard.json"])

    def download(self):
        components = "anvil-engine,forge-gamedll,hearth-loader,amber-platform"
        return MACHINE.curl(f"/v1/server-builder/download?components={components}&plugins=afk-watch", "-o", "/root/server.zip",
                            "-w", "%{http_code} %{http_version}")

    def test_06b_a_request_is_found_in_the_journal_by_its_id(self):
        # By default only what nginx does not know is in the journal: failures, refusals, slow requests.
        MACHINE.curl("/v1/plugins/no-such-plugin", "-H", "Authorization: Bearer svck_wrong")
        access_log = "/var/log/nginx/goldsmith-access.log"
        # nginx writes its log once a second.
        wait_until(lambda: "no-such-plugin" in MACHINE.run("cat", access_log))
        line = MACHINE.run("grep", "no-such-plugin", access_log)
        request = line.split()[2]
        wait_until(lambda: " status=401 " in MACHINE.run(
            "journalctl", "--no-pager", "-u", "goldsmith-api@*", f"GOLDSMITH_REQUEST_ID={request}"))

    def test_06c_the_doctor_finds_nothing_bad(self):
        findings = json.loads(MACHINE.run("goldsmith", "doctor", "--json"))
        self.assertEqual([each for each in findings if each["health"] == "bad"], [])
        subjects = {each["subject"] for each in findings}
        self.assertLessEqual({"configuration", "permissions", "units", "nginx", "certificate", "database", "schema",
                              "api account", "build account", "depot", "archive cache", "toolchain 1.9",
                              "archive sandbox"},
                             subjects)
        for subject, text in (("archive sandbox", "upstream archives are read as goldsmith-mirror"),
                              ("units", "the compilers work inside goldsmith-build@.service")):
            self.assertIn({"subject": subject, "health": "good", "text": text, "remedy": ""}, findings)

    def test_06d_the_doctor_names_what_is_wrong_and_the_way_out(self):
        for breaks, mends, subject, remedy in (
                ("chmod 644 /etc/goldsmith/goldsmith.conf", "chmod 640 /etc/goldsmith/goldsmith.conf", "permissions",
                 "chmod 640 /etc/goldsmith/goldsmith.conf"),
                ("install -m 600 /dev/null /etc/goldsmith/conf.d/50-mine.conf", "rm /etc/goldsmith/conf.d/50-mine.conf",
                 "permissions", "chgrp goldsmith /etc/goldsmith/conf.d/50-mine.conf; chmod 640"),
                ("systemctl stop goldsmith-build@1", "systemctl start goldsmith-build@1", "units", "systemctl enable --now"),
                ("systemctl stop mariadb.socket mariadb", "systemctl start mariadb.socket mariadb", "database",
                 "systemctl status mariadb"),
                ("mariadb -e 'REVOKE SELECT ON goldsmith.plugins FROM goldsmith_api@localhost'",
                 "goldsmith setup --upgrade", "api account", "goldsmith setup --upgrade"),
                ("chmod 644 /etc/goldsmith/build.conf", "chmod 640 /etc/goldsmith/build.conf", "permissions",
                 "chmod 640 /etc/goldsmith/build.conf"),
                ("mv /var/lib/goldsmith/depot/anvil-engine /root/", "mv /root/anvil-engine /var/lib/goldsmith/depot/",
                 "depot", "goldsmith depot fill"),
                # Root sees no difference.
                ("chmod 700 /var/lib/goldsmith/depot/anvil-engine", "goldsmith depot verify --repair", "build workers",
                 "goldsmith depot verify --repair"),
                ("chmod 700 /var/cache/goldsmith/archives", "chmod 755 /var/cache/goldsmith/archives", "nginx", "namei -l"),
                ("chown root: /var/cache/goldsmith/artefacts", "chown goldsmith-build: /var/cache/goldsmith/artefacts",
                 "build workers", "chown goldsmith-build: /var/cache/goldsmith/artefacts"),
                ("(umask 077 && mkdir -p /etc/goldsmith/include/1.9)", "rm -r /etc/goldsmith/include", "api workers",
                 "chmod a+x /etc/goldsmith/include"),
                ("chown root:root /etc/goldsmith/api.conf", "chown root:goldsmith-api /etc/goldsmith/api.conf", "api workers",
                 "chown root:goldsmith-api /etc/goldsmith/api.conf"),
                ("mv /usr/bin/bwrap /root/", "mv /root/bwrap /usr/bin/", "archive sandbox", "no component can be mirrored"),
                ("echo 'nonsense;' >>/etc/nginx/goldsmith/local.conf", "sed -i '/nonsense/d' /etc/nginx/goldsmith/local.conf",
                 "nginx", "systemctl reload nginx"),
                ("echo 'fastdl.url = http://fast.example.org' >/etc/goldsmith/conf.d/60-fastdl.conf",
                 "rm /etc/goldsmith/conf.d/60-fastdl.conf", "fastdl", "examples/fastdl.conf")):
            MACHINE.run("bash", "-c", breaks)
            try:
                said = MACHINE.fails("goldsmith", "doctor")
                self.assertRegex(said, f"(?m)^! {subject}: .*\n    .*{re.escape(remedy)}")
            finally:
                MACHINE.run("bash", "-c", mends)
        filled = ["journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-depot-fill"]
        before = MACHINE.run(*filled)
        MACHINE.run("goldsmith", "doctor")
        self.assertEqual(MACHINE.run(*filled), before, "the doctor has started what waits for workers")

    def test_06d0_a_umask_keeps_no_worker_out_and_what_did_so_is_cured(self):
        folder = "/var/lib/goldsmith/depot/masked"
        MACHINE.run("bash", "-c", "umask 077 && echo '{\"slug\": \"masked\", \"name\": \"M\", \"layer\": \"content\"}' "
                    ">/root/masked.json && goldsmith component import /root/masked.json && "
                    "goldsmith component mirror masked --version 1 --archive /root/plugin.zip")
        self.assertEqual(MACHINE.run("bash", "-c", f"stat -c %a {folder} {folder}/*").split(), ["755", "644"])
        target = "/v1/server-builder/download?components=anvil-engine,forge-gamedll,hearth-loader,amber-platform,masked"
        MACHINE.run("chmod", "700", folder)
        self.assertEqual(MACHINE.status(target), "503")
        self.assertIn("1 version can't be read by the workers", MACHINE.fails("goldsmith", "depot", "verify"))
        # The worker has asked for it.
        wait_until(lambda: MACHINE.run("stat", "-c", "%a", folder).strip() == "755")
        self.assertEqual(MACHINE.status(target), "200")
        MACHINE.run("goldsmith", "depot", "verify")
        MACHINE.run("goldsmith", "component", "unmirror", "masked", "1", "--force")

    def cold_download(self):
        """The status of one that needs room in both caches."""
        MACHINE.run("goldsmith", "cache", "prune", "--all", "--cache.handover_seconds=1")
        return self.download()

    def test_06d01_caches_may_be_moved(self):
        setup, conf = [*SETUP[:-1], "--no-catalog"], "/etc/goldsmith/conf.d/60-disk.conf"
        default, moved, linked = "/var/cache/goldsmith/archives", "/srv/new disk/archives", "/srv/linked"
        # By an option; without setup the units may not write there.
        MACHINE.run("bash", "-c", f"echo 'archive_cache = {moved}' >{conf} && install -d -o goldsmith-build '{moved}'")
        said = MACHINE.fails("goldsmith", "doctor")
        self.assertRegex(said, "! build workers: .*Read-only file system\n    goldsmith setup lets")
        self.assertIn(f"! nginx: it has {default} for archive_cache, the configuration {moved}\n    goldsmith setup\n", said)
        MACHINE.run("rm", "-r", moved)
        MACHINE.run(*setup)
        self.assertEqual(self.cold_download(), "200 2")
        self.assertRegex(MACHINE.run("ls", moved), r"^[0-9a-f]{64}\.zip\n$")
        MACHINE.run("goldsmith", "doctor")
        MACHINE.run("systemctl", "start", "goldsmith-cache-prune.service")
        # By a link; an upgrade adds what is missing, and leaves alone what somebody wrote.
        drop_in = "/etc/systemd/system/goldsmith-cache-prune.service.d/paths.conf"
        MACHINE.run("bash", "-c", f"rm {conf} && mv '{moved}' {linked} && rm -r {default} && ln -s {linked} {default} && "
                    f"echo '# mine' >{drop_in}")
        self.assertIn(f"{drop_in} is not setup's, and stays; it needs:\n[Service]\nReadWritePaths=\"-{linked}\"",
                      MACHINE.run("goldsmith", "setup", "--upgrade"))
        self.assertEqual(MACHINE.run("cat", drop_in), "# mine\n")
        MACHINE.run("bash", "-c", f"rm {drop_in} && systemctl reload nginx")
        MACHINE.run(*setup)
        self.assertEqual(self.cold_download(), "200 2")
        MACHINE.run("goldsmith", "doctor")
        MACHINE.run("systemd-tmpfiles", "--create", "goldsmith.conf")
        # What units can't see is refused, with the lines to add.
        MACHINE.run("bash", "-c", f"rm {default} && mv {linked} /home/archives && echo 'archive_cache = /home/archives' >{conf}")
        said = MACHINE.fails(*setup)
        self.assertIn("archive_cache is /home/archives, which goldsmith-build@1.service does not see", said)
        self.assertIn('run "systemctl edit goldsmith-build@.service" and add these lines:\n[Service]\nProtectHome=read-only', said)
        self.assertRegex(MACHINE.fails("goldsmith", "doctor"), "! build workers: .* can't write in /home/archives: .*\n.*such as /srv")
        MACHINE.run("bash", "-c", f"rm {conf} && mv /home/archives {default} && rmdir '/srv/new disk'")
        MACHINE.run(*setup)
        left = MACHINE.run("bash", "-c", "find /etc/systemd/system /etc/nginx/goldsmith -name paths.conf")
        self.assertEqual((left, self.cold_download()), ("", "200 2"))

    def test_06d1_the_doctor_compiles_inside_what_the_units_forbid(self):
        drop_in = "/etc/systemd/system/goldsmith-build@.service.d/forbid.conf"
        bubblewrap = [int(each) for each in MACHINE.run("bwrap", "--version").split()[1].split(".")]
        needs_openat2 = bubblewrap >= [0, 12]
        for forbidden, works in (("RestrictNamespaces=yes", False), ("RestrictSUIDSGID=yes", not needs_openat2)):
            MACHINE.run("mkdir", "-p", os.path.dirname(drop_in))
            MACHINE.run("bash", "-c", f"printf '[Service]\\n{forbidden}\\n' >{drop_in} && systemctl daemon-reload")
            try:
                if works:
                    MACHINE.run("goldsmith", "doctor")
                    continue
                said = MACHINE.fails("goldsmith", "doctor")
                self.assertIn("  toolchain 1.9: ", said)
                self.assertRegex(said, "(?m)^! units: the compilers do not work inside goldsmith-build@.service: (bwrap|unshare): .*\n"
                                 "    systemctl cat goldsmith-build@check.service")
            finally:
                MACHINE.run("bash", "-c", f"rm -r {os.path.dirname(drop_in)} && systemctl daemon-reload")
        self.assertEqual(MACHINE.run("systemctl", "list-units", "--all", "--no-legend", "goldsmith-build@check*"), "")

    def test_06d2_a_drained_host_says_so_until_it_is_put_back(self):
        ready = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "http://127.0.0.1:9189/readyz"]
        # On the site it is for the load balancer alone.
        self.assertEqual(MACHINE.status("/readyz"), "404")
        MACHINE.run("bash", "-c", "echo 'trusted_proxies = 127.0.0.1' >/etc/goldsmith/conf.d/50-hosts.conf")
        MACHINE.run(*SETUP[:-1], "--no-catalog")
        self.assertEqual(MACHINE.status("/readyz"), "200")
        MACHINE.run("goldsmith", "drain")
        MACHINE.run("systemctl", "restart", "goldsmith-api@1", "goldsmith-build@1")
        self.assertEqual((MACHINE.run(*ready), MACHINE.status("/readyz"), MACHINE.status("/v1/meta")), ("503", "503", "200"))
        self.assertIn("This host is drained", MACHINE.run("goldsmith-workers"))
        self.assertRegex(MACHINE.run("goldsmith", "doctor"), "(?m)^! service: this host is drained since .*\n    goldsmith undrain")
        MACHINE.run("goldsmith", "undrain")
        self.assertEqual(MACHINE.run(*ready), "200")

    def test_06d3_another_host_fetches_the_depot_with_a_certificate(self):
        certificate, key = "/etc/goldsmith/tls/cert.pem", "/etc/goldsmith/tls/key.pem"
        name = MACHINE.run("ls", "/var/lib/goldsmith/depot/anvil-engine").split()[0]
        version, digest = re.fullmatch(r"(.*)\.([0-9a-f]{64})\.zip", name).groups()
        target, code = f"/_depot/anvil-engine/{version}/{digest}.zip", ("-o", "/dev/null", "-w", "%{http_code}")
        MACHINE.run("bash", "-c", f"echo 'depot.allow_ca = {certificate}' >>/etc/goldsmith/conf.d/50-hosts.conf")
        self.assertIn("! depot: nginx does not know depot.allow_ca yet\n    goldsmith setup\n", MACHINE.fails("goldsmith", "doctor"))
        MACHINE.run(*SETUP[:-1], "--no-catalog")
        MACHINE.run("goldsmith", "doctor")
        wait_until(lambda: MACHINE.curl(target, "--cert", certificate, "--key", key, *code) == "200")
        self.assertEqual((MACHINE.status(target), MACHINE.status("/v1/meta")), ("404", "200"))

    def test_06e_archives_are_read_by_another_user_than_root(self):
        with zipfile.ZipFile(MACHINE.path("/root/large.zip"), "w") as archive:
            archive.writestr("release/bin/linux32/noise", os.urandom(60 << 20).hex())
        mirroring = MACHINE.start("goldsmith", "component", "mirror", "anvil-engine", "--version", "9.9", "--archive",
                                  "/root/large.zip")
        wait_until(lambda: self.readers() != [])
        for pid in self.readers():
            self.assertEqual(MACHINE.run("ps", "-o", "user:32=", "-p", pid).strip(), "goldsmith-mirror")
            self.assertNotEqual(MACHINE.run("readlink", f"/proc/{pid}/ns/net"), MACHINE.run("readlink", "/proc/self/ns/net"))
            for file in ("etc/goldsmith/operator.conf", "etc/goldsmith", "var", "root"):
                MACHINE.fails("stat", f"/proc/{pid}/root/{file}")
        MACHINE.run("pkill", "-TERM", "-x", "goldsmith")
        self.assertIn("interrupted", mirroring.communicate(timeout=60)[0])
        self.assertEqual(self.readers(), [])
        self.assertEqual(MACHINE.run("find", "/var/lib/goldsmith/depot", "-name", ".mirror*", "-o", "-name", "9.9.zip"), "")

    @staticmethod
    def readers():
        return MACHINE.run("pgrep", "-x", "goldsmith-unpac", check=False).split()

    def test_06e2_a_compiler_that_root_starts_runs_as_the_pools_user(self):
        MACHINE.run("bash", "-c", "cp -a /root/toolchains /root/endless && "
                    "echo '#pragma standin spin' >/root/endless/1.9/include/amxmisc.inc")
        check = MACHINE.start("goldsmith", "toolchain", "check", "1.9", "--toolchains=/root/endless",
                              "--compile.cpu_seconds=3")
        compilers = []
        wait_until(lambda: compilers.extend(MACHINE.run("pgrep", "-x", "amxxpc", check=False).split()) or compilers)
        self.assertEqual(MACHINE.run("ps", "-o", "user:32=", "-p", compilers[0]).strip(), "goldsmith-build")
        self.assertIn("used more than 3 s of processor time", check.communicate(timeout=60)[0])
        self.assertIn("works", MACHINE.run("goldsmith", "toolchain", "check", "1.9"))
        self.assertIn(" 0 unknown", MACHINE.run("goldsmith", "plugin", "check", "afk-watch", "--all"))

    def test_06e3_roots_command_works_in_the_caches_as_their_owner(self):
        # So it can't enter what is root's alone, wherever a link may lead it.
        secret = "/var/cache/goldsmith/archives/" + 64 * "0" + ".zip"
        MACHINE.run("install", "-m", "600", "/dev/null", secret)
        self.assertIn("Permission denied", MACHINE.fails("goldsmith", "cache", "verify"))
        MACHINE.run("rm", secret)
        MACHINE.run("goldsmith", "cache", "verify")

    def test_06f_the_timer_asks_upstreams_without_roots_powers(self):
        # There is no network: what it reads and writes is all that it can get done.
        MACHINE.fails("systemctl", "start", "goldsmith-mirror-check.service")
        said = MACHINE.run("journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-mirror-check")
        self.assertIn("rehlds: https://api.github.com/", said)
        for wrong in ("ermission", "not permitted", "database", "configuration"):
            self.assertNotIn(wrong, said)

    def test_06f2_archives_are_read_in_the_unit_that_fetches_them(self):
        # There is no network: in its place, the doctor reads an archive in the sandbox.
        drop_in = "/run/systemd/system/goldsmith-depot-fill.service.d/doctor.conf"
        MACHINE.run("mkdir", "-p", os.path.dirname(drop_in))
        MACHINE.run("bash", "-c", f"printf '[Service]\\nExecStart=\\nExecStart=-/usr/bin/goldsmith doctor\\n' >{drop_in}")
        MACHINE.run("systemctl", "daemon-reload")
        try:
            MACHINE.run("systemctl", "start", "goldsmith-depot-fill.service")
            said = MACHINE.run("journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-depot-fill")
            self.assertIn("  archive sandbox: upstream archives are read as goldsmith-mirror\n", said)
        finally:
            MACHINE.run("rm", "-r", os.path.dirname(drop_in))
            MACHINE.run("systemctl", "daemon-reload")

    def test_06f3_plugins_are_scanned_compiled_and_started_in_the_unit_that_mirrors_them(self):
        # There is no network: in its place, it takes what is in a folder.
        drop_in = "/run/systemd/system/goldsmith-plugin-mirror.service.d/inbox.conf"
        MACHINE.run("mkdir", "-p", os.path.dirname(drop_in), "/srv/inbox")
        source = '#include <amxmodx>\\npublic plugin_init() {\\n register_plugin("Left here", "1.0", "Somebody");\\n}\\n'
        MACHINE.run("bash", "-c", f"printf '{source}' >/srv/inbox/left.sma")
        MACHINE.run("bash", "-c", "printf '[Service]\\nType=oneshot\\nExecStart=\\nExecStart=/usr/bin/goldsmith plugin inbox /srv/inbox "
                    f"--report /var/lib/goldsmith/followed/inbox.json\\n' >{drop_in}")
        MACHINE.run("systemctl", "daemon-reload")
        try:
            MACHINE.run("systemctl", "start", "goldsmith-plugin-mirror.service")
            (left,) = json.loads(MACHINE.run("cat", "/var/lib/goldsmith/followed/inbox.json"))
            # Root's commands find its files, and it finds theirs.
            self.assertEqual(MACHINE.run("stat", "-c", "%U %a", "/var/lib/goldsmith/followed/inbox.json").strip(),
                             "goldsmith-follow 644")
            MACHINE.run("goldsmith", "plugin", "inbox", "/srv/inbox")
            MACHINE.run("systemctl", "start", "goldsmith-plugin-mirror.service")
            self.assertEqual(MACHINE.run("bash", "-c", "find /var/lib/goldsmith/followed -type d ! -user goldsmith-follow"), "")
            said = MACHINE.run("journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-plugin-mirror")
            for wrong in ("ermission", "not permitted", "not recorded"):
                self.assertNotIn(wrong, said)
            self.assertEqual((left["state"], set(left["compiles_with"].values())), ("ready", {"ok"}), left["why"])
            self.assertIn("left-here", MACHINE.run("goldsmith", "plugin", "list", "--held"))
            MACHINE.run("goldsmith", "plugin", "remove", "left-here")
        finally:
            MACHINE.run("rm", "-r", os.path.dirname(drop_in))
            MACHINE.run("systemctl", "daemon-reload")
        # And as it is: nothing is followed.
        MACHINE.run("systemctl", "start", "goldsmith-plugin-mirror.service")

    def test_07_the_units_are_hardened(self):
        bounds = {"api@1": 1.0, "build@1": 2.0, "mirror-check": 2.0, "depot-verify": 2.0, "plugin-check": 2.1,
                  "build-start": 2.1, "depot-fill": 3.5, "plugin-mirror": 3.0}
        units = set(re.findall(r"goldsmith-([a-z-]+@?)\.service", MACHINE.run("bash", "-c", "ls /usr/lib/systemd/system")))
        for unit in sorted(units - {"api-hold", "build-hold"}):  # these two run /bin/true
            unit += "1" if unit.endswith("@") else ""
            shown = MACHINE.run("systemd-analyze", "security", "--no-pager", f"goldsmith-{unit}.service")
            exposure = float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", shown).group(1))
            print(f"{SUITE}: exposure of goldsmith-{unit}: {exposure}", flush=True)
            self.assertLessEqual(exposure, bounds.pop(unit, 3.0), unit)
        self.assertEqual(bounds, {}, "units that are missing")

    def test_07b_each_pool_has_a_user_and_an_account_with_its_own_privileges(self):
        for pool, other in (("api", "build"), ("build", "api")):
            pids = main_pids(pool)
            self.assertTrue(pids)
            for pid in pids:
                self.assertEqual(MACHINE.run("ps", "-o", "user:32=", "-p", pid).strip(), f"goldsmith-{pool}")
            conf = f"/etc/goldsmith/{pool}.conf"
            self.assertEqual(MACHINE.run("stat", "-c", "%U:%G %a", conf).strip(), f"root:goldsmith-{pool} 640")
            self.as_user(pool, "cat", conf)
            for file in (f"/etc/goldsmith/{other}.conf", "/etc/goldsmith/operator.conf"):
                self.as_user(pool, "cat", file, fails=True)
        self.as_user("build", "touch", "/var/cache/goldsmith/archives/x")
        self.as_user("build", "rm", "/var/cache/goldsmith/archives/x")
        for pool, folder in (("api", "/var/cache/goldsmith/archives"), ("api", "/var/lib/goldsmith/depot"),
                             ("build", "/var/lib/goldsmith/depot")):
            self.as_user(pool, "touch", folder + "/x", fails=True)
        for pool, denied in (("api", ("SELECT content FROM plugin_files", "SELECT * FROM overlay_sections",
                                      "INSERT INTO download_log (slug) VALUES ('x')", "SELECT caller FROM download_log",
                                      "UPDATE plugins SET downloads = 1", "SELECT * FROM overlay_defaults")),
                             ("build", ("UPDATE builds SET archive_sha256 = ''", "SELECT caller FROM download_log",
                                        "UPDATE plugins SET name = 'x'", "UPDATE settings SET value = ''",
                                        "UPDATE api_keys SET disabled = 0"))):
            password = MACHINE.run("sed", "-n", "s/^database.password = //p", f"/etc/goldsmith/{pool}.conf").strip()
            login = ["mariadb", "-D", "goldsmith", "-u", f"goldsmith_{pool}", f"-p{password}", "-e"]
            MACHINE.run(*login, "SELECT slug FROM plugins")
            for statement in denied:
                self.assertIn("denied", MACHINE.fails(*login, statement), (pool, statement))

    def test_07c_no_user_reaches_what_another_one_or_root_opens(self):
        """What a user of either pool and an unrelated one try to read, replace or link."""
        MACHINE.run("useradd", "--system", "stranger")
        run = "/run/goldsmith/"
        names = MACHINE.run("ls", run).split()
        shared = {"state", "counters", "seats", "compiles", "compiled_plugins", "digests", "depot-fill", "build-start", "starts"}
        self.assertEqual(set(names), shared | {"api.sock", "build.sock"})
        stat = ["stat", "-c", "%n %i %U:%G %a", run, *(run + name for name in names)]
        before = MACHINE.run(*stat)
        places = [run, "/etc/goldsmith/", "/etc/goldsmith/conf.d/", "/etc/goldsmith/keys/", "/etc/nginx/goldsmith/",
                  "/usr/share/goldsmith/", "/usr/lib/goldsmith/", "/opt/goldsmith/toolchains/", "/var/lib/goldsmith/",
                  "/var/lib/goldsmith/depot/", "/var/lib/goldsmith/depot/anvil-engine/", "/var/cache/goldsmith/"]
        archives, artefacts = "/var/cache/goldsmith/archives", "/var/cache/goldsmith/artefacts"
        nobodys = [f"{command} {run}{name}" for name in names for command in ("rm -f", "ln -sf /etc/passwd", "chmod 777")]
        nobodys += [f"mv {run}{name} {run}moved" for name in names] + [f"ln {run}{name} {run}linked" for name in names]
        nobodys += [f"{command} {place}new" for place in places for command in ("touch", "mkdir", "ln -s /etc/passwd")]
        nobodys += [f"mv {folder} {folder}-moved" for folder in (archives, artefacts, "/var/lib/goldsmith/depot")]
        # curl ends with 7 where it may not connect.
        nobodys += [f"curl -s --max-time 2 --unix-socket {run}{pool}.sock http://x/; [ $? -ne 7 ]" for pool in ("api", "build")]
        nobodys += ["cat /etc/goldsmith/operator.conf", "cat /etc/goldsmith/tls/key.pem", "ls /root"]
        workers = {pool: main_pids(pool)[0] for pool in ("api", "build")}
        nobodys += [f"cat /proc/{pid}/{what}" for pid in workers.values() for what in ("maps", "environ", "mem")]

        def of_pool(pool):
            return [f"cat /etc/goldsmith/{pool}.conf", f"kill -0 {workers[pool]}"]
        builds = [f"touch {archives}/x", f"touch {artefacts}/x", f"ls {artefacts}"]
        groups = ["cat /etc/goldsmith/goldsmith.conf", "ls /etc/goldsmith/conf.d"]
        groups += [f"true {how} {run}{name}" for name in shared for how in ("<", "<>")]
        refused = {"goldsmith-api": nobodys + of_pool("build") + builds,
                   "goldsmith-build": nobodys + of_pool("api"),
                   "stranger": nobodys + of_pool("api") + of_pool("build") + builds + groups,
                   "www-data": [each for each in nobodys if "curl" not in each] + of_pool("api") + of_pool("build") +
                   builds + groups}
        for user, attempts in refused.items():
            self.assertEqual(successes(user, attempts), [], user)
        self.assertEqual(MACHINE.run(*stat), before)
        # What each one needs succeeds.
        for user, attempts in (("goldsmith-api", groups + of_pool("api")),
                               ("goldsmith-build", groups + of_pool("build") + builds)):
            self.assertEqual(successes(user, attempts), attempts, user)
        MACHINE.run("rm", f"{archives}/x", f"{artefacts}/x")
        MACHINE.run("userdel", "stranger")

    def as_user(self, pool, *command, fails=False):
        (MACHINE.fails if fails else MACHINE.run)("runuser", "-u", f"goldsmith-{pool}", "--", *command)

    def test_08_the_units_are_good(self):
        said = MACHINE.run("bash", "-c", "cd /lib/systemd/system && systemd-analyze verify --man=no goldsmith*.target "
                           "goldsmith*.timer goldsmith*.socket goldsmith-api@1.service goldsmith-build@1.service")
        self.assertNotIn("goldsmith", said)

    def test_09_killed_workers_come_back(self):
        for pool, target in (("api", "/v1/plugins"), ("build", "/v1/server-builder/resolve?components=anvil-engine")):
            for _ in range(8):
                for pid in main_pids(pool):
                    MACHINE.run("kill", "-9", pid)
                self.assertEqual(MACHINE.status(target), "200")

    def test_09b_the_watchdog_ends_a_worker_that_hangs(self):
        unit, drop_in = "goldsmith-api@1.service", "/run/systemd/system/goldsmith-api@.service.d/watchdog.conf"

        def show(name):
            return MACHINE.run("systemctl", "show", "--value", f"--property={name}", unit).strip()
        self.assertEqual(show("WatchdogUSec"), "30s")
        MACHINE.run("mkdir", "-p", os.path.dirname(drop_in))
        MACHINE.run("bash", "-c", f"printf '[Service]\\nWatchdogSec=4s\\n' >{drop_in}")
        MACHINE.run("systemctl", "daemon-reload")
        try:
            MACHINE.run("systemctl", "restart", unit)
            hung, restarts = show("MainPID"), int(show("NRestarts"))
            MACHINE.run("kill", "-STOP", hung)
            wait_until(lambda: show("ActiveState") == "active" and show("MainPID") not in ("0", hung), 30)
            self.assertEqual(int(show("NRestarts")), restarts + 1)
            self.assertIn("Watchdog timeout", MACHINE.run("journalctl", "--no-pager", "-u", unit, "_PID=1"))
            self.assertEqual([MACHINE.status("/v1/plugins") for _ in range(8)], ["200"] * 8)
        finally:
            MACHINE.run("rm", "-r", os.path.dirname(drop_in))
            MACHINE.run("systemctl", "daemon-reload")
            MACHINE.run("systemctl", "restart", unit)

    def test_10_restarts_under_load_fail_no_request(self):
        for target in ("/v1/plugins", "/v1/server-builder/resolve?components=anvil-engine"):
            with load(self, target) as clients:
                for _ in range(3):
                    MACHINE.run("systemctl", "restart", "goldsmith-api@*", "goldsmith-build@*")
                    clients.wait_for_more()
                MACHINE.run("goldsmith-workers", "restart")

    def test_11_the_number_of_workers_stays_as_it_was_set(self):
        with load(self, "/v1/plugins"):
            MACHINE.run("goldsmith-workers", "api", "3", "build", "2")
            self.assertEqual(len(main_pids("api")), 3)
            MACHINE.run("goldsmith-workers", "api", "1")
            MACHINE.run("goldsmith-workers", "api", "2", "build", "1")
        self.assertEqual((len(main_pids("api")), len(main_pids("build"))), (2, 1))
        for wrong in (["api", "0"], ["api", "65"], ["api", "x"], ["web", "1"], ["api"]):
            MACHINE.fails("goldsmith-workers", *wrong)

    def test_12_a_bad_configuration_is_named_and_breaks_nothing_that_runs(self):
        bad = "/etc/goldsmith/conf.d/50-bad.conf"
        for line, said in (("compile.memory_mb = lots", "compile.memory_mb"), ("site.nmae = x", 'no option "site.nmae"')):
            MACHINE.run("bash", "-c", f"echo '{line}' >{bad}")
            self.assertRegex(MACHINE.fails("goldsmith-workers", "restart"), f"{bad} line 1: .*{said}")
            self.assertEqual(MACHINE.status("/v1/meta"), "200")
        MACHINE.run("rm", bad)
        MACHINE.run("goldsmith-workers", "restart")

    def test_12a_what_a_worker_can_not_read_is_named_and_breaks_nothing_that_runs(self):
        conf, logo = "/etc/goldsmith/conf.d/50-logo.conf", "/etc/goldsmith/logo.svg"
        MACHINE.run("bash", "-c", f"echo 'site.logo = {logo}' >{conf}")
        try:
            self.assertIn(f"site.logo: {logo}: ", MACHINE.fails("goldsmith-workers", "restart"))
            # Root can read it, the workers can't.
            MACHINE.run("install", "-m", "600", "/dev/null", logo)
            self.assertIn(f"site.logo: {logo}: ", MACHINE.fails("goldsmith-workers", "restart"))
            self.assertEqual(MACHINE.status("/v1/meta"), "200")
            MACHINE.run("chmod", "644", logo)
            MACHINE.run("goldsmith-workers", "restart")
        finally:
            MACHINE.run("rm", "-f", conf, logo)
        MACHINE.run("goldsmith-workers", "restart")

    def test_12b_a_worker_with_a_bad_configuration_is_not_started_again_and_again(self):
        conf = "/etc/goldsmith/goldsmith.conf"
        MACHINE.run("bash", "-c", f"cp -p {conf} /root/good.conf && echo 'compile.memory_mb = lots' >>{conf}")
        try:
            MACHINE.run("systemctl", "restart", "goldsmith-api@1", check=False)
            time.sleep(5)
            shown = dict(line.split("=", 1) for line in MACHINE.run(
                "systemctl", "show", "goldsmith-api@1", "--property=NRestarts,ActiveState,ExecMainStatus").splitlines())
            self.assertEqual(shown, {"NRestarts": "0", "ActiveState": "failed", "ExecMainStatus": "2"})
            # The other worker and the socket go on.
            self.assertEqual(MACHINE.status("/v1/meta"), "200")
            for unit in ("goldsmith-api@2", "goldsmith-api.socket", "goldsmith-api-hold"):
                self.assertEqual(MACHINE.run("systemctl", "is-active", unit).strip(), "active", unit)
            starts = MACHINE.run("journalctl", "--no-pager", "-u", "goldsmith-api-hold", "--since", "-6s")
            self.assertNotIn("Starting", starts)
        finally:
            MACHINE.run("cp", "-p", "/root/good.conf", conf)
        MACHINE.run("systemctl", "restart", "goldsmith-api@1")
        self.assertEqual(len(main_pids("api")), 2)

    def test_13_an_unreadable_certificate_leaves_nginx_as_it_was(self):
        site = "/etc/nginx/goldsmith/local.conf"
        MACHINE.run("bash", "-c", f"cp -p {site} /root/site && sed -i 's/cert.pem/none.pem/' {site}")
        try:
            self.assertIn("nginx rejects the site", MACHINE.fails(*SETUP[:-1]))
            self.assertEqual(MACHINE.status("/v1/meta"), "200")
        finally:
            MACHINE.run("cp", "-p", "/root/site", site)

    def test_14_a_stopped_database_is_an_error_and_comes_back(self):
        MACHINE.run("systemctl", "stop", "mariadb.socket", "mariadb.service")
        self.assertEqual(MACHINE.status("/v1/plugins/afk-watch/download/2.0?kind=sma"), "500")
        MACHINE.run("systemctl", "start", "mariadb.socket", "mariadb.service")
        self.assertEqual(MACHINE.status("/v1/plugins/afk-watch/download/2.0?kind=sma"), "200")

    def test_14b_the_timer_trims_the_caches(self):
        MACHINE.run("systemctl", "start", "goldsmith-cache-prune.service")
        self.assertEqual(self.download(), "200 2")

    def test_14c_the_timer_prunes_the_download_log(self):
        self.assertEqual(MACHINE.run("systemctl", "is-active", "goldsmith-log-prune.timer").strip(), "active")
        MACHINE.run("mariadb", "-e", "INSERT INTO goldsmith.download_log (time, slug, version, kind, toolchain, caller,"
                    " result, compile_milliseconds) VALUES ('2001-01-01', 'old', '1', 'sma', '', '', 'ok', 0)")
        MACHINE.run("systemctl", "start", "goldsmith-log-prune.service")
        self.assertNotIn('"old"', MACHINE.run("goldsmith", "log", "downloads", "--json"))

    def test_14ca_the_timer_rotates_a_large_access_log_beside_nginx_own_file(self):
        self.assertEqual(MACHINE.run("systemctl", "is-active", "goldsmith-log-rotate.timer").strip(), "active")
        log = "/var/log/nginx/goldsmith-access.log"
        # What a timer does meanwhile would hide what this test starts.
        MACHINE.run("systemctl", "stop", "goldsmith-log-rotate.timer")
        try:
            MACHINE.run("truncate", "--size", "+101M", log)
            MACHINE.run("systemctl", "start", "goldsmith-log-rotate.service")
            self.assertEqual(MACHINE.status("/v1/meta"), "200")
            MACHINE.run("bash", "-c", f"for n in $(seq 50); do grep -q v1/meta {log} && exit; sleep 0.1; done; exit 1")
            self.assertGreater(int(MACHINE.run("stat", "-c", "%s", log + ".1")), 100 << 20)
            self.assertEqual(MACHINE.run("stat", "-c", "%a %U", log).split(), ["640", "www-data"])
            said = MACHINE.run("bash", "-c", "logrotate --debug /etc/logrotate.conf 2>&1")
            self.assertNotIn("error:", said)
            self.assertIn("/var/log/nginx/error.log", said)
        finally:
            MACHINE.run("systemctl", "start", "goldsmith-log-rotate.timer")

    def test_14cb_the_timer_sets_damaged_files_of_the_depot_aside_and_has_them_filled(self):
        self.assertEqual(MACHINE.run("systemctl", "is-active", "goldsmith-depot-verify.timer").strip(), "active")
        depot = "/var/lib/goldsmith/depot"
        file = MACHINE.run("bash", "-c", f"cd {depot} && find * -name '*.zip' | grep -m 1 anvil-engine").strip()
        MACHINE.run("bash", "-c", f"cd {depot} && cp -p {file} /root/good.zip && printf x | dd of={file} bs=1 seek=100 conv=notrunc")
        MACHINE.run("systemctl", "start", "goldsmith-depot-verify.service", check=False)
        said = MACHINE.run("journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-depot-verify")
        self.assertIn(f"set aside as {depot}/.damaged/{file}", said)
        # No other host has it, so the unit that fills can only say so.
        MACHINE.run("timeout", "60", "bash", "-c", "until journalctl --no-pager -o cat -t goldsmith-depot-fill | "
                    "grep -q 'anvil-engine .* is still missing'; do sleep 0.2; done")
        self.assertIn("goldsmith_depot_damaged_files 1\n", MACHINE.run("curl", "-s", "http://127.0.0.1:9189/metrics"))
        MACHINE.run("mv", "/root/good.zip", f"{depot}/{file}")
        MACHINE.run("bash", "-c", f"rm -r {depot}/.damaged && (goldsmith depot verify || true)")

    def test_14d_the_timer_checks_what_compiles(self):
        self.assertEqual(MACHINE.run("systemctl", "is-active", "goldsmith-plugin-check.timer").strip(), "active")

        def matrix():
            answer = MACHINE.curl("/v1/plugins/afk-watch")
            return json.loads(answer)["plugin"]["versions"][0]["compiles_with"]

        def check():
            MACHINE.run("systemctl", "start", "--wait", "goldsmith-plugin-check.service")
            said = MACHINE.run("journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-plugin-check")
            self.assertIn(" 0 unknown", said)
            for wrong in ("denied", "not permitted", "database", "configuration", "goldsmith: "):
                self.assertNotIn(wrong, said)
            return matrix()

        self.assertEqual(check()["1.9"], "ok")
        # A change of an include makes it unknown by itself, the timer known again.
        MACHINE.run("mkdir", "-p", "/etc/goldsmith/include/1.9")
        MACHINE.run("bash", "-c", "echo '// new' >/etc/goldsmith/include/1.9/new.inc")
        time.sleep(2)
        self.assertEqual(matrix()["1.9"], "unknown")
        self.assertEqual(check()["1.9"], "ok")

    def test_14da_a_new_archive_is_started_in_the_unit_that_its_worker_wakes(self):
        with zipfile.ZipFile(MACHINE.path("/root/engine.zip"), "w") as archive:
            archive.write(os.path.join(BUILD, "test", "fixtures", "engine", "standin_engine"), "hlds_linux")
        MACHINE.run("bash", "-c", "echo '{\"slug\": \"standin\", \"name\": \"S\", \"layer\": \"engine\"}' >/root/standin.json && "
                    "goldsmith component import /root/standin.json && "
                    "goldsmith component mirror standin --version 1 --archive /root/engine.zip")
        selection = "/v1/server-builder/{}?components=standin"
        self.assertIsNone(json.loads(MACHINE.curl(selection.format("resolve")))["start"])
        self.assertEqual(MACHINE.status(selection.format("download")), "200")

        def start():
            return json.loads(MACHINE.curl(selection.format("resolve")))["start"]
        try:
            wait_until(lambda: start() is not None)
        finally:
            print(MACHINE.run("journalctl", "--no-pager", "-o", "cat", "-t", "goldsmith-build-start"), flush=True)
        self.assertEqual((start()["outcome"], start()["plugins_faulty"]), ("started", 0))
        MACHINE.run("goldsmith", "component", "unmirror", "standin", "1", "--force")

    def test_15_an_upgrade_under_load_fails_no_request_and_keeps_what_was_set(self):
        MACHINE.run("bash", "-c", "echo '# the administrator was here' >>/etc/goldsmith/goldsmith.conf")
        # Earlier versions let both pools make names in this folder.
        MACHINE.run("bash", "-c", "cd /run/goldsmith && chown root:goldsmith . && chmod 2771 . && "
                    "chown goldsmith-build depot-fill build-start && chmod 644 depot-fill && "
                    "chown goldsmith-api state counters seats compiles compiled_plugins digests")
        before = {pool: main_pids(pool) for pool in ("api", "build")}
        nginx = nginx_workers()
        with load(self, "/v1/plugins") as clients:
            self.fail_to_upgrade()
            MACHINE.run("dpkg", "--configure", "goldsmith")
            clients.wait_for_more()
        # A reload cuts off HTTP/2 clients that have connected but not sent a request yet.
        self.assertEqual(nginx_workers(), nginx, "nginx was reloaded, but its site is the same")
        self.assertIn("the administrator was here", MACHINE.run("cat", "/etc/goldsmith/goldsmith.conf"))
        for pool, pids in before.items():
            self.assertEqual(len(main_pids(pool)), len(pids))
            self.assertFalse(set(main_pids(pool)) & set(pids), "an old worker still runs")
            self.assertEqual(self.programs(pool), {"/usr/sbin/goldsmith-worker"})
        for path in (PREVIOUS, PREVIOUS_FOLDERS):
            MACHINE.fails("test", "-e", path)
        self.assertEqual(self.download(), "200 2")
        self.assertEqual(MACHINE.run("stat", "-c", "%U:%G %a", "/run/goldsmith").strip(), "root:root 755")
        shared = MACHINE.run("bash", "-c", "find /run/goldsmith -type f -exec stat -c '%U:%G %a' {} +").split("\n")
        self.assertEqual(set(shared), {"root:goldsmith 660", ""})

    def fail_to_upgrade(self):
        """Its migration fails: the workers stay those of the old package, new ones too, from when it is unpacked."""
        MACHINE.run("mariadb", "goldsmith", "-e", "UPDATE schema_migrations SET digest = REVERSE(digest) WHERE number = 1")
        MACHINE.run("dpkg", "--unpack", "/root/next.deb")
        self.kill_workers()
        said = MACHINE.fails("dpkg", "--configure", "goldsmith")
        self.assertRegex(said, "migration 0001_.* differs from the one that was applied")
        self.assertIn("The workers of version", said)
        # With the folders that they know, also after a boot.
        MACHINE.run("cmp", PREVIOUS + "/tmpfiles.conf", PREVIOUS_FOLDERS)
        self.kill_workers()
        self.assertEqual(MACHINE.status("/v1/server-builder/resolve?components=anvil-engine"), "200")
        MACHINE.run("mariadb", "goldsmith", "-e", "UPDATE schema_migrations SET digest = REVERSE(digest) WHERE number = 1")

    def kill_workers(self):
        for pool in ("api", "build"):
            for pid in main_pids(pool):
                MACHINE.run("kill", "-9", pid)
            wait_until(lambda pool=pool: self.programs(pool) == {PREVIOUS + "/goldsmith-worker"})

    @staticmethod
    def programs(pool):
        """That the workers of a pool run."""
        return {MACHINE.run("readlink", f"/proc/{pid}/exe", check=False).strip() for pid in main_pids(pool)}

    def test_15a_a_downgrade_below_the_tables_is_refused(self):
        MACHINE.run("mariadb", "goldsmith", "-e", "INSERT INTO schema_migrations VALUES (9999, 'newer', '', NOW())")
        said = MACHINE.fails("dpkg", "-i", "/root/goldsmith.deb")
        self.assertRegex(said, r"the tables in the database are newer. They have migration 9999, and this version knows \d+")
        self.assertEqual(self.version(), field(NEXT, "Version"))
        MACHINE.run("mariadb", "goldsmith", "-e", "DELETE FROM schema_migrations WHERE number = 9999")
        # The same tables: the older program can read them.
        with load(self, "/v1/plugins"):
            install(PACKAGE)
            install(NEXT)

    @staticmethod
    def version():
        return MACHINE.run("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", "goldsmith").removesuffix(" installed")

    def test_15b_an_unattended_upgrade_that_changes_the_site_reloads_nginx(self):
        MACHINE.run("bash", "-c", "dpkg-deb -R /root/next.deb /root/changed && cd /root/changed && "
                    "echo '# changed' >>usr/share/goldsmith/nginx/errors.conf && "
                    "sed -i 's/^Version: .*/Version: 10000/' DEBIAN/control && dpkg-deb -b . /root/changed.deb")
        nginx = nginx_workers()
        # As unattended upgrades do it: nobody answers a question, and nothing tells dpkg which answer is right. The conffile
        # was edited above.
        self.assertIn("the administrator was here", MACHINE.run("cat", "/etc/goldsmith/goldsmith.conf"))
        MACHINE.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "install", "/root/changed.deb")
        self.assertEqual(self.version(), "10000")
        self.assertIn("the administrator was here", MACHINE.run("cat", "/etc/goldsmith/goldsmith.conf"))
        wait_until(lambda: not set(nginx_workers()) & set(nginx))
        self.assertEqual(MACHINE.status("/v1/meta"), "200")

    def test_16_everything_is_there_after_a_boot(self):
        MACHINE.reboot()
        wait_until(lambda: MACHINE.status("/v1/meta") == "200")
        self.assertEqual((len(main_pids("api")), len(main_pids("build"))), (2, 1))

    def test_16b_a_backup_restores_an_empty_host(self):
        drop_in, fastdl = "/etc/systemd/system/goldsmith-api@.service.d/mine.conf", "/etc/nginx/sites-available/goldsmith-fastdl"
        followed = "/var/lib/goldsmith/followed/owner+plugins/questions.json"
        MACHINE.run("bash", "-c", f"mkdir -p {os.path.dirname(drop_in)} && printf '[Service]\nNice=1\n' >{drop_in} && "
                    f"cp /usr/share/doc/goldsmith/examples/fastdl.conf {fastdl} && "
                    f"ln -s ../sites-available/goldsmith-fastdl /etc/nginx/sites-enabled/ && nginx -t -q && mkdir -p {os.path.dirname(followed)} && "
                    f"echo '[]' >{followed} && chown goldsmith-follow: {followed} && chmod 640 {followed} && "
                    "mkdir -p /root/backups /etc/goldsmith/include/1.9 && echo 'native more();' >/etc/goldsmith/include/1.9/more.inc && "
                    "goldsmith-workers api 2 build 3")
        job, timer = "/etc/cron.d/goldsmith-backup", "/etc/systemd/system/goldsmith-backup.timer"
        MACHINE.run("bash", "-c", f"echo '0 4 * * * root goldsmith backup /root/backups >/dev/null' >{job} && "
                    f"printf '[Timer]\\nOnCalendar=yearly\\n[Install]\\nWantedBy=timers.target\\n' >{timer} && "
                    f"printf '[Service]\\nType=oneshot\\nExecStart=/bin/sleep 1000\\n' >{timer[:-5]}service && "
                    "systemctl daemon-reload && systemctl enable --now goldsmith-backup.timer")
        said = MACHINE.run("goldsmith", "backup", "/root/backups", "--with-depot", "--keep", "3")
        (name,) = os.listdir(MACHINE.path("/root/backups"))
        backup = "/root/backups/" + name
        self.assertIn(backup, said)
        self.assertEqual(MACHINE.run("stat", "-c", "%U %a", backup).split(), ["root", "600"])
        listed = MACHINE.run("bash", "-c", "goldsmith backup - | tar -tz").splitlines()
        self.assertEqual(listed[:2], ["manifest.json", "database.sql"])
        for file in (drop_in, fastdl, followed, "/etc/goldsmith/operator.conf", "/etc/nginx/goldsmith/local.conf",
                     "/etc/goldsmith/tls/key.pem", "/opt/goldsmith/toolchains/1.9/amxxpc"):
            self.assertIn("host" + file, listed)
        self.assertEqual([each for each in listed if "/var/cache/" in each or "/depot/" in each], [])
        # A dead server: there is no new file, and the former one is whole.
        before = MACHINE.run("sha256sum", backup)
        MACHINE.run("systemctl", "stop", "mariadb.socket", "mariadb.service")
        self.assertIn("goldsmith: database: ", MACHINE.fails("goldsmith", "backup", "/root/backups", "--keep", "1"))
        MACHINE.run("systemctl", "start", "mariadb.socket", "mariadb.service")
        self.assertEqual((MACHINE.run("ls", "/root/backups").split(), MACHINE.run("sha256sum", backup)), ([name], before))
        self.assertIn("is itself backed up", MACHINE.fails("goldsmith", "backup", "/var/lib/goldsmith"))
        self.assertRegex(MACHINE.fails("goldsmith", "restore", backup), "has [0-9]+ tables; --replace drops them|other files")
        files = ["/etc/goldsmith/operator.conf", "/etc/goldsmith/api.conf", SETUP_CONF, drop_in, fastdl, followed,
                 "/etc/nginx/goldsmith/local.conf", "/opt/goldsmith/toolchains/1.9/amxxpc"]
        kept = [MACHINE.run(*each, *files) for each in (["sha256sum"], ["stat", "-c", "%n %U:%G %a"])]
        plugins, version = MACHINE.run("goldsmith", "plugin", "list", "--json"), self.version()
        # Nothing is restored below units that run; what a timer has begun ends with the others.
        self.assertIn("would work with half of what is restored",
                      MACHINE.fails("goldsmith", "restore", backup, "--replace", "--no-setup"))
        MACHINE.run("systemctl", "start", "--no-block", "goldsmith-backup.service")
        MACHINE.run("goldsmith", "restore", backup, "--replace")
        self.assertIn(MACHINE.run("systemctl", "show", "--property=ActiveState", "--value", "goldsmith-backup.service").strip(), ("inactive", "failed"))
        self.assertEqual(MACHINE.run("systemctl", "is-active", "goldsmith-backup.timer"), "active\n")
        MACHINE.run("systemctl", "disable", "--now", "goldsmith-backup.timer")
        MACHINE.run("rm", job)
        downloads = json.loads(MACHINE.curl("/v1/plugins/afk-watch"))["plugin"]["downloads"]
        MACHINE.run("dpkg", "-P", "goldsmith")
        MACHINE.run("bash", "-c", "rm -rf /etc/nginx/sites-*/goldsmith* /opt/goldsmith /var/lib/goldsmith /etc/systemd/system/goldsmith* && "
                    "systemctl daemon-reload && systemctl restart nginx && "
                    "mariadb -e 'DROP DATABASE goldsmith; DROP USER goldsmith_api@localhost, goldsmith_build@localhost, "
                    "goldsmith_operator@localhost'")
        MACHINE.run("dpkg", "-i", "/root/changed.deb" if version == "10000" else "/root/goldsmith.deb")
        self.assertIn(f"would make {followed}\n", MACHINE.run("goldsmith", "restore", backup, "--dry-run"))
        MACHINE.fails("test", "-e", followed)
        print(MACHINE.run("goldsmith", "restore", backup), flush=True)
        self.assertEqual([MACHINE.run(*each, *files) for each in (["sha256sum"], ["stat", "-c", "%n %U:%G %a"])], kept)
        self.assertEqual(MACHINE.run("goldsmith", "plugin", "list", "--json"), plugins)
        self.assertEqual(json.loads(MACHINE.curl("/v1/plugins/afk-watch"))["plugin"]["downloads"], downloads)
        self.assertEqual((len(main_pids("api")), len(main_pids("build"))), (2, 3))
        MACHINE.run("test", "-e", job)
        self.assertEqual(MACHINE.run("systemctl", "is-active", "goldsmith-backup.timer"), "active\n")
        MACHINE.run("systemctl", "disable", "--now", "goldsmith-backup.timer")
        MACHINE.run("rm", job, timer, timer[:-5] + "service")
        self.assertEqual(self.download(), "200 2")
        self.assertEqual(MACHINE.run("readlink", "/etc/nginx/sites-enabled/goldsmith-fastdl").strip(),
                         "../sites-available/goldsmith-fastdl")
        findings = json.loads(MACHINE.run("bash", "-c", "goldsmith doctor --json 2>/dev/null || true"))
        self.assertEqual([each for each in findings if each["health"] == "bad" and each["subject"] != "depot"], [])
        MACHINE.run("rm", "-r", drop_in, fastdl, "/etc/nginx/sites-enabled/goldsmith-fastdl", "/etc/goldsmith/include",
                    os.path.dirname(followed))
        MACHINE.run("goldsmith-workers", "api", "2", "build", "1")

    def test_19_settings_in_the_conffile_of_an_earlier_version_move_to_conf_d(self):
        MACHINE.run("bash", "-c", "dpkg-deb -R /root/goldsmith.deb /root/earlier && cd /root/earlier && rm -r etc/goldsmith/conf.d && "
                    "usr/sbin/goldsmith-worker --default-config >etc/goldsmith/goldsmith.conf && "
                    "mkdir -p etc/nginx/goldsmith && echo >etc/nginx/goldsmith/errors.conf && "
                    "echo /etc/nginx/goldsmith/errors.conf >>DEBIAN/conffiles && "
                    "rm DEBIAN/p* && printf '#!/bin/sh\\nsystemd-sysusers goldsmith.conf\\n' >DEBIAN/postinst && "
                    "chmod 755 DEBIAN/postinst && "
                    "sed -i 's/^Version: .*/Version: 0.0.1/' DEBIAN/control && dpkg-deb -b . /root/earlier.deb")
        install("earlier.deb")
        MACHINE.run("sed", "-i", "s/^#site.name = .*/site.name = moved/; $ a # mine", "/etc/goldsmith/goldsmith.conf")
        install(PACKAGE)
        self.assertEqual(MACHINE.run("dpkg", "--verify", "goldsmith"), "")
        self.assertEqual(MACHINE.run("cat", SETUP_CONF).splitlines()[1:], ["site.name = moved", "# mine"])
        self.assertEqual(MACHINE.run("ls", "/etc/nginx/goldsmith"), "")

    def test_20_it_installs_again(self):
        MACHINE.run(*SETUP, "--no-catalog")
        self.assertEqual(MACHINE.status("/v1/meta"), "200")
        self.assertEqual(MACHINE.run("goldsmith", "config", "get", "site.name"), "moved\n")

    def test_21_a_database_on_another_host_needs_none_here(self):
        MACHINE.run("bash", "-c", OTHER_DATABASE)
        MACHINE.run("systemctl", "stop", "mariadb.socket", "mariadb.service")
        setup = [*SETUP, "--no-catalog", "--database-host", "db.example:3307", "--database-tls", "verify"]
        self.assertRegex(MACHINE.fails(*setup, "--database-admin-file", "/root/admin.cnf"), "db.example:3307: ERROR 2026")
        setup += ["--database-ca", "/etc/goldsmith/database-ca.pem"]
        # The accounts of this host are not yet there.
        self.assertIn("db.example:3307: ERROR 1045", MACHINE.fails(*setup))
        MACHINE.run(*setup, "--database-admin-file", "/root/admin.cnf")
        MACHINE.run("rm", "/root/admin.cnf")
        for account in ("operator", "api", "build"):
            connect = (f"mariadb --no-defaults -hdb.example -P3307 -ugoldsmith_{account} -e 'SELECT 1' "
                       f"-p$(sed -n 's/^database.password *= *//p' /etc/goldsmith/{account}.conf) ")
            MACHINE.run("bash", "-c", connect + "--ssl")
            self.assertIn("ERROR 1045", MACHINE.fails("bash", "-c", connect + "--skip-ssl"))
        self.assertEqual(MACHINE.status("/v1/meta"), "200")
        self.assertEqual(MACHINE.status("/server"), "200")
        MACHINE.run(*setup)  # as on a further host, which has the accounts
        # The database alone: the tests before leave a depot and a conffile that it objects to.
        findings = json.loads(MACHINE.run("bash", "-c", "goldsmith doctor --json 2>/dev/null || true"))
        subjects = {"database", "schema", "network", "api account", "build account"}
        self.assertEqual({each["subject"] for each in findings} & subjects, subjects - {"network"})
        self.assertEqual([each for each in findings if each["subject"] in subjects and each["health"] != "good"], [])
        self.assertIn("TLS_", next(each["text"] for each in findings if each["subject"] == "database"))

    def test_22_an_upgrade_migrates_a_database_on_another_host(self):
        def sql(text):
            return MACHINE.run("mariadb", "--no-defaults", "-uroot", "-S/srv/db/sock", "-N", "goldsmith", "-e", text)
        newest = sql("SELECT MAX(number) FROM schema_migrations")
        sql(f"DELETE FROM schema_migrations WHERE number = {newest}")
        sql("REVOKE SELECT ON goldsmith.settings FROM goldsmith_api")
        install(NEXT)
        self.assertEqual(sql("SELECT MAX(number) FROM schema_migrations"), newest)
        self.assertEqual(MACHINE.status("/v1/meta"), "200")
        # A database that can't be reached keeps the old workers.
        MACHINE.run("systemctl", "stop", "other-database")
        self.assertIn("none of db.example:3307 can be used", MACHINE.fails("dpkg", "-i", "/root/next.deb"))


def main():
    global BUILD, SUITE, PACKAGE, NEXT, TREE
    SUITE = sys.argv[2]
    BUILD, PACKAGE, NEXT = (os.path.abspath(each) for each in (sys.argv[1], *sys.argv[3:5]))
    require([PACKAGE], "scripts/test all builds the package for it")
    TREE = make_tree(SUITE, PACKAGE)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[5:]])


main()

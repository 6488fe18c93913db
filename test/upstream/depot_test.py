"""`goldsmith depot fill`: a second depot for one catalog, from upstream, from another host and from a folder."""

import json
import os
import shutil
import signal
import subprocess
import threading
import unittest

from host import UpstreamTest, make_release
from upstream_server import Upstream, answers, breaks_off, drips, make_certificate, stops

SIZE = 300_000


class Filling(UpstreamTest):
    def setUp(self):
        super().setUp()
        self.import_component()
        self.upstream_path = self.add_release("1.0", size=SIZE)
        self.mirror()
        self.first = self.depot
        self.file = self.depot_file("engine", "1.0")
        self.depot = self.conf["depot"] = os.path.join(self.folder, "second")
        self.upstream.requests.clear()

    def add_peer(self, body=None, host="127.0.0.1", client_authority=None):
        """Another host, which has the files of the first depot, or serves `body` for the file."""
        peer = self.enterContext(Upstream(self.folder, self.certificate, client_authority))
        if body is None:
            body = self.bytes_of(self.file)
        peer.path = peer.add_file("/_depot/engine/1.0/" + self.file[-68:], body).removeprefix(peer.url())
        peers = self.conf.get("depot.peers", "")
        self.conf.update({"depot.peers": f"{peers} {peer.url(host=host)}".strip(), "depot.ca_file": peer.ca})
        return peer

    @staticmethod
    def bytes_of(path):
        with open(path, "rb") as file:
            return file.read()

    def fill(self, *words):
        return self.done("depot", "fill", *words)

    def fill_failed(self, *words):
        ended = self.run_goldsmith("depot", "fill", *words)
        self.assertEqual(ended.returncode, 1, ended)
        return ended.stderr

    def doctor(self, subject):
        """The only finding about that: its health and its text."""
        ended = self.run_goldsmith("doctor", "--json")
        found = [(each["health"], each["text"]) for each in json.loads(ended.stdout) if each["subject"] == subject]
        self.assertEqual(len(found), 1, ended)
        return found[0]

    def assert_filled(self):
        self.assertEqual(self.bytes_of(self.depot_file("engine", "1.0")), self.bytes_of(self.file))
        self.assertEqual(self.depot_files(), [".lock", "engine", "engine/1.0.DIGEST.zip"])
        self.done("depot", "verify")

    def assert_still_missing(self):
        self.assertFalse(os.path.exists(os.path.join(self.depot, "engine")))


class FromUpstream(Filling):
    def test_the_recorded_address_gives_the_mirrored_bytes(self):
        self.assertEqual(self.fill("--dry-run"), "would fetch engine 1.0\n1 file of 1 missing\n")
        self.assertEqual(self.fill(), "fetched engine 1.0 from upstream\n1 file fetched, 0 missing\n")
        self.assert_filled()
        # The release is not looked up: what is mirrored is known.
        self.assertEqual(self.api_requests(), [])
        self.upstream.requests.clear()
        self.assertEqual(self.fill(), f"nothing is missing: 1 mirrored version in {self.depot}\n")
        self.assertEqual(self.upstream.requests, [])

    def test_a_release_that_changed_at_upstream_is_not_taken(self):
        self.upstream.add_file(self.upstream_path, make_release("other", SIZE))
        said = self.fill_failed()
        self.assertRegex(said, "engine 1.0 is still missing: upstream: https://.*: (serves other bytes|has more|ended)")
        self.assertIn("goldsmith: 1 of 1 missing files could not be fetched", said)
        self.assert_still_missing()

    def test_a_release_that_is_gone_is_named_and_does_not_stop_the_others(self):
        self.import_component("loader", {"github": "owner/loader", "asset": "*.zip"})
        self.upstream.add_release("owner/loader", "2.0", {"loader.zip": make_release("2.0")})
        self.conf["depot"] = self.first
        self.mirror("loader")
        self.conf["depot"] = self.depot
        self.upstream.fail(self.upstream_path, always=answers(404))
        said = self.fill_failed()
        self.assertIn("engine 1.0 is still missing: upstream: ", said)
        self.assertIn("there is no such file (404)", said)
        self.assertTrue(self.depot_file("loader", "2.0"))

    def test_other_install_rules_give_other_content_which_is_not_taken(self):
        self.import_component(install={"drop": ["noise.bin"]})
        self.assertIn("its release no longer gives the mirrored content", self.fill_failed())
        self.assert_still_missing()

    def test_what_was_mirrored_by_hand_comes_from_another_host_alone(self):
        self.conf["depot"] = self.first
        archive = os.path.join(self.folder, "a.zip")
        with open(archive, "wb") as file:
            file.write(make_release("by hand"))
        self.mirror("engine", "--version", "1.1", "--archive", archive)
        self.conf["depot"] = self.depot
        self.assertIn("engine 1.1 is still missing: upstream: it was mirrored from a local file, which only another "
                      "host has", self.fill_failed())
        self.assertIn("fetched engine 1.1", self.fill("--from", self.first))


class DamagedFile(Filling):
    def test_it_is_set_aside_and_filled_from_another_host(self):
        self.fill()
        peer = self.add_peer()
        path = self.depot_file("engine", "1.0")
        damaged = bytearray(self.bytes_of(path))
        damaged[len(damaged) // 2] ^= 1
        with open(path, "wb") as file:
            file.write(damaged)
        self.assertIn("set aside 1 damaged file; ", self.done("depot", "verify", "--repair"))
        self.assertFalse(os.path.exists(path))
        self.assertEqual(self.bytes_of(path.replace("/engine/", "/.damaged/engine/")), damaged)
        self.assertEqual(self.doctor("depot")[0], "bad")
        self.assertEqual(self.fill(), f"fetched engine 1.0 from {peer.url()}\n1 file fetched, 0 missing\n")
        self.assertEqual(self.bytes_of(path), self.bytes_of(self.file))
        self.assertEqual(self.doctor("depot")[0], "good")
        health, text = self.doctor("depot files")
        self.assertEqual(health, "warning")
        self.assertRegex(text, "^1 were damaged when they were read, ")
        self.done("depot", "verify", "--repair")
        self.assertEqual(self.doctor("depot files")[0], "good")


class FromPeer(Filling):
    def test_another_host_is_asked_before_upstream(self):
        peer = self.add_peer()
        self.assertEqual(self.fill(), f"fetched engine 1.0 from {peer.url()}\n1 file fetched, 0 missing\n")
        self.assert_filled()
        self.assertEqual(self.upstream.requests, [])

    def test_a_host_without_the_file_is_passed_over(self):
        peer = self.add_peer()
        peer.files.clear()
        self.assertIn("fetched engine 1.0 from upstream", self.fill())
        said = "engine 1.0 is still missing: {}: has no such file, or does not let this host in (depot.allow, depot.allow_ca)\n"
        shutil.rmtree(self.depot)
        self.assertIn(said.format(peer.url()), self.fill_failed("--from", peer.url()))

    def test_other_bytes_are_said_once_and_never_taken(self):
        for body in (b"<html>a login page</html>", b"PK" * 5000, self.bytes_of(self.file)[:-1],
                     self.bytes_of(self.file).replace(b"engine", b"motors")):
            with self.subTest(body=body[:10]):
                self.conf.pop("depot.peers", None)
                peer = self.add_peer(body)
                ended = self.run_goldsmith("depot", "fill")
                self.assertEqual((ended.returncode, ended.stdout), (
                    0, "fetched engine 1.0 from upstream\n1 file fetched, 0 missing\n"))
                self.assertEqual(ended.stderr.count(peer.url()), 1, ended.stderr)
                self.assertRegex(ended.stderr, "(serves other bytes than those that were mirrored|is a web page)"
                                               ".*; it is not asked again")
                self.assert_filled()
                shutil.rmtree(self.depot)

    def test_a_host_that_is_down_is_said_once_and_not_waited_for(self):
        peer = self.add_peer()
        url = peer.url()
        peer.__exit__()
        self.add_release("1.1")
        self.conf["depot"] = self.first
        self.mirror()
        self.conf["depot"] = self.depot
        ended = self.run_goldsmith("depot", "fill")
        self.assertEqual((ended.returncode, ended.stdout.splitlines()[-1]), (0, "2 files fetched, 0 missing"))
        self.assertEqual(ended.stderr.count(url), 1, ended.stderr)

    def test_a_certificate_that_nobody_trusts_is_no_source(self):
        self.add_peer()
        del self.conf["depot.ca_file"]
        ended = self.run_goldsmith("depot", "fill")
        self.assertIn("if an authority of your own has signed it, depot.ca_file names it", ended.stderr)
        self.assertIn("from upstream", ended.stdout)

    def test_a_host_that_asks_for_a_certificate_gets_the_configured_one(self):
        authority, certificate, key = make_certificate(os.path.join(self.folder, "client"))
        peer = self.add_peer(client_authority=authority)
        self.assertIn(f"{peer.url()}: ", self.fill_failed("--from", peer.url()))
        self.conf.update({"depot.tls_certificate": certificate, "depot.tls_key": self.upstream.ca})
        self.assertIn("this host's certificate or its key can't be used", self.fill_failed("--from", peer.url()))
        self.conf["depot.tls_certificate"] = "/none/at/all.pem"
        self.assertIn("this host's certificate or its key can't be used", self.fill_failed("--from", peer.url()))
        self.assert_still_missing()
        self.conf.update({"depot.tls_certificate": certificate, "depot.tls_key": key})
        self.fill("--from", peer.url())
        self.assert_filled()
        # Upstreams are not shown it.
        shutil.rmtree(self.depot)
        self.conf.update({"depot.tls_certificate": "/none/at/all.pem", "depot.peers": ""})
        self.fill()

    def test_a_broken_transfer_goes_on_where_it_broke(self):
        peer = self.add_peer()
        peer.fail(peer.path, breaks_off(100_000))
        self.fill("--from", peer.url())
        self.assert_filled()
        self.assertEqual([request.headers.get("range") for request in peer.requests], [None, "bytes=100000-"])

    def kill(self, path, server, *words):
        """Fills until a part has arrived, and kills it."""
        reached = threading.Event()
        server.fail(path, stops(100_000, reached))
        with subprocess.Popen(self.command(["depot", "fill", *words]), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.assertTrue(reached.wait(60))
            while not [name for name in os.listdir(os.path.join(self.depot, ".fill"))
                       if os.stat(os.path.join(self.depot, ".fill", name)).st_size >= 100_000]:
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGKILL)
        self.assert_still_missing()
        server.requests.clear()

    def test_what_a_killed_call_fetched_is_not_fetched_again(self):
        peer = self.add_peer()
        self.kill(peer.path, peer)
        self.fill()
        self.assert_filled()
        self.assertEqual([request.headers.get("range") for request in peer.requests], ["bytes=100000-"])

    def test_what_a_killed_call_fetched_from_upstream_is_not_fetched_again(self):
        self.kill(self.upstream_path, self.upstream)
        self.fill()
        self.assert_filled()
        self.assertEqual([request.headers.get("range") for request in self.upstream.requests if
                          request.path == self.upstream_path], ["bytes=100000-"])

    def test_a_wrong_beginning_of_a_killed_call_is_thrown_away(self):
        wrong = self.add_peer(os.urandom(SIZE + 1000))
        self.kill(wrong.path, wrong)
        del self.conf["depot.peers"]
        good = self.add_peer()
        self.assertEqual(self.fill(), f"fetched engine 1.0 from {good.url()}\n1 file fetched, 0 missing\n")
        self.assert_filled()

    def test_two_calls_at_once_fetch_it_once(self):
        peer = self.add_peer()
        processes = [subprocess.Popen(self.command(["depot", "fill"]), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
        for process in processes:
            self.assertEqual((process.communicate(timeout=60)[1], process.returncode), (b"", 0))
        self.assert_filled()
        self.assertEqual(len(peer.requests), 1)


class Examined(Filling):
    """What doctor says of a peer."""

    def setUp(self):
        super().setUp()
        self.conf["depot"] = self.first
        self.peer = self.add_peer()

    def assert_doctor_says(self, health, text):
        found = self.doctor("depot peer")
        self.assertEqual(found[0], health, found)
        self.assertIn(self.peer.url(), found[1])
        self.assertIn(text, found[1])

    def test_one_that_serves_is_good_and_sends_no_more_than_the_beginning(self):
        self.assert_doctor_says("good", "lets this host in and has engine 1.0")
        self.assertEqual([request.headers["range"] for request in self.peer.requests], ["bytes=0-65535"])

    def test_one_that_knows_no_ranges_is_good(self):
        self.peer.fail(self.peer.path, always=drips(1 << 20, 0))
        self.assert_doctor_says("good", "lets this host in and has engine 1.0")

    def test_other_bytes_are_named(self):
        self.peer.add_file(self.peer.path, self.bytes_of(self.file).replace(b"engine", b"motors"))
        self.assert_doctor_says("bad", "serves other bytes than those that were mirrored (engine 1.0)")
        self.peer.add_file(self.peer.path, b"<html>a login page</html>")
        self.assert_doctor_says("bad", "serves other bytes than those that were mirrored")

    def test_one_that_lets_this_host_not_in_is_a_warning(self):
        self.peer.files.clear()
        self.assert_doctor_says("warning", "has no such file, or does not let this host in")

    def test_one_that_is_down_is_a_warning(self):
        self.peer.__exit__()
        self.assert_doctor_says("warning", "Failed to connect")

    def test_a_certificate_that_does_not_verify_is_named(self):
        del self.conf["depot.ca_file"]
        self.assert_doctor_says("bad", "its certificate is not trusted")


class FromFolder(Filling):
    def test_a_copy_of_the_depot_serves(self):
        self.assertEqual(self.fill("--from", self.first),
                         f"fetched engine 1.0 from {self.first}\n1 file fetched, 0 missing\n")
        self.assert_filled()

    def test_a_damaged_copy_is_not_taken(self):
        body = self.bytes_of(self.file)
        with open(self.file, "wb") as file:
            file.write(body[:5000] + bytes([body[5000] ^ 1]) + body[5001:])
        self.assertIn(f"engine 1.0 is still missing: {self.first}: its file is damaged",
                      self.fill_failed("--from", self.first))
        self.assert_still_missing()

    def test_a_full_disk_is_said_and_not_kept_full(self):
        os.mkdir(self.depot)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k,mode=755", "none", self.depot], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("mounting a tmpfs is not allowed here")
        self.addCleanup(subprocess.run, ["umount", self.depot], check=True)
        self.add_peer()
        for source in ([], ["--from", self.first]):
            self.assertRegex(self.fill_failed(*source), "^goldsmith: .*/second/.fill/.*: No space left on device\n$")
            self.assertEqual([name for name in self.depot_files() if name not in (".lock", ".fill")], [])
        self.assertEqual(self.doctor("depot disk")[0], "warning")
        # Nor is a new version mirrored in part.
        self.add_release("1.1", size=SIZE)
        self.assertRegex(self.mirror_failed(), "No space left on device")
        self.assertEqual(self.versions(), ["1.0"])
        self.assertEqual([name for name in self.depot_files() if name not in (".lock", ".fill")], [])

    def test_what_is_no_source_is_refused(self):
        for source, code, said in (("/none/at/all", 1, "there is no such folder"),
                                   ("http://host-1.example.org", 2, "an https:// address without a slash"),
                                   ("https://host-1.example.org/", 2, "an https:// address without a slash"),
                                   ("no host", 2, "it must be a host such as")):
            ended = self.run_goldsmith("depot", "fill", "--from", source)
            self.assertEqual(ended.returncode, code, ended)
            self.assertIn(said, ended.stderr)


if __name__ == "__main__":
    unittest.main()

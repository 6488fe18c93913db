"""`goldsmith component mirror` from an upstream that is slow, broken, wrong or hostile."""

import email.utils
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from host import REPOSITORY, UpstreamTest, make_release, make_zip, upstream_server
from upstream_server import (API_HOST, EPOCH, FILE_HOST, LIMITED, Upstream, answers, breaks_off,
                             drips, object_path, redirects, stops)

API_PATH = f"/repos/{REPOSITORY}/releases"


class FaultTest(UpstreamTest):
    """One component with one release of 40 kB."""

    def setUp(self):
        super().setUp()
        self.import_component()
        self.path = self.add_release("1.0", size=40_000)

    def fetches(self):
        return [request for request in self.upstream.requests if request.path == self.path]

    def refused(self, *expected):
        """Mirroring fails, says all that, and leaves nothing."""
        said = self.mirror_failed()
        for text in expected:
            self.assertIn(text, said)
        self.assertEqual(said.count("\n"), 1, said)
        self.assert_nothing_left()
        return said


class Passing(FaultTest):
    """What another try cures."""

    def test_errors_of_the_server_are_tried_again(self):
        for status in (500, 502, 503, 504, 408, 429):
            self.upstream.fail(API_PATH, answers(status))
            self.upstream.fail(self.path, answers(status), answers(status))
            self.assertIn("engine 1.0", self.mirror("engine", "--replace"), status)
        self.assertEqual(len(self.fetches()), 6 * 3)

    def test_a_broken_transfer_goes_on_where_it_broke(self):
        self.upstream.fail(self.path, breaks_off(10_000), breaks_off(5_000))
        self.mirror()
        self.assertEqual([request.headers.get("range") for request in self.fetches()],
                         [None, "bytes=10000-", "bytes=15000-"])
        self.assertEqual([request.status for request in self.fetches()], [200, 206, 206])
        etag = self.upstream.files[self.path].etag
        self.assertEqual(self.fetches()[1].headers["if-range"], etag)
        self.assertEqual(self.read_depot("engine", "1.0", "engine.so"), "engine 1.0\n")

    def test_an_error_between_two_parts_does_not_lose_the_first(self):
        self.upstream.fail(self.path, breaks_off(10_000), answers(503))
        self.mirror()
        self.assertEqual([request.headers.get("range") for request in self.fetches()],
                         [None, "bytes=10000-", "bytes=10000-"])

    def test_a_file_that_changed_in_between_is_read_from_its_start(self):
        self.upstream.releases.clear()
        content = make_release("1.0", 30_000)
        self.upstream.add_release(REPOSITORY, "1.0", {"engine-1.0.zip": content})
        stale = upstream_server.File(os.urandom(len(content)), '"stale"')

        def breaks_off_a_stale_file(handler):
            handler.begin_file(stale)
            handler.wfile.write(stale.body[:10_000])
            handler.close_connection = True

        self.upstream.fail(self.path, breaks_off_a_stale_file)
        self.mirror()
        self.assertEqual([request.status for request in self.fetches()], [200, 200])
        self.assertEqual(self.fetches()[1].headers["if-range"], '"stale"')

    def test_without_an_etag_the_time_of_the_file_proves_that_it_is_the_same(self):
        self.upstream.files[self.path].etag = ""
        self.upstream.fail(self.path, breaks_off(10_000))
        self.mirror()
        self.assertEqual(self.fetches()[1].headers["if-range"],
                         email.utils.formatdate(EPOCH, usegmt=True))
        self.assertEqual(self.fetches()[1].status, 206)

    def test_a_weak_etag_alone_proves_nothing_and_the_file_is_read_again(self):
        self.upstream.files[self.path].etag = 'W/"weak"'
        self.upstream.files[self.path].modified = None
        self.upstream.fail(self.path, breaks_off(10_000))
        self.mirror()
        self.assertEqual([(request.status, request.headers.get("range"))
                          for request in self.fetches()], [(200, None), (200, None)])

    def test_a_part_that_does_not_fit_is_thrown_away(self):
        def sends_another_part(handler):
            handler.begin_file(handler.file(), 0)
            handler.wfile.write(handler.file().body)

        self.upstream.fail(self.path, breaks_off(10_000), sends_another_part)
        self.mirror()
        self.assertEqual([request.headers.get("range") for request in self.fetches()],
                         [None, "bytes=10000-", None])

    def test_a_range_that_the_server_can_not_satisfy_is_asked_for_no_more(self):
        self.upstream.fail(self.path, breaks_off(10_000), answers(416))
        self.mirror()
        self.assertEqual([request.headers.get("range") for request in self.fetches()],
                         [None, "bytes=10000-", None])

    def test_an_announced_pause_is_kept(self):
        self.upstream.fail(self.path, answers(429, retry_after=1))
        before = time.monotonic()
        self.mirror()
        self.assertGreaterEqual(time.monotonic() - before, 1)

    def test_a_connection_that_ends_before_an_answer_is_tried_again(self):
        def hangs_up(handler):
            handler.close_connection = True
            handler.connection.close()

        self.upstream.fail(API_PATH, hangs_up)
        self.mirror()
        self.assertEqual([request.path.partition("?")[0] for request in self.api_requests()],
                         [API_PATH, API_PATH, f"/repos/{REPOSITORY}"])


class Lasting(FaultTest):
    """What no other try cures: one sentence, and nothing left behind."""

    def test_what_is_not_there_is_asked_for_once(self):
        self.upstream.fail(self.path, always=answers(404))
        self.refused("engine-1.0.zip: there is no such file (404)")
        self.assertEqual(len(self.fetches()), 1)

    def test_a_refusal_is_not_asked_for_again(self):
        for status in (400, 401, 403, 410, 451):
            self.upstream.requests.clear()
            self.upstream.fail(self.path, always=answers(status))
            self.refused(f"there is no such file ({status})" if status in (410, 451)
                         else f"the server refuses it with status {status}")
            self.assertEqual(len(self.fetches()), 1)

    def test_a_server_that_always_fails_is_given_up(self):
        self.conf["mirror.retries"] = 3
        self.upstream.fail(self.path, always=answers(500))
        self.refused("the server answers 500 (tried 4 times)")
        self.assertEqual(len(self.fetches()), 4)

    def test_a_file_that_always_breaks_off_is_given_up(self):
        self.conf["mirror.retries"] = 3
        self.upstream.fail(self.path, always=breaks_off(1_000))
        self.refused("(tried 4 times)")
        self.assertEqual(self.fetches()[3].headers["range"], "bytes=3000-")

    def test_a_file_that_ends_too_early_without_a_length_is_noticed(self):
        def sends_too_little(handler):
            handler.send_response(200)
            handler.send_header("Connection", "close")
            handler.end_headers()
            handler.wfile.write(handler.file().body[:5_000])
            handler.close_connection = True

        self.conf["mirror.retries"] = 1
        self.upstream.fail(self.path, always=sends_too_little)
        size = len(self.upstream.files[self.path].body)
        said = self.mirror_failed()
        # Whether TLS was ended in order or not decides who notices.
        self.assertRegex(said, f"ended after 5000 of {size} bytes|unexpected eof")
        self.assert_nothing_left()

    def test_a_file_longer_than_its_release_says_is_refused(self):
        file = self.upstream.files[self.path]
        self.upstream.fail(self.path, answers(200, file.body + b"more"))
        self.refused(f"has more than the {len(file.body)} bytes that its release names")

    def test_a_file_over_the_limit_is_refused_before_it_is_sent(self):
        self.conf["mirror.download_mb"] = 1
        self.import_component(upstream={"url": self.upstream.url("/{version}.zip"), "version": "1"})
        self.upstream.add_file("/1.zip", bytes(3 << 20))
        self.refused("has more than 1 MiB; mirror.download_mb sets how much a file may have")

    def test_a_file_over_the_limit_is_refused_though_it_hides_its_length(self):
        def sends_without_end(handler):
            handler.send_response(200)
            handler.end_headers()
            try:
                while not handler.upstream.stopping.is_set():
                    handler.wfile.write(bytes(1 << 16))
            except OSError:
                handler.close_connection = True

        self.conf["mirror.download_mb"] = 1
        self.import_component(upstream={"url": self.upstream.url("/{version}.zip"), "version": "1"})
        self.upstream.fail("/1.zip", always=sends_without_end)
        self.refused("has more than 1 MiB; mirror.download_mb sets how much a file may have")

    def test_a_server_that_drips_is_given_up(self):
        self.conf.update({"mirror.stall_timeout": 1, "mirror.retries": 1})
        self.upstream.fail(self.path, always=drips(1, 0.05))
        self.refused("took too long: ", "(tried 2 times)")

    def test_a_server_that_never_answers_is_given_up(self):
        self.conf.update({"mirror.stall_timeout": 1, "mirror.retries": 0})
        self.upstream.fail(API_PATH, always=lambda handler: handler.upstream.stopping.wait())
        self.refused("took too long: ")

    def test_a_file_that_comes_steadily_may_still_take_too_long(self):
        self.conf.update({"mirror.total_timeout": 1})
        self.upstream.fail(self.path, always=drips(1_000, 0.2))
        self.refused("took too long: ")

    def test_a_refused_connection_is_tried_again_and_told(self):
        with socket.socket() as closed:
            closed.bind((API_HOST, 0))
            self.conf.update({"mirror.retries": 1, "mirror.github_api":
                              f"https://{API_HOST}:{closed.getsockname()[1]}"})
            self.refused("Failed to connect", "(tried 2 times)")

    def test_a_server_that_is_out_of_reach_keeps_nobody_waiting_twice(self):
        with socket.socket() as closed:
            closed.bind((API_HOST, 0))
            self.conf.update({"mirror.retries": 2, "mirror.github_api":
                              f"https://{API_HOST}:{closed.getsockname()[1]}"})
            for slug in ("alpha", "beta"):
                self.import_component(slug, {"github": f"owner/{slug}", "asset": "*.zip"})
            said = self.mirror_failed("--all")
        self.assertEqual((said.count("Failed to connect"), said.count("(tried 3 times)")), (3, 1))

    def test_a_page_of_html_is_no_release(self):
        page = b"\n<!DOCTYPE HTML>\n<html><body>Please log in.</body></html>"
        expected = "is a web page (HTML), not a file of a release"
        self.upstream.fail(self.path, answers(200, page, content_type="text/html; charset=utf-8"))
        self.refused(expected)
        self.upstream.fail(self.path, answers(200, page, content_type="application/zip"))
        self.refused(expected)
        self.upstream.fail(self.path, answers(200, b"\xef\xbb\xbf<html>"))
        self.refused(expected)

    def test_an_empty_file_is_no_release(self):
        self.import_component(upstream={"url": self.upstream.url("/{version}.zip"), "version": "1"})
        self.upstream.add_file("/1.zip", b"")
        self.refused("/1.zip: is empty")

    def test_what_is_no_archive_is_refused(self):
        self.import_component(upstream={"url": self.upstream.url("/{version}.zip"), "version": "1"})
        self.upstream.add_file("/1.zip", b"PK\x03\x04" + os.urandom(5000))
        self.refused("1.zip: ")
        self.upstream.add_file("/1.zip", make_zip({"../../etc/passwd": "x"}))
        self.refused("../../etc/passwd")

    def test_what_is_no_list_of_releases_is_refused(self):
        for body in (b"[[[[", b"{}", b"<html>", b"[1]", b"[{}]", b'[{"tag_name": "1"}]',
                     b'[{"tag_name": "1", "published_at": "soon", "assets": []}]',
                     b'[{"tag_name": "1", "published_at": "2024-05-01T12:00:00Z"}]',
                     b'[{"tag_name": "1", "published_at": "2024-05-01T12:00:00Z",'
                     b' "assets": [{"name": "a.zip", "browser_download_url": "x"}]}]',
                     b"[" * 100_000):
            self.upstream.fail(API_PATH, answers(200, body))
            self.refused("releases?per_page=100: the answer is not a list of releases: ")

    def test_a_failure_in_the_second_of_two_files_leaves_nothing_of_the_first(self):
        self.import_component(upstream={"github": REPOSITORY, "asset": ["a.zip", "b.zip"]})
        self.upstream.add_release(REPOSITORY, "2.0", {"a.zip": make_release("a"),
                                                      "b.zip": make_release("b")}, EPOCH + 1)
        self.upstream.fail(object_path(REPOSITORY, "2.0", "b.zip"), always=answers(404))
        self.refused("b.zip: there is no such file (404)")

    def test_a_failure_leaves_the_old_version_in_place(self):
        self.mirror()
        before = self.depot_files()
        self.path = self.add_release("1.1", published=EPOCH + 1)
        self.upstream.fail(self.path, always=answers(200, b"<html>"))
        self.mirror_failed()
        self.assertEqual((self.versions(), self.depot_files()), (["1.0"], before))

    def test_all_goes_on_after_a_failure_and_sums_up(self):
        for slug in ("alpha", "beta"):
            self.import_component(slug, {"github": f"owner/{slug}", "asset": "*.zip"},
                                  sort_order=1 if slug == "alpha" else -1)
            self.upstream.add_release(f"owner/{slug}", "1.0", {"x.zip": make_release(slug)})
        self.upstream.fail(self.path, always=answers(404))
        ended = self.run_goldsmith("component", "mirror", "--all")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("3 components: 2 mirrored, 1 failed\n", ended.stdout)
        first, last = ended.stderr.splitlines()
        self.assertTrue(first.startswith("goldsmith: engine: https://"), first)
        self.assertEqual(last, "goldsmith: 1 of 3 components could not be mirrored")
        self.assertEqual((self.versions("alpha"), self.versions("beta")), (["1.0"], ["1.0"]))


class RateLimit(FaultTest):
    def setUp(self):
        super().setUp()
        self.import_component("web", {"url": self.upstream.url("/{version}.zip"), "version": "1"})
        self.import_component("other", {"github": "owner/other", "asset": "*.zip"})
        self.upstream.add_file("/1.zip", make_release("web"))
        self.upstream.add_release("owner/other", "1.0", {"o.zip": make_release("other")})

    def test_the_end_of_a_rate_limit_is_told_and_what_raises_it(self):
        self.upstream.fail(API_PATH, LIMITED)
        self.refused(f"{self.upstream.url()}: the rate limit is used up until 2100-01-01 00:00:00 "
                     "UTC; a token raises it, see mirror.github_token_file")
        self.assertEqual(len(self.api_requests()), 1)

    def test_with_a_token_none_is_suggested(self):
        self.conf["mirror.github_token_file"] = self.write("token", "secret")
        os.chmod(self.conf["mirror.github_token_file"], 0o600)
        self.upstream.fail(API_PATH, LIMITED)
        said = self.mirror_failed()
        self.assertIn("until 2100-01-01 00:00:00 UTC\n", said)

    def test_a_secondary_limit_names_its_end_too(self):
        for status in (403, 429):
            self.upstream.fail(API_PATH, answers(
                status, retry_after="Fri, 01 Jan 2100 00:00:00 GMT"))
            self.assertRegex(self.mirror_failed(), r"the rate limit is used up until \d{4}-")

    def test_a_refusal_that_is_no_limit_is_told_as_one(self):
        self.upstream.fail(API_PATH, answers(403, x_ratelimit_remaining=10))
        self.refused("the server refuses it with status 403")

    def test_all_goes_on_with_what_needs_no_api_and_asks_it_no_more(self):
        for repository in (REPOSITORY, "owner/other"):
            self.upstream.fail(f"/repos/{repository}/releases", always=LIMITED)
        ended = self.run_goldsmith("component", "mirror", "--all")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("3 components: 1 mirrored, 2 not asked about\n", ended.stdout)
        self.assertEqual(ended.stderr.splitlines(), [
            f"goldsmith: {self.upstream.url()}: the rate limit is used up until 2100-01-01 00:00:00 "
            "UTC; a token raises it, see mirror.github_token_file",
            "goldsmith: 2 of 3 components were not asked about: run it again after "
            "2100-01-01 00:00:00 UTC, and it begins with them"])
        self.assertEqual(self.versions("web"), ["1"])
        self.assertEqual(len(self.api_requests()), 1)

    def test_a_quota_that_ends_is_first_spent_on_what_was_not_asked_about_or_longest_ago(self):
        parts = [f"part{number}" for number in range(5)]
        for part in parts:
            self.import_component(part, {"github": f"owner/{part}", "asset": "*.zip"})
            if part != "part0":  # is not there
                self.upstream.add_release(f"owner/{part}", "1.0", {"p.zip": make_release("1.0")})
        # Where all is mirrored each costs one request. Which ones were asked about is forgotten.
        self.run_goldsmith("component", "mirror", "--all")
        shutil.rmtree(os.path.join(self.depot, ".upstream"))

        def asked(quota):
            """The repositories that a run asked about before GitHub took no more."""
            with self.upstream.lock:
                self.upstream.requests.clear()
                self.upstream.quota = quota
            ended = self.run_goldsmith("component", "mirror", "--all")
            return ([request.path.split("/")[3] for request in self.api_requests()
                     if request.status != 403], ended)

        first, ended = asked(3)
        self.assertIn(", 4 not asked about\n", ended.stdout)
        second, ended = asked(3)
        third, ended = asked(3)
        # The one that fails waits for its turn, too.
        everything = {"engine", "other", *parts}
        self.assertEqual(len(set(first + second)), 6)
        self.assertEqual(set(first + second + third), everything)
        self.assertEqual(third[1:], first[:2])
        again, ended = asked(100)
        self.assertEqual(again, first[2:] + second + third)
        self.assertIn("goldsmith: 1 of 8 components could not be mirrored\n", ended.stderr)

    def test_a_check_counts_as_asking_and_lists_in_the_order_of_the_catalog(self):
        self.upstream.quota = 1
        ended = self.run_goldsmith("component", "mirror", "--check")
        self.assertEqual([line.split()[0] for line in ended.stdout.splitlines()],
                         ["SLUG", "engine", "web"])
        self.assertIn("goldsmith: 1 of 3 components were not asked about: run it again after ",
                      ended.stderr)
        self.upstream.quota = None
        self.upstream.requests.clear()
        self.assertEqual([line.split()[0] for line in self.mirror("--check").splitlines()],
                         ["SLUG", "engine", "other", "web"])
        self.assertEqual([request.path.split("/")[3] for request in self.api_requests()],
                         ["other", "engine"])

    def test_a_server_of_files_that_wants_a_long_pause_is_not_waited_for(self):
        self.upstream.fail("/1.zip", always=answers(503, retry_after=3600))
        self.assertIn("the server answers 503 and wants no request before ",
                      self.mirror_failed("web"))


class Redirects(FaultTest):
    def test_a_redirect_to_another_host_is_followed(self):
        self.mirror()
        self.assertEqual([request.host for request in self.downloads()], [API_HOST, FILE_HOST])

    def test_five_redirects_are_followed_and_six_are_not(self):
        def hops(count):
            for hop in range(count):
                self.upstream.fail(f"/hop{hop}", redirects(f"/hop{hop + 1}"))
            self.upstream.files.pop(f"/hop{count}", None)
            self.upstream.add_file(f"/hop{count}", make_release("1.0"))

        self.import_component(upstream={"url": self.upstream.url("/hop0"), "version": "1"})
        hops(6)
        self.refused("redirects more than 5 times")
        hops(5)
        self.mirror()

    def test_a_loop_of_redirects_is_left(self):
        self.upstream.fail(self.path, always=redirects(self.upstream.url(self.path, FILE_HOST)))
        self.refused("redirects more than 5 times")

    def test_one_to_http_is_refused_and_nothing_is_sent_there(self):
        with socket.create_server((API_HOST, 0)) as plain:
            plain.setblocking(False)
            self.upstream.fail(self.path, always=redirects(
                f"http://{API_HOST}:{plain.getsockname()[1]}/engine.zip"))
            self.refused("leads to an address that is not https")
            self.assertRaises(BlockingIOError, plain.accept)

    def test_a_redirect_to_a_file_is_refused(self):
        self.upstream.fail(self.path, always=redirects("file:///etc/passwd"))
        self.refused("leads to an address that is not https")

    def test_the_next_page_is_not_fetched_from_another_host(self):
        self.upstream.fail(API_PATH, answers(
            200, b"[]", link=f'<{self.upstream.url("/more", FILE_HOST)}>; rel="next"'))
        self.refused("names a next page on another server: ")


class Certificates(FaultTest):
    def test_one_by_an_unknown_authority_is_refused(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with Upstream(folder) as stranger:
            self.conf["mirror.github_api"] = stranger.url()
            self.refused("its certificate is not trusted", "mirror.ca_file")
            self.assertEqual(stranger.requests, [])

    def test_a_certificate_for_another_name_is_refused(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        certificate = upstream_server.make_certificate(folder, "DNS:other.example")
        with Upstream(folder, certificate) as stranger:
            self.conf.update({"mirror.github_api": stranger.url(), "mirror.ca_file": stranger.ca})
            self.refused("its certificate is not trusted")
            self.assertEqual(stranger.requests, [])

    def test_the_systems_authorities_hold_where_none_is_configured(self):
        del self.conf["mirror.ca_file"]
        self.refused("its certificate is not trusted")

    def test_a_file_of_authorities_that_is_missing_is_named(self):
        self.conf["mirror.ca_file"] = "/none/ca.pem"
        self.refused("mirror.ca_file can't be used", "/none/ca.pem")


class Digests(FaultTest):
    def setUp(self):
        super().setUp()
        self.digest = hashlib.sha256(self.upstream.files[self.path].body).hexdigest()

    def test_another_than_the_pinned_one_is_refused_and_both_are_named(self):
        pinned = "0" * 64
        self.import_component(upstream={"github": REPOSITORY, "asset": "*.zip",
                                        "sha256": {"1.0": pinned}})
        self.refused(f"its SHA-256 is {self.digest}, but the catalog names {pinned}; it was not "
                     "mirrored")

    def test_the_pin_of_each_file_and_version_is_its_own(self):
        second = make_release("second")
        self.upstream.add_release(REPOSITORY, "1.1", {
            "a.zip": self.upstream.files[self.path].body, "b.zip": second}, EPOCH + 1)
        pins = {"1.0": ["1" * 64, "2" * 64],
                "1.1": [self.digest, hashlib.sha256(second).hexdigest()]}
        upstream = {"github": REPOSITORY, "asset": ["a.zip", "b.zip"], "sha256": pins}
        self.import_component(upstream=upstream)
        self.assertNotIn("sha256", self.mirror())
        pins["1.1"].reverse()
        self.import_component(upstream=upstream)
        self.assertIn("a.zip: its SHA-256 is ", self.mirror_failed())

    def test_another_than_github_names_is_refused(self):
        self.upstream.files[self.path].body = bytes(len(self.upstream.files[self.path].body))
        self.refused(f"but its release names {self.digest}")


class Interruption(FaultTest):
    def interrupted(self, number):
        """Mirrors until a part has arrived, sends the signal, returns how the program ended."""
        reached = threading.Event()
        self.upstream.fail(self.path, always=stops(10_000, reached))
        with subprocess.Popen(self.command(["component", "mirror", "engine"]),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.assertTrue(reached.wait(60))
            self.assertEqual(len(self.workspaces()), 1)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            return process.returncode, out, err

    def workspaces(self):
        return [name for name in os.listdir(self.depot) if name.startswith(".mirror")]

    def test_a_signal_ends_it_in_good_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(self.interrupted(number),
                             (128 + number, "", "goldsmith: interrupted\n"))
            self.assert_nothing_left()

    def test_what_a_killed_one_left_is_swept_by_the_next(self):
        self.assertEqual(self.interrupted(signal.SIGKILL)[0], -signal.SIGKILL)
        self.assertEqual(len(self.workspaces()), 1)
        self.upstream.fail(self.path)
        self.mirror()
        self.assertEqual(self.workspaces(), [])

    def test_a_download_that_runs_is_not_swept_by_another(self):
        reached = threading.Event()
        self.upstream.fail(self.path, always=stops(10_000, reached))
        self.import_component("web", {"url": self.upstream.url("/{version}.zip"), "version": "1"})
        self.upstream.add_file("/1.zip", make_release("web"))
        with subprocess.Popen(self.command(["component", "mirror", "engine"]),
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            self.assertTrue(reached.wait(60))
            self.mirror("web")  # at the same time, on the same depot
            self.assertEqual(len(self.workspaces()), 1)
            process.send_signal(signal.SIGTERM)
        self.assertEqual(self.versions("web"), ["1"])


if __name__ == "__main__":
    unittest.main()

"""Clients that know the answers, and know of each download whether it was counted.

Each request has a caller's address of its own in 127.0.0.0/8, so that its row in the download log can be told from all
others."""

import collections
import contextlib
import dataclasses
import http.client
import json
import ssl
import threading
import time
import unittest

PAUSE = 0.01  # seconds, of a client between two requests


@dataclasses.dataclass
class Request:
    kind: str  # download, read, build or limited
    target: str
    caller: str
    began: float
    ended: float
    outcome: str  # ok, wrong, an error code of the API, or the name of an exception
    detail: str = ""

    def overlaps(self, began, ended):
        return self.began <= ended and self.ended >= began


class Clients:
    """Sends requests through the front."""

    def __init__(self, port, certificate):
        self.port, self.context = port, ssl.create_default_context(cafile=certificate)

    def fetch(self, target, caller):
        """(status, body)"""
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=self.context,
                                                 source_address=(caller, 0))
        with contextlib.closing(connection):
            connection.request("GET", target)
            response = connection.getresponse()
            return response.status, response.read()

    def send(self, kind, target, caller, expected=None):
        began = time.monotonic()
        try:
            status, body = self.fetch(target, caller)
            outcome, detail = judge(status, body, expected)
        except (OSError, http.client.HTTPException) as error:
            outcome, detail = type(error).__name__, str(error)
        return Request(kind, target, caller, began, time.monotonic(), outcome, detail)


def judge(status, body, expected):
    """(outcome, detail)"""
    if status == 200:
        return ("ok", "") if expected is None or body == expected else ("wrong", repr(body[:300]))
    try:
        answer = json.loads(body)
        if answer["status"] is False:
            return answer["error"], str(status)
    except (ValueError, KeyError):
        pass
    return "wrong", f"{status} {body[:300]!r}"


class BackgroundLoad:
    """Clients, each in a thread of its own, while the block runs."""

    def __init__(self, jobs):
        """One client for each job: it calls run(NUMBER, *JOB), which adds to `answers` until `stopped` is set."""
        self.answers, self.stopped = [], threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(number, *job)) for number, job in enumerate(jobs)]

    def run(self, number, *job):
        raise NotImplementedError

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *failure):
        self.stopped.set()
        for thread in self.threads:
            thread.join()


class Load(BackgroundLoad):
    """Four clients download and two read while the block runs, and one asks for builds if there are some."""

    def __init__(self, clients, downloads, reads, builds=None, pause=PAUSE):
        """They map targets to the bodies of their answers."""
        jobs = [("download", list(downloads.items()))] * 4 + [("read", list(reads.items()))] * 2
        super().__init__(jobs + ([("build", list(builds.items()))] if builds else []))
        self.clients, self.pause = clients, pause
        self.served = [0.0] * len(self.threads)  # when the last request of a client that succeeded began

    def run(self, number, kind, targets):
        turn = number * 7
        while not self.stopped.is_set():
            turn += 1
            caller = f"127.{100 + number + 10 * (turn // 62500)}.{turn // 250 % 250}.{turn % 250 + 1}"
            answer = self.clients.send(kind, targets[turn % len(targets)][0], caller, targets[turn % len(targets)][1])
            self.answers.append(answer)
            if answer.outcome == "ok":
                self.served[number] = answer.began
            time.sleep(self.pause)

    def recovery(self, ended, seconds):
        """How long after `ended` the last request failed: each client has been served since, and none has failed for a
        second. None if that is not so within `seconds`."""
        while time.monotonic() < ended + seconds + 1:
            last = max([ended, *(each.ended for each in self.since(ended) if each.outcome != "ok")])
            if time.monotonic() > last + 1 and min(self.served) > last:
                return last - ended
            time.sleep(0.05)
        return None

    def since(self, began):
        return [answer for answer in list(self.answers) if answer.ended >= began]

    def wait_for_downloads(self, count=10, seconds=60):
        """Until so many downloads that began from now on have succeeded."""
        began = time.monotonic()
        while sum(each.outcome == "ok" and each.kind == "download" and each.began >= began
                  for each in self.since(began)) < count:
            if time.monotonic() > began + seconds:
                raise AssertionError(f"no downloads within {seconds} s: {self.since(began)[-3:]}")
            time.sleep(0.1)


@dataclasses.dataclass
class Figures:
    """What clients saw in a span of time."""
    answers: int
    failures: collections.Counter
    span: float  # seconds from the first failure to the last
    silence: float  # the longest time without a download that succeeded
    slowest: float  # seconds, of a request that succeeded

    @staticmethod
    def of(answers, began, ended):
        failed = [each for each in answers if each.outcome != "ok"]
        ends = sorted(each.ended for each in failed)
        good = sorted(each.ended for each in answers if each.outcome == "ok" and each.kind == "download")
        moments = [began, *good, ended]
        return Figures(len(answers), collections.Counter(each.outcome for each in failed),
                       ends[-1] - ends[0] if ends else 0.0,
                       max(after - before for before, after in zip(moments, moments[1:])),
                       max((each.ended - each.began for each in answers if each.outcome == "ok"), default=0.0))

    def __str__(self):
        failures = ", ".join(f"{count} {name}" for name, count in sorted(self.failures.items())) or "none"
        return (f"{self.answers} answers, failed: {failures}, within {self.span:.1f} s; no download for at most "
                f"{self.silence:.1f} s, slowest answer {self.slowest:.1f} s")


class UnderLoad(unittest.TestCase):
    """Tests beside one load, that of their `scene`, which notes in `lost` when parts of what serves it fail."""
    scene = None

    def figures(self, name, began):
        figures = Figures.of(self.scene.load.since(began), began, time.monotonic())
        print(f"{name}: {figures}", flush=True)
        return figures

    @contextlib.contextmanager
    def undisturbed(self, name):
        """Nothing fails while the block runs."""
        began = time.monotonic()
        yield
        figures = self.figures(name, began)
        self.assertEqual(figures.failures, {}, [each for each in self.scene.load.since(began) if each.outcome != "ok"][:5])

    @contextlib.contextmanager
    def losing(self, name, seconds, most=None):
        """Statements fail while the block runs, for so many seconds at most, and no more than `most` of them."""
        began = time.monotonic()
        yield
        self.scene.lost.append((began, time.monotonic()))
        figures = self.figures(name, began)
        self.assertLessEqual(set(figures.failures), {"query_failed"}, self.scene.load.since(began)[-3:])
        self.assertLessEqual(figures.span, seconds)
        if most is not None:
            self.assertLessEqual(figures.failures.total(), most)


class LimitedCaller:
    """One address that several clients share, and its window of a day."""

    CLIENTS = 4

    def __init__(self, clients, address):
        self.clients, self.address = clients, address

    def ask(self, times):
        """Each client so often, all at once; the answers of this call."""
        answers = []

        def run(number):
            for turn in range(times):
                answers.append(self.clients.send("limited", f"/v1/addons?x={number}-{turn}", self.address))
        threads = [threading.Thread(target=run, args=(number,)) for number in range(self.CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return collections.Counter(each.outcome for each in answers)


def known_answers(hosts, downloads, reads):
    """Two maps, of downloads and reads: targets to the bodies of their answers, which all hosts must agree on. `downloads`
    maps slugs to versions."""
    answers = []
    for number, host in enumerate(hosts):
        clients, known = Clients(host.client.https_port, host.client.certificate), ({}, {})
        targets = ([f"/v1/plugins/{slug}/download/{version}?{query}" for slug, version in downloads.items()
                    for query in [f"kind=sma&x={turn}" for turn in range(8)] + ["kind=amxx", "kind=zip"]], reads)
        for which in (0, 1):
            for target in targets[which]:
                status, body = clients.fetch(target, f"127.91.{number}.{len(known[0]) + len(known[1]) + 1}")
                assert status == 200, (target, status, body)
                known[which][target] = body
        answers.append(known)
    for other in answers[1:]:
        assert other == answers[0], "the hosts answer differently"
    return answers[0]


class Ledger:
    """What the database counts and logs of downloads from the moment on when this is made."""

    def __init__(self, sql):
        """`sql`: a function that returns the rows of a statement."""
        self.before, self.last_row = self.counters(sql), self.log_of(sql, "COALESCE(MAX(id), 0)", 0)

    @staticmethod
    def counters(sql):
        return {slug: int(downloads) for slug, downloads in sql("SELECT slug, downloads FROM goldsmith.plugin_counters")}

    @staticmethod
    def log_of(sql, what, after):
        return int(sql(f"SELECT {what} FROM goldsmith.download_log WHERE id > {after} AND result = 'ok'")[0][0])

    def check(self, case, sql, requests, is_ambiguous, failures=frozenset({"query_failed"})):
        """Each download that was answered is counted and logged once, and one that failed, with one of `failures`, isn't,
        unless it is_ambiguous(): its answer alone may be lost. Returns what was counted, by slug. `sql` may be another
        server's."""
        rows = {caller: int(count) for caller, count in sql(
            f"SELECT caller, COUNT(*) FROM goldsmith.download_log WHERE id > {self.last_row} AND result = 'ok' GROUP BY caller")}
        sent = [each for each in requests if each.kind == "download"]
        case.assertEqual(len({each.caller for each in sent}), len(sent))
        seen, doubtful = collections.Counter(), collections.Counter()
        for each in sent:
            (doubtful if each.outcome != "ok" and is_ambiguous(each) else seen)[each.outcome, rows.pop(each.caller, 0)] += 1
        print(f"{seen['ok', 1]} downloads answered and counted once; failed (answer, counted): {dict(doubtful)}")
        case.assertLessEqual(set(seen), {("ok", 1), *((each, 0) for each in failures)}, seen)
        case.assertLessEqual(set(doubtful), {(each, count) for each in failures for count in (0, 1)})
        case.assertEqual(rows, {}, "rows of nobody's download")
        after = self.counters(sql)
        grown = {slug: after[slug] - self.before[slug] for slug in after}
        logged, expected = self.log_of(sql, "COUNT(*)", self.last_row), seen["ok", 1] + sum(doubtful[each, 1] for each in failures)
        print(f"{sum(grown.values())} in the counters, {logged} rows in the log")
        case.assertEqual((sum(grown.values()), logged), (expected, expected))
        return grown

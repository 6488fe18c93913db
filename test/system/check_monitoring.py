#!/usr/bin/env python3
"""Checks the alert rules and the dashboard of systemd/monitoring: that promtool accepts them and the cases of
alerts_test.yml hold, that all which they name exists in the sources, and that OPERATING.md explains exactly these alerts.

What a running service prints is compared with them in test/http/tools_test.py."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import monitoring  # noqa: E402  (found by the line above)
from monitoring import ROOT  # noqa: E402

CASES = ROOT / "test/system/alerts_test.yml"
# Labels that Prometheus adds to all series.
ADDED = {"job", "instance"}
# Of Prometheus itself, and of the node exporter in Debian's package.
OTHERS = {"up": set(), "ALERTS": {"alertname", "alertstate"}, "node_systemd_unit_state": {"name", "state", "type"},
          "node_systemd_timer_last_trigger_seconds": {"name"}}


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def promtool(*arguments):
    done = subprocess.run(["promtool", *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    return done.returncode, done.stdout


def counted():
    """The labels of each metric of /metrics."""
    families = re.findall(r'MetricFamily k\w+\{\s*"(\w+)",\s*k(\w+),\s*"[^"]*",\s*\{([^}]*)\}\s*\};',
                          source("app/host/metrics.cpp"))
    found = {name: set(re.findall(r'"(\w+)"', labels)) | ({"le"} if kind == "Histogram" else set())
             for name, kind, labels in families}
    return found | {name: set() for name in re.findall(r'add_gauge\(text, "(\w+)"', source("handlers/status.cpp"))}


def function(name, text):
    """Its source, of a function that is not indented."""
    return re.search(rf"(?ms)^[\w:][^\n]*\b{name}\(.*?^}}", text)[0]


def words(pattern, text):
    return set(re.findall(pattern, text))


def known_values():
    """The values of labels, as far as they come from small sets."""
    return {
        "limit": words(r'return "(\w+)";', function("to_string", source("app/domain/permit.hpp"))),
        "result": words(r'"(\w+)"', function("name_of", source("handlers/services.cpp"))),
        "from": set(re.search(r'archives\.add\([^)]*\? "(\w+)" : "(\w+)"\)', source("handlers/server_archives.cpp")).groups()),
        "route": words(r'(?m)^  \{"(\w+)", "/', source("handlers/routes.cpp") + source("handlers/pages/routes.cpp")),
        "status": words(r'"\w+", (\d{3}),', source("app/domain/failure.cpp")) | {"200"},
        "pool": words(r"--pool=(\w+)", source("systemd/goldsmith-api@.service") + source("systemd/goldsmith-build@.service")),
        "job": {"goldsmith", "node"},
        "name": {path.name for path in (ROOT / "systemd").iterdir()},
        "alertname": set(monitoring.alerts()),
        "alertstate": {"firing", "pending"},
        "state": {"activating", "active", "deactivating", "failed", "inactive"},
    }


def unknown(value, is_pattern, known):
    """The parts of a matcher's value that match nothing."""
    parts = value.split("|") if is_pattern and "(" not in value else [value]
    return [part for part in parts if not any(re.fullmatch(part, each) if is_pattern else part == each for each in known)]


def section(name):
    """Of OPERATING.md, a heading's text up to the next one."""
    return re.search(rf"(?ms)^#+ {name}$(.*?)^#", source("systemd/OPERATING.md"))[1]


class Alerts(unittest.TestCase):
    def test_promtool_accepts_them(self):
        code, said = promtool("check", "rules", monitoring.RULES)
        self.assertEqual(code, 0, said)
        self.assertIn(f"{len(monitoring.alerts())} rules found", said)

    def test_the_cases_of_alerts_hold(self):
        code, said = promtool("test", "rules", CASES)
        self.assertEqual(code, 0, said)

    def test_the_cases_notice_an_alert_that_never_fires_and_one_that_always_does(self):
        for expression in ("vector(0) > 0", "vector(1)"):
            rules = yaml.safe_load(monitoring.RULES.read_text(encoding="utf-8"))
            cases = yaml.safe_load(CASES.read_text(encoding="utf-8"))
            with tempfile.TemporaryDirectory() as folder:
                cases["rule_files"] = [os.path.join(folder, "rules.yml")]
                for rule in rules["groups"][0]["rules"]:
                    rule["expr"] = expression
                pathlib.Path(folder, "rules.yml").write_text(yaml.safe_dump(rules), encoding="utf-8")
                pathlib.Path(folder, "cases.yml").write_text(yaml.safe_dump(cases), encoding="utf-8")
                code, said = promtool("test", "rules", os.path.join(folder, "cases.yml"))
            self.assertNotEqual(code, 0)
            self.assertEqual(set(re.findall(r"alertname: ?(\w+)", said)), set(monitoring.alerts()), said)

    def test_each_has_a_case_where_it_fires_and_one_where_it_does_not(self):
        fires, is_silent = set(), set()
        for group in yaml.safe_load(CASES.read_text(encoding="utf-8"))["tests"]:
            for case in group["alert_rule_test"]:
                (fires if case["exp_alerts"] else is_silent).add(case["alertname"])
        self.assertEqual(fires, set(monitoring.alerts()))
        self.assertEqual(is_silent, set(monitoring.alerts()))

    def test_operators_are_told_of_each_and_of_no_other(self):
        explained = re.findall(r"(?m)^- \*\*(\w+)\*\*( \(critical\))?: ", section("Alerts"))
        self.assertEqual([(name, bool(critical)) for name, critical in explained],
                         [(name, rule["labels"]["severity"] == "critical") for name, rule in monitoring.alerts().items()])

    def test_each_alert_names_the_manual(self):
        for name, rule in monitoring.alerts().items():
            self.assertEqual(set(rule["annotations"]), {"summary", "runbook"}, name)
            self.assertEqual(rule["annotations"]["runbook"], "/usr/share/doc/goldsmith/OPERATING.md#alerts", name)
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"), name)
        self.assertIn("systemd/OPERATING.md", source("scripts/deb/package.cmake"))

    def test_the_configuration_that_operating_md_shows_is_one(self):
        lines = re.search(r"(?m)^    rule_files:\n(?:    .*\n)+", section("Monitoring"))[0]
        packaged = f"/usr/share/goldsmith/monitoring/{monitoring.RULES.name}"
        self.assertIn(packaged, lines)
        with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
            file.write(re.sub(r"(?m)^    ", "", lines).replace(packaged, str(monitoring.RULES)))
            file.flush()
            code, said = promtool("check", "config", file.name)
        self.assertEqual(code, 0, said)
        self.assertEqual(set(re.findall(r"job_name: (\w+)", lines)), known_values()["job"])


class Names(unittest.TestCase):
    def setUp(self):
        self.metrics = counted() | OTHERS
        self.values = known_values()

    def test_the_sources_are_read(self):
        self.assertGreaterEqual(len(self.metrics) - len(OTHERS), 12)
        self.assertEqual(self.metrics["goldsmith_requests_total"], {"route", "status"})
        self.assertEqual(self.metrics["goldsmith_compile_duration_seconds"], {"toolchain", "le"})
        self.assertEqual(self.values["pool"], {"api", "build"})
        self.assertEqual(self.values["from"], {"build", "cache"})
        self.assertLessEqual({"pages", "flood_brake", "requests"}, self.values["limit"])
        self.assertLessEqual({"limit", "unavailable"}, self.values["result"])
        self.assertLessEqual({"plugins", "server_archive", "page_home"}, self.values["route"])

    def test_expressions_are_understood(self):
        text = 'sum by (job, le) (rate(a_b{c=~"x}|y", d="z"}[5m])) / on (job) e > 2 or time() - 1e3 * f unless g offset 1h'
        self.assertEqual(monitoring.selectors(text), [("a_b", [("c", "=~", "x}|y"), ("d", "=", "z")]), ("e", []), ("f", []),
                                                      ("g", [])])
        self.assertEqual(monitoring.grouped_labels(text), {"job", "le"})
        self.assertEqual(unknown("api|buidl", True, self.values["pool"]), ["buidl"])
        self.assertEqual(unknown("5..", True, self.values["status"]), [])
        self.assertEqual(unknown("5..", False, self.values["status"]), ["5.."])

    def test_every_metric_exists(self):
        for where, text in monitoring.expressions():
            self.assertTrue(monitoring.selectors(text), where)
            for name, _ in monitoring.selectors(text):
                self.assertIn(monitoring.family(name), self.metrics, where)

    def test_every_metric_of_the_service_is_shown(self):
        shown = {monitoring.family(name) for panel in monitoring.panels() for target in panel["targets"]
                 for name, _ in monitoring.selectors(target["expr"])}
        self.assertLessEqual(set(counted()), shown)

    def test_every_label_and_value_exists(self):
        for where, text in monitoring.expressions():
            labels = set()
            for name, matchers in monitoring.selectors(text):
                own = self.metrics[monitoring.family(name)] | ADDED
                labels |= own
                for label, operator, value in matchers:
                    self.assertIn(label, own, where)
                    if label != "instance":
                        self.assertEqual(unknown(value, operator in ("=~", "!~"), self.values[label]), [], where)
            self.assertLessEqual(monitoring.grouped_labels(text), labels, where)

    def test_legends_and_summaries_name_labels_that_are_there(self):
        for panel in monitoring.panels():
            for target in panel["targets"]:
                used = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
                self.assert_kept(used, target["expr"], panel["title"])
        for name, rule in monitoring.alerts().items():
            used = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
            self.assertIn("instance", used, name)
            self.assert_kept(used, rule["expr"], name)

    def assert_kept(self, used, text, where):
        kept = monitoring.grouped_labels(text)
        if not re.search(r"\b(sum|max|avg) ", text):
            kept = {label for name, _ in monitoring.selectors(text) for label in self.metrics[monitoring.family(name)]} | ADDED
        self.assertLessEqual(used, kept, where)


class Dashboard(unittest.TestCase):
    def test_promtool_accepts_its_expressions(self):
        rules = [{"record": "panel", "expr": text} for _, text in monitoring.expressions()]
        with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
            yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}, file)
            file.flush()
            code, said = promtool("check", "rules", "--lint=none", file.name)
        self.assertEqual(code, 0, said)

    def test_the_dashboard_is_one_of_grafana_10(self):
        board = monitoring.dashboard()
        self.assertGreaterEqual(board["schemaVersion"], 38)
        self.assertEqual([(each["name"], each["type"]) for each in board["templating"]["list"]],
                         [("datasource", "datasource"), ("instance", "query")])
        self.assertEqual(board["templating"]["list"][1]["query"]["query"], 'label_values(up{job="goldsmith"}, instance)')

    def test_each_panel_has_a_question_a_unit_and_a_place_of_its_own(self):
        board = monitoring.dashboard()["panels"]
        self.assertEqual(len({panel["id"] for panel in board}), len(board))
        taken = set()
        for panel in board:
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertLessEqual({x for x, _ in cells}, set(range(24)), panel["title"])
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
        for panel in monitoring.panels():
            self.assertTrue(panel["title"].endswith("?"), panel["title"])
            self.assertTrue(panel["description"], panel["title"])
            self.assertTrue(panel["fieldConfig"]["defaults"]["unit"], panel["title"])

    def test_each_query_asks_the_chosen_hosts_of_the_chosen_source(self):
        for panel in monitoring.panels():
            self.assertEqual(panel["datasource"], {"type": "prometheus", "uid": "${datasource}"}, panel["title"])
            for target in panel["targets"]:
                for _, matchers in monitoring.selectors(target["expr"]):
                    self.assertIn(("instance", "=~", "$instance"), matchers, panel["title"])


if __name__ == "__main__":
    unittest.main()

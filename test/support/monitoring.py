"""systemd/monitoring: the alert rules and the dashboard, and what their expressions name."""

import json
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "systemd/monitoring/alerts.yml"
DASHBOARD = ROOT / "systemd/monitoring/dashboard.json"

STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# What has a list of labels behind it, in PromQL.
CLAUSES = "by|without|on|ignoring|group_left|group_right"
WORDS = {"and", "or", "unless", "offset", "bool", "inf", "nan", *CLAUSES.split("|")}
LABELS = re.compile(rf"\b(?:{CLAUSES})\s*\(([^)]*)\)")


def alerts():
    """The rules, by the names of their alerts."""
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"]}


def dashboard():
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))


def panels():
    """Those that are no rows."""
    return [panel for panel in dashboard()["panels"] if panel["type"] != "row"]


def expressions():
    """Pairs of where it is and the PromQL, Grafana's variables replaced."""
    found = [(name, rule["expr"]) for name, rule in alerts().items()]
    found += [(panel["title"], target["expr"]) for panel in panels() for target in panel["targets"]]
    return [(where, re.sub(r"\$__\w+", "5m", text)) for where, text in found]


def matchers(text):
    """Triples of label, operator and value, of the inside of braces."""
    return [(label, operator, json.loads(value))
            for label, operator, value in re.findall(rf"(\w+)\s*(=~|!~|!=|=)\s*({STRING.pattern})", text)]


def selectors(expression):
    """Pairs of a metric and its matchers."""
    # Braces in strings would end a selector.
    braces = re.compile(r"\{((?:" + STRING.pattern + r'|[^"}])*)\}')
    inside = []

    def set_aside(match):
        inside.append(match[1])
        return f"{{{len(inside) - 1}}}"

    rest = STRING.sub('""', LABELS.sub(" ", braces.sub(set_aside, expression)))
    rest = re.sub(r"\[[^\]]*\]", "", rest)
    found = []
    for name, braced in re.findall(r"(?<![\w.])([a-zA-Z_:][\w:]*)(?!\w|\s*\()(?:\s*\{(\d+)\})?", rest):
        if name not in WORDS:
            found.append((name, matchers(inside[int(braced)]) if braced else []))
    return found


def grouped_labels(expression):
    """The labels by which it groups or joins."""
    return {label.strip() for labels in LABELS.findall(expression) for label in labels.split(",") if label.strip()}


def family(name):
    """The metric of a series: a histogram has three kinds of them."""
    return re.sub(r"_(bucket|sum|count)$", "", name) if name.startswith("goldsmith_") else name

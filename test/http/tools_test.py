#!/usr/bin/env python3
"""What tools of others say of the service: tools_test.py STACK_FOLDER TOOLS_FOLDER

promtool of /metrics, which has what the alert rules and the dashboard ask for, sslscan of the site, a validator for OpenAPI of
the API's description."""

import json
import os
import pathlib
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as tree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support"))

import monitoring  # noqa: E402  (found by the line above)
import openapi  # noqa: E402
from client import Client  # noqa: E402

CLIENT = None
FOLDER = ""
TOOLS = pathlib.Path()
NGINX = pathlib.Path(__file__).resolve().parents[2] / "nginx"
VALIDATE = """
import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
const found = await new Validator().validate(JSON.parse(readFileSync(0)));
console.log(JSON.stringify(found));
"""


def run(*command, given=None):
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def metrics():
    done = subprocess.run(["curl", "--silent", "--show-error", "--fail", "--unix-socket", os.path.join(FOLDER, "run/status.sock"),
                           "http://localhost/metrics"], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


class Metrics(unittest.TestCase):
    def test_promtool_finds_nothing_wrong(self):
        for target in ("/v1/plugins", "/v1/nothing", "/v1/plugins/afk-watch/download/2.0", "/v1/server-builder/download"):
            CLIENT.send("GET", target, [], {})
        text = metrics()
        self.assertGreaterEqual(text.count("# TYPE"), 10)
        done = run("promtool", "check", "metrics", given=text)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_promtool_is_one_that_can_fail(self):
        done = run("promtool", "check", "metrics", given=metrics() + "Goldsmith_total{a=b} x\n")
        self.assertNotEqual(done.returncode, 0)

    def test_it_has_all_that_the_alert_rules_and_the_dashboard_ask_for(self):
        run(os.path.join(FOLDER, "commands", "goldsmith"), "depot", "verify")  # that of the depot begins with the first time
        printed = set(re.findall(r"(?m)^# TYPE (\w+) ", metrics()))
        asked = {monitoring.family(name) for _, text in monitoring.expressions() for name, _ in monitoring.selectors(text)}
        self.assertEqual({name for name in asked if name.startswith("goldsmith_")}, printed)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = run("sslscan", "--no-colour", "--xml=-", f"127.0.0.1:{CLIENT.https_port}")
        cls.found = tree.fromstring(done.stdout[done.stdout.index("<?xml"):]).find("ssltest")

    def attributes(self, name, *attributes):
        return {tuple(each.get(key) for key in attributes) for each in self.found.iter(name)}

    def test_only_the_protocols_that_are_safe_are_spoken(self):
        spoken = {(kind, version) for kind, version, enabled in self.attributes("protocol", "type", "version", "enabled")
                  if enabled == "1"}
        self.assertEqual(spoken, {("tls", "1.2"), ("tls", "1.3")})

    def test_only_the_ciphers_of_the_site_are_accepted(self):
        text = (NGINX / "goldsmith.conf.in").read_text(encoding="utf-8")
        configured = set(re.search(r"ssl_ciphers +([^;]+);", text)[1].split(":"))
        accepted = {cipher for protocol, cipher in self.attributes("cipher", "sslversion", "cipher") if protocol == "TLSv1.2"}
        # The certificate has a key of one kind.
        self.assertTrue(accepted and accepted < configured, accepted)
        self.assertEqual({len({each for each in accepted if kind in each}) for kind in ("-RSA-", "-ECDSA-")}, {0, 3})
        self.assertLessEqual({strength for strength, in self.attributes("cipher", "strength")}, {"strong", "acceptable"})

    def test_no_group_is_weak(self):
        groups = self.attributes("group", "name", "bits")
        self.assertTrue(groups)
        self.assertEqual({name for name, bits in groups if int(bits) < 112}, set())

    def test_known_attacks_find_nothing(self):
        # sslscan of Debian is built without compression.
        self.assertLessEqual(self.attributes("compression", "supported"), {("0",), (None,)})
        self.assertEqual(self.attributes("heartbleed", "vulnerable"), {("0",)})
        # It is not tried where there is nothing to fall back to.
        self.assertLessEqual(self.attributes("fallback", "supported"), {("1",)})
        self.assertNotIn(("1", "0"), self.attributes("renegotiation", "supported", "secure"))


class Description(unittest.TestCase):
    def validate(self, document):
        done = subprocess.run(["node", "--input-type=module", "-e", VALIDATE], input=json.dumps(document), cwd=TOOLS, check=True,
                              stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)

    def test_the_description_is_openapi_3_1(self):
        served = CLIENT.send("GET", "/v1/openapi.json", [], {})
        document = json.loads(served.body)
        self.assertEqual(document, json.loads(openapi.FILE.read_text(encoding="utf-8")))
        self.assertEqual(self.validate(document), {"valid": True})

    def test_the_validator_is_one_that_can_fail(self):
        document = json.loads(openapi.FILE.read_text(encoding="utf-8"))
        document["paths"]["/v1/meta"]["get"]["responses"]["200"].pop("description")
        self.assertFalse(self.validate(document)["valid"])


if __name__ == "__main__":
    FOLDER, TOOLS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)).resolve()
    with open(os.path.join(FOLDER, "stack.json"), encoding="utf-8") as described:
        CLIENT = Client(json.load(described))
    unittest.main()

"""Asks the program of probe.cpp."""

import json
import subprocess


class Probe:
    def __init__(self, program):
        self.program = program

    def ask(self, calls):
        """The answers to (name, arguments), in their order."""
        lines = "".join(json.dumps({"call": name, **arguments}) + "\n" for name, arguments in calls)
        done = subprocess.run([self.program], input=lines.encode(), stdout=subprocess.PIPE, check=True)
        return [json.loads(line) for line in done.stdout.decode("utf-8").split("\n")[:-1]]

    def ask_one(self, name, **arguments):
        return self.ask([(name, arguments)])[0]

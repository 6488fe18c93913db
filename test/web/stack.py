"""The stack that a test runs against."""

import json
import os
import ssl
import subprocess
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))


class Stack:
    """One of test/support/stack, described by its stack.json."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "stack.json"), encoding="utf-8") as file:
            described = json.load(file)
        self.http_port = described["http_port"]
        self.origin = f"https://127.0.0.1:{described['https_port']}"
        self.context = ssl.create_default_context(cafile=described["certificate"])

    def get(self, path, headers=None):
        """(status, headers, body)"""
        request = urllib.request.Request(self.origin + path, headers=headers or {})
        try:
            with urllib.request.urlopen(request, context=self.context) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def json(self, path):
        return json.loads(self.get(path)[2])

    def goldsmith(self, *arguments):
        subprocess.run([os.path.join(self.folder, "commands/goldsmith"), *arguments], check=True,
                       stdout=subprocess.DEVNULL)

    def command(self, name, *arguments):
        """One of test/support/stack."""
        subprocess.run([os.path.join(HERE, "../support/stack"), name, self.folder, *arguments], check=True, stdout=subprocess.DEVNULL)

    def sql(self, statement):
        self.command("sql", "USE goldsmith; " + statement)

    def publish(self, folder, slug):
        """The plugin, pack and component of that slug in a folder: plugin.json, pack.json, component.json, release.zip."""
        self.goldsmith("plugin", "import", str(folder))
        self.goldsmith("addon", "import", str(folder / "pack.json"))
        self.goldsmith("component", "import", str(folder / "component.json"))
        self.goldsmith("component", "mirror", slug, "--version", "1.0", "--archive", str(folder / "release.zip"))

    def remove(self, slug):
        """What publish() has made."""
        self.goldsmith("addon", "remove", slug)
        self.goldsmith("plugin", "remove", slug)
        self.sql(f"DELETE FROM component_rules WHERE component_id IN (SELECT id FROM components WHERE slug = '{slug}');"
                 f"DELETE FROM components WHERE slug = '{slug}'; UPDATE revision SET value = value + 1")

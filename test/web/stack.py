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

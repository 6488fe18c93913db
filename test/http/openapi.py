"""Compares responses with the API's own description, nginx/site/openapi.json."""

import json
import pathlib
import re

import jsonschema

FILE = pathlib.Path(__file__).resolve().parents[2] / "nginx" / "site" / "openapi.json"


class Description:
    def __init__(self, path=FILE):
        self.document = json.loads(path.read_text(encoding="utf-8"))
        self.operations = [(_pattern(template), item["get"])
                           for template, item in self.document["paths"].items()]
        self.validators = {}

    def problems(self, method, target, response):
        """What of a GET's or HEAD's response the description does not allow."""
        operation = self._operation(target)
        if operation is None or method not in ("GET", "HEAD"):
            return []
        described = operation["responses"].get(str(response.status))
        if described is None:
            return [f"the description has no {response.status} for this endpoint"]
        described = self.resolved(described)
        if method == "HEAD" or response.status == 304 or not response.body:
            return []
        content = {_media_type(name): item for name, item in described.get("content", {}).items()}
        media_type = _media_type((response.all("Content-Type") or [""])[0])
        if media_type not in content:
            return [f"the description has no {media_type} for {response.status}"]
        if media_type != "application/json" or response.all("Content-Encoding"):
            return []
        return self._schema_problems(content[media_type]["schema"], json.loads(response.body))

    def _operation(self, target):
        path = target.split("?")[0]
        # A fixed path comes before a template that would fit as well.
        fitting = [operation for pattern, operation in self.operations if pattern.fullmatch(path)]
        return min(fitting, key=lambda operation: len(operation["parameters"]), default=None)

    def resolved(self, item):
        """An item, or what its $ref names."""
        while "$ref" in item:
            found = self.document
            for key in item["$ref"].removeprefix("#/").split("/"):
                found = found[key]
            item = found
        return item

    def _schema_problems(self, schema, value):
        name = json.dumps(schema, sort_keys=True)
        if name not in self.validators:
            whole = dict(schema, components=self.document["components"])
            self.validators[name] = jsonschema.Draft202012Validator(whole)
        return [f"the description does not allow {'/'.join(map(str, error.path)) or 'the body'}: "
                f"{error.message[:300]}" for error in self.validators[name].iter_errors(value)]


def _media_type(value):
    return value.split(";")[0].strip().lower()


def _pattern(template):
    return re.compile("/".join("[^/]*" if part.startswith("{") else re.escape(part)
                               for part in template.split("/")))

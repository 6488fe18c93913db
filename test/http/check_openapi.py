#!/usr/bin/env python3
"""Proves that the API's description lists exactly the routes, parameters and error codes of the code.

Reads the tables in the source: handlers/routes.cpp, the queries of the handlers, app/http/error.cpp.
"""

import json
import pathlib
import re
import sys

# Codes of the documents beside the pages (decision S19), which are not part of /v1.
OF_DOCUMENTS = {"checksums_missing"}

ROOT = pathlib.Path(__file__).resolve().parents[2]


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def code_routes():
    """{path: scopes}, in the order of the table."""
    scope_names = {"plugins": ["plugins:read"], "addons": ["addons:read"],
                   "server": ["server:read"], "meta": ["plugins:read", "addons:read"]}
    rows = re.findall(r'\{"(\w+)",\s*"(/v1/[^"]*)",\s*(\w+),\s*CachePolicy::\w+,\s*\w+,\s*\w+<[^}]*>\}',
                      source("handlers/routes.cpp"))
    return {path: (name, scope_names[scopes]) for name, path, scopes in rows}


def code_parameters():
    files = [*(ROOT / "handlers").glob("*.cpp"), *(ROOT / "handlers" / "views").glob("*.hpp")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return set(re.findall(r'query\.(?:get|flag|integer)\("(\w+)"', text))


def code_errors():
    """{code: (status, has docs)}"""
    rows = re.findall(r'\{Error::\w+,\s*"(\w+)",\s*(\d+),\s*(\w+)\}', source("app/http/error.cpp"))
    return {code: (int(status), docs == "true") for code, status, docs in rows if code not in OF_DOCUMENTS}


class Described:
    def __init__(self, document):
        self.document = document

    def routes(self):
        return {path: (item["get"]["operationId"],
                       [scope for way in item["get"]["security"] for scope in way.get("key", [])])
                for path, item in self.document["paths"].items()}

    def parameters(self):
        found = set()
        for item in self.document["paths"].values():
            for parameter in item["get"]["parameters"]:
                if "$ref" in parameter:
                    parameter = self.document["components"]["parameters"][
                        parameter["$ref"].split("/")[-1]]
                if parameter["in"] == "query":
                    found.add(parameter["name"])
        return found

    def errors(self):
        found = {}
        for item in self.document["paths"].values():
            for status, response in item["get"]["responses"].items():
                if "$ref" not in response:
                    continue
                name = response["$ref"].split("/")[-1]
                schema = self.document["components"]["schemas"][name + "Error"]
                for code in schema["properties"]["error"]["enum"]:
                    found[code] = (int(status), "docs" in schema["required"])
        return found


def compare(what, code, described):
    problems = [f"{what} {item!r} is only in the code" for item in sorted(set(code) - set(described))]
    problems += [f"{what} {item!r} is only in the description"
                 for item in sorted(set(described) - set(code))]
    if isinstance(code, dict):
        problems += [f"{what} {item!r}: the code says {code[item]}, the description {described[item]}"
                     for item in sorted(set(code) & set(described)) if code[item] != described[item]]
    if not code:
        problems.append(f"no {what} was found in the code: this check reads the wrong place")
    return problems


def main():
    described = Described(json.loads(source("nginx/site/openapi.json")))
    problems = compare("route", code_routes(), described.routes())
    problems += compare("parameter", code_parameters(), described.parameters())
    problems += compare("error code", code_errors(), described.errors())
    print("\n".join(problems) or "the description fits the code")
    sys.exit(1 if problems else 0)


main()

#!/usr/bin/env python3
"""Proves that the API's description lists exactly the routes, parameters and error codes of the code, and that the
log of nginx keeps exactly the parameters.

Reads the tables in the source: handlers/routes.cpp with the parameters of selections.hpp, app/domain/failure.cpp.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def source(name):
    return (ROOT / name).read_text(encoding="utf-8")


def code_routes():
    """{path: (name, scopes)}, in the order of the table."""
    scope_names = {"kReadPlugins": ["plugins:read"], "kReadAddons": ["addons:read"],
                   "kReadServer": ["server:read"], "kReadMeta": ["plugins:read", "addons:read"]}
    return {path: (name, scope_names[scopes]) for name, path, scopes, _ in code_rows()}


def code_rows():
    """Name, path, scopes and parameters of each route; the latter two as the names of their lists."""
    return re.findall(r'\{"(\w+)",\s*"(/v1/[^"]*)",\s*(\w+),\s*CachePolicy::\w+,\s*(\w+|\{\}),\s*\w+\}',
                      source("handlers/routes.cpp"))


def code_parameters():
    """{path: names}"""
    text = source("handlers/routes.cpp") + source("handlers/builds.hpp")
    lists = {name: sorted(re.findall(r'\{"(\w+)"', items))
             for name, items in re.findall(r"\b(k\w+) =\s+std::to_array<web::Parameter>\(([^;]*);", text)}
    return {path: lists[parameters] if parameters != "{}" else [] for _, path, _, parameters in code_rows()}


def logged_parameters():
    """What the log keeps of a query: each of these has a map, and is a part of the line."""
    text = source("nginx/snippets/http.conf")
    variables = dict(re.findall(r'^map \$goldsmith_raw_query +\$(\w+) +\{ "~[^"]*\)\?(\w+)=', text, re.MULTILINE))
    line = re.search(r'^map "([$\w]+)" \$goldsmith_query ', text, re.MULTILINE)[1]
    return [variables.get(variable, variable) for variable in line.split("$")[1:]]


def code_errors():
    """{code: (status, has docs)}"""
    rows = re.findall(r'\{Error::\w+,\s*"(\w+)",\s*(\d+),\s*(\w+)\}', source("app/domain/failure.cpp"))
    return {code: (int(status), docs == "true") for code, status, docs in rows}


class Described:
    def __init__(self, document):
        self.document = document

    def routes(self):
        return {path: (item["get"]["operationId"],
                       [scope for way in item["get"]["security"] for scope in way.get("key", [])])
                for path, item in self.document["paths"].items()}

    def parameters(self):
        def resolved(parameter):
            return self.document["components"]["parameters"][parameter["$ref"].split("/")[-1]] \
                if "$ref" in parameter else parameter
        return {path: sorted(parameter["name"] for parameter in map(resolved, item["get"]["parameters"])
                             if parameter["in"] == "query") for path, item in self.document["paths"].items()}

    def errors(self):
        found = {}
        for item in self.document["paths"].values():
            for status, response in item["get"]["responses"].items():
                if "$ref" not in response or status < "400":
                    continue
                name = response["$ref"].split("/")[-1]
                schema = self.document["components"]["schemas"][name + "Error"]
                for code in schema["properties"]["error"]["enum"]:
                    found[code] = (int(status), "docs" in schema["required"])
        return found


def compare(what, code, described, place="the description"):
    problems = [f"{what} {item!r} is only in the code" for item in sorted(set(code) - set(described))]
    problems += [f"{what} {item!r} is only in {place}" for item in sorted(set(described) - set(code))]
    if isinstance(code, dict):
        problems += [f"{what} {item!r}: the code says {code[item]}, {place} {described[item]}"
                     for item in sorted(set(code) & set(described)) if code[item] != described[item]]
    if not code:
        problems.append(f"no {what} was found in the code: this check reads the wrong place")
    return problems


def main():
    described = Described(json.loads(source("nginx/site/openapi.json")))
    problems = compare("route", code_routes(), described.routes())
    problems += compare("the parameters of", code_parameters(), described.parameters())
    problems += compare("parameter", {"lang", *(name for names in code_parameters().values() for name in names)},
                        logged_parameters(), "nginx/snippets/http.conf")
    problems += compare("error code", code_errors(), described.errors())
    print("\n".join(problems) or "the description fits the code")
    sys.exit(1 if problems else 0)


main()

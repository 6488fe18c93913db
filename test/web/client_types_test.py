#!/usr/bin/python3
"""/docs/api.d.ts of the stack: client_types_test.py STACK_FOLDER TOOLS_FOLDER"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from stack import Stack

GENERATOR = pathlib.Path(__file__).resolve().parents[2] / "scripts/tools/client-types"
# What a program writes with the types, and what the compiler must reject.
RIGHT = """
import type { components, operations, paths } from "./api";

type Plugin = components["schemas"]["Plugin"];
type Answer = paths["/v1/plugins"]["get"]["responses"][200]["content"]["application/json"];
const query: operations["plugins"]["parameters"]["query"] = { q: "map", per_page: 5 };
const code: components["schemas"]["SelectionProblemError"]["error"] = "invalid_selection";

async function names(url: string): Promise<string[]> {
  const answer: Answer = await (await fetch(`${url}/v1/plugins?q=${query?.q}`)).json();
  return answer.plugins.map((plugin) => plugin.name + (plugin.rating.avg > 4 ? "!" : ""));
}
function primary(plugin: Plugin): string | undefined {
  return plugin.versions[0]?.files.find((file) => file.is_primary)?.filename;
}
function notes(plan: components["schemas"]["ResolveResponse"]): number {
  return plan.notes === null ? 0 : plan.notes.length;
}
export { code, names, notes, primary };
"""
WRONG = {
    "a field that does not exist": 'const a = (plugin: components["schemas"]["Plugin"]) => plugin.nothing;',
    "a field without its null": 'const a = (plan: components["schemas"]["ResolveResponse"]) => plan.notes.length;',
    "a value that is none": 'const a: components["schemas"]["Toolchain"] = "1.11";',
    "a schema that does not exist": 'type A = components["schemas"]["Nothing"];',
    "a parameter that is missing": 'const a: operations["plugin_detail"]["parameters"]["path"] = {};',
}
OPTIONS = {"strict": True, "noEmit": True, "target": "es2022", "lib": ["es2022", "dom"], "module": "esnext",
           "moduleResolution": "bundler", "types": []}


class ClientTypes(unittest.TestCase):
    stack = None
    tools = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="goldsmith-types-")
        self.addCleanup(self.folder.cleanup)
        self.here = pathlib.Path(self.folder.name)
        status, headers, types = self.stack.get("/docs/api.d.ts")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; charset=utf-8"))
        (self.here / "api.d.ts").write_bytes(types)

    def node(self, program, *arguments):
        return subprocess.run(["node", self.tools / "node_modules" / program, *arguments], cwd=self.here, capture_output=True,
                              text=True, check=False)

    def compiled(self, source):
        (self.here / "program.ts").write_text(source, encoding="utf-8")
        (self.here / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": ["program.ts"]}), encoding="utf-8")
        return self.node("typescript/bin/tsc")

    def test_the_types_are_those_of_the_description(self):
        done = subprocess.run([GENERATOR, self.tools], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.here / "api.d.ts").read_bytes(), done.stdout,
                         "handlers/pages/api.d.ts is outdated; run: scripts/tools/client-types > handlers/pages/api.d.ts")

    def test_programs_compile_with_them(self):
        done = self.compiled(RIGHT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mistakes_do_not_compile(self):
        for mistake, line in WRONG.items():
            with self.subTest(mistake):
                done = self.compiled(f'import type {{ components, operations }} from "./api";\n{line}\nexport type B = '
                                     '[components, operations];\n')
                self.assertRegex(done.stdout, r"program\.ts\(2,\d+\): error")
                self.assertEqual(done.stdout.count(": error"), 1, done.stdout)


if __name__ == "__main__":
    ClientTypes.stack, ClientTypes.tools = Stack(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()

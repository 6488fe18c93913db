"""scripts/lint on a small tree of its own."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "lint"
CHECKS = "Checks: '-*,modernize-use-override,readability-braces-around-statements'\nWarningsAsErrors: '*'\nHeaderFilterRegex: '/app/'\n"
GOOD = '#include "app/part.hpp"\nint first() { return second(); }\n'


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="goldsmith lint ")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("scripts/lint", "")
        shutil.copy(SCRIPT, self.root / "scripts/lint")
        self.write(".clang-tidy", CHECKS)
        self.write("app/part.hpp", "#pragma once\nint second();\n")
        self.write("app/good.cpp", GOOD)
        self.write("app/other.cpp", "int other() { return 1; }\n")
        self.write("build/made.cpp", "int made(int x) { if (x)\n return 1; return 2; }\n")
        command = f'/usr/bin/ccache c++ -I"{self.root}" -O2 -Werror -Winvalid-pch -include nothing.hxx -Xclang -include-pch -Xclang nothing.pch -o x.o -c x.cpp'
        self.write("build/dev/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(self.root / name), "command": command}
            for name in ("app/good.cpp", "app/other.cpp", "build/made.cpp")
        ]))

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def group(self, *names):
        """They are what the build compiles, together."""
        self.write("build/dev/unity_0_cxx.cxx", "".join(f'#include "{self.root}/{name}"\n' for name in names))
        self.write("build/dev/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(self.root / "build/dev/unity_0_cxx.cxx"),
             "command": f'c++ -I"{self.root}" -o x.o -c unity_0_cxx.cxx'}]))

    def lint(self, *options):
        done = subprocess.run([self.root / "scripts/lint", *options], cwd=self.root, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def stamps(self):
        return {path.name for path in (self.root / "build/dev/lint").iterdir()}

    def test_a_tree_without_a_finding_is_accepted_in_silence(self):
        self.assertEqual(self.lint(), (0, ""))
        self.assertEqual(len(self.stamps()), 2)

    def test_a_finding_in_a_source_is_shown_until_it_is_fixed(self):
        self.write("app/good.cpp", GOOD + "int third(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n")
        for _ in range(2):
            code, output = self.lint()
            self.assertEqual(code, 1)
            self.assertIn("app/good.cpp:4:9: error: statement should be inside braces", output)
        self.write("app/good.cpp", GOOD)
        self.assertEqual(self.lint(), (0, ""))

    def test_a_finding_in_a_header_is_shown_once(self):
        self.assertEqual(self.lint(), (0, ""))
        self.write("app/part.hpp", "#pragma once\nint second();\ninline int z(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n")
        self.write("app/other.cpp", '#include "app/part.hpp"\n')
        code, output = self.lint()
        self.assertEqual((code, output.count("statement should be inside braces")), (1, 1), output)

    def test_a_missing_include_is_a_finding(self):
        self.write("app/good.cpp", "int first() { return second(); }\n")
        code, output = self.lint()
        self.assertEqual(code, 1)
        self.assertIn("undeclared identifier 'second'", output)

    def test_headers_of_libraries_are_found_where_the_build_finds_them(self):
        self.write("library/far.h", "int far();\n")
        self.write("app/good.cpp", "#include <far.h>\nint first() { return far(); }\n")
        self.write("build/dev/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(self.root / "app/good.cpp"),
             "command": f'c++ -isystem "{self.root}/library" -o x.o -c x.cpp'}]))
        self.assertEqual(self.lint(), (0, ""))

    def test_what_changed_is_read_again_and_what_is_outdated_forgotten(self):
        self.lint()
        before = self.stamps()
        self.write("app/part.hpp", "#pragma once\n// It changed.\nint second();\n")
        self.assertEqual(self.lint(), (0, ""))
        self.assertEqual((len(self.stamps()), len(self.stamps() & before)), (2, 1))
        self.write(".clang-tidy", CHECKS + "# Other checks.\n")
        before = self.stamps()
        self.assertEqual(self.lint(), (0, ""))
        self.assertFalse(self.stamps() & before)

    def test_named_files_alone_are_read(self):
        self.assertEqual(self.lint(self.root / "app/part.hpp"), (0, ""))
        self.assertEqual(len(self.stamps()), 1)
        self.assertEqual(self.lint("app/unknown.cpp")[0], 2)

    def test_files_that_are_compiled_together_are_read_together(self):
        self.group("app/good.cpp", "app/other.cpp")
        self.write("app/other.cpp", "int other(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n")
        code, output = self.lint("app/good.cpp")
        self.assertEqual(code, 1)
        self.assertIn("app/other.cpp:2:9: error: statement should be inside braces", output)
        self.write("app/other.cpp", "int other() { return 1; }\n")
        self.assertEqual(self.lint("app/good.cpp"), (0, ""))
        self.assertEqual(len(self.stamps()), 1)

    def test_groups_are_read_together_and_a_source_of_two_programs_once(self):
        for number, names in enumerate((("good", "other"), ("good", "other"), ("third",))):
            self.write(f"build/dev/unity_{number}_cxx.cxx", "".join(f'#include "{self.root}/app/{name}.cpp"\n' for name in names))
        self.write("build/dev/compile_commands.json", json.dumps([
            {"directory": str(self.root), "file": str(self.root / f"build/dev/unity_{number}_cxx.cxx"),
             "command": f'c++ -I"{self.root}" -o x.o -c x.cxx'} for number in range(3)]))
        self.write("app/third.cpp", "int third(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n")
        code, output = self.lint()
        self.assertEqual((code, output.count("should be inside braces"), len(self.stamps())), (1, 1, 1), output)
        # A name that two of them have is no finding.
        self.write("app/third.cpp", "int other() { return 3; }\n")
        self.assertEqual(self.lint(), (0, ""))
        self.assertEqual(len(self.stamps()), 2)

    def test_the_settings_of_their_folder_count_for_files_that_are_read_together(self):
        self.group("app/part/one.cpp", "app/part/two.cpp")
        self.write("app/part/one.cpp", "int one(int x) {\n  if (x)\n    return 1;\n  return 2;\n}\n")
        self.write("app/part/two.cpp", "int two();\n")
        self.assertEqual(self.lint()[0], 1)
        self.write("app/part/.clang-tidy", "Checks: '-readability-*'\nInheritParentConfig: true\n")
        self.assertEqual(self.lint(), (0, ""))

    def test_a_folder_that_is_not_configured_is_refused(self):
        self.assertEqual(self.lint("--build", "elsewhere")[0], 2)


if __name__ == "__main__":
    unittest.main()

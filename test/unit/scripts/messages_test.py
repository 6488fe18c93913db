"""What the scripts for servers say, and how their texts are found: handlers/documents/messages.sh, scripts/tools/translations"""

import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
MESSAGES = (ROOT / "handlers/documents/messages.sh").read_text(encoding="utf-8")
SHELLS = (["dash"], ["bash"], ["bash", "--posix"], ["busybox", "sh"])
# "łąć" has the bytes that dash uses for its own purposes within words.
TABLE = """
    'Reading {folder}') text='Odczyt {folder} łąć' ;;
    '{one} of {two}') text='{two}, {one}' ;;
    '[y]* $(x)') text='it'\\''s `x` $(touch made) "%s\\n' ;;
"""


def tool():
    loader = importlib.machinery.SourceFileLoader("translations", str(ROOT / "scripts/tools/translations"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("translations", loader))
    loader.exec_module(module)
    return module


class Saying(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="goldsmith messages ")
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)

    def said(self, commands, language="pl", shells=SHELLS, **locale):
        """What the commands print, in each of the shells the same."""
        script = self.here / "script.sh"
        script.write_text("set -eu\nlocale=${LC_ALL:-${LC_MESSAGES:-${LANG-}}}\nLC_ALL=C\nexport LC_ALL\nscript=script.sh\n"
                          f"language={language}\n" + MESSAGES.replace("    # @translations@\n", TABLE.lstrip("\n")) + commands,
                          encoding="utf-8")
        told = set()
        for shell in shells:
            done = subprocess.run([*shell, script], cwd=self.here, capture_output=True, check=False, timeout=60,
                                  env={"PATH": os.environ["PATH"], **locale})
            # Of a locale that is not installed here.
            errors = [line for line in done.stderr.decode().splitlines(True) if "warning: setlocale" not in line]
            told.add((done.returncode, done.stdout.decode(), "".join(errors)))
        self.assertEqual(len(told), 1, told)
        self.assertEqual(os.listdir(self.here), ["script.sh"])
        return told.pop()

    def test_without_a_language_of_its_own_the_machine_gets_that_of_the_download(self):
        command = "say 'Reading {folder}' folder=/srv"
        polish, english = (0, "Odczyt /srv łąć\n", ""), (0, "Reading /srv\n", "")
        for locale in ({}, {"LANG": ""}, {"LANG": "C"}, {"LANG": "C.UTF-8"}, {"LANG": "POSIX"}, {"LANG": "pl"}, {"LANG": "pl_PL"},
                       {"LANG": "pl_PL.UTF-8"}, {"LANG": "pl.utf8"}, {"LANG": "pl_PL@x"}, {"LC_MESSAGES": "pl_PL.UTF-8", "LANG": "en_US"},
                       {"LC_ALL": "C", "LANG": "en_US.UTF-8"}):
            self.assertEqual(self.said(command, **locale), polish, locale)
        for locale in ({"LANG": "en_US.UTF-8"}, {"LANG": "de_DE.UTF-8"}, {"LANG": "pl_PL.ISO-8859-2"}, {"LANG": "plx"}, {"LANG": "*"},
                       {"LC_ALL": "en_US.UTF-8", "LANG": "pl_PL.UTF-8"}, {"LC_MESSAGES": "en_GB", "LANG": "pl_PL.UTF-8"}):
            self.assertEqual(self.said(command, **locale), english, locale)
        self.assertEqual(self.said(command, "pl-PL", LANG="pl_PL.UTF-8"), polish)
        self.assertEqual(self.said(command, "en", LANG="pl_PL.UTF-8"), english)

    def test_values_stand_where_the_translation_wants_them(self):
        self.assertEqual(self.said("say '{one} of {two}' one=1 two=2")[1], "2, 1\n")
        self.assertEqual(self.said("say '{one} of {two}' one='{two}' two='{one} %s $(x)'")[1], "{one} %s $(x), {two}\n")
        self.assertEqual(self.said("say '{one} of {two}' one=")[1], "{two}, \n")
        self.assertEqual(self.said("say 'in {English} {' English='x\ny'")[1], "in x\ny {\n")
        self.assertEqual(self.said("say '}{one}{' one=1; say ''; say '{one' one=1")[1], "}1{\n\n{one\n")

    def test_nothing_of_a_translation_or_a_value_is_a_command_or_a_pattern(self):
        self.assertEqual(self.said("say '[y]* $(x)'; say 'y $(x)'; say '{x}' x='$(touch made)'")[1],
                         'it\'s `x` $(touch made) "%s\\n\ny $(x)\n$(touch made)\n')

    def test_errors_have_the_name_of_the_script_and_no_commands_for_the_terminal(self):
        self.assertEqual(self.said("fail 'Reading {folder}' folder=\"$(printf 'a\\033[2Jb')\""),
                         (1, "", "script.sh: Odczyt a[2Jb łąć\n"))
        self.assertEqual(self.said("usage() { say 'Usage'; }\nwrong_usage 'Reading {folder}' folder=x"),
                         (2, "", "script.sh: Odczyt x łąć\n\nUsage\n"))
        self.assertEqual(self.said("stop 4 '{one} of {two}' one=1 two=2"), (4, "", "script.sh: 2, 1\n"))


class Extraction(unittest.TestCase):
    def texts(self, script):
        with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8") as file:
            file.write(script)
            file.flush()
            return tool().shell_texts(pathlib.Path(file.name))

    def test_texts_that_a_script_says_are_found(self):
        self.assertEqual(self.texts("""
          # say 'in a comment'
          say 'one {a}' a="$a" || fail "it's two"; stop 3 'three' # four
          case $x in a) refuse 'five
lines' ;; esac
          other say 'six'; echo "say 'seven'" 'say eight'; saying 'nine'
          if x; then warn 'ten {b}' \\
            b=1; fi
          translate "$@"
          look_up 'eleven {c}'
          say 'one {a}' a=2
          cat <<'END'
say "$twelve"
END
          awk 'BEGIN { print "say thirteen" }'
        """), ["one {a}", "it's two", "three", "five\nlines", "ten {b}", "eleven {c}"])

    def test_a_text_that_it_cannot_find_is_an_error(self):
        for script in ('say "$text"', 'fail "no $file"', "stop 1 $text", "say", "say 'a'\"$b\"", "say 'a'b", "x || say `y`", "say 'a {b}'",
                       "say 'a {b}' c=1", "say 'a {b}'\nb=1", "say a", "( ask \"$1\" )"):
            with self.assertRaises(Exception, msg=script) as caught:
                self.texts(script + "\n")
            self.assertEqual(type(caught.exception).__name__, "Wrong", script)


if __name__ == "__main__":
    unittest.main()

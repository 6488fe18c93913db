#!/usr/bin/env python3
"""goldsmith plugin follow and mirror: files of a repository that are not what their names say, or that no plugin can have."""

import io
import os
import sys
import tarfile
import unittest
import zipfile

from host import ROOT
from plugins_test import REPOSITORY, PluginsTest, source

sys.path.insert(0, os.path.join(ROOT, "test", "support"))
from memory import run_measured  # noqa: E402  (found by the line above)

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 132\n"
SOUND = b"RIFF\x04\0\0\0WAVEone"
USES = "stock use() { precache_sound(\"one/hit.wav\"); }"


def link(path, target):
    member = tarfile.TarInfo(path)
    member.type, member.linkname = tarfile.SYMTYPE, target
    return member, b""


class MemoryTest(PluginsTest):
    """What plugins bring together is not in memory together: here each names the same 31 files of 1 MB."""

    MOST = 300 << 10  # KiB

    def files(self, count):
        named = " ".join(f"precache_sound(\"one/{i}.wav\");" for i in range(31))
        files = {f"sound/one/{i}.wav": SOUND + str(i).encode() + bytes(1_000_000) for i in range(31)}
        for i in range(count):
            files[f"scripting/p{i}.sma"] = source(f"Plugin {i}", more=f"stock use() {{ {named} }}").encode()
        return files

    def check(self, *words):
        ended, memory = run_measured(self.command(("plugin", *words)), capture_output=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended)
        self.assertLess(memory, self.MOST)

    def test_following_a_large_repository_takes_little_memory(self):
        self.repository.commit(self.files(12))
        self.check("follow", REPOSITORY)
        self.assertEqual(len(self.held()), 12)
        self.assertEqual(len(self.files_of("plugin-7", "1.0")), 32)

    def test_inboxes_that_are_large_take_little_memory(self):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in self.files(8).items():
                archive.writestr(path, content)
        os.makedirs(os.path.join(self.folder, "inbox"))
        with open(os.path.join(self.folder, "inbox", "all.zip"), "wb") as file:
            file.write(buffer.getvalue())
        self.check("inbox", os.path.join(self.folder, "inbox"))
        self.assertEqual(len(self.held()), 8)


class ContentTest(PluginsTest):
    def begin_with_sound(self, version="1.0", **more):
        self.repository.commit({"scripting/one.sma": source("One", version, more=USES), "sound/one/hit.wav": SOUND, **more})
        return self.follow("--publish")

    def test_a_version_whose_sound_is_a_pointer_waits_with_that_reason(self):
        self.assertEqual(self.begin_with_sound()[0], "created    one 1.0")
        self.assertEqual(self.files_of("one", "1.0"), ["hit.wav", "one.sma"])
        self.repository.change({"scripting/one.sma": source("One", "1.1", more=USES + "\nnew g_new = 1;"),
                                "sound/one/hit.wav": POINTER})
        self.assertRegex(self.mirror()[0], "^waits      one 1.1: it asks: what it needs is not in the files of these names: "
                         ".*sound/one/hit.wav is a Git LFS pointer, not a WAV sound; take the plugin without them, or skip it")
        self.assertEqual((self.published("one"), self.files_of("one", "1.1")), (["1.0"], ["one.sma"]))
        # The answer is about what was found.
        self.assertEqual(self.follow("--answer", "content=without")[0], "published  one 1.1")
        self.repository.change({"scripting/one.sma": source("One", "1.2", more=USES + "\nnew g_newer = 1;"),
                                "sound/one/hit.wav": "<!DOCTYPE html>\n<title>404</title>"})
        self.assertIn("is an HTML page, not a WAV sound", self.mirror()[0])

    def test_a_new_plugin_with_a_pointer_asks(self):
        self.repository.commit({"scripting/one.sma": source("One", more=USES), "sound/one/hit.wav": POINTER})
        lines = self.follow("--publish")
        self.assertIn("asks       one: what it needs is not in the files", lines[0])
        self.assertIn("questions: content (1)", lines[-1])

    def test_a_source_that_is_a_pointer_is_named_and_its_plugin_is_not_gone(self):
        self.begin("One", "Two")
        self.repository.change({"scripting/one.sma": POINTER, "scripting/new.sma": POINTER,
                                "scripting/wide.sma": source("Wide").encode("utf-16")})
        lines = self.mirror()
        self.assertEqual(lines[:3], ["fails      one: scripting/one.sma is a Git LFS pointer, not a source",
                                     "refused    scripting/new.sma is a Git LFS pointer, not a source",
                                     "refused    scripting/wide.sma is in UTF-16, which no compiler reads; save it in UTF-8"])
        self.assertIn("0 gone, 1 fail, 1 unchanged; 2 files are refused", lines[3])
        self.assertEqual(self.published("one"), ["1.0"])
        self.repository.change({"scripting/one.sma": source("One", "1.1", more="new g_new = 1;")})
        self.assertEqual(self.mirror()[0], "published  one 1.1")

    def test_an_include_that_is_a_pointer_is_why_its_plugin_does_not_compile(self):
        self.repository.commit({"scripting/one.sma": source("One", more="#include <own>"), "scripting/include/own.inc": POINTER,
                                "scripting/two.sma": source("Two")})
        lines = self.follow("--publish")
        self.assertEqual(lines[0], "created    two 1.0")
        self.assertIn("1 source does not compile", lines[1])
        self.write("collection/one.sma", source("One", more="#include <own>"))
        self.write("collection/own.inc", POINTER)
        self.assertIn("the include \"own.inc\" is missing: ", self.done("plugin", "scan", os.path.join(self.folder, "collection")))

    def test_links_and_names_in_two_letter_cases_that_no_plugin_needs_are_skipped_and_named(self):
        self.repository.extra = [link("owner-plugins/docs", "../elsewhere"), link("owner-plugins/.github/x.md", "/etc/passwd")]
        lines = self.begin_with_sound(**{"README.md": "# One\n", "readme.md": "# Other\n"})
        self.assertEqual(lines[:3], ["created    one 1.0", "refused    .github/x.md is a link; links are refused",
                                     "refused    docs is a link; links are refused"])
        self.assertIn("2 files are refused", lines[3])

    def test_a_link_that_a_plugin_needs_makes_its_version_wait(self):
        self.begin_with_sound()
        files = {"scripting/one.sma": source("One", "1.1", more=USES + "\nnew g_new = 1;"), "sound/one/hit.wav": None}
        self.repository.extra = [link("owner-plugins/sound/one/hit.wav", "other.wav")]
        self.repository.change(files)
        lines = self.mirror()
        self.assertRegex(lines[0], "^waits      one 1.1: it asks: .*sound/one/hit.wav is a link; links are refused")
        self.assertEqual(self.published("one"), ["1.0"])

    def test_what_only_keeps_folders_is_no_file_of_a_plugin(self):
        self.repository.commit({"one/scripting/one.sma": source("One"), "one/sound/none.txt": "", "one/models/.gitkeep": "",
                                "one/configs/one.ini": "a = 1\n"})
        self.assertEqual(self.follow("--publish")[0], "created    one 1.0")
        self.assertEqual(self.files_of("one", "1.0"), ["one.ini", "one.sma"])


if __name__ == "__main__":
    unittest.main()

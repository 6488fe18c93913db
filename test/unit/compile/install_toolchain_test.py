"""scripts/install-toolchain with packages made from the stand-in toolchain.

Usage: install_toolchain_test.py STANDIN_TOOLCHAINS
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "install-toolchain"
STANDIN = pathlib.Path(sys.argv.pop())
INNER = pathlib.Path("addons", "amxmodx", "scripting")
# Tells who it is and what it can do, and makes what looks like a plugin.
HOSTILE = r"""
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(int argc, char **argv) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(53)};
  address.sin_addr.s_addr = inet_addr("192.0.2.1");
  int file = open("MARKER", O_WRONLY | O_CREAT, 0666);
  int network = connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&address, sizeof address);
  printf("user %d, file %d, network %d, group %d\n", (int)getuid(), file < 0 ? -1 : 0, network, (int)getgid());
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "-o", 2) != 0) continue;
    FILE *plugin = fopen(argv[i] + 2, "w");
    if (plugin) fputs("XXMA", plugin), fclose(plugin);
  }
  return 0;
}
"""


class InstallToolchain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="goldsmith toolchain ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.root = self.folder / "the root"

    def run_script(self, *arguments):
        return subprocess.run([SCRIPT, *arguments, "--root", self.root], cwd="/", check=False,
                              capture_output=True, text=True)

    def tree(self, line="1.9"):
        """An unpacked package, for a test to change."""
        tree = self.folder / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        shutil.copytree(STANDIN / line, tree / INNER)
        return tree

    def packed(self, tree, name="base linux.tar.gz"):
        package = self.folder / name
        with tarfile.open(package, "w:" + name.rpartition(".")[2]) as archive:
            archive.add(tree / "addons", "addons")
        return package

    def install(self, tree, line="1.9"):
        done = self.run_script(line, "--from", self.packed(tree))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_refused(self, done, text):
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)

    def assert_nothing_installed(self):
        left = [path.name for path in self.root.iterdir()] if self.root.exists() else []
        self.assertEqual([name for name in left if name != ".lock"], [])

    def assert_complete(self, line):
        toolchain = self.root / line
        for name in ("amxxpc", "amxxpc32.so", "include/amxmodx.inc"):
            self.assertEqual((toolchain / name).read_bytes(), (STANDIN / line / name).read_bytes())
        self.assertTrue(os.access(toolchain / "amxxpc", os.X_OK))
        self.assertEqual(sorted(path.name for path in toolchain.iterdir()),
                         ["amxxpc", "amxxpc32.so", "include"])

    def generations(self):
        return sorted(path.name for path in self.root.iterdir() if path.name.startswith(".1.9-"))

    def test_tar_packages_of_every_line_are_installed(self):
        for line, name in (("1.8.2", "a.tar.gz"), ("1.9", "b.tar.xz"), ("1.10", "c d.tar.gz")):
            done = self.run_script(line, "--from", self.packed(self.tree(line), name))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("SHA-256 of the package: ", done.stdout)
            self.assert_complete(line)

    def test_a_zip_package_is_installed_and_readable_for_all(self):
        package = self.folder / "base.zip"
        tree = self.tree()
        with zipfile.ZipFile(package, "w") as archive:
            for path in sorted(tree.rglob("*")):
                archive.write(path, path.relative_to(tree))
        done = self.run_script("1.9", "--from", package)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_complete("1.9")
        for path in (self.root / "1.9").resolve().rglob("*"):
            self.assertTrue(path.stat().st_mode & 0o004, path)

    def test_the_same_package_again_changes_nothing(self):
        self.install(self.tree())
        before = os.readlink(self.root / "1.9")
        self.assertIn("already installed", self.install(self.tree()))
        self.assertEqual(os.readlink(self.root / "1.9"), before)

    def test_the_replaced_toolchain_stays_for_one_more_installation(self):
        names = []
        for text in ("// one", "// two", "// three"):
            tree = self.tree()
            (tree / INNER / "include" / "more.inc").write_text(text, encoding="utf-8")
            self.install(tree)
            names.append(os.readlink(self.root / "1.9"))
            self.assertEqual(self.generations(), sorted(names[-2:]))
        self.assertEqual((self.root / "1.9/include/more.inc").read_text(encoding="utf-8"), "// three")

    def test_a_folder_made_by_hand_is_replaced(self):
        shutil.copytree(STANDIN / "1.9", self.root / "1.9")
        (self.root / "1.9" / "mine.txt").touch()
        self.install(self.tree())
        self.assert_complete("1.9")

    def test_a_package_of_another_line_is_refused(self):
        done = self.run_script("1.10", "--from", self.packed(self.tree("1.9")))
        self.assert_refused(done, "AMXX_VERSION_NUM is 190, that of 1.10 is 200")
        self.assert_nothing_installed()

    def test_the_windows_package_is_refused_by_name(self):
        tree = self.tree()
        (tree / INNER / "amxxpc").rename(tree / INNER / "amxxpc.exe")
        self.assert_refused(self.run_script("1.9", "--from", self.packed(tree)), "Windows package")
        self.assert_nothing_installed()

    def test_packages_that_lack_a_part_are_refused(self):
        for part in ("amxxpc", "amxxpc32.so"):
            tree = self.tree()
            (tree / INNER / part).unlink()
            self.assert_refused(self.run_script("1.9", "--from", self.packed(tree)), part)
        self.assert_nothing_installed()

    def test_links_among_the_files_are_refused(self):
        tree = self.tree()
        (tree / INNER / "include" / "passwd.inc").symlink_to("/etc/passwd")
        self.assert_refused(self.run_script("1.9", "--from", self.packed(tree)), "links or devices")
        self.assert_nothing_installed()

    def test_files_that_are_no_archive_are_refused(self):
        package = self.folder / "page.tar.gz"
        for content in (b"", b"<html>not found</html>", b"PK\x03\x04 cut short", b"\x1f\x8b\x08"):
            package.write_bytes(content)
            self.assert_refused(self.run_script("1.9", "--from", package), "page.tar.gz")
        self.assert_refused(self.run_script("1.9", "--from", self.folder / "none"), "no such file")
        self.assert_nothing_installed()

    def test_a_compiler_that_does_not_compile_leaves_the_old_one_in_place(self):
        self.install(self.tree())
        tree = self.tree()
        (tree / INNER / "include" / "amxmisc.inc").write_text("#error broken\n", encoding="utf-8")
        done = self.run_script("1.9", "--from", self.packed(tree))
        self.assert_refused(done, "cannot compile a simple plugin")
        self.assertIn("user error: broken", done.stderr)
        self.assert_complete("1.9")
        self.assertEqual(len(self.generations()), 1)

    def test_a_hostile_compiler_changes_nothing_and_sees_nothing(self):
        """It is tried as a user without rights, in a sandbox."""
        marker = self.folder / "was here"
        tree = self.tree()
        (self.folder / "hostile.c").write_text(HOSTILE.replace("MARKER", str(marker)), encoding="utf-8")
        subprocess.run(["cc", "-o", tree / INNER / "amxxpc", self.folder / "hostile.c"], check=True)
        done = self.run_script("1.9", "--from", self.packed(tree))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("It is NOT the official package of 1.9", done.stdout)
        if "No sandbox" in done.stdout:
            self.skipTest("without bubblewrap")
        self.assertFalse(marker.exists())
        told = re.search(r"Compiles: user (\d+), file (-?\d+), network (-?\d+), group", done.stdout)
        self.assertTrue(told, done.stdout)
        self.assertNotEqual(told[1], "0")
        self.assertEqual((told[2], told[3]), ("-1", "-1"))

    def test_a_package_that_unpacks_to_too_much_is_refused(self):
        package = self.folder / "bomb.zip"
        with zipfile.ZipFile(package, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(3):
                archive.writestr(f"{number}", bytes(250 << 20))
        done = self.run_script("1.9", "--from", package)
        self.assertEqual(done.returncode, 1)
        self.assert_nothing_installed()
        if "No sandbox" not in done.stdout:
            self.assertIn("bomb.zip: cannot be unpacked", done.stderr)

    def test_without_bubblewrap_root_refuses_and_others_are_told(self):
        programs = self.folder / "bin"
        programs.mkdir()
        for folder in ("/usr/bin", "/bin", "/usr/sbin"):
            for program in pathlib.Path(folder).iterdir():
                if program.name != "bwrap" and not (programs / program.name).exists():
                    (programs / program.name).symlink_to(program)
        script = SCRIPT.read_text(encoding="utf-8").replace("PATH=$PATH:/usr/sbin:/sbin", f'PATH="{programs}"')
        copy = self.folder / "install-toolchain"
        copy.write_text(script, encoding="utf-8")
        done = subprocess.run(["/bin/bash", copy, "1.9", "--from", self.packed(self.tree()), "--root", self.root],
                              check=False, capture_output=True, text=True)
        if os.geteuid() == 0:
            self.assert_refused(done, "bubblewrap is missing: apt-get install bubblewrap. Without a sandbox root")
            self.assert_nothing_installed()
        else:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("with all rights of", done.stdout)

    def test_wrong_usage_is_explained(self):
        for arguments in ((), ("2.0",), ("1.9", "1.10"), ("1.9", "--form", "x"), ("1.9", "--from")):
            done = subprocess.run([SCRIPT, *arguments], check=False, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("usage: install-toolchain VERSION", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""scripts/check-layers on source trees that are wrong in one way each."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "check-layers"


def check(files):
    """The exit code and the lines printed for a tree of these files."""
    with tempfile.TemporaryDirectory(prefix="goldsmith layers ") as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


class CheckLayers(unittest.TestCase):
    def assert_refused(self, name, line, expected):
        code, lines = check({name: f"#pragma once\n{line}\n"})
        self.assertEqual((code, len(lines)), (1, 1), (name, line, lines))
        self.assertTrue(lines[0].startswith(f"{name}:2: "), lines)
        self.assertIn(expected, lines[0])

    def assert_accepted(self, name, text):
        self.assertEqual(check({name: text}), (0, []))

    def test_every_library_is_refused_outside_its_folder(self):
        for header in (
            "fcgiapp.h", "fcgi_stdio.h", "rapidjson/document.h", "mysql_connection.h", "mysql.h",
            "cppconn/driver.h", "mysql/jdbc.h", "boost/process.hpp", "boost/process/child.hpp",
            "boost/program_options.hpp", "openssl/sha.h", "utf8proc.h", "zlib.h", "archive.h",
            "archive_entry.h", "curl/curl.h", "systemd/sd-daemon.h",
        ):
            self.assert_refused("app/creator/plan.cpp", f"#include <{header}>", f"<{header}>")
            self.assert_refused("app/creator/plan.cpp", f'  #  include "{header}"', f"<{header}>")

    def test_a_library_is_accepted_in_its_folder(self):
        self.assert_accepted("app/fcgi/server.cpp", "#include <fcgiapp.h>\n")
        self.assert_accepted("app/json/value.cpp", "#include <rapidjson/reader.h>\n")
        self.assert_accepted("db/connection.cpp", "#include <mysql_connection.h>\n#include <cppconn/driver.h>\n")
        self.assert_accepted("app/sys/digest.cpp", "#include <openssl/evp.h>\n")
        self.assert_accepted("app/archive/deflate.hpp", "#include <zlib.h>\n")
        self.assert_accepted("app/mirror/normalise.cpp", "#include <archive.h>\n")
        self.assert_accepted("app/upstream/curl_transport.cpp", "#include <curl/curl.h>\n")

    def test_a_library_stays_out_of_the_headers_that_others_read(self):
        for name, header in (
            ("app/fcgi/server.hpp", "fcgiapp.h"),
            ("app/json/value.hpp", "rapidjson/document.h"),
            ("db/database.hpp", "mysql_connection.h"),
            ("app/sys/process.hpp", "boost/process/child.hpp"),
            ("app/upstream/transport.hpp", "curl/curl.h"),
        ):
            self.assert_refused(name, f"#include <{header}>", "only .cpp files")

    def test_names_that_merely_resemble_a_librarys_are_accepted(self):
        self.assert_accepted(
            "app/creator/plan.cpp",
            '#include <sys/stat.h>\n#include <archiver.hpp>\n#include "app/domain/archive.h.hpp"\n'
            "// #include <zlib.h>\n",
        )

    def test_a_layer_is_refused_where_it_may_not_be_included(self):
        for name, header, layer in (
            ("app/domain/plugin.hpp", "app/sys/file.hpp", "sys"),
            ("app/sys/file.cpp", "app/domain/names.hpp", "domain"),
            ("app/json/value.cpp", "app/domain/names.hpp", "domain"),
            ("app/creator/plan.cpp", "db/database.hpp", "db"),
            ("app/service/x.cpp", "app/http/response.hpp", "http"),
            ("app/service/x.cpp", "handlers/routes.hpp", "handlers"),
            ("db/database.cpp", "app/http/error.hpp", "http"),
            ("handlers/meta.cpp", "app/fcgi/server.hpp", "fcgi"),
            ("handlers/views/x.cpp", "app/worker/dispatch.hpp", "worker"),
            ("app/cli/run.cpp", "handlers/routes.hpp", "handlers"),
            ("app/worker/dispatch.cpp", "app/cli/run.hpp", "cli"),
        ):
            self.assert_refused(name, f'#include "{header}"', f"but not {layer}")

    def test_layers_below_and_the_layer_itself_are_accepted(self):
        self.assert_accepted(
            "handlers/meta.cpp",
            '#include "handlers/views/x.hpp"\n#include "app/http/error.hpp"\n#include "db/database.hpp"\n',
        )
        self.assert_accepted("app/domain/plugin.cpp", '#include "app/domain/plugin.hpp"\n')

    def test_a_programs_root_sees_all_layers_but_no_library(self):
        self.assert_accepted(
            "app/main_worker.cpp", '#include "app/fcgi/server.hpp"\n#include "handlers/routes.hpp"\n'
        )
        self.assert_refused("app/main_worker.cpp", "#include <fcgiapp.h>", "libfcgi")

    def test_an_include_that_is_not_written_from_the_root_is_refused(self):
        self.assert_refused("app/sys/file.cpp", '#include "file.hpp"', "root of the source tree")
        self.assert_refused("app/sys/file.cpp", '#include "../json/value.hpp"', "root of the source")

    def test_a_layer_that_the_table_does_not_know_is_refused(self):
        code, lines = check({"app/novel/x.cpp": "int x;\n"})
        self.assertEqual(code, 1)
        self.assertEqual(
            lines, ["app/novel/x.cpp:1: the layer novel is missing in the table of scripts/check-layers"]
        )
        self.assert_refused("app/sys/file.cpp", '#include "app/novel/x.hpp"', "no layer that")

    def test_every_violation_is_listed(self):
        code, lines = check({"app/domain/a.cpp": "#include <zlib.h>\n#include <curl/curl.h>\n", "db/b.cpp": "#include <fcgiapp.h>\n"})
        self.assertEqual((code, len(lines)), (1, 3))

    def test_an_empty_tree_is_a_usage_error(self):
        self.assertEqual(check({"README": ""}), (2, []))


if __name__ == "__main__":
    unittest.main()

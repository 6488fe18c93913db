"""scripts/check-layers on source trees that are right, and on others that are wrong in one way each."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "check-layers"

# A tree of three layers and a program in which every include is declared.
TREE = {
    "CMakeLists.txt": "function(goldsmith_layer folder)\nendfunction()\n"
                      "goldsmith_layer(app/base LIBRARIES ZLIB::ZLIB)\n"
                      "goldsmith_layer(db GENERATED ${known} LIBRARIES ${MYSQLCPPCONN_LIBRARY})\n"
                      "goldsmith_layer(app/top USES base db\n                LIBRARIES CURL::libcurl)\n",
    "app/main.cpp": '#include "app/top/top.hpp"\n',
    "app/base/base.hpp": "#pragma once\n#include <string>\n",
    "app/base/base.cpp": '#include "app/base/base.hpp"\n#include <sys/stat.h>\n#include <zlib.h>\n',
    "app/top/top.hpp": '#pragma once\n#include "app/base/base.hpp"\n',
    "app/top/inner/top.cpp": '#include "app/top/top.hpp"\n#include <curl/curl.h>\n#include "db/store.hpp"\n',
    "db/store.hpp": "#pragma once\n",
    "db/store.cpp": '#include "db/store.hpp"\n#include <cppconn/driver.h>\n',
}


def check(changes):
    """The exit code and the lines printed for the tree with these files changed, added or (None) left out."""
    with tempfile.TemporaryDirectory(prefix="goldsmith layers ") as folder:
        for name, text in (TREE | changes).items():
            if text is None:
                continue
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.splitlines()


class CheckLayers(unittest.TestCase):
    maxDiff = None

    def assert_refused(self, changes, *expected):
        self.assertEqual(check(changes), (1, list(expected)))

    def test_a_tree_that_declares_what_it_includes_is_accepted(self):
        self.assertEqual(check({}), (0, []))

    def test_a_layer_that_is_not_declared_is_refused(self):
        self.assert_refused(
            {"db/store.cpp": TREE["db/store.cpp"] + '#include "app/base/base.hpp"\n'},
            'db/store.cpp:3: "app/base/base.hpp": CMakeLists.txt does not say that db uses app/base',
        )

    def test_a_source_of_too_many_lines_is_refused(self):
        source = TREE["db/store.cpp"]
        self.assertEqual(check({"db/store.cpp": source + "\n" * 448}), (0, []))
        self.assert_refused({"db/store.cpp": source + "\n" * 449},
                            "db/store.cpp:1: has 451 lines, more than 450: compose it of files of one subject each")

    def test_a_source_of_several_subjects_is_refused(self):
        unnamed = "namespace {\n}  // namespace\n"
        self.assertEqual(check({"db/store.cpp": TREE["db/store.cpp"] + unnamed}), (0, []))
        self.assert_refused({"db/store.cpp": TREE["db/store.cpp"] + unnamed + unnamed},
                            "db/store.cpp:1: has 2 unnamed namespaces: compose it of files of one subject each")

    def test_every_library_is_refused_where_it_is_not_declared(self):
        for header, library in {
            "boost/asio/io_context.hpp": "Boost::headers",
            "boost/process.hpp": "Boost::filesystem",
            "boost/program_options.hpp": "Boost::program_options",
            "fcgiapp.h": "${FCGI_LIBRARY}",
            "rapidjson/document.h": "RapidJSON::RapidJSON",
            "mysqlx/xdevapi.h": "${MYSQLCPPCONN_LIBRARY}",
            "jdbc/mysql_connection.h": "${MYSQLCPPCONN_LIBRARY}",
            "openssl/sha.h": "OpenSSL::Crypto",
            "sodium/utils.h": "PkgConfig::SODIUM",
            "archive_entry.h": "LibArchive::LibArchive",
        }.items():
            with self.subTest(header):
                self.assert_refused(
                    {"app/top/new.cpp": f"#include <{header}>\n"},
                    f'app/top/new.cpp:1: "{header}": CMakeLists.txt does not say that app/top uses {library}',
                )

    def test_names_that_merely_resemble_a_librarys_are_accepted(self):
        self.assertEqual(check({"app/top/new.cpp": "#include <zlib.hpp>\n#include <mysqlish>\n"}), (0, []))

    def test_a_declared_dependency_that_nothing_includes_is_refused(self):
        self.assert_refused(
            {"app/top/inner/top.cpp": '#include "app/top/top.hpp"\n'},
            "CMakeLists.txt:5: app/top names CURL::libcurl, which it does not include",
            "CMakeLists.txt:5: app/top names db, which it does not include",
        )

    def test_an_include_that_is_not_written_from_the_root_is_refused(self):
        self.assert_refused({"app/top/new.cpp": '#include "top.hpp"\n'},
                            'app/top/new.cpp:1: "top.hpp" is not the path of a header of a layer')

    def test_a_source_in_no_layer_is_refused(self):
        self.assert_refused({"app/novel/x.cpp": ""}, "app/novel/x.cpp:1: CMakeLists.txt makes no layer of this folder")

    def test_a_tree_without_layers_is_a_usage_error(self):
        self.assertEqual(check({"CMakeLists.txt": None}), (2, []))


if __name__ == "__main__":
    unittest.main()

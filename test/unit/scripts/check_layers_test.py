"""scripts/check-layers on source trees that are right, and on others that are wrong in one way each."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "check-layers"

# A tree of three layers, two programs and a test in which every include is declared.
TREE = {
    "app/CMakeLists.txt": "add_executable(tool main.cpp)\ntarget_link_libraries(tool PRIVATE goldsmith_top)\n",
    "app/main.cpp": '#include "app/top/top.hpp"\n',
    "app/base/CMakeLists.txt": "goldsmith_layer(base SOURCES base.cpp PRIVATE ZLIB::ZLIB)\n",
    "app/base/base.hpp": "#pragma once\n#include <string>\n",
    "app/base/base.cpp": '#include "app/base/base.hpp"\n#include <sys/stat.h>\n#include "app/base/packed.hpp"\n',
    "app/base/packed.hpp": "#pragma once\n#include <zlib.h>\n",
    "app/top/CMakeLists.txt": "# The top: goldsmith_layer(none)\n"
                              "goldsmith_layer(top\n  SOURCES top.cpp\n"
                              "  PUBLIC goldsmith_base # in top.hpp\n  PRIVATE goldsmith_db CURL::libcurl)\n",
    "app/top/top.hpp": '#pragma once\n#include "app/top/more.hpp"\n',
    "app/top/more.hpp": '#pragma once\n#include "app/base/base.hpp"\n',
    "app/top/top.cpp": '#include "app/top/top.hpp"\n#include <curl/curl.h>\n#include "db/store.hpp"\n',
    "db/CMakeLists.txt": "goldsmith_layer(db SOURCES store.cpp PRIVATE ${MYSQLCPPCONN_LIBRARY})\n",
    "db/store.hpp": "#pragma once\n",
    "db/store.cpp": '#include "db/store.hpp"\n#include <cppconn/driver.h>\n',
    "test/CMakeLists.txt": "function(goldsmith_unit_test name)\n  add_executable(unit_${name} ${ARGN})\nendfunction()\n",
    "test/unit/top/CMakeLists.txt": "goldsmith_unit_test(top SOURCES top_test.cpp LINK goldsmith_base goldsmith_top)\n",
    "test/unit/top/top_test.cpp": '#include <boost/test/unit_test.hpp>\n#include "app/top/top.hpp"\n#include "support.hpp"\n',
    "test/unit/top/support.hpp": '#pragma once\n#include "app/base/base.hpp"\n',
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
            'db/store.cpp:3: "app/base/base.hpp": db/CMakeLists.txt does not declare that goldsmith_db uses goldsmith_base',
        )

    def test_what_a_dependency_brings_along_must_be_declared_too(self):
        self.assert_refused(
            {"app/main.cpp": TREE["app/main.cpp"] + '#include "app/base/base.hpp"\n'},
            'app/main.cpp:2: "app/base/base.hpp": app/CMakeLists.txt does not declare that tool uses goldsmith_base',
        )

    def test_every_library_is_refused_where_it_is_not_declared(self):
        for header, library in (
            ("fcgiapp.h", "${FCGI_LIBRARY}"), ("fcgi_stdio.h", "${FCGI_LIBRARY}"),
            ("rapidjson/document.h", "RapidJSON::RapidJSON"),
            ("mysql_connection.h", "${MYSQLCPPCONN_LIBRARY}"), ("mysql/jdbc.h", "${MYSQLCPPCONN_LIBRARY}"),
            ("cppconn/driver.h", "${MYSQLCPPCONN_LIBRARY}"),
            ("boost/process.hpp", "Boost::filesystem"), ("boost/process/child.hpp", "Boost::filesystem"),
            ("boost/program_options.hpp", "Boost::program_options"), ("boost/asio.hpp", "Boost::headers"),
            ("boost/test/unit_test.hpp", "Boost::unit_test_framework"),
            ("openssl/sha.h", "OpenSSL::Crypto"), ("utf8proc.h", "PkgConfig::UTF8PROC"), ("zlib.h", "ZLIB::ZLIB"),
            ("archive.h", "LibArchive::LibArchive"), ("archive_entry.h", "LibArchive::LibArchive"),
            ("seccomp.h", "PkgConfig::SECCOMP"), ("systemd/sd-daemon.h", "PkgConfig::SYSTEMD"),
        ):
            for line in (f"#include <{header}>", f'  #  include "{header}"'):
                self.assert_refused(
                    {"app/top/new.cpp": f"// A comment.\n{line}\n"},
                    f'app/top/new.cpp:2: "{header}": app/top/CMakeLists.txt does not declare that goldsmith_top uses {library}',
                )

    def test_names_that_merely_resemble_a_librarys_are_accepted(self):
        self.assertEqual(
            check({"app/top/new.cpp": "#include <archiver.hpp>\n#include <zlib.hpp>\n// #include <zlib.h>\n"}), (0, [])
        )

    def test_a_layer_that_a_header_for_others_includes_must_be_public(self):
        lists = TREE["app/top/CMakeLists.txt"].replace("PUBLIC goldsmith_base # in top.hpp\n  PRIVATE", "PRIVATE goldsmith_base")
        self.assert_refused(
            {"app/top/CMakeLists.txt": lists},
            'app/top/more.hpp:2: "app/base/base.hpp": app/top/more.hpp is included by others, '
            "so app/top/CMakeLists.txt must declare goldsmith_base PUBLIC",
        )

    def test_a_library_stays_out_of_the_headers_that_others_read(self):
        self.assert_refused(
            {"app/base/base.hpp": "#pragma once\n#include <zlib.h>\n"},
            'app/base/base.hpp:2: "zlib.h": app/base/base.hpp is included by others, '
            "so app/base/CMakeLists.txt must declare ZLIB::ZLIB PUBLIC",
        )

    def test_a_public_dependency_that_only_sources_need_is_refused(self):
        self.assert_refused(
            {"db/CMakeLists.txt": TREE["db/CMakeLists.txt"].replace("PRIVATE", "PUBLIC")},
            "db/CMakeLists.txt:1: no header that others include needs ${MYSQLCPPCONN_LIBRARY}: declare it PRIVATE",
        )

    def test_a_declared_dependency_that_nothing_includes_is_refused(self):
        self.assert_refused(
            {"app/top/top.cpp": '#include "app/top/top.hpp"\n'},
            "app/top/CMakeLists.txt:2: goldsmith_top declares CURL::libcurl, which it does not include",
            "app/top/CMakeLists.txt:2: goldsmith_top declares goldsmith_db, which it does not include",
        )
        self.assert_refused(
            {"app/main.cpp": "int main() {}\n"},
            "app/CMakeLists.txt:1: tool declares goldsmith_top, which it does not include",
            "app/top/CMakeLists.txt:2: no header that others include needs goldsmith_base: declare it PRIVATE",
        )

    def test_a_test_declares_what_its_own_headers_include(self):
        name = "test/unit/top/CMakeLists.txt"
        self.assert_refused(
            {name: TREE[name].replace("goldsmith_base ", "")},
            f'test/unit/top/support.hpp:2: "app/base/base.hpp": {name} does not declare that unit_top uses goldsmith_base',
        )

    def test_an_include_that_is_not_written_from_the_root_is_refused(self):
        for header in ("base.hpp", "../base/base.hpp"):
            self.assert_refused(
                {"app/top/new.cpp": f'#include "{header}"\n'},
                f'app/top/new.cpp:1: "{header}" is not written from the root of the source tree',
            )

    def test_a_source_that_no_target_has_is_refused(self):
        self.assert_refused(
            {"app/novel/x.cpp": "int x;\n", "app/top/new.cpp": '#include "app/novel/x.hpp"\n'},
            "app/novel/x.cpp:1: no CMakeLists.txt makes this a part of a layer or program",
            'app/top/new.cpp:1: "app/novel/x.hpp" belongs to no layer',
        )

    def test_an_empty_tree_is_a_usage_error(self):
        self.assertEqual(check(dict.fromkeys(TREE) | {"README": ""}), (2, []))


if __name__ == "__main__":
    unittest.main()

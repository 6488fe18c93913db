#include "test/cli/operator_host.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <sstream>

#include "app/cli/run.hpp"

namespace goldsmith::test {

namespace fs = std::filesystem;

boost::test_tools::assertion_result starts_servers(boost::unit_test::test_unit_id /*id*/) {
  return fs::exists(fs::read_symlink("/proc/self/exe").parent_path() / "libsteam_api.so");
}

OperatorHost::OperatorHost(TestDatabase::Schema schema)
    : test_database_(schema), database_(test_database_.settings()) {
  write("goldsmith.conf",
        "catalog = " + path("catalog").string() + "\ndepot = " + path("depot").string() +
            "\nwithdrawals = " + path("withdrawals").string() + "\nstate = " +
            path("state").string() + "\narchive_cache = " + path("archives").string() +
            "\nartefact_cache = " + path("artefacts").string() +
            "\n[database]\nsocket = " + test_database_.settings().servers.front().socket +
            "\nname = " + test_database_.name() + "\nuser = none\n");
  write("operator.conf", "[database]\nuser = root\n");
}

Called OperatorHost::call(std::vector<std::string> words) const {
  words.insert(words.end(), {"--config", path("goldsmith.conf").string()});
  std::ostringstream out;
  std::ostringstream err;
  const int code = cli::run(words, {out, err, false});
  return {code, out.str(), err.str()};
}

std::string OperatorHost::done(const std::vector<std::string>& words) const {
  const Called called = call(words);
  BOOST_TEST(called.code == 0);
  BOOST_TEST(called.err == "");
  return called.out;
}

std::string OperatorHost::failed(const std::vector<std::string>& words, int code) const {
  const Called called = call(words);
  BOOST_TEST(called.code == code);
  std::string lines = called.err;
  const std::string folder = folder_.path().string();
  for (std::size_t at; (at = lines.find(folder)) != std::string::npos;) {
    lines.replace(at, folder.size(), "DIR");
  }
  return lines;
}

std::string OperatorHost::write(const std::string& name, const std::string& content) const {
  const fs::path file = path(name);
  fs::create_directories(file.parent_path());
  base::write_atomically(file, content);
  return file.string();
}

std::string OperatorHost::write_zip(const std::string& name,
                                    const std::vector<ArchiveEntry>& entries) const {
  const fs::path file = path(name);
  struct ::archive* zip = archive_write_new();
  archive_write_set_format_zip(zip);
  BOOST_TEST_REQUIRE(archive_write_open_filename(zip, file.c_str()) == ARCHIVE_OK);
  for (const ArchiveEntry& item : entries) {
    struct ::archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, item.path.c_str());
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(item.content.size()));
    BOOST_TEST_REQUIRE(archive_write_header(zip, entry) == ARCHIVE_OK);
    archive_write_data(zip, item.content.data(), item.content.size());
    archive_entry_free(entry);
  }
  BOOST_TEST_REQUIRE(archive_write_free(zip) == ARCHIVE_OK);
  return file.string();
}

std::string OperatorHost::write_plugin(const std::string& slug, const std::string& source,
                                       const std::string& more_fields) const {
  write(slug + "/" + slug + ".sma", source);
  write(slug + "/plugin.json",
        R"({"slug": ")" + slug + R"(", "name": "N", "category": "c", )" + more_fields +
            R"("versions": [{"version": "1.0", "files": [{"path": ")" + slug + R"(.sma"}]}]})");
  return path(slug).string();
}

void OperatorHost::import_component(const std::string& slug, const std::string& more_fields) const {
  done({"component", "import",
        write(slug + ".json", R"({"slug": ")" + slug + R"(", "name": "N", "layer": "engine")" +
                                  more_fields + "}")});
}

std::vector<std::string> OperatorHost::depot_files() const {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path("depot"))) {
    if (entry.is_directory() || entry.path().filename() == ".verified") continue;
    static const std::regex digest(R"(\.[0-9a-f]{64}\.zip$)");
    files.push_back(std::regex_replace(fs::relative(entry.path(), path("depot")).string(), digest,
                                       ".DIGEST.zip"));
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path OperatorHost::depot_file(const std::string& slug, const std::string& version) {
  const auto rows = database_.query(
      "SELECT v.digest FROM component_versions v JOIN components c ON c.id = v.component_id"
      " WHERE c.slug = ? AND v.version = ?",
      {slug, version});
  BOOST_TEST_REQUIRE(rows->next());
  return path("depot") / slug / (version + "." + rows->text(1) + ".zip");
}

}  // namespace goldsmith::test

// A host of its own for each test: configuration, database, depot, and the command run on them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "app/base/file.hpp"
#include "db/database.hpp"
#include "test/support/test_database.hpp"

namespace goldsmith::test {

struct ArchiveEntry {
  std::string path;
  std::string content;
};

struct Called {
  int code = 0;
  std::string out;
  std::string err;
};

// Where the build could make the stand-in of Valve's library.
boost::test_tools::assertion_result starts_servers(boost::unit_test::test_unit_id id);

class OperatorHost {
 public:
  explicit OperatorHost(TestDatabase::Schema schema = TestDatabase::Schema::migrated);

  // Runs `goldsmith WORDS…` on this host.
  Called call(std::vector<std::string> words) const;
  // call() that must be done; returns what it printed.
  std::string done(const std::vector<std::string>& words) const;
  // call() that must fail with this code; returns the lines on standard error, the folder as
  // DIR.
  std::string failed(const std::vector<std::string>& words, int code = 1) const;

  std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  // Writes a file below the folder and returns its path.
  std::string write(const std::string& name, const std::string& content) const;
  std::string write_zip(const std::string& name, const std::vector<ArchiveEntry>& entries) const;
  // A plugin's folder whose only version 1.0 has the file SLUG.sma.
  std::string write_plugin(const std::string& slug, const std::string& source = "main(){}",
                           const std::string& more_fields = "") const;
  // Imports the component `slug` with these further fields.
  void import_component(const std::string& slug, const std::string& more_fields = "") const;

  db::Database& database() { return database_; }
  // The files of the depot by relative path, hidden ones too, but without the record of the last
  // verification; a digest in a name as DIGEST.
  std::vector<std::string> depot_files() const;
  // Where the content that the catalog names for that version belongs.
  std::filesystem::path depot_file(const std::string& slug, const std::string& version);

 private:
  base::TempDir folder_;
  TestDatabase test_database_;
  db::Database database_;
};

}  // namespace goldsmith::test

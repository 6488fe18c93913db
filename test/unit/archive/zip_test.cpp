#include "app/archive/zip.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <map>

#include "app/base/digest.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace zip_files {
namespace {

using namespace test;
namespace fs = std::filesystem;

struct Fixture {
  base::TempDir folder;
  std::filesystem::path zip = folder.path() / "a folder with spaces.zip";
};

const std::vector<MemoryFile>& mixed_files() {
  static const std::vector<MemoryFile> files = {
      {"cstrike/addons/amxmodx/configs/amxx.cfg", compressible(20'000)},
      {"cstrike/dlls/cs.so", compressible(700'000, 2) + incompressible(300'000), false},
      {"cstrike/empty.txt", ""},
      {"cstrike/sound/noise.wav", incompressible(500'000, 3)},
      {"cstrike/карты/de_пыль.bsp", compressible(3, 4)},
      {"hlds_linux", compressible(5'000, 5), true}};
  return files;
}

}  // namespace
}  // namespace zip_files

BOOST_FIXTURE_TEST_SUITE(zip_files, Fixture)

BOOST_AUTO_TEST_CASE(bytes_are_the_same_from_version_to_version) {
  // Builds that others have downloaded in part go on with these.
  BOOST_TEST(base::sha256_hex(zip_in_memory({{"a", "", true}, {"b/c", "", false}})) ==
             "dc822c2d305ec95f008a52c35036ad23134968445421cc7e95c9aecf2d43900f");
}

BOOST_AUTO_TEST_CASE(what_is_written_is_read_back_byte_for_byte) {
  write_zip(zip, mixed_files(), "a comment");
  const ZipReader reader(zip);
  BOOST_TEST(reader.comment() == "a comment");
  BOOST_TEST_REQUIRE(reader.entries().size() == mixed_files().size());
  for (const MemoryFile& file : mixed_files()) {
    const ZipEntry& entry = entry_of(reader, file.path);
    BOOST_TEST((reader.read(entry) == file.content), file.path);
    BOOST_TEST(entry.size == file.content.size());
    BOOST_TEST(entry.executable == file.executable);
  }
  reader.verify();
}

BOOST_AUTO_TEST_CASE(other_readers_accept_what_is_written) {
  write_zip(zip, mixed_files(), "goldsmith");
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_CASE(unzip_restores_paths_modes_and_bytes) {
  write_zip(zip, mixed_files());
  const auto out = folder.path() / "out";
  std::filesystem::create_directory(out);
  run({"/usr/bin/unzip", "-q", zip.string(), "-d", out.string()});
  for (const MemoryFile& file : mixed_files()) {
    BOOST_TEST((base::read_file(out / file.path) == file.content), file.path);
    struct stat status{};
    BOOST_TEST_REQUIRE(::stat((out / file.path).c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 07777) == (file.executable ? 0755U : 0644U));
  }
}

BOOST_AUTO_TEST_CASE(every_entry_without_a_time_has_the_earliest) {
  write_zip(zip, mixed_files());
  const std::string listing = run({"/usr/bin/zipinfo", "-T", zip.string()});
  std::size_t stamps = 0;
  for (std::size_t at = 0; (at = listing.find("19800101.000000", at)) != std::string::npos; ++at) {
    ++stamps;
  }
  BOOST_TEST(stamps == mixed_files().size());
}

BOOST_AUTO_TEST_CASE(a_time_is_kept_to_the_second_and_as_utc) {
  const auto time = [](const char* text) { return domain::parse_timestamp(text).value(); };
  const std::vector<std::pair<domain::Timestamp, domain::Timestamp>> times = {
      {time("2026-11-29 16:41:15"), time("2026-11-29 16:41:15")},
      {time("1980-01-01 00:00:01"), time("1980-01-01 00:00:01")},
      {time("1979-12-31 23:59:59"), kNoTime},
      {time("0001-01-01"), kNoTime},
      {time("2038-01-19 03:14:07"), time("2038-01-19 03:14:07")},
      {time("2038-01-19 03:14:09"), time("2038-01-19 03:14:08")},
      {time("2107-12-31 23:59:59"), time("2107-12-31 23:59:58")},
      {time("9999-12-31"), time("2107-12-31 23:59:58")}};
  std::vector<MemoryFile> files;
  for (std::size_t i = 0; i < times.size(); ++i) {
    BOOST_TEST((entry_time(times[i].first) == times[i].second), i);
    files.push_back({std::to_string(i), "content", i % 2 == 0, times[i].first});
  }
  base::write_atomically(zip, zip_in_memory(files));
  const ZipReader reader(zip);
  const fs::path out = folder.path() / "out";
  run({"/usr/bin/env", "TZ=America/Caracas", "/usr/bin/unzip", "-q", zip.string(), "-d",
       out.string()});
  for (std::size_t i = 0; i < times.size(); ++i) {
    const ZipEntry& entry = entry_of(reader, std::to_string(i));
    BOOST_TEST((entry.modified == times[i].second), i);
    BOOST_TEST(reader.read(entry) == "content");
    struct stat status{};
    BOOST_TEST_REQUIRE(::stat((out / entry.path).c_str(), &status) == 0);
    const bool is_exact =
        entry.modified != kNoTime && times[i].second <= time("2038-01-19 03:14:07");
    if (is_exact) {
      BOOST_TEST(status.st_mtim.tv_sec == entry.modified.time_since_epoch().count(), i);
    }
  }
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_CASE(what_deflating_does_not_shrink_is_stored) {
  write_zip(zip, mixed_files());
  const ZipReader reader(zip);
  const std::map<std::string, Method> expected = {
      {"cstrike/addons/amxmodx/configs/amxx.cfg", Method::deflated},
      {"cstrike/dlls/cs.so", Method::deflated},
      {"cstrike/empty.txt", Method::stored},
      {"cstrike/sound/noise.wav", Method::stored},
      {"cstrike/карты/de_пыль.bsp", Method::stored},
      {"hlds_linux", Method::deflated}};
  for (const ZipEntry& entry : reader.entries()) {
    BOOST_TEST((entry.method == expected.at(entry.path)), entry.path);
    BOOST_TEST(entry.compressed_size <= entry.size);
  }
}

BOOST_AUTO_TEST_CASE(data_that_shrinks_at_first_and_grows_in_the_end_is_stored_whole) {
  // The head deflates to nothing, so the inflated copy would overtake the deflated data if it were
  // restored in place.
  const std::string content = std::string(100, '\0') + incompressible(2'000'000);
  write_zip(zip, {{"grows", content}, {"next", "abc"}});
  const ZipReader reader(zip);
  BOOST_TEST((entry_of(reader, "grows").method == Method::stored));
  BOOST_TEST((reader.read(entry_of(reader, "grows")) == content));
  BOOST_TEST(reader.read(entry_of(reader, "next")) == "abc");
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_CASE(equal_input_gives_equal_bytes_however_it_is_cut_into_writes) {
  write_zip(zip, mixed_files());
  const auto other = folder.path() / "other.zip";
  {
    const base::UniqueFd fd = create(other);
    base::write_all(fd.get(), incompressible(3'000'000, 9), other);  // leftovers of another file
    ZipWriter writer(fd.get(), other);
    for (const MemoryFile& file : mixed_files()) {
      writer.begin_deflated(file.path, file.executable);
      const std::string_view content = file.content;
      for (std::size_t at = 0; at < content.size(); at += 7'777) {
        writer.write(content.substr(at, 7'777));
      }
      writer.end();
    }
    writer.finish();
  }
  BOOST_TEST((base::read_file(zip) == base::read_file(other)));
}

BOOST_AUTO_TEST_CASE(stored_entries_stay_as_they_are) {
  const base::UniqueFd fd = create(zip);
  const std::string large = compressible(600'000);  // larger than the writer's buffer
  ZipWriter writer(fd.get(), zip);
  writer.add("a.txt", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa", false, Method::stored);
  writer.add("large", large, true, Method::stored);
  writer.add("z.txt", "z", false, Method::stored);
  writer.finish();
  BOOST_TEST(writer.bytes_written() == std::filesystem::file_size(zip));
  const ZipReader reader(zip);
  for (const ZipEntry& entry : reader.entries()) BOOST_TEST((entry.method == Method::stored));
  BOOST_TEST((reader.read(entry_of(reader, "large")) == large));
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_CASE(an_empty_zip_is_a_zip) {
  write_zip(zip, {}, "nothing here");
  const ZipReader reader(zip);
  BOOST_TEST(reader.entries().empty());
  BOOST_TEST(reader.comment() == "nothing here");
  BOOST_TEST(base::read_file(zip).size() == 22U + 12U);
}

BOOST_AUTO_TEST_CASE(copied_entries_are_the_same_bytes_at_another_place) {
  const auto source = folder.path() / "source.zip";
  write_zip(source, mixed_files());
  const ZipReader from(source);
  {
    const base::UniqueFd fd = create(zip);
    ZipWriter writer(fd.get(), zip);
    writer.add("first", "in front", false, Method::stored);
    const auto& entries = from.entries();
    writer.copy(from, {&entries[0], &entries[1], &entries[3], &entries[5]});
    writer.copy(from, {&entries[4], &entries[2]});  // against the file order
    writer.add("last", "behind", false, Method::stored);
    writer.finish();
  }
  const ZipReader to(zip);
  BOOST_TEST(to.entries().size() == 8U);
  for (const ZipEntry& entry : from.entries()) {
    const ZipEntry& copy = entry_of(to, entry.path);
    BOOST_TEST((to.read(copy) == from.read(entry)), entry.path);
    BOOST_TEST(copy.executable == entry.executable);
    BOOST_TEST(copy.local_size == entry.local_size);
  }
  BOOST_TEST(to.entries().back().path == "last");
  check_with_other_readers(zip);

  const auto later = domain::parse_timestamp("2026-11-29 16:41:15").value();
  std::vector<const ZipEntry*> all;
  for (const ZipEntry& entry : from.entries()) all.push_back(&entry);
  const fs::path dated = folder.path() / "dated.zip";
  {
    const base::UniqueFd fd = create(dated);
    ZipWriter writer(fd.get(), dated);
    writer.copy(from, all, later);
    writer.finish();
  }
  const ZipReader with_times(dated);
  with_times.verify();
  for (const ZipEntry& entry : from.entries()) {
    const ZipEntry& copy = entry_of(with_times, entry.path);
    BOOST_TEST((with_times.read(copy) == from.read(entry)), entry.path);
    BOOST_TEST((copy.modified == later), entry.path);
  }
  check_with_other_readers(dated);
}

BOOST_AUTO_TEST_CASE(the_start_of_an_entry_is_read_without_the_rest) {
  write_zip(zip, mixed_files());
  const ZipReader reader(zip);
  for (const MemoryFile& file : mixed_files()) {
    const ZipEntry& entry = entry_of(reader, file.path);
    BOOST_TEST((reader.read_start(entry, 100'000) == file.content.substr(0, 100'000)), file.path);
    BOOST_TEST(reader.read_start(entry, 0) == "");
  }
}

BOOST_AUTO_TEST_CASE(an_entry_over_the_limit_is_not_read) {
  write_zip(zip, mixed_files());
  const ZipReader reader(zip);
  const ZipEntry& entry = entry_of(reader, "cstrike/sound/noise.wav");
  BOOST_TEST(reader.read(entry, 500'000).size() == 500'000U);
  const auto message = message_of<ZipError>([&] { reader.read(entry, 499'999); });
  BOOST_TEST(contains(message, "entry cstrike/sound/noise.wav: is larger than the limit of 499999"),
             message);
}

BOOST_AUTO_TEST_CASE(a_path_is_written_once) {
  const base::UniqueFd fd = create(zip);
  ZipWriter writer(fd.get(), zip);
  writer.add("a/b", "1", false, Method::stored);
  const auto message =
      message_of<ZipError>([&] { writer.add("a/b", "2", false, Method::deflated); });
  BOOST_TEST(contains(message, "a path twice: a/b"), message);
}

BOOST_AUTO_TEST_CASE(unsafe_paths_are_not_written) {
  const base::UniqueFd fd = create(zip);
  ZipWriter writer(fd.get(), zip);
  for (const std::string path : {"", "/etc/passwd", "../up", "a/../../up", "a//b", "a/", "./a",
                                 "a\\b", "a\nb", "\xFF\xFE", "a/.."}) {
    BOOST_CHECK_THROW(writer.add(path, "x", false, Method::stored), ZipError);
  }
  BOOST_CHECK_THROW(writer.add(std::string("a\0b", 3), "x", false, Method::stored), ZipError);
  std::string long_path = "a";
  while (long_path.size() <= 65'535) long_path += "/a";
  BOOST_CHECK_THROW(writer.add(long_path, "x", false, Method::stored), ZipError);
}

BOOST_AUTO_TEST_CASE(the_longest_path_that_fits_is_written_and_read) {
  std::string path = "a";
  while (path.size() < 65'535) path += "/a";
  write_zip(zip, {{path, "deep"}});
  const ZipReader reader(zip);
  BOOST_TEST(reader.read(entry_of(reader, path)) == "deep");
}

BOOST_AUTO_TEST_CASE(a_zip_in_memory_is_ordered_by_path_and_the_same_every_time) {
  const std::string bytes = zip_in_memory({{"b.txt", compressible(3'000)}, {"a", "x", true}});
  BOOST_TEST((bytes == zip_in_memory({{"a", "x", true}, {"b.txt", compressible(3'000)}})));
  base::write_atomically(zip, bytes);
  const ZipReader reader(zip);
  BOOST_TEST(reader.entries().front().path == "a");
  BOOST_TEST(reader.entries().front().executable);
  BOOST_TEST((reader.read(entry_of(reader, "b.txt")) == compressible(3'000)));
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_CASE(a_zip_in_memory_refuses_the_same_path_twice) {
  BOOST_CHECK_THROW(zip_in_memory({{"a", "1"}, {"a", "2"}}), ZipError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive

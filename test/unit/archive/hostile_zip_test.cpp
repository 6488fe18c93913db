// Files that are damaged or made to harm: a ZipReader says so, and never reads out of bounds.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <random>

#include "app/archive/io.hpp"
#include "app/archive/zip_format.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace hostile_zips {
namespace {

using namespace test;

struct Fixture {
  std::string valid_zip() {
    const domain::Timestamp time(std::chrono::seconds(1'764'434'475));
    return zip_in_memory({{"a/text.cfg", compressible(400)},
                          {"b", incompressible(60), true, time},
                          {"empty", ""},
                          {"карта.bsp", compressible(90)}});
  }

  void write(std::string_view bytes) {
    BOOST_TEST_REQUIRE(::ftruncate(memory.get(), 0) == 0);
    write_at({memory.get(), 0, zip}, bytes);
  }

  // True when the file is found damaged, on opening or on reading it to its end.
  bool is_refused(std::string_view bytes) {
    write(bytes);
    try {
      ZipReader(zip).verify();
    } catch (const ZipError& error) {
      BOOST_TEST(contains(error.what(), zip.string()), error.what());
      return true;
    }
    return false;
  }

  // All that a reader gets to see.
  std::string content() const {
    const ZipReader reader(zip);
    std::string all;
    for (const ZipEntry& entry : reader.entries()) {
      all += entry.path + (entry.executable ? "*" : ":") + reader.read(entry) + "\n";
    }
    return all;
  }

  base::TempDir folder;
  // Thousands of files are tried: in memory, since a disk would take minutes.
  base::UniqueFd memory{::memfd_create("test.zip", MFD_CLOEXEC)};
  std::filesystem::path zip = "/proc/self/fd/" + std::to_string(memory.get());
};

struct RawEntry {
  ZipEntry entry;
  std::string data;
};

// A ZIP whose headers say what the test wants, right or wrong.
std::string raw_zip(std::vector<RawEntry> entries) {
  std::string bytes;
  std::string central;
  for (RawEntry& raw : entries) {
    raw.entry.local_offset = bytes.size();
    raw.entry.compressed_size = raw.data.size();
    bytes += local_header(raw.entry) + raw.data;
    central += central_header(raw.entry);
  }
  const Directory directory{entries.size(), bytes.size(), central.size()};
  return bytes + central + end_records(directory, "");
}

RawEntry stored(const std::string& path, const std::string& content) {
  return {{path, false, Method::stored, crc32_of(content), 0, content.size()}, content};
}

RawEntry deflated(const std::string& path, const std::string& content, std::uint64_t size) {
  std::string data;
  Deflater deflater(9);
  const auto sink = [&](std::string_view piece) { data += piece; };
  deflater.write(content, sink);
  deflater.finish(sink);
  return {{path, false, Method::deflated, crc32_of(content), 0, size}, data};
}

}  // namespace
}  // namespace hostile_zips

BOOST_FIXTURE_TEST_SUITE(hostile_zips, Fixture)

BOOST_AUTO_TEST_CASE(every_single_wrong_bit_is_found) {
  const std::string valid = valid_zip();
  BOOST_TEST(!is_refused(valid));
  const std::string expected = content();
  int meaningless = 0;
  for (std::size_t at = 0; at < valid.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = valid;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      // The last byte of a deflated stream may have bits that mean nothing.
      BOOST_TEST((is_refused(damaged) || content() == expected), at << ", bit " << bit);
      if (!is_refused(damaged)) ++meaningless;
    }
  }
  BOOST_TEST(meaningless <= 2 * 7);  // two deflated entries
}

BOOST_AUTO_TEST_CASE(every_truncation_is_found) {
  const std::string valid = valid_zip();
  for (std::size_t size = 0; size < valid.size(); ++size) {
    BOOST_TEST(is_refused(std::string_view(valid).substr(0, size)), size);
    BOOST_TEST(is_refused(std::string_view(valid).substr(valid.size() - size)), size);
  }
}

BOOST_AUTO_TEST_CASE(bytes_too_many_are_found_wherever_they_are) {
  const std::string valid = valid_zip();
  for (std::size_t at = 0; at <= valid.size(); ++at) {
    std::string damaged = valid;
    damaged.insert(at, 1, '\0');
    BOOST_TEST(is_refused(damaged), at);
  }
}

BOOST_AUTO_TEST_CASE(random_damage_is_found_and_harms_nobody) {
  const std::string valid = valid_zip();
  std::minstd_rand random(7);
  for (int round = 0; round < 5'000; ++round) {
    std::string damaged = valid;
    for (unsigned i = 0; i <= random() % 8; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    BOOST_TEST((damaged == valid || is_refused(damaged)), round);
  }
}

BOOST_AUTO_TEST_CASE(headers_made_for_the_test_are_read) {
  BOOST_TEST(!is_refused(raw_zip({stored("a", "one"), deflated("b", "two", 3)})));
}

BOOST_AUTO_TEST_CASE(unsafe_paths_are_refused) {
  const std::vector<std::string> paths = {"/etc/passwd", "../up", "a/../b", "a\\b",
                                          "a\nb",        "",      "\xC3",   std::string("a\0b", 3)};
  for (const std::string& path : paths) BOOST_TEST(is_refused(raw_zip({stored(path, "x")})), path);
}

BOOST_AUTO_TEST_CASE(a_path_that_is_there_twice_is_found) {
  BOOST_TEST(is_refused(raw_zip({stored("a", "1"), stored("a", "2")})));
}

BOOST_AUTO_TEST_CASE(a_deflated_entry_that_grows_beyond_its_size_is_stopped_there) {
  const std::string bomb(50U << 20, '\0');
  write(raw_zip({deflated("bomb", bomb, 100)}));
  const ZipReader reader(zip);
  const auto message = message_of<ZipError>([&] { reader.read(reader.entries()[0]); });
  BOOST_TEST(contains(message, "entry bomb: holds more bytes than its size says"), message);
}

BOOST_AUTO_TEST_CASE(an_entry_that_claims_more_than_it_holds_is_refused_without_that_much_memory) {
  write(raw_zip({deflated("liar", "tiny", 1ULL << 60)}));
  const ZipReader reader(zip);
  const auto message = message_of<ZipError>([&] { reader.read(reader.entries()[0], ~0ULL); });
  BOOST_TEST(contains(message, "holds fewer bytes than its size says"), message);
}

BOOST_AUTO_TEST_CASE(bytes_behind_the_deflated_data_are_found) {
  RawEntry entry = deflated("a", "content", 7);
  entry.data += "hidden";
  BOOST_TEST(is_refused(raw_zip({entry})));
}

BOOST_AUTO_TEST_CASE(a_deflated_stream_that_ends_early_is_found) {
  RawEntry entry = deflated("a", compressible(5'000), 5'000);
  entry.data.resize(entry.data.size() / 2);
  BOOST_TEST(is_refused(raw_zip({entry})));
}

BOOST_AUTO_TEST_CASE(a_wrong_crc_is_found_by_read_and_verify) {
  RawEntry entry = stored("a", "content");
  entry.entry.crc32 ^= 1;
  BOOST_TEST(is_refused(raw_zip({entry})));
  const ZipReader reader(zip);
  const auto message = message_of<ZipError>([&] { reader.read(reader.entries()[0]); });
  BOOST_TEST(contains(message, "entry a: its CRC is wrong"), message);
}

BOOST_AUTO_TEST_CASE(entries_that_share_their_data_are_refused) {
  const RawEntry entry = stored("a", "content");
  const std::string local = local_header(entry.entry) + entry.data;
  RawEntry alias = entry;
  alias.entry.path = "b";
  const std::string central = central_header(entry.entry) + central_header(alias.entry);
  BOOST_TEST(is_refused(local + central + end_records({2, local.size(), central.size()}, "")));
}

BOOST_AUTO_TEST_CASE(a_directory_of_absurd_size_is_refused_without_that_much_memory) {
  constexpr std::uint64_t kSize = 3ULL << 40;
  const std::string end = end_records({1ULL << 40, 0, kSize}, "");
  write_at({memory.get(), kSize, zip}, end);
  const auto message = message_of<ZipError>([&] { ZipReader reader(zip); });
  BOOST_TEST(contains(message, "central directory is larger than 256 MiB"), message);
}

BOOST_AUTO_TEST_CASE(what_is_no_zip_is_refused_by_name) {
  for (const std::string bytes : {"", "PK", "hello", "PK\5\6"}) {
    write(bytes);
    const auto message = message_of<ZipError>([&] { ZipReader reader(zip); });
    BOOST_TEST(contains(message, zip.string() + ": is not a complete ZIP file"), message);
  }
}

BOOST_AUTO_TEST_CASE(a_zip_of_another_program_is_refused) {
  base::write_all(create(folder.path() / "a").get(), "content", "a");
  run({"/usr/bin/zip", "-q", "foreign.zip", "a"}, folder.path());
  const auto message =
      message_of<ZipError>([&] { ZipReader reader(folder.path() / "foreign.zip"); });
  BOOST_TEST(contains(message, "goldsmith did not write it"), message);
}

BOOST_AUTO_TEST_CASE(a_missing_file_a_folder_and_a_fifo_are_errors_that_do_not_hang) {
  BOOST_CHECK_THROW(ZipReader(folder.path() / "missing.zip"), base::FileError);
  BOOST_CHECK_THROW(ZipReader(folder.path()), ZipError);
  const auto fifo = folder.path() / "fifo";
  BOOST_TEST_REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  BOOST_CHECK_THROW(ZipReader{fifo}, ZipError);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive

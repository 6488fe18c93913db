#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <boost/test/unit_test.hpp>

#include "app/archive/io.hpp"
#include "app/archive/zip_format.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace zip64 {
namespace {

using namespace test;

constexpr std::uint64_t kGiB = 1ULL << 30;
constexpr std::uint64_t kMark = 0xFFFF'FFFF;

struct Fixture {
  base::TempDir folder;
  std::filesystem::path zip = folder.path() / "large.zip";
};

// The CRC of `count` zero bytes, without reading them.
std::uint32_t crc_of_zeros(std::uint64_t count) {
  uLong crc = 0;
  uLong power = crc32_of(std::string_view("\0", 1));
  for (std::uint64_t length = 1; length <= count; length *= 2) {
    if (count & length) crc = ::crc32_combine(crc, power, static_cast<z_off_t>(length));
    power = ::crc32_combine(power, power, static_cast<z_off_t>(length));
  }
  return static_cast<std::uint32_t>(crc);
}

// A ZIP of 5 GiB of zeros and a small file behind them, as a sparse file of a few KiB.
void write_sparse_zip(const std::filesystem::path& path) {
  ZipEntry large{"large.bin", false, Method::stored, crc_of_zeros(5 * kGiB), 5 * kGiB, 5 * kGiB};
  large.local_size = local_header_size(large) + large.size;
  ZipEntry small{"small.txt", true, Method::stored, crc32_of("hello"), 5, 5, large.local_size};
  small.local_size = local_header_size(small) + small.size;
  const Directory directory{2, large.local_size + small.local_size,
                            (central_header(large) + central_header(small)).size()};

  const base::UniqueFd fd = create(path);
  write_at({fd.get(), 0, path}, local_header(large));
  write_at({fd.get(), small.local_offset, path}, local_header(small) + "hello" +
                                                     central_header(large) + central_header(small) +
                                                     end_records(directory, "sparse"));
}

}  // namespace
}  // namespace zip64

BOOST_FIXTURE_TEST_SUITE(zip64, Fixture)

BOOST_AUTO_TEST_CASE(the_crc_of_zeros_is_right) {
  BOOST_TEST(crc_of_zeros(1'000'003) == crc32_of(std::string(1'000'003, '\0')));
}

BOOST_AUTO_TEST_CASE(entries_beyond_4_gib_are_found_and_read) {
  write_sparse_zip(zip);
  const ZipReader reader(zip);
  BOOST_TEST_REQUIRE(reader.entries().size() == 2U);
  BOOST_TEST(reader.entries()[0].size == 5 * kGiB);
  BOOST_TEST(reader.entries()[1].local_offset > 5 * kGiB);
  BOOST_TEST(reader.read(reader.entries()[1]) == "hello");
  BOOST_TEST(reader.read_start(reader.entries()[0], 3) == std::string(3, '\0'));
  BOOST_TEST(reader.comment() == "sparse");
}

BOOST_AUTO_TEST_CASE(other_readers_understand_the_zip64_records) {
  write_sparse_zip(zip);
  BOOST_TEST(run({"/usr/bin/unzip", "-p", zip.string(), "small.txt"}) == "hello");
  const std::string listing = run({"/usr/bin/7z", "l", "-slt", zip.string()});
  BOOST_TEST(contains(listing, "Size = 5368709120\n"), listing);
  BOOST_TEST(!contains(listing, "Warning"), listing);
  BOOST_TEST(!contains(listing, "Error"), listing);
  BOOST_TEST(run({"/usr/bin/bsdtar", "-xOf", zip.string(), "small.txt"}) == "hello");
  BOOST_TEST(contains(run({"/usr/bin/bsdtar", "-tvf", zip.string()}), " 5368709120 "));
  run({"/usr/bin/python3", "-c",
       "import sys, zipfile\n"
       "z = zipfile.ZipFile(sys.argv[1])\n"
       "assert z.read('small.txt') == b'hello'\n"
       "assert z.getinfo('large.bin').file_size == 5 << 30\n"
       "assert z.open('large.bin').read(9) == bytes(9)\n",
       zip.string()});
}

BOOST_AUTO_TEST_CASE(entries_copied_from_beyond_4_gib_need_no_zip64_any_more) {
  const auto source = folder.path() / "source.zip";
  write_sparse_zip(source);
  const ZipReader from(source);
  const base::UniqueFd fd = create(zip);
  ZipWriter writer(fd.get(), zip);
  writer.copy(from, {&from.entries()[1]});
  writer.finish();
  BOOST_TEST(std::filesystem::file_size(zip) < 200U);
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_CASE(the_end_record_is_wide_from_65535_entries_on_and_not_before) {
  BOOST_TEST(end_records({65'534, 0, 0}, "").size() == 22U);
  BOOST_TEST(end_records({65'535, 0, 0}, "").size() == 22U + 56U + 20U);
  BOOST_TEST(end_records({1, 0xFFFF'FFFE, 0}, "").size() == 22U);
  BOOST_TEST(end_records({1, 0xFFFF'FFFF, 0}, "").size() == 22U + 56U + 20U);
}

BOOST_AUTO_TEST_CASE(headers_are_wide_only_where_a_number_needs_it) {
  ZipEntry entry{"a", false, Method::deflated, 0, 0xFFFF'FFFE, 0xFFFF'FFFE, 0xFFFF'FFFE};
  BOOST_TEST(local_header(entry).size() == 31U);
  BOOST_TEST(central_header(entry).size() == 47U);
  entry.local_offset = 0xFFFF'FFFF;
  BOOST_TEST(local_header(entry).size() == 31U);
  BOOST_TEST(central_header(entry).size() == 47U + 12U);
  entry.size = 0xFFFF'FFFF;
  BOOST_TEST(local_header(entry).size() == 31U + 20U);
  BOOST_TEST(central_header(entry).size() == 47U + 28U);
}

BOOST_AUTO_TEST_CASE(every_combination_of_large_numbers_is_parsed_as_it_was_written) {
  for (const std::uint64_t size : {kGiB, kMark - 1, kMark, 6 * kGiB}) {
    for (const std::uint64_t compressed : {kGiB, kMark, 5 * kGiB}) {
      for (const std::uint64_t offset : {kGiB, kMark, 9 * kGiB}) {
        const ZipEntry entry{"p/q", true, Method::deflated, 0x1234'5678, compressed, size, offset};
        const std::string bytes = central_header(entry);
        FieldReader fields(bytes, "test");
        const ZipEntry parsed = parse_central_header(fields);
        BOOST_TEST(fields.rest().empty());
        BOOST_TEST(parsed.size == size);
        BOOST_TEST(parsed.compressed_size == compressed);
        BOOST_TEST(parsed.local_offset == offset);
        BOOST_TEST(parsed.local_size == local_header(entry).size() + compressed);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(seventy_thousand_entries_are_written_and_read) {
  {
    const base::UniqueFd fd = create(zip);
    ZipWriter writer(fd.get(), zip);
    for (int i = 0; i < 70'000; ++i) {
      writer.add("f/" + std::to_string(i), std::to_string(i), i % 2 == 1, Method::stored);
    }
    writer.finish("many");
  }
  const ZipReader reader(zip);
  BOOST_TEST_REQUIRE(reader.entries().size() == 70'000U);
  BOOST_TEST(reader.read(reader.entries()[69'999]) == "69999");
  check_with_other_readers(zip);
}

// Reads 5 GiB four times; a test of its own, independent_large_zips.
BOOST_AUTO_TEST_CASE(other_readers_read_beyond_4_gib, *boost::unit_test::disabled()) {
  write_sparse_zip(zip);
  check_with_other_readers(zip);
}

// Deflates more than 4 GiB, which takes half a minute; as above.
BOOST_AUTO_TEST_CASE(an_entry_that_turns_out_to_exceed_4_gib_gets_its_zip64_field,
                     *boost::unit_test::disabled()) {
  {
    const base::UniqueFd fd = create(zip);
    ZipWriter writer(fd.get(), zip);
    writer.add("first", "1", false, Method::stored);
    writer.begin_deflated("zeros", false, 1);
    const std::string piece(16U << 20, '\0');
    for (int i = 0; i < 257; ++i) writer.write(piece);
    writer.end();
    writer.add("last", compressible(1'000), false, Method::deflated);
    writer.finish();
  }
  ZipReader(zip).verify();
  check_with_other_readers(zip);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive

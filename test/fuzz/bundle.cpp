// Bundles, which hosts without a connection import: those that were written, with bytes that were
// changed, and any bytes.
#include "app/cli/bundle_file.hpp"

#include <fcntl.h>

#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "app/cli/command.hpp"
#include "test/fuzz/memory_file.hpp"
#include "test/fuzz/target.hpp"

namespace {

using namespace goldsmith;
using fuzz::require;

constexpr std::uint64_t kLargest = 1U << 16;

const std::filesystem::path& folder() {
  static const base::TempDir folder("/dev/shm");
  return folder.path();
}

// A bundle of the lines of `text`, each of them an item.
std::string bundle_of(std::string_view text) {
  const base::UniqueFd file = fuzz::memory_file();
  cli::BundleWriter writer(file.get(), "memory");
  cli::BundleList list;
  while (!text.empty() && list.items.size() < 64) {
    const std::string line(fuzz::take_until(text, '\n'));
    list.items.push_back({"plugin", std::to_string(list.items.size()), writer.add(line)});
  }
  writer.finish(list);
  return fuzz::content_of(file);
}

// Whether it was read to its end.
bool reads(std::string_view bytes) {
  const std::filesystem::path path = folder() / "bundle";
  base::write_all(base::open_file(path, O_CREAT | O_TRUNC | O_WRONLY).get(), bytes, path);
  try {
    cli::BundleReader reader(path, folder(), [](std::uint64_t, std::uint64_t) {});
    reader.open();
    require(reader.sha256() == base::sha256_hex(bytes), "the digest is that of all bytes");
    for (const cli::BundleItem& item : reader.list().items) {
      if (reader.size_of(item.record) > kLargest) return false;
      const std::string content = reader.read(item.record, kLargest);
      require(base::sha256_hex(content) == item.record, "a member is what its name says");
    }
    return true;
  } catch (const cli::Failure&) {
    return false;
  }
}

}  // namespace

FUZZ_TARGET(bundle, "app/cli/bundle_file.cpp") {
  const unsigned kind = fuzz::take_byte(input);
  if (kind == 'r') {
    reads(input);
    return;
  }
  const unsigned value = fuzz::take_byte(input);
  std::size_t at = fuzz::take_byte(input) << 8U;
  at += fuzz::take_byte(input);
  std::string bundle = bundle_of(input);
  require(reads(bundle), "what is written is read");
  bundle[at % bundle.size()] = static_cast<char>(value);
  reads(bundle);
  bundle.resize(at % bundle.size());
  require(!reads(bundle), "nothing that is cut off is read");
}

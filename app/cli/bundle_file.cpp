#include "app/cli/bundle_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "app/archive/io.hpp"
#include "app/base/digest.hpp"
#include "app/base/held_folder.hpp"
#include "app/base/text.hpp"
#include "app/cli/command.hpp"
#include "app/mirror/signature.hpp"
#include "app/mirror/web.hpp"

namespace goldsmith::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kList = "bundle.json";
constexpr std::size_t kBlock = 512;
constexpr std::size_t kPiece = 1U << 20;
constexpr std::uint64_t kMostSignature = 1U << 20;

// The fields of a header of POSIX's ustar, by their places.
struct Field {
  std::size_t at;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUser{108, 8};
constexpr Field kGroup{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kSum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 8};

using Header = std::array<char, kBlock>;

void put(Header& header, Field field, std::string_view text) {
  std::ranges::copy(text.substr(0, field.size),
                    header.begin() + static_cast<std::ptrdiff_t>(field.at));
}

void put_number(Header& header, Field field, std::uint64_t number) {
  put(header, field, fmt::format("{:0{}o}", number, field.size - 1));
}

Header header_of(std::string_view name, std::uint64_t size) {
  using namespace std::string_view_literals;
  Header header{};
  put(header, kName, name);
  put_number(header, kMode, 0644);
  put_number(header, kUser, 0);
  put_number(header, kGroup, 0);
  put_number(header, kSize, size);
  put_number(header, kTime, 0);
  put(header, kSum, "        ");
  put(header, kType, "0");
  put(header, kMagic, "ustar\00000"sv);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(header, kSum, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return header;
}

std::uint64_t padded(std::uint64_t size) { return (size + kBlock - 1) / kBlock * kBlock; }

// Of a header that header_of() made: any other is not equal to what it makes of that.
std::optional<std::uint64_t> size_in(std::string_view header) {
  std::uint64_t size = 0;
  for (const char c : header.substr(kSize.at, kSize.size - 1)) {
    if (c < '0' || c > '7') return std::nullopt;
    size = size * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return size;
}

std::string name_in(std::string_view header) {
  const std::string_view name = header.substr(kName.at, kName.size);
  return std::string(name.substr(0, name.find('\0')));
}

base::UniqueFd open_input(const std::string& file) {
  if (file != "-") return base::open_named(file, O_RDONLY | O_NOCTTY);
  base::UniqueFd input(::dup(STDIN_FILENO));
  if (!input) throw base::FileError("standard input", "can't be read", errno);
  return input;
}

}  // namespace

void BundleWriter::write(std::string_view bytes) {
  base::write_all(fd_, bytes, path_);
  digest_.update(bytes);
  bytes_ += bytes.size();
}

void BundleWriter::begin(std::string_view name, std::uint64_t size) {
  if (size > kMostBundleMember) {
    throw Failure(fmt::format("{} has {}, and a file in a bundle may have 8 GiB", name,
                              base::readable_size(size)));
  }
  const Header header = header_of(name, size);
  write({header.data(), header.size()});
}

void BundleWriter::pad() { write(std::string(padded(bytes_) - bytes_, '\0')); }

bool BundleWriter::is_new(const std::string& sha256) {
  if (!written_.insert(sha256).second) return false;
  if (written_.size() < kMostBundleMembers) return true;
  throw Failure(fmt::format("a bundle may have {} files", kMostBundleMembers));
}

std::string BundleWriter::add(std::string_view content) {
  std::string sha256 = base::sha256_hex(content);
  if (!is_new(sha256)) return sha256;
  begin(sha256, content.size());
  write(content);
  pad();
  return sha256;
}

void BundleWriter::add_file(const base::UniqueFd& file, const fs::path& name,
                            const std::string& sha256) {
  if (!is_new(sha256)) return;
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  if (size < 0) throw base::FileError(name, "can't be read", errno);
  begin(sha256, static_cast<std::uint64_t>(size));
  base::Sha256 digest;
  std::string piece(kPiece, '\0');
  for (std::uint64_t done = 0; done < static_cast<std::uint64_t>(size);) {
    const std::size_t got = archive::read_at({file.get(), done, name}, piece);
    const std::string_view bytes = std::string_view(piece).substr(0, got);
    if (bytes.empty()) break;
    digest.update(bytes);
    write(bytes);
    done += got;
  }
  if (digest.finish_hex() != sha256) {
    throw Failure(name.string() + ": it is damaged, or was changed while it was read");
  }
  pad();
}

std::string BundleWriter::finish(const BundleList& list) {
  const std::string text = json::to_string(domain::told(list)) + '\n';
  if (text.size() > kMostBundleList || list.items.size() > kMostBundleItems) {
    throw Failure(fmt::format("a bundle may have {} items, and {} of their names", kMostBundleItems,
                              base::readable_size(kMostBundleList)));
  }
  begin(kList, text.size());
  write(text);
  pad();
  write(std::string(2 * kBlock, '\0'));
  return digest_.finish_hex();
}

BundleReader::BundleReader(const std::string& file, const fs::path& spool,
                           const BundleProgress& progress)
    : path_(file == "-" ? "standard input" : file), fd_(base::unnamed_file(spool)) {
  const base::UniqueFd input = open_input(file);
  const std::uint64_t room = base::available_bytes(spool);
  const off_t size = file == "-" ? 0 : ::lseek(input.get(), 0, SEEK_END);
  if (size > 0 && ::lseek(input.get(), 0, SEEK_SET) != 0) {
    throw base::FileError(path_, "can't be read", errno);
  }
  const std::uint64_t total = size > 0 ? static_cast<std::uint64_t>(size) : 0;
  const auto check_room = [&](std::uint64_t bytes) {
    if (bytes + kSparedOfDisk <= room) return;
    throw Failure(fmt::format(
        "{}: {} has no room for it, and {} for others: TMPDIR=FOLDER names a disk with more",
        path_.string(), spool.string(), base::readable_size(kSparedOfDisk)));
  };
  check_room(total);
  base::Sha256 digest;
  std::string piece(size > 0 ? std::min<std::uint64_t>(kPiece, total) : kPiece, '\0');
  for (;;) {
    const ssize_t got = ::read(input.get(), piece.data(), piece.size());
    if (got < 0 && errno != EINTR) throw base::FileError(path_, "can't be read", errno);
    progress(bytes_, total);  // throws after a signal
    if (got < 0) continue;
    if (got == 0) break;
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    check_room(bytes_ + bytes.size());
    digest.update(bytes);
    base::write_all(fd_.get(), bytes, spool);
    bytes_ += bytes.size();
  }
  sha256_ = digest.finish_hex();
}

void BundleReader::fail(const std::string& problem) const {
  throw Failure(path_.string() + ": " + problem);
}

void BundleReader::check_signature(const fs::path& signature, const std::string& key,
                                   const fs::path& keys) const {
  const base::TempDir folder;
  const fs::path copy = folder.path() / "signature";
  base::write_atomically(copy, base::read_named(signature, kMostSignature));
  const fs::path file = "/proc/self/fd/" + std::to_string(fd_.get());
  try {
    mirror::check_signature(file, copy, key, keys);
  } catch (const mirror::FetchError& error) {
    const std::string_view text = error.what();
    const std::string start = file.filename().string() + ": ";
    fail(std::string(text.starts_with(start) ? text.substr(start.size()) : text));
  }
}

void BundleReader::open() {
  std::uint64_t at = 0;
  std::optional<Member> last;
  Header block{};
  const auto next_block = [&] {
    std::string text(kBlock, '\0');
    if (archive::read_at({fd_.get(), at, path_}, text) != kBlock) {
      fail("it is no bundle of goldsmith, or is damaged: it ends too early");
    }
    at += kBlock;
    return text;
  };
  const std::string end(kBlock, '\0');
  for (std::string text = next_block(); text != end; text = next_block()) {
    if (last) fail("it is no bundle of goldsmith, or is damaged: it has more than its list says");
    const std::string name = name_in(text);
    const std::optional<std::uint64_t> size = size_in(text);
    const bool is_list = name == kList;
    if (!size || (!is_list && !base::is_sha256_hex(name))) {
      fail("it is no bundle of goldsmith, or is damaged");
    }
    block = header_of(name, *size);
    if (text != std::string_view(block.data(), block.size())) {
      fail("it is no bundle of goldsmith, or is damaged");
    }
    if (padded(*size) > bytes_ - at) fail("it is damaged: it ends too early");
    const Member member{at, *size};
    at += padded(*size);
    if (is_list) {
      last = member;
    } else if (!members_.emplace(name, member).second) {
      fail("it is no bundle of goldsmith: " + name + " is in it twice");
    }
    if (members_.size() > kMostBundleMembers) {
      fail(fmt::format("it has more than {} files", kMostBundleMembers));
    }
  }
  if (next_block() != end || at != bytes_) fail("it is damaged: it does not end where it should");
  if (!last) fail("it is no bundle of goldsmith");
  read_list(*last);
}

void BundleReader::read_list(const Member& member) {
  if (member.size > kMostBundleList) fail("its list is too long");
  std::string text;
  each_piece(member, [&](std::string_view bytes) { text += bytes; });
  list_.format = 0;
  try {
    domain::read_json(json::parse(text), list_);
  } catch (const json::ParseError& error) {
    fail("bundle.json: " + std::string(error.what()));
  }
  if (list_.format != BundleList::kFormat) {
    fail(fmt::format(
        "its format is {}, and this version of goldsmith reads {}; a newer one may read it",
        list_.format, BundleList::kFormat));
  }
  if (list_.items.size() > kMostBundleItems) {
    fail(fmt::format("it has more than {} items", kMostBundleItems));
  }
  std::set<std::pair<std::string, std::string>> names;
  for (const BundleItem& item : list_.items) {
    if (names.emplace(item.kind, item.name).second) continue;
    fail("bundle.json: " + item.kind + " " + item.name + " is in it twice");
  }
}

const BundleReader::Member& BundleReader::find(const std::string& sha256) const {
  const auto found = members_.find(sha256);
  if (found == members_.end()) fail("it is damaged: " + sha256 + " is not in it");
  return found->second;
}

void BundleReader::each_piece(const Member& member,
                              const std::function<void(std::string_view)>& take) const {
  std::string piece;
  for (std::uint64_t done = 0; done < member.size;) {
    piece.resize(std::min<std::uint64_t>(kPiece, member.size - done));
    if (archive::read_at({fd_.get(), member.offset + done, path_}, piece) != piece.size()) {
      fail("it is damaged: it ends too early");
    }
    take(piece);
    done += piece.size();
  }
}

std::uint64_t BundleReader::size_of(const std::string& sha256) const { return find(sha256).size; }

std::string BundleReader::read(const std::string& sha256, std::uint64_t limit) const {
  const Member& member = find(sha256);
  if (member.size > limit) {
    fail(fmt::format("{} has {}, and may have {}", sha256, base::readable_size(member.size),
                     base::readable_size(limit)));
  }
  std::string content;
  each_piece(member, [&](std::string_view bytes) { content += bytes; });
  if (base::sha256_hex(content) != sha256) fail("it is damaged: " + sha256 + " is not what it was");
  return content;
}

void BundleReader::copy(const std::string& sha256, const base::UniqueFd& target,
                        const fs::path& path) const {
  base::Sha256 digest;
  each_piece(find(sha256), [&](std::string_view bytes) {
    digest.update(bytes);
    base::write_all(target.get(), bytes, path);
  });
  if (digest.finish_hex() != sha256) fail("it is damaged: " + sha256 + " is not what it was");
}

}  // namespace goldsmith::cli

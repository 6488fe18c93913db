// A shared object of 32-bit x86: what a server loads.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace goldsmith::pawn {

// A pointer of the file: where it is, and where it points to when it is loaded.
struct Pointer {
  std::uint32_t place = 0;
  std::uint32_t target = 0;

  friend auto operator<=>(const Pointer&, const Pointer&) = default;
};

// A file of which nothing is trusted; addresses are those of a file that is loaded at 0. One that
// is no such object has no pointers, no code and no bytes. Valid as long as the bytes of the file.
class SharedObject {
 public:
  explicit SharedObject(std::string_view file);

  // By place.
  std::vector<Pointer> pointers() const;

  bool is_code(std::uint32_t address) const;

  std::optional<std::uint32_t> word_at(std::uint64_t address) const {
    return loaded<std::uint32_t>(address);
  }

  // From the address to the end of what the file has of its segment; "" if it has nothing of it.
  std::string_view bytes_at(std::uint32_t address) const;

  // What is loaded, by the order in the file.
  struct Segment {
    std::uint32_t address = 0;
    std::string_view bytes;
  };
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  static constexpr std::size_t kMostHeaders = 1024;

  template <typename T>
  static std::optional<T> copy(std::string_view bytes) {
    T value;
    if (bytes.size() < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  template <typename T>
  std::optional<T> at(std::uint64_t offset) const {
    return offset < file_.size() ? copy<T>(file_.substr(offset)) : std::nullopt;
  }
  template <typename T>
  std::optional<T> loaded(std::uint64_t address) const {
    return address <= UINT32_MAX ? copy<T>(bytes_at(static_cast<std::uint32_t>(address)))
                                 : std::nullopt;
  }
  template <typename T>
  std::vector<T> table(std::uint64_t offset, std::size_t count, std::size_t size) const {
    std::vector<T> all;
    if (size != sizeof(T)) return all;
    for (std::size_t i = 0; i < std::min(count, kMostHeaders); ++i) {
      const auto entry = at<T>(offset + i * sizeof(T));
      if (!entry) break;
      all.push_back(*entry);
    }
    return all;
  }

  // 0 if it is not stated.
  std::uint32_t dynamic(std::int32_t tag) const;
  std::optional<std::uint32_t> target_of(const Elf32_Rel& relocation, std::uint32_t symbols) const;

  std::string_view file_;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> dynamic_;  // where tables of what the loader needs are
  std::vector<Elf32_Shdr> sections_;
};

}  // namespace goldsmith::pawn

// Files as the compilers make them, byte by byte.
#pragma once

#include <zlib.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace {

inline void put(std::string& bytes, std::size_t offset, std::uint32_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes.at(offset + i) = static_cast<char>((value >> (8 * i)) & 0xFF);
  }
}

inline std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  BOOST_REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                         reinterpret_cast<const Bytef*>(bytes.data()),
                         static_cast<uLong>(bytes.size())) == Z_OK);
  packed.resize(size);
  return packed;
}

inline std::string amxx_of(const std::string& image) {
  const std::string packed = deflated(image);
  std::string header(24, '\0');
  put(header, 0, 0x414D5858, 4);
  put(header, 4, 0x0300, 2);
  put(header, 6, 1, 1);
  put(header, 7, 4, 1);
  put(header, 8, static_cast<std::uint32_t>(packed.size()), 4);
  put(header, 12, static_cast<std::uint32_t>(image.size()), 4);
  put(header, 16, static_cast<std::uint32_t>(image.size() + 16384), 4);
  put(header, 20, 24, 4);
  return header + packed;
}

inline constexpr std::size_t kHeader = 56;

// The image of a plugin with these tables, laid out as the compilers do.
struct CompiledPlugin {
  std::vector<std::string> natives = {};
  std::vector<std::string> libraries = {};
  std::vector<std::string> tags = {};
  std::vector<std::uint32_t> code = {};
  std::string literal = {};  // the data

  std::string image() const {
    std::string image(kHeader + 8 * (natives.size() + libraries.size() + tags.size()), '\0');
    put(image, 4, 0xF1E0, 2);
    put(image, 6, 8, 1);
    put(image, 7, 8, 1);
    put(image, 10, 8, 2);
    field(image, 32, kHeader);  // publics: none
    std::size_t entry = kHeader;
    const std::size_t name_table = image.size();
    image += std::string("\x3f\0", 2);  // the longest name
    fill(image, 36, natives, entry);
    fill(image, 40, libraries, entry);
    field(image, 44, entry);  // public variables: none
    fill(image, 48, tags, entry);
    field(image, 52, name_table);
    while (image.size() % 4 != 0) image += '\0';
    field(image, 12, image.size());
    for (const std::uint32_t cell : code) append(image, cell);
    field(image, 16, image.size());
    for (const char c : literal) append(image, static_cast<unsigned char>(c));
    append(image, 0);
    field(image, 20, image.size());
    field(image, 24, image.size() + 16384);
    field(image, 0, image.size());
    return image;
  }

 private:
  static void field(std::string& image, std::size_t at, std::size_t value) {
    put(image, at, static_cast<std::uint32_t>(value), 4);
  }
  static void append(std::string& image, std::uint32_t cell) {
    image.append(4, '\0');
    put(image, image.size() - 4, cell, 4);
  }
  static void fill(std::string& image, std::size_t at, const std::vector<std::string>& names,
                   std::size_t& entry) {
    field(image, at, entry);
    for (const std::string& name : names) {
      field(image, entry + 4, image.size());
      image += name + '\0';
      entry += 8;
    }
  }
};

}  // namespace

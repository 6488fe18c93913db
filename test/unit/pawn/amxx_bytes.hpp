// Files as the compilers make them, byte by byte.
#pragma once

#include <zlib.h>

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

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

}  // namespace

// A release, rules and a target, for the tests of normalise().
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/mirror/archive_mirroring.hpp"
#include "test/unit/mirror/support.hpp"

namespace goldsmith::mirror::test {

inline const std::vector<Format> kAllFormats = {Format::zip,      Format::tar,     Format::tar_gz,
                                                Format::tar_xz,   Format::tar_bz2, Format::tar_zst,
                                                Format::seven_zip};

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct MirrorFixture {
  MirrorFixture() { std::filesystem::create_directory(depot); }

  Normalised normalise_all() { return normalise({upstream}, rules, limits, target); }

  // Why the release is refused; the message always names the file. Fails the test if it is not.
  std::string refusal() {
    try {
      normalise_all();
    } catch (const RefusedArchive& refused) {
      const std::string message = refused.what();
      BOOST_TEST(message.starts_with(upstream.string() + ": "), message);
      std::filesystem::remove(target);
      BOOST_TEST(left_beside_target() == "");
      return message.substr(upstream.string().size() + 2);
    }
    return "not refused";
  }

  // refusal() of a release of `items` and a harmless file.
  std::string refusal_of(Format format, std::vector<Item> items) {
    items.insert(items.begin(), {"harmless", "x"});
    pack(upstream, format, items);
    return refusal();
  }

  std::string refusal_of_raw(const std::vector<RawItem>& items) {
    base::write_atomically(upstream, raw_zip(items));
    return refusal();
  }

  std::string refusal_of_rar(const Rar& kind, const std::vector<RarItem>& items) {
    base::write_atomically(upstream, raw_rar(kind, items));
    return refusal();
  }

  std::vector<std::string> paths() const {
    std::vector<std::string> found;
    const archive::ZipReader reader(target);
    for (const archive::ZipEntry& entry : reader.entries()) {
      found.push_back(entry.path);
    }
    return found;
  }

  std::string executables() const {
    std::string found;
    const archive::ZipReader reader(target);
    for (const archive::ZipEntry& entry : reader.entries()) {
      if (entry.executable) found += entry.path + ' ';
    }
    return found;
  }

  std::string content_of(std::string_view path) const {
    const archive::ZipReader reader(target);
    for (const archive::ZipEntry& entry : reader.entries()) {
      if (entry.path == path) return reader.read(entry);
    }
    return "no such entry";
  }

  std::string left_beside_target() const {
    std::string names;
    for (const auto& entry : std::filesystem::directory_iterator(depot)) {
      names += entry.path().filename().string() + ' ';
    }
    return names;
  }

  base::TempDir folder;
  std::filesystem::path upstream = folder.path() / "release.archive";
  std::filesystem::path depot = folder.path() / "depot";
  std::filesystem::path target = depot / "target.zip";
  domain::InstallRules rules;
  base::MirrorConfig limits;
};

}  // namespace goldsmith::mirror::test

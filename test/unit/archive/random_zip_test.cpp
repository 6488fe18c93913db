// Random ZIPs, unpacked by programs that are not ours: every name, byte and mode comes out as it
// went in.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

#include "app/base/text.hpp"
#include "test/support/seed.hpp"
#include "test/unit/archive/support.hpp"

namespace goldsmith::archive {
namespace random_zips {
namespace {

using namespace test;

// By path.
struct Unpacked {
  std::string content;
  bool executable = false;
  friend bool operator==(const Unpacked&, const Unpacked&) = default;
};
using Tree = std::map<std::string, Unpacked>;

constexpr std::string_view kUnpackByPython =
    "import sys, zipfile, os\n"
    "z = zipfile.ZipFile(sys.argv[1])\n"
    "for i in z.infolist():\n"
    "    os.chmod(z.extract(i, sys.argv[2]), i.external_attr >> 16 & 0o777)\n";

class RandomZips {
 public:
  explicit RandomZips(std::mt19937 generator) : generator_(generator) {}

  Tree tree() {
    Tree tree;
    for (std::size_t i = 1 + below(25); i > 0; --i) {
      tree["d" + std::to_string(below(3)) + "/" + name() + std::to_string(i)] = {content(),
                                                                                 below(4) == 0};
    }
    return tree;
  }

  // Some added, some streamed, the rest copied from another ZIP.
  void write(const std::filesystem::path& path, const Tree& tree) {
    std::vector<MemoryFile> copied;
    const base::UniqueFd fd = create(path);
    ZipWriter writer(fd.get(), path);
    for (const auto& [name, file] : tree) {
      const auto way = below(4);
      if (way == 0) {
        copied.push_back({name, file.content, file.executable});
      } else if (way == 1) {
        writer.begin_deflated(name, file.executable, static_cast<int>(below(10)));
        const std::size_t half = file.content.size() / 2;
        writer.write(std::string_view(file.content).substr(0, half));
        writer.write(std::string_view(file.content).substr(half));
        writer.end();
      } else {
        writer.add(name, file.content, file.executable,
                   way == 2 ? Method::stored : Method::deflated);
      }
    }
    const std::filesystem::path other = path.string() + ".other";
    write_zip(other, copied);
    const ZipReader reader(other);
    std::vector<const ZipEntry*> entries;
    for (const ZipEntry& entry : reader.entries()) entries.push_back(&entry);
    std::shuffle(entries.begin(), entries.end(), generator_);
    writer.copy(reader, entries);
    writer.finish(name());
  }

 private:
  std::size_t below(std::size_t bound) { return generator_() % bound; }

  // Without what unzip takes for a version of VMS, digits behind a `;`, and accents apart from
  // their letters, which bsdtar composes.
  std::string name() {
    static const auto parts = base::split(
        "a|B|file| |.|-|_|é|ü|привет|שלום|日本|😀|'|\"|$x|*|?|[a]|#|;a|&|%41|~|,|=|(1)", '|');
    std::string name;
    for (std::size_t i = below(6); i > 0; --i) name += parts[below(parts.size())];
    return below(20) == 0 ? name + std::string(150, 'x') : name;
  }

  std::string content() {
    const std::size_t size = below(8) == 0 ? below(400'000) : below(3'000);
    const auto seed = static_cast<unsigned>(generator_());
    return below(2) == 0 ? compressible(size, seed) : incompressible(size, seed);
  }

  std::mt19937 generator_;
};

Tree read_tree(const std::filesystem::path& folder) {
  Tree tree;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (!each.is_regular_file()) continue;
    const bool executable = (each.status().permissions() & std::filesystem::perms::owner_exec) !=
                            std::filesystem::perms::none;
    tree[each.path().lexically_relative(folder).string()] = {base::read_file(each.path()),
                                                             executable};
  }
  return tree;
}

std::vector<std::vector<std::string>> unpackers(const std::string& zip, const std::string& into) {
  return {{"/usr/bin/unzip", "-qq", zip, "-d", into},
          {"/usr/bin/7z", "x", "-y", "-o" + into, zip},
          {"/usr/bin/bsdtar", "-xpf", zip, "-C", into},
          {"/usr/bin/python3", "-c", std::string(kUnpackByPython), zip, into}};
}

}  // namespace
}  // namespace random_zips

BOOST_AUTO_TEST_SUITE(random_zips)

// A test of its own, independent_zips.
BOOST_AUTO_TEST_CASE(other_programs_unpack_what_was_packed, *boost::unit_test::disabled()) {
  RandomZips random(goldsmith::test::seeded_generator());
  const int archives = goldsmith::test::rounds(10);
  for (int i = 0; i < archives; ++i) {
    const base::TempDir folder;
    const std::filesystem::path zip = folder.path() / "random.zip";
    const Tree tree = random.tree();
    random.write(zip, tree);
    ZipReader(zip).verify();
    const std::filesystem::path into = folder.path() / "unpacked";
    for (auto& command : unpackers(zip.string(), into.string())) {
      std::filesystem::create_directory(into);
      const std::string program = command.front();
      run(std::move(command));
      BOOST_TEST_REQUIRE((read_tree(into) == tree), program);
      std::filesystem::remove_all(into);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace goldsmith::archive

#include "test/bench/releases.hpp"

#include <fcntl.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/archive/zip.hpp"
#include "app/base/file.hpp"
#include "app/mirror/archive_mirroring.hpp"

namespace goldsmith::bench {
namespace {

// xorshift64*: fast, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2'654'435'761U + 1) {}

  std::uint64_t next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return state_ * 0x2545'F491'4F6C'DD1DU;
  }
  std::uint64_t below(std::uint64_t bound) { return (next() >> 16U) % bound; }

 private:
  std::uint64_t state_;
};

constexpr std::array<std::string_view, 16> kWords = {
    "sv_", "mp_", "amx_", "timelimit", "\"0\"", "// ",    "maxrate", "\n",
    "bot", "set", "1.0",  "player",    " ",     "return", "{",       "}\n"};

// Deflates to a quarter or so, as sources and configuration do.
std::string text(Random& random, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    bytes.append(kWords[random.below(kWords.size())]).append(1, ' ');
    if (random.below(6) == 0) bytes += std::to_string(random.below(100'000));
  }
  bytes.resize(size);
  return bytes;
}

// Hardly deflates, as sounds do.
std::string sound(Random& random, std::size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    const std::uint64_t word = random.next();
    for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>(word >> (8 * i));
  }
  bytes.resize(size);
  return bytes;
}

// Deflates to 60 % or so, as machine code and maps do: snippets of which some are far more frequent
// than others, and numbers between them.
std::string binary(Random& random, std::size_t size) {
  static const std::vector<std::string> snippets = [] {
    Random source(1);
    std::vector<std::string> made(4'096);
    for (std::string& snippet : made) snippet = sound(source, 2 + source.below(10));
    return made;
  }();
  std::string bytes;
  while (bytes.size() < size) {
    bytes += snippets[random.below(random.below(snippets.size()) + 1)];
    if (random.below(2) == 0) bytes += sound(random, 1 + random.below(4));
  }
  bytes.resize(size);
  return bytes;
}

struct Kind {
  std::string_view component;
  std::string_view path;  // a number and the extension follow
  std::string_view extension;
  std::string (*make)(Random&, std::size_t);
  std::size_t smallest;
  std::size_t largest;
  unsigned percent;   // of the finished archive
  unsigned deflated;  // to how many percent of its size
};

constexpr std::array<Kind, 5> kKinds = {{
    {"platform", "cstrike/addons/amxmodx/scripting/source_", ".sma", text, 300, 60'000, 6, 29},
    {"modules", "cstrike/addons/amxmodx/modules/module_", ".so", binary, 40'000, 1'500'000, 14, 63},
    {"maps", "cstrike/maps/map_", ".bsp", binary, 800'000, 6'000'000, 35, 63},
    {"sounds", "cstrike/sound/misc/sound_", ".wav", sound, 4'000, 400'000, 30, 100},
    {"music", "cstrike/media/track_", ".mp3", sound, 1'500'000, 8'000'000, 15, 100},
}};

// What the release holds for Windows is dropped when it is mirrored.
void write_release(const std::filesystem::path& release, const Kind& kind, std::uint64_t bytes) {
  const base::UniqueFd fd = base::open_file(release, O_RDWR | O_CREAT | O_TRUNC);
  archive::ZipWriter writer(fd.get(), release);
  Random random(kind.percent);
  int number = 0;
  for (std::uint64_t made = 0; made < bytes;) {
    const std::size_t size = kind.smallest + random.below(kind.largest - kind.smallest);
    const std::string path = std::string(kind.path).append(std::to_string(++number));
    writer.add(path + std::string(kind.extension), kind.make(random, size), false,
               archive::Method::stored);
    if (number % 50 == 0) writer.add(path + ".dll", "MZ", false, archive::Method::stored);
    made += size;
  }
  writer.finish();
}

}  // namespace

void fill_depot(const std::filesystem::path& depot, const std::filesystem::path& scratch,
                std::uint64_t bytes) {
  const std::filesystem::path release = scratch / "release.zip";
  for (const Kind& kind : kKinds) {
    write_release(release, kind, bytes / 100 * kind.percent * 100 / kind.deflated);
    mirror::normalise({release}, {}, {}, depot / std::string(kind.component).append(".zip"));
  }
  std::filesystem::remove(release);
}

}  // namespace goldsmith::bench

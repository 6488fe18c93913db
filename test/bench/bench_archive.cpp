// Building a server archive from the depot, beside cp of the same archive and zip of the same tree.
//
//   bench_archive measure FOLDER MEGABYTES ROUNDS ZIP_ROUNDS   the benchmark; FOLDER must be empty
//   bench_archive build DEPOT CACHE                            one cold build, as a worker does it

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <span>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/sys/digest.hpp"
#include "app/sys/file.hpp"
#include "test/bench/measure.hpp"
#include "test/bench/releases.hpp"

namespace goldsmith::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxTimesCp = 1.5;
constexpr double kMaxMemory = 64;  // MB
// Memory may grow with the number of files, which grows tenfold from the small to the large
// archive.
constexpr double kMaxGrowth = 8;  // MB

// All files of all components, and a few generated ones.
archive::Recipe recipe_of(const fs::path& depot) {
  archive::Recipe recipe;
  recipe.build_hash = sys::sha256_hex(depot.filename().string());
  for (const auto& item : fs::directory_iterator(depot)) {
    recipe.depot_files.push_back({item.path(), {}});
    const archive::ZipReader reader(item.path());
    for (const archive::ZipEntry& entry : reader.entries()) {
      recipe.depot_files.back().paths.push_back(entry.path);
    }
  }
  std::sort(recipe.depot_files.begin(), recipe.depot_files.end(),
            [](const auto& left, const auto& right) { return left.zip < right.zip; });
  recipe.inline_entries = {{"cstrike/liblist.gam", std::string(700, 'l')},
                           {"cstrike/addons/metamod/plugins.ini", std::string(300, 'p')}};
  return recipe;
}

void build(const fs::path& depot, const fs::path& cache) {
  archive::ArchiveCache(cache).ensure(recipe_of(depot), [] { return std::nullopt; });
}

void write(const fs::path& depot, const fs::path& file) {
  const sys::UniqueFd fd = sys::open_file(file, O_RDWR | O_CREAT | O_EXCL);
  archive::write_archive(recipe_of(depot), fd.get(), file);
}

void sync_copy(const fs::path& file) {
  sys::sync_file(sys::open_file(file, O_RDONLY).get(), file);
  sys::sync_directory(file.parent_path());
}

struct Archive {
  fs::path depot;
  fs::path file;  // a finished one, the model for cp
  double megabytes = 0;
  std::size_t files = 0;
};

class Benchmark {
 public:
  Benchmark(std::string program, fs::path folder) : program_(std::move(program)), folder_(folder) {}

  Archive prepare(const std::string& name, std::uint64_t megabytes);
  void compare_with_cp(const Archive& archive, int rounds);
  void compare_with_zip(const Archive& archive, int rounds);
  double build_memory(const Archive& archive);
  bool report(const Archive& archive, double small_memory, double large_memory);

 private:
  Run build_once(const Archive& archive);
  Run copy_once(const Archive& archive, bool synced);
  fs::path fresh(const std::string& name) const;

  std::string program_;
  fs::path folder_;
  Samples build_, copy_, copy_unsynced_, zip_;
};

// A path below the folder where nothing is. What was written before is gone or on disk.
fs::path Benchmark::fresh(const std::string& name) const {
  const fs::path path = folder_ / name;
  for (const std::string old : {"cache", "written.zip", "copy.zip", "zip.zip"}) {
    fs::remove_all(folder_ / old);
  }
  const sys::UniqueFd fd = sys::open_file(folder_, O_RDONLY | O_DIRECTORY);
  ::syncfs(fd.get());
  return path;
}

Archive Benchmark::prepare(const std::string& name, std::uint64_t megabytes) {
  std::cout << "==> Mirroring components for an archive of " << megabytes << " MB" << std::endl;
  Archive archive{folder_ / name, folder_ / (name + ".zip")};
  fs::create_directory(archive.depot);
  fill_depot(archive.depot, folder_, megabytes << 20U);
  write(archive.depot, archive.file);
  const archive::ZipReader reader(archive.file);
  reader.verify();  // also brings the file into the page cache
  archive.files = reader.entries().size();
  archive.megabytes = static_cast<double>(fs::file_size(archive.file)) / (1U << 20U);
  return archive;
}

Run Benchmark::build_once(const Archive& archive) {
  const fs::path cache = fresh("cache");
  fs::create_directory(cache);
  return timed({program_, "build", archive.depot, cache}, folder_);
}

Run Benchmark::copy_once(const Archive& archive, bool synced) {
  const fs::path copy = fresh("copy.zip");
  return timed({"/bin/cp", archive.file, copy}, folder_, [&] {
    if (synced) sync_copy(copy);
  });
}

// In turns, so that a disturbance hits both. A build is on the disk when it ends, so that cp counts
// with a sync. How long it takes without one is shown; those are rounds of their own, for each to
// follow the removal of a file like its own.
void Benchmark::compare_with_cp(const Archive& archive, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    std::cout << "==> Build and cp, round " << round << " of " << rounds << std::endl;
    build_.add(build_once(archive).milliseconds);
    copy_.add(copy_once(archive, true).milliseconds);
  }
  for (int round = 1; round <= rounds; ++round) {
    copy_unsynced_.add(copy_once(archive, false).milliseconds);
  }
}

void Benchmark::compare_with_zip(const Archive& archive, int rounds) {
  const fs::path tree = fresh("tree");
  timed({"/usr/bin/unzip", "-q", archive.file, "-d", tree}, folder_);
  for (int round = 1; round <= rounds; ++round) {
    std::cout << "==> zip -6, round " << round << " of " << rounds << std::endl;
    zip_.add(timed({"/usr/bin/zip", "-6", "-q", "-r", fresh("zip.zip"), "."}, tree).milliseconds);
  }
}

double Benchmark::build_memory(const Archive& archive) { return build_once(archive).peak_mb; }

void print_row(const char* name, const Samples& samples, const Samples& yardstick) {
  std::printf("%-22s %9.0f %9.0f %9.0f %9.2f\n", name, samples.median(), samples.smallest(),
              samples.largest(), samples.median() / yardstick.median());
}

bool judge(bool passed, const char* what, double value, double bound, const char* unit) {
  std::printf("%s  %s: %.2f%s (at most %g%s)\n", passed ? "PASS" : "FAIL", what, value, unit, bound,
              unit);
  return passed;
}

bool Benchmark::report(const Archive& archive, double small_memory, double large_memory) {
  std::printf("\nArchive of %.0f MB, %zu files\n\n", archive.megabytes, archive.files);
  std::printf("%-22s %9s %9s %9s %9s\n", "milliseconds", "median", "least", "most", "times cp");
  print_row("cold build", build_, copy_);
  print_row("cp and sync", copy_, copy_);
  print_row("cp", copy_unsynced_, copy_);
  print_row("zip -6", zip_, copy_);
  std::printf("\nPeak memory of a build: %.1f MB for the small archive, %.1f MB for the large\n\n",
              small_memory, large_memory);
  const double times_cp = build_.median() / copy_.median();
  const double growth = large_memory - small_memory;
  bool passed = judge(times_cp <= kMaxTimesCp, "cold build", times_cp, kMaxTimesCp, " x cp");
  passed &= judge(large_memory < kMaxMemory, "peak memory", large_memory, kMaxMemory, " MB");
  passed &= judge(growth <= kMaxGrowth, "growth of memory", growth, kMaxGrowth, " MB");
  return passed;
}

bool measure(const std::string& program, std::span<char*> arguments) {
  Benchmark benchmark(program, fs::absolute(arguments[0]));
  const std::uint64_t megabytes = std::stoull(arguments[1]);
  const Archive small = benchmark.prepare("small", std::max<std::uint64_t>(megabytes / 10, 1));
  const double small_memory = benchmark.build_memory(small);
  const Archive large = benchmark.prepare("large", megabytes);
  const double large_memory = benchmark.build_memory(large);
  benchmark.compare_with_cp(large, std::stoi(arguments[2]));
  benchmark.compare_with_zip(large, std::stoi(arguments[3]));
  return benchmark.report(large, small_memory, large_memory);
}

int run(std::span<char*> arguments) {
  const std::string verb = arguments.size() > 1 ? arguments[1] : "";
  if (verb == "build" && arguments.size() == 4) {
    build(arguments[2], arguments[3]);
  } else if (verb == "measure" && arguments.size() == 6) {
    return measure(fs::read_symlink("/proc/self/exe"), arguments.subspan(2)) ? 0 : 1;
  } else {
    std::cerr << "This is run by scripts/bench.\n";
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace goldsmith::bench

int main(int argc, char** argv) {
  try {
    return goldsmith::bench::run({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    std::cerr << "bench_archive: " << error.what() << '\n';
    return 1;
  }
}

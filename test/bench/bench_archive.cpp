// Building a server archive from the depot, beside cp of the same archive and zip of the same tree.
//
//   bench_archive prepare FOLDER MEGABYTES HUGE    what is built, in FOLDER, which must be empty
//   bench_archive measure FOLDER MEGABYTES HUGE ROUNDS HUGE_ROUNDS ZIP_ROUNDS   the benchmark
//   bench_archive build DEPOT CACHE                one cold build, as a worker does it
//
// MEGABYTES and HUGE are the sizes of two archives; HUGE may be 0.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <span>

#include "app/archive/archive_cache.hpp"
#include "app/archive/zip.hpp"
#include "app/base/digest.hpp"
#include "app/base/file.hpp"
#include "test/bench/measure.hpp"
#include "test/bench/releases.hpp"

namespace goldsmith::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxTimesCp = 1.5;
constexpr double kMaxMemory = 64;  // MB
// Memory may not grow with the bytes of an archive, but with its files: each has an entry in the
// directory at the end. The most that the others may take more than the small one, or for each file
// that they have more.
constexpr double kMaxGrowth = 8;        // MB
constexpr double kMaxGrowthOfFile = 1;  // KB

// All files of all components, and a few generated ones.
archive::Recipe recipe_of(const fs::path& depot) {
  archive::Recipe recipe;
  recipe.build_hash = base::sha256_hex(depot.filename().string());
  for (const auto& item : fs::directory_iterator(depot)) {
    const domain::Timestamp released(std::chrono::seconds(1'764'434'475));
    recipe.depot_files.push_back({item.path(), {}, {}, released});
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
  archive::ArchiveCache(cache).build(recipe_of(depot), [] { return std::nullopt; });
}

void write(const fs::path& depot, const fs::path& file) {
  const base::UniqueFd fd = base::open_file(file, O_RDWR | O_CREAT | O_EXCL);
  const archive::Recipe recipe = recipe_of(depot);
  archive::PreparedArchive(recipe).write(fd.get(), file);
}

void sync_copy(const fs::path& file) {
  base::sync_file(base::open_file(file, O_RDONLY).get(), file);
  base::sync_directory(file.parent_path());
}

struct Archive {
  fs::path depot;
  fs::path file;  // a finished one, the model for cp
  double megabytes = 0;
  std::size_t files = 0;
  Samples build, copy;
  double memory = 0;  // MB, of a build at its peak
};

class Benchmark {
 public:
  Benchmark(std::string program, fs::path folder) : program_(std::move(program)), folder_(folder) {}

  void prepare(const std::string& name, std::uint64_t megabytes);
  Archive prepared(const std::string& name);
  void compare_with_cp(Archive& archive, int rounds);
  void measure_without_sync(const Archive& archive, int rounds);
  void compare_with_zip(const Archive& archive, int rounds);
  void report(const Archive& archive);
  void report_zip(const Archive& archive);

 private:
  Run build_once(const Archive& archive);
  Run copy_once(const Archive& archive, bool synced);
  fs::path fresh(const std::string& name) const;

  std::string program_;
  fs::path folder_;
  Samples copy_unsynced_, zip_;
};

// A path below the folder where nothing is. What was written before is gone or on disk.
fs::path Benchmark::fresh(const std::string& name) const {
  const fs::path path = folder_ / name;
  for (const std::string old : {"cache", "written.zip", "copy.zip", "zip.zip"}) {
    fs::remove_all(folder_ / old);
  }
  const base::UniqueFd fd = base::open_file(folder_, O_RDONLY | O_DIRECTORY);
  ::syncfs(fd.get());
  return path;
}

void Benchmark::prepare(const std::string& name, std::uint64_t megabytes) {
  if (megabytes == 0) return;
  std::cout << "==> Mirroring components for an archive of " << megabytes << " MB" << std::endl;
  const fs::path depot = folder_ / name;
  fs::create_directory(depot);
  fill_depot(depot, folder_, megabytes << 20U);
  write(depot, folder_ / (name + ".zip"));
}

Archive Benchmark::prepared(const std::string& name) {
  Archive archive;
  archive.depot = folder_ / name;
  archive.file = folder_ / (name + ".zip");
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
// with a sync.
void Benchmark::compare_with_cp(Archive& archive, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    std::cout << "==> Build and cp, round " << round << " of " << rounds << std::endl;
    const Run build = build_once(archive);
    archive.build.add(build.milliseconds);
    archive.memory = std::max(archive.memory, build.peak_mb);
    archive.copy.add(copy_once(archive, true).milliseconds);
  }
}

// Rounds of their own, for each to follow the removal of a file like its own.
void Benchmark::measure_without_sync(const Archive& archive, int rounds) {
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

void print_row(const char* name, const Samples& samples, const Samples& yardstick) {
  std::printf("%-22s %9.0f %9.0f %9.0f %9.2f\n", name, samples.median(), samples.smallest(),
              samples.largest(), samples.median() / yardstick.median());
}

bool judge(bool passed, const std::string& what, double value, double bound, const char* unit) {
  std::printf("%s  %s: %.2f%s (at most %g%s)\n", passed ? "PASS" : "FAIL", what.c_str(), value,
              unit, bound, unit);
  return passed;
}

void Benchmark::report(const Archive& archive) {
  std::printf("\nArchive of %.0f MB, %zu files; peak memory of a build %.1f MB\n\n",
              archive.megabytes, archive.files, archive.memory);
  std::printf("%-22s %9s %9s %9s %9s\n", "milliseconds", "median", "least", "most", "times cp");
  print_row("cold build", archive.build, archive.copy);
  print_row("cp and sync", archive.copy, archive.copy);
}

void Benchmark::report_zip(const Archive& archive) {
  print_row("cp", copy_unsynced_, archive.copy);
  print_row("zip -6", zip_, archive.copy);
}

bool judge_archive(const Archive& archive, const Archive& small) {
  const std::string name = std::to_string(std::lround(archive.megabytes)) + " MB";
  const auto what = [&](const char* text) { return name + ", " + text; };
  const double times_cp = archive.build.median() / archive.copy.median();
  bool passed = judge(times_cp <= kMaxTimesCp, what("cold build"), times_cp, kMaxTimesCp, " x cp");
  passed &=
      judge(archive.memory < kMaxMemory, what("peak memory"), archive.memory, kMaxMemory, " MB");
  const double growth = archive.memory - small.memory;
  const double more_files = static_cast<double>(archive.files - small.files);
  const double bound = std::max(kMaxGrowth, more_files * kMaxGrowthOfFile / 1024);
  return judge(growth <= bound, what("more memory than the small one"), growth, bound, " MB") &&
         passed;
}

std::uint64_t megabytes_of_small(std::uint64_t megabytes) {
  return std::max<std::uint64_t>(megabytes / 10, 1);
}

void prepare(Benchmark& benchmark, std::span<char*> arguments) {
  const std::uint64_t megabytes = std::stoull(arguments[0]);
  benchmark.prepare("small", megabytes_of_small(megabytes));
  benchmark.prepare("large", megabytes);
  benchmark.prepare("huge", std::stoull(arguments[1]));
}

bool measure(Benchmark& benchmark, std::span<char*> arguments) {
  const bool has_huge = std::stoull(arguments[1]) > 0;
  Archive small = benchmark.prepared("small");
  benchmark.compare_with_cp(small, 1);
  Archive large = benchmark.prepared("large");
  benchmark.compare_with_cp(large, std::stoi(arguments[2]));
  benchmark.measure_without_sync(large, std::stoi(arguments[2]));
  benchmark.compare_with_zip(large, std::stoi(arguments[4]));
  benchmark.report(large);
  benchmark.report_zip(large);
  bool passed = judge_archive(large, small);
  if (!has_huge) return passed;
  Archive huge = benchmark.prepared("huge");
  benchmark.compare_with_cp(huge, std::stoi(arguments[3]));
  benchmark.report(huge);
  return judge_archive(huge, small) && passed;
}

int run(std::span<char*> arguments) {
  const std::string verb = arguments.size() > 1 ? arguments[1] : "";
  if (verb == "build" && arguments.size() == 4) {
    build(arguments[2], arguments[3]);
  } else if ((verb == "prepare" && arguments.size() == 5) ||
             (verb == "measure" && arguments.size() == 8)) {
    Benchmark benchmark(fs::read_symlink("/proc/self/exe"), fs::absolute(arguments[2]));
    if (verb == "measure") return measure(benchmark, arguments.subspan(3)) ? 0 : 1;
    prepare(benchmark, arguments.subspan(3));
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

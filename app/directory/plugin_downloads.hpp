// Downloading one plugin version: look up, compile, pack, count (decisions P3 to P9).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "app/base/clock.hpp"
#include "app/base/file.hpp"
#include "app/compile/scheduler.hpp"
#include "app/creator/catalog.hpp"
#include "app/domain/permit.hpp"
#include "db/download_log.hpp"

namespace goldsmith::directory {

enum class Kind { amxx, sma, zip };

struct DownloadRequest {
  domain::Slug slug;
  domain::Version version;
  std::string kind = "amxx";             // as asked for; validated here
  std::optional<std::string> toolchain;  // as asked for; absent or unknown = the plugin's own
  std::string texts = {};                // "utf-8" = converted; validated here
  bool has_list = false;                 // of a `zip`: with a list that loads its binary
  std::string caller;                    // IP address, for the log
  std::string repeat_key = {};           // as db::DownloadRecord::request
  bool dry = false;                      // HEAD: look up, but compile, count and log nothing
};

struct DownloadFile {
  Kind kind = Kind::amxx;
  std::string filename;
  std::string bytes;         // "" for a dry request of what has to be compiled, and of a `zip`
  std::string toolchain;     // the line of what is compiled; "" for a source
  std::string charset = {};  // of a source, if it was recorded; else ""
  std::string texts = {};    // of what is compiled: "utf-8" = converted, else what other code pages
                             // they are in, if any, "windows-1251"
  // Of a `zip`, which is larger than memory should be: the file without a name, and its size.
  base::UniqueFd archive = {};
  std::uint64_t archive_bytes = 0;
};
class PluginDownloads {
 public:
  // Archives are written on the disk of `folder`, without a name. All else must outlive the object.
  PluginDownloads(creator::Stock& stock, const compile::CompileService& compile,
                  db::DownloadLog& log, const base::Clock& clock, std::filesystem::path folder);

  // `may_compile` is asked once, just before the compiler would start (decision P8); not for what
  // ended at a limit a moment ago, which fails the same way at once (decision P14). Throws
  // domain::Failure. Every outcome but not_found of a request that is not dry is logged once;
  // db::Error when that can't be done (decision P7). `epoch`: of limits::Freshness.
  DownloadFile download(const DownloadRequest& request, const domain::Permit& may_compile,
                        std::uint64_t epoch);

  // Forgets old requests after every hundredth download that had a repeat_key. Failures are logged.
  void after_response();

 private:
  // Notes in `row` the toolchain and how long the compile took. What is read of the version's
  // content: for `sma` the source, for others what a compile reads, and for a `zip` then each file,
  // one at a time.
  DownloadFile attempt(const DownloadRequest& request, const domain::Permit& may_compile,
                       std::uint64_t epoch, db::DownloadRecord& row) const;
  // The binary.
  std::string compile(const compile::CompileInputs& inputs, const domain::PluginVersion& version,
                      const domain::Permit& may_compile, db::DownloadRecord& row) const;
  void pack(const DownloadRequest& request, const domain::PluginVersion& version,
            const std::string& binary, DownloadFile& file) const;
  void record(const DownloadRequest& request, std::string_view result, db::DownloadRecord row);

  creator::Stock& stock_;
  const compile::CompileService& compile_;
  db::DownloadLog& log_;
  const base::Clock& clock_;
  const std::filesystem::path folder_;
  std::uint64_t repeatable_ = 0;  // downloads since the start
  bool may_forget_ = false;
};

}  // namespace goldsmith::directory

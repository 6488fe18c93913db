// Downloading one plugin version: look up, compile, pack, count (decisions P3 to P9).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/compile/compiler.hpp"
#include "app/sys/clock.hpp"
#include "db/download_log.hpp"
#include "db/plugin_store.hpp"

namespace goldsmith::service {

enum class Kind { amxx, sma, zip };

struct DownloadRequest {
  std::string slug;
  std::string version;
  std::string kind = "amxx";  // as asked for; validated here
  std::string toolchain;      // as asked for; "" or unknown = the plugin's own
  std::string caller;         // IP address, for the log
  bool dry = false;           // HEAD: look up, but compile, count and log nothing
};

struct DownloadResult {
  enum class State {
    ok,
    not_found,
    invalid_kind,
    no_source_file,
    no_compilable_source,
    over_budget,  // `take_budget` said no
    compile_failed,
    compiler_unavailable,
    zip_failed
  };
  State state = State::not_found;
  Kind kind = Kind::amxx;
  std::string filename;
  std::string bytes;
  std::string toolchain;  // of compile_failed
  std::string output;     // of compile_failed
  std::string hint;       // of compile_failed: what would help, where that is known; else ""
  std::string cause;      // of compiler_unavailable and zip_failed: for the log, never for a client
};

class PluginDownloads {
 public:
  PluginDownloads(db::PluginStore& plugins, db::DownloadLog& log,
                  const compile::Toolchains& toolchains, const compile::Compiler& compiler,
                  const sys::Clock& clock);

  // `take_budget` is asked once, just before the compiler would start (decision P8). Every outcome
  // of a request that is not dry is logged once; db::Error when that can't be done (decision P7).
  DownloadResult download(const DownloadRequest& request, const std::function<bool()>& take_budget);

 private:
  DownloadResult produce(const DownloadRequest& request, const domain::Plugin& plugin,
                         const domain::PluginVersion& version,
                         const std::function<bool()>& take_budget,
                         db::DownloadRecord& record) const;
  void compile_into(DownloadResult& result, const domain::PluginVersion& version,
                    const std::function<bool()>& take_budget, db::DownloadRecord& record) const;
  static void pack_into(DownloadResult& result, const domain::PluginVersion& version);

  db::PluginStore& plugins_;
  db::DownloadLog& log_;
  const compile::Toolchains& toolchains_;
  const compile::Compiler& compiler_;
  const sys::Clock& clock_;
};

}  // namespace goldsmith::service

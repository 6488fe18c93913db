#include "handlers/services.hpp"

#include "app/base/log.hpp"
#include "handlers/builds.hpp"

namespace goldsmith::handlers {
namespace {

std::string_view name_of(const compile::Compilation& compilation) {
  switch (compilation.result) {
    case compile::Result::compiled:
      return "compiled";
    case compile::Result::failed:
      return compilation.limit_hit ? "limit" : "failed";
    case compile::Result::unavailable:
      break;
  }
  return "unavailable";
}

// A compiler whose runs are counted.
class MeteredCompiler final : public compile::Compiler {
 public:
  MeteredCompiler(const base::CompileConfig& config, std::filesystem::path scratch,
                  host::Metrics& metrics)
      : Compiler(config, std::move(scratch)), metrics_(metrics) {}

  compile::Compilation compile(const compile::Toolchain& toolchain,
                               const domain::PluginVersion& version,
                               const compile::Pace& pace) const override {
    compile::Compilation compilation = Compiler::compile(toolchain, version, pace);
    metrics_.compiles.add(name_of(compilation), toolchain.line);
    metrics_.compile_duration.observe(toolchain.line, compilation.duration);
    base::log(base::LogLevel::info, "compiled",
              {{"toolchain", toolchain.line},
               {"result", std::string(name_of(compilation))},
               {"ms", std::to_string(compilation.duration.count())}});
    return compilation;
  }

 private:
  host::Metrics& metrics_;
};

db::Database& reads_of(const Environment& environment) {
  return environment.replicas == nullptr ? environment.database : *environment.replicas;
}

}  // namespace

Services::Services(const Environment& environment)
    : Stock(environment.config, reads_of(environment), std::nullopt),
      config(environment.config),
      clock(environment.clock),
      state(environment.state),
      database(environment.database),
      shared(config.state.parent_path()),
      fill_request(shared / "depot-fill"),
      drained(config.state),
      metrics(shared / host::Metrics::kFile),
      urls(config),
      errors(urls.docs(), fill_request, metrics),
      site(config),
      counters(database),
      addons(reads_of(environment)),
      build_store(database),
      download_log(database),
      settings(database),
      keys(database),
      freshness(state, database, clock),
      gate({freshness, settings, keys, environment.windows, clock}),
      compiler(std::make_unique<MeteredCompiler>(config.compile, environment.scratch, metrics)),
      compile_service(config, shared, clock, *compiler, [this] { return metrics.pool_size(); }),
      builds(*this, compile_service, config, shared, [this] { return freshness.verdicts(); }),
      names(catalog, components, compile_service.toolchains, compile_service.watch),
      needs(plugins, builds.providers()),
      index(plugins, counters, clock, &needs),
      downloads(*this, compile_service, download_log, clock, config.archive_cache),
      digests({build_store, builds.archives(), clock},
              {shared / "digests", shared / "build-start"}) {}

void Services::after_response() {
  digests.compute_pending();
  downloads.after_response();
  provide_wanted_resources(*this);
}

}  // namespace goldsmith::handlers

// The metrics by name, and how their series are called in the memory that workers share and in the
// text for Prometheus. For metrics*.cpp alone.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "app/sys/metrics.hpp"

namespace goldsmith::sys {

struct MetricFamily {
  enum class Type { counter, histogram, gauge };

  const char* name;
  Type type;
  const char* help;
  std::array<const char*, 2> labels{};
};

namespace metric {

inline constexpr MetricFamily kRequests{"goldsmith_requests_total",
                                        MetricFamily::Type::counter,
                                        "Requests answered, by route and status.",
                                        {"route", "status"}};
inline constexpr MetricFamily kRequestDuration{"goldsmith_request_duration_seconds",
                                               MetricFamily::Type::histogram,
                                               "Time in the worker, by route.",
                                               {"route"}};
inline constexpr MetricFamily kCompiles{"goldsmith_compiles_total",
                                        MetricFamily::Type::counter,
                                        "Compiler runs, by result and toolchain.",
                                        {"result", "toolchain"}};
inline constexpr MetricFamily kCompileDuration{"goldsmith_compile_duration_seconds",
                                               MetricFamily::Type::histogram,
                                               "Time of a compiler run, by toolchain.",
                                               {"toolchain"}};
inline constexpr MetricFamily kArchives{
    "goldsmith_archives_total",
    MetricFamily::Type::counter,
    "Server archives handed out, by where they came from: built or cached.",
    {"from"}};
inline constexpr MetricFamily kArchiveBytes{
    "goldsmith_archive_bytes_total",
    MetricFamily::Type::counter,
    "Bytes of the server archives handed out, whole ones for ranges too.",
    {}};
inline constexpr MetricFamily kLimited{"goldsmith_limited_total",
                                       MetricFamily::Type::counter,
                                       "Requests that a limit refused, by limit.",
                                       {"limit"}};
inline constexpr MetricFamily kDatabaseErrors{"goldsmith_database_errors_total",
                                              MetricFamily::Type::counter,
                                              "Requests that the database failed.",
                                              {}};
inline constexpr MetricFamily kWorkersRunning{
    "goldsmith_workers", MetricFamily::Type::gauge, "Workers that run, by pool.", {"pool"}};
inline constexpr MetricFamily kWorkersBusy{"goldsmith_workers_busy",
                                           MetricFamily::Type::gauge,
                                           "Workers with a request in hand, by pool.",
                                           {"pool"}};

// In the order of the text.
inline constexpr std::array kCounted = {&kRequests,        &kRequestDuration, &kCompiles,
                                        &kCompileDuration, &kArchives,        &kArchiveBytes,
                                        &kLimited,         &kDatabaseErrors};

// The upper bounds of a histogram's buckets.
inline constexpr std::array kBounds = {"0.001", "0.0025", "0.005", "0.01", "0.025",
                                       "0.05",  "0.1",    "0.25",  "0.5",  "1",
                                       "2.5",   "5",      "10",    "60",   "600"};
// kBounds as numbers of seconds, and the bound of what is above all of them.
inline constexpr std::array kLimits = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                                       0.5,   1.0,    2.5,   5.0,  10.0,  60.0, 600.0};
static_assert(kBounds.size() == kLimits.size());
inline constexpr const char* kAbove = "+Inf";

// `name{a="b",le="1"}`; no braces where there are no labels.
std::string key_of(const MetricFamily& family, std::string_view suffix,
                   std::span<const LabelText> labels, std::string_view bound = {});

}  // namespace metric
}  // namespace goldsmith::sys

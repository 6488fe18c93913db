#include "app/access/freshness.hpp"

#include <string>

#include "app/sys/log.hpp"
#include "db/migrations.hpp"
#include "db/setting_store.hpp"

namespace goldsmith::access {
namespace {

constexpr std::chrono::seconds kRevisionAge{2};

std::int64_t known_schema() { return db::known_migrations().back().number; }

}  // namespace

std::uint64_t Freshness::epoch() {
  const std::uint64_t generation = state_.generation();
  const auto now = clock_.now();
  // A change on this host is read from replicas only once they have it, too.
  if (generation != generation_ || now - checked_ >= kRevisionAge || now < checked_) {
    const db::Progress current = db::read_progress(database_);
    verdicts_ = current.verdicts;
    if (current.revision != revision_) {
      revision_ = current.revision;
      ++epoch_;
    }
    note_schema(current.schema);
    if (generation != generation_) ++epoch_;
    generation_ = generation;
    checked_ = now;
  }
  return epoch_;
}

bool Freshness::has_older_schema() const { return schema_ < known_schema(); }

// Migrations that add to the schema leave room for programs of the version before, so that is no
// reason to stop; the operator should know.
void Freshness::note_schema(std::int64_t schema) {
  if (schema == schema_) return;
  schema_ = schema;
  const std::int64_t known = known_schema();
  if (schema == known) return;
  sys::log(sys::LogLevel::warning,
           schema > known
               ? "the database's schema is newer than this program: install its version"
               : "the database's schema is older than this program: goldsmith db migrate",
           {{"schema", std::to_string(schema)}, {"program", std::to_string(known)}});
}

}  // namespace goldsmith::access

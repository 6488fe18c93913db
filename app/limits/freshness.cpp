#include "app/limits/freshness.hpp"

#include <cerrno>
#include <string>

#include "app/base/file.hpp"
#include "app/base/log.hpp"
#include "app/base/text.hpp"
#include "db/access_store.hpp"
#include "db/migrations.hpp"

namespace goldsmith::limits {
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
  base::log(base::LogLevel::warning,
            schema > known
                ? "the database's schema is newer than this program: install its version"
                : "the database's schema is older than this program: goldsmith db migrate",
            {{"schema", std::to_string(schema)}, {"program", std::to_string(known)}});
}

DrainMark::DrainMark(const std::filesystem::path& state) : file_(state.parent_path() / "drained") {}

bool DrainMark::is_set() const {
  std::error_code error;
  return std::filesystem::exists(file_, error);
}

std::optional<domain::Timestamp> DrainMark::since() const {
  try {
    const std::string text = base::read_file(file_, 4096);
    return domain::parse_timestamp(base::trim_ascii(text)).value_or(domain::Timestamp{});
  } catch (const base::FileError& error) {
    if (error.error_number() == ENOENT) return std::nullopt;
    return domain::Timestamp{};
  }
}

bool DrainMark::set(domain::Timestamp now) const {
  if (is_set()) return false;
  base::write_atomically(file_, domain::format_timestamp(now) + '\n');
  return true;
}

bool DrainMark::clear() const {
  std::error_code error;
  const bool was_set = std::filesystem::remove(file_, error);
  if (error) throw base::FileError(file_, "can't be removed", error.value());
  return was_set;
}

}  // namespace goldsmith::limits

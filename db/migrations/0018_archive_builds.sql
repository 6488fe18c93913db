-- The selections whose archives were built for an address, so that every host can build them again. Apart from `builds`,
-- whose digests the workers can't change. `built_at`: the last time that a download built it.
-- Older workers do not know the table and need nothing from it.
CREATE TABLE IF NOT EXISTS archive_builds (
  build_hash CHAR(64) NOT NULL,
  selection TEXT NOT NULL,
  built_at DATETIME NOT NULL,
  PRIMARY KEY (build_hash),
  KEY archive_builds_built_at (built_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

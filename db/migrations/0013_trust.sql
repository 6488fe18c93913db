-- What a stranger needs to check what the service hands out: the digests of files and archives, how upstream releases
-- were verified, and from where in them each file comes. What was mirrored before has none of it until it is recorded.

-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
-- `source` is the position in component_sources, NULL if it is not known; `source_path` is the path in that archive.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_files' AND column_name = 'sha256');
SET @statement = IF(@missing, 'ALTER TABLE component_files ADD COLUMN sha256 CHAR(64) NOT NULL DEFAULT '''',
  ADD COLUMN source SMALLINT UNSIGNED NULL, ADD COLUMN source_path VARCHAR(1024) NOT NULL DEFAULT ''''', 'DO 0');
PREPARE trust FROM @statement;
EXECUTE trust;
DEALLOCATE PREPARE trust;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_mirrorings' AND column_name = 'verified');
SET @statement = IF(@missing, 'ALTER TABLE component_mirrorings ADD COLUMN verified
  ENUM(''none'', ''digest'', ''signature'') NOT NULL DEFAULT ''none''', 'DO 0');
PREPARE trust FROM @statement;
EXECUTE trust;
DEALLOCATE PREPARE trust;

-- The archives that were built, on any host. `selection` is a query string that gives the build hash as long as what is
-- selected does not change.
CREATE TABLE IF NOT EXISTS builds (
  build_hash CHAR(64) NOT NULL,
  archive_sha256 CHAR(64) NOT NULL,
  archive_bytes BIGINT NOT NULL,
  selection TEXT NOT NULL,
  recorded_at DATETIME NOT NULL,
  PRIMARY KEY (build_hash),
  KEY builds_recorded_at (recorded_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

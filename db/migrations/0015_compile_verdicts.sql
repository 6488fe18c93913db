-- What the compiler of a toolchain said of a plugin version's source: 'ok', 'failed', or 'undecided' where a limit or a
-- crash ended it. By the digest of what is compiled and the fingerprint of the toolchain, so that a verdict is never
-- that of other files, and is known again when a version or a toolchain comes back.
CREATE TABLE IF NOT EXISTS compile_verdicts (
  content_digest CHAR(64) NOT NULL,
  fingerprint CHAR(64) NOT NULL,
  toolchain VARCHAR(16) NOT NULL,
  result ENUM('ok', 'failed', 'undecided') NOT NULL,
  checked_at DATETIME NOT NULL,
  PRIMARY KEY (content_digest, fingerprint),
  KEY compile_verdicts_checked_at (checked_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Those of a version as a text, for the statement that reads it anyway: TOOLCHAIN FINGERPRINT RESULT, separated by ';'.
-- An import that changes a version's files makes a new row of it.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugin_versions' AND column_name = 'verdicts');
SET @statement = IF(@missing, 'ALTER TABLE plugin_versions ADD COLUMN verdicts VARCHAR(1024) NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE verdicts FROM @statement;
EXECUTE verdicts;
DEALLOCATE PREPARE verdicts;

-- Moves with each verdict. Apart from `value`, so that a check of many plugins does not make all that workers keep stale.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'revision' AND column_name = 'verdicts');
SET @statement = IF(@missing, 'ALTER TABLE revision ADD COLUMN verdicts BIGINT NOT NULL DEFAULT 0', 'DO 0');
PREPARE verdicts FROM @statement;
EXECUTE verdicts;
DEALLOCATE PREPARE verdicts;

-- Budgets of a key's own: compiles and builds an hour, NULL = without a limit.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'api_keys' AND column_name = 'builds_per_hour');
SET @statement = IF(@missing, 'ALTER TABLE api_keys ADD COLUMN compiles_per_hour BIGINT NULL, ADD COLUMN builds_per_hour BIGINT NULL', 'DO 0');
PREPARE budgets FROM @statement;
EXECUTE budgets;
DEALLOCATE PREPARE budgets;

-- What each key has used, a row an hour.
CREATE TABLE IF NOT EXISTS key_uses (
  key_id INT UNSIGNED NOT NULL,
  hour DATETIME NOT NULL,
  requests BIGINT NOT NULL,
  compiles BIGINT NOT NULL,
  builds BIGINT NOT NULL,
  PRIMARY KEY (key_id, hour),
  KEY key_uses_hour (hour)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

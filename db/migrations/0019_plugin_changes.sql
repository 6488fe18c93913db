-- The revision in which each plugin last changed, so that an index in memory reads only those again. A removed plugin
-- keeps its row.
-- Older workers and commands do not know the table. They move `value` alone when they change something; `recorded`
-- moves with it only where the changed plugins are in the table. So whoever sees the difference of the two change knows
-- that something is missing here, and reads all plugins again.
CREATE TABLE IF NOT EXISTS plugin_changes (
  slug VARCHAR(64) NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (slug),
  KEY plugin_changes_revision (revision)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'revision' AND column_name = 'recorded');
SET @statement = IF(@missing, 'ALTER TABLE revision ADD COLUMN recorded BIGINT NOT NULL DEFAULT 0', 'DO 0');
PREPARE changes FROM @statement;
EXECUTE changes;
DEALLOCATE PREPARE changes;

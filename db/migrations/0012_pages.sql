-- For the web pages: when a version of a component was mirrored, which is not known of those that are there already, and
-- the newest versions of plugins in the order of an index.

CREATE TABLE IF NOT EXISTS component_mirrorings (
  version_id INT UNSIGNED NOT NULL,
  mirrored_at DATETIME NOT NULL,
  PRIMARY KEY (version_id),
  CONSTRAINT component_mirrorings_version FOREIGN KEY (version_id) REFERENCES component_versions (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CREATE INDEX IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.statistics WHERE table_schema = DATABASE()
  AND table_name = 'plugin_versions' AND index_name = 'plugin_versions_newest');
SET @statement = IF(@missing, 'CREATE INDEX plugin_versions_newest ON plugin_versions (status, created_at)', 'DO 0');
PREPARE pages FROM @statement;
EXECUTE pages;
DEALLOCATE PREPARE pages;

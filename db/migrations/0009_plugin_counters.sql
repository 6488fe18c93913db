-- What downloads write, apart from what imports write: a download never waits for a row that an
-- import holds. One row for each plugin.
--
-- `plugins.downloads` is from now on what a plugin started with (decision P12). The API shows the
-- sum, so what workers of the version before count until they are replaced is not lost.

CREATE TABLE IF NOT EXISTS plugin_counters (
  slug VARCHAR(64) NOT NULL,
  downloads BIGINT NOT NULL,
  PRIMARY KEY (slug)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO plugin_counters (slug, downloads) SELECT slug, 0 FROM plugins;

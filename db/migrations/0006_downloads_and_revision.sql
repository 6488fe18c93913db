-- The log of downloads keeps names, not references: it outlives what it tells of.

CREATE TABLE IF NOT EXISTS download_log (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  time DATETIME NOT NULL,
  slug VARCHAR(64) NOT NULL,
  version VARCHAR(64) NOT NULL,
  kind VARCHAR(32) NOT NULL,
  toolchain VARCHAR(16) NOT NULL,
  caller VARCHAR(64) NOT NULL,
  result VARCHAR(64) NOT NULL,
  compile_milliseconds BIGINT NOT NULL,
  PRIMARY KEY (id),
  KEY download_log_time (time)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row. Every change of what the API shows moves it, in the change's own transaction; counters
-- of downloads don't. Whoever writes locks it first, so that writers take turns.
CREATE TABLE IF NOT EXISTS revision (
  id TINYINT UNSIGNED NOT NULL,
  value BIGINT NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO revision (id, value) VALUES (1, 1);

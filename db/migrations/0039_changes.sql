-- What the operator's command changed, and who ran it. Names, not references: it outlives what it tells of.

CREATE TABLE IF NOT EXISTS changes (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  time DATETIME NOT NULL,
  host VARCHAR(64) NOT NULL,
  user VARCHAR(64) NOT NULL,
  sudo_user VARCHAR(64) NOT NULL,
  command VARCHAR(64) NOT NULL,
  arguments VARCHAR(2000) NOT NULL,
  outcome VARCHAR(16) NOT NULL,
  problem VARCHAR(500) NOT NULL,
  PRIMARY KEY (id),
  KEY changes_time (time)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

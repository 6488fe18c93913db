-- One row: how far callers' addresses in the download log are blank, so that `goldsmith log prune`
-- does not read the whole log each time.

CREATE TABLE IF NOT EXISTS download_log_upkeep (
  id TINYINT UNSIGNED NOT NULL,
  addresses_blank_before DATETIME NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO download_log_upkeep (id, addresses_blank_before)
  VALUES (1, '1000-01-01 00:00:00');

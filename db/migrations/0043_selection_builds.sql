-- Which builds came of a selection as it was asked for: what game clients get at its address must suit the servers that run any
-- of them. `selection` is the id in the address. Older workers do not know the table and need nothing from it.
CREATE TABLE IF NOT EXISTS selection_builds (
  selection CHAR(32) NOT NULL,
  build_hash CHAR(64) NOT NULL,
  noted_at DATETIME NOT NULL,
  PRIMARY KEY (selection, build_hash),
  KEY selection_builds_newest (selection, noted_at),
  KEY selection_builds_noted_at (noted_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

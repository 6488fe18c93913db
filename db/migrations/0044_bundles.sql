-- What came with a bundle, by kind and name, and a digest of it as it came: what is stored and has another one is the
-- host's own, which a later bundle leaves alone.

CREATE TABLE IF NOT EXISTS bundled_items (
  kind VARCHAR(16) NOT NULL,
  name VARBINARY(1200) NOT NULL,
  digest CHAR(64) NOT NULL,
  PRIMARY KEY (kind, name)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

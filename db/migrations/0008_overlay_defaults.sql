-- What `goldsmith overlay import --defaults` wrote last, section by section: one that is no longer
-- like that, or gone, was changed by the operator and is left alone. Component '' = of none. The
-- digest is the SHA-256 of position, ':' and content.

CREATE TABLE IF NOT EXISTS overlay_defaults (
  path VARBINARY(1024) NOT NULL,
  component VARCHAR(64) NOT NULL,
  digest CHAR(64) NOT NULL,
  PRIMARY KEY (path, component)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

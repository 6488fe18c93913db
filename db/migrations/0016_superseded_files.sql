-- The depot files that no mirrored version has any more, because it was mirrored again with other content or removed:
-- each host removes its copies once nothing can be reading them. By names and not by id: the version may be gone.
-- Older workers do not know the table and need nothing from it.
CREATE TABLE IF NOT EXISTS superseded_files (
  slug VARCHAR(64) NOT NULL,
  version VARCHAR(64) NOT NULL,
  digest CHAR(64) NOT NULL,
  superseded_at DATETIME NOT NULL,
  PRIMARY KEY (slug, version, digest),
  KEY superseded_files_at (superseded_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

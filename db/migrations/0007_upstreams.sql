-- Where components are mirrored from, in full, and what each mirrored version was made of.
--
-- The columns upstream_github, upstream_asset and upstream_url of `components` move here. They stay,
-- unused, for workers of the version before, which read them until they are restarted.

CREATE TABLE IF NOT EXISTS component_upstreams (
  component_id INT UNSIGNED NOT NULL,
  github VARCHAR(255) NOT NULL,
  tag VARCHAR(255) NOT NULL,
  version VARCHAR(64) NOT NULL,
  signature_suffix VARCHAR(16) NOT NULL,
  signature_key VARCHAR(40) NOT NULL,
  PRIMARY KEY (component_id),
  CONSTRAINT component_upstreams_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- `pattern`: a glob of assets where `github` is set, else an address.
CREATE TABLE IF NOT EXISTS component_upstream_files (
  component_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  pattern VARCHAR(2048) NOT NULL,
  PRIMARY KEY (component_id, position),
  CONSTRAINT component_upstream_files_upstream FOREIGN KEY (component_id)
    REFERENCES component_upstreams (component_id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The digests that a version's files must have.
CREATE TABLE IF NOT EXISTS component_upstream_pins (
  component_id INT UNSIGNED NOT NULL,
  version VARCHAR(64) NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  sha256 CHAR(64) NOT NULL,
  PRIMARY KEY (component_id, version, position),
  CONSTRAINT component_upstream_pins_upstream FOREIGN KEY (component_id)
    REFERENCES component_upstreams (component_id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The files that were downloaded for a mirrored version. `stamp` changes at upstream when the
-- content does: an ETag, or a time.
CREATE TABLE IF NOT EXISTS component_sources (
  version_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  url VARCHAR(2048) NOT NULL,
  size BIGINT NOT NULL,
  sha256 CHAR(64) NOT NULL,
  stamp VARCHAR(255) NOT NULL,
  PRIMARY KEY (version_id, position),
  CONSTRAINT component_sources_version FOREIGN KEY (version_id) REFERENCES component_versions (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

INSERT IGNORE INTO component_upstreams
  (component_id, github, tag, version, signature_suffix, signature_key)
  SELECT id, upstream_github, '', '', '', '' FROM components
  WHERE upstream_github <> '' OR upstream_url <> '';

INSERT IGNORE INTO component_upstream_files (component_id, position, pattern)
  SELECT id, 0, IF(upstream_github <> '', upstream_asset, upstream_url) FROM components
  WHERE upstream_github <> '' OR upstream_url <> '';

ALTER TABLE components
  ALTER COLUMN upstream_github SET DEFAULT '',
  ALTER COLUMN upstream_asset SET DEFAULT '',
  ALTER COLUMN upstream_url SET DEFAULT '';

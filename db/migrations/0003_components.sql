-- The server creator's catalog, and what each mirrored version holds.

CREATE TABLE IF NOT EXISTS components (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  slug VARCHAR(64) NOT NULL,
  name VARCHAR(255) NOT NULL,
  description TEXT NOT NULL,
  homepage VARCHAR(2048) NOT NULL,
  license VARCHAR(255) NOT NULL,
  layer VARCHAR(16) NOT NULL,
  is_default BOOLEAN NOT NULL,
  selectable BOOLEAN NOT NULL,
  sort_order BIGINT NOT NULL,
  upstream_github VARCHAR(255) NOT NULL,
  upstream_asset VARCHAR(255) NOT NULL,
  upstream_url VARCHAR(2048) NOT NULL,
  loads_gamedll VARCHAR(1024) NOT NULL,
  loads_metamod_loader VARCHAR(1024) NOT NULL,
  loads_metamod_plugin VARCHAR(1024) NOT NULL,
  loads_toolchain VARCHAR(16) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY components_slug (slug)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS component_rules (
  component_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  rule ENUM('requires', 'conflicts', 'recommends', 'bundles') NOT NULL,
  target_id INT UNSIGNED NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (component_id, position),
  KEY component_rules_target (target_id),
  CONSTRAINT component_rules_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE,
  CONSTRAINT component_rules_target FOREIGN KEY (target_id) REFERENCES components (id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- How an upstream archive is installed: version '' for all, any other for that one alone. A row
-- without lines is an override that changes nothing on the way.
CREATE TABLE IF NOT EXISTS component_installs (
  component_id INT UNSIGNED NOT NULL,
  version VARCHAR(64) NOT NULL,
  PRIMARY KEY (component_id, version),
  CONSTRAINT component_installs_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- `target` is for kind 'map' alone.
CREATE TABLE IF NOT EXISTS component_install_lines (
  component_id INT UNSIGNED NOT NULL,
  version VARCHAR(64) NOT NULL,
  position INT UNSIGNED NOT NULL,
  kind ENUM('map', 'drop', 'executable') NOT NULL,
  pattern VARCHAR(1024) NOT NULL,
  target VARCHAR(1024) NOT NULL,
  PRIMARY KEY (component_id, version, position),
  CONSTRAINT component_install_lines_install FOREIGN KEY (component_id, version)
    REFERENCES component_installs (component_id, version) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS component_advice (
  component_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  advice TEXT NOT NULL,
  PRIMARY KEY (component_id, position),
  CONSTRAINT component_advice_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS component_versions (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  component_id INT UNSIGNED NOT NULL,
  version VARCHAR(64) NOT NULL,
  released_at DATETIME NULL,
  size_bytes BIGINT NOT NULL,
  file_count BIGINT NOT NULL,
  digest CHAR(64) NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY component_versions_version (component_id, version),
  CONSTRAINT component_versions_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The manifest; `position` is the order of the paths, which are too long for a key.
CREATE TABLE IF NOT EXISTS component_files (
  version_id INT UNSIGNED NOT NULL,
  position INT UNSIGNED NOT NULL,
  path VARCHAR(1024) NOT NULL,
  size BIGINT NOT NULL,
  executable BOOLEAN NOT NULL,
  PRIMARY KEY (version_id, position),
  CONSTRAINT component_files_version FOREIGN KEY (version_id) REFERENCES component_versions (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The plugin directory. Every table's text is utf8mb4_bin: slugs and versions match byte for byte.
-- CREATE … IF NOT EXISTS: the server commits at each statement, so that a migration that failed in
-- its middle is simply run again.

CREATE TABLE IF NOT EXISTS plugins (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  slug VARCHAR(64) NOT NULL,
  name VARCHAR(255) NOT NULL,
  category VARCHAR(64) NOT NULL,
  author VARCHAR(255) NOT NULL,
  license VARCHAR(255) NOT NULL,
  original_url VARCHAR(2048) NOT NULL,
  toolchain VARCHAR(16) NOT NULL,
  status ENUM('draft', 'published') NOT NULL,
  rating_sum BIGINT NOT NULL,
  rating_count BIGINT NOT NULL,
  downloads BIGINT NOT NULL,
  -- Derived from the rows of plugin_versions, in an order that SQL does not know.
  latest_version VARCHAR(64) NOT NULL,
  -- Case-folded name and tags, each ended by U+001F, so that no match spans two of them.
  search_text TEXT NOT NULL,
  updated_at DATETIME NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY plugins_slug (slug),
  KEY plugins_listed (status, downloads DESC, slug),
  KEY plugins_listed_by_category (status, category, downloads DESC, slug)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS plugin_tags (
  plugin_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  tag VARCHAR(255) NOT NULL,
  PRIMARY KEY (plugin_id, position),
  CONSTRAINT plugin_tags_plugin FOREIGN KEY (plugin_id) REFERENCES plugins (id) ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS plugin_versions (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  plugin_id INT UNSIGNED NOT NULL,
  version VARCHAR(64) NOT NULL,
  created_at DATETIME NOT NULL,
  status ENUM('draft', 'published') NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY plugin_versions_version (plugin_id, version),
  CONSTRAINT plugin_versions_plugin FOREIGN KEY (plugin_id) REFERENCES plugins (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- `position` is the order of the files' names; names are too long for a unique key beside paths.
CREATE TABLE IF NOT EXISTS plugin_files (
  version_id INT UNSIGNED NOT NULL,
  position INT UNSIGNED NOT NULL,
  filename VARCHAR(255) NOT NULL,
  install_dir VARCHAR(1024) NOT NULL,
  kind VARCHAR(32) NOT NULL,
  is_primary BOOLEAN NOT NULL,
  sha1 CHAR(40) NOT NULL,
  size_bytes BIGINT NOT NULL,
  content MEDIUMBLOB NOT NULL,
  PRIMARY KEY (version_id, position),
  CONSTRAINT plugin_files_version FOREIGN KEY (version_id) REFERENCES plugin_versions (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

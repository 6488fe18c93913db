-- An import prepares its rows where no reader sees them, in many short transactions, and shows them
-- in one. What an interrupted import leaves here is removed by the next one.
--
-- Versions and their files are written to their own tables at once: until its plugin is set no
-- reader finds a version. Neither is one found that an import took out.

ALTER TABLE plugin_versions MODIFY plugin_id INT UNSIGNED NULL;

-- What the row of a plugin will be; `position` in the set that is imported.
CREATE TABLE IF NOT EXISTS staged_plugins (
  position INT UNSIGNED NOT NULL,
  -- Of the plugin that is changed; NULL for one that is created.
  plugin_id INT UNSIGNED NULL,
  -- Another command has changed the plugin since it was compared.
  is_stale BOOLEAN NOT NULL,
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
  latest_version VARCHAR(64) NOT NULL,
  search_text TEXT NOT NULL,
  updated_at DATETIME NOT NULL,
  PRIMARY KEY (position),
  UNIQUE KEY staged_plugins_slug (slug)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS staged_tags (
  position INT UNSIGNED NOT NULL,
  tag_position SMALLINT UNSIGNED NOT NULL,
  tag VARCHAR(255) NOT NULL,
  PRIMARY KEY (position, tag_position)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Rows of plugin_versions that the plugin gets, or loses.
CREATE TABLE IF NOT EXISTS staged_versions (
  position INT UNSIGNED NOT NULL,
  version_id INT UNSIGNED NOT NULL,
  is_removed BOOLEAN NOT NULL,
  PRIMARY KEY (position, version_id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Addon packs: ordered bundles of directory plugins.

CREATE TABLE IF NOT EXISTS addon_packs (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  slug VARCHAR(64) NOT NULL,
  name VARCHAR(255) NOT NULL,
  description TEXT NOT NULL,
  status ENUM('draft', 'published') NOT NULL,
  downloads BIGINT NOT NULL,
  created_at DATETIME NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY addon_packs_slug (slug),
  KEY addon_packs_listed (status, downloads DESC, slug)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A plugin that a pack names can't be removed: the pack's curated list would change unseen.
CREATE TABLE IF NOT EXISTS addon_pack_plugins (
  pack_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  plugin_id INT UNSIGNED NOT NULL,
  PRIMARY KEY (pack_id, position),
  UNIQUE KEY addon_pack_plugins_once (pack_id, plugin_id),
  KEY addon_pack_plugins_plugin (plugin_id),
  CONSTRAINT addon_pack_plugins_pack FOREIGN KEY (pack_id) REFERENCES addon_packs (id)
    ON DELETE CASCADE,
  CONSTRAINT addon_pack_plugins_plugin FOREIGN KEY (plugin_id) REFERENCES plugins (id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- Sections of tuned configuration. No component = the section applies always; the store keeps those
-- unique, since a unique key lets NULLs repeat. The path is bytes: text would match one that differs
-- in trailing spaces.

CREATE TABLE IF NOT EXISTS overlay_sections (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  path VARBINARY(1024) NOT NULL,
  component_id INT UNSIGNED NULL,
  position BIGINT NOT NULL,
  content MEDIUMBLOB NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY overlay_sections_once (path, component_id),
  KEY overlay_sections_component (component_id),
  CONSTRAINT overlay_sections_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

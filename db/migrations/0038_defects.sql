-- What is wrong with some versions of components, as their manifests say: from first_version on (NULL: in every one) and before
-- fixed_version (NULL: no release is without it). `holds`: callers get such a version only if they pin it.
CREATE TABLE IF NOT EXISTS component_defects (
  component_id INT UNSIGNED NOT NULL,
  position SMALLINT UNSIGNED NOT NULL,
  defect TEXT NOT NULL,
  first_version VARCHAR(64) NULL,
  fixed_version VARCHAR(64) NULL,
  source VARCHAR(2048) NOT NULL,
  holds BOOLEAN NOT NULL,
  known_at DATETIME NOT NULL,
  PRIMARY KEY (component_id, position),
  CONSTRAINT component_defects_component FOREIGN KEY (component_id) REFERENCES components (id)
    ON DELETE CASCADE
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A version that was released by hand: no defect holds it.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_versions' AND column_name = 'is_released');
SET @statement = IF(@missing, 'ALTER TABLE component_versions ADD COLUMN is_released BOOLEAN NOT NULL DEFAULT FALSE', 'DO 0');
PREPARE releases FROM @statement;
EXECUTE releases;
DEALLOCATE PREPARE releases;

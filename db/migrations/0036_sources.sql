-- GitHub's numbers of the repository that a version of a component was mirrored from, and of the account that had it; 0 = not
-- known. A name may lead to another repository later.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_mirrorings' AND column_name = 'github_repository');
SET @statement = IF(@missing, 'ALTER TABLE component_mirrorings ADD COLUMN github_repository BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN github_owner BIGINT NOT NULL DEFAULT 0', 'DO 0');
PREPARE sources FROM @statement;
EXECUTE sources;
DEALLOCATE PREPARE sources;

-- What strangers said of the future was believed: it would be the latest version, and head the feeds, until then.
UPDATE plugin_versions SET created_at = UTC_TIMESTAMP() WHERE created_at > UTC_TIMESTAMP() AND origin IS NOT NULL;

UPDATE component_versions v JOIN component_sources s ON s.version_id = v.id AND s.position = 0 AND s.url <> ''
  SET v.released_at = UTC_TIMESTAMP() WHERE v.released_at > UTC_TIMESTAMP();

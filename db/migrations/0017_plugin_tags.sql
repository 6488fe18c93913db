-- The tags of a plugin in their order, joined by commas, which no tag holds; NULL if it has none. Derived from the rows of
-- plugin_tags, as search_text is, so that the statement that reads a plugin's detail needs no aggregate.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugins' AND column_name = 'tags');
SET @statement = IF(@missing, 'ALTER TABLE plugins ADD COLUMN tags MEDIUMTEXT NULL', 'DO 0');
PREPARE tags FROM @statement;
EXECUTE tags;
DEALLOCATE PREPARE tags;

UPDATE plugins p SET p.tags =
  (SELECT GROUP_CONCAT(t.tag ORDER BY t.position) FROM plugin_tags t WHERE t.plugin_id = p.id);

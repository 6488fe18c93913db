-- Maps of plugins are read again: the names of the WADs that they need are noted beside the names that sources have.
UPDATE plugin_versions SET content_digest = '' WHERE id IN (SELECT version_id FROM plugin_files WHERE kind = 'bsp');

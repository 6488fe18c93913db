-- Whether a source in a code page other than UTF-8 has such texts that players read (plugin_files.named): those that
-- were described before are read again by `goldsmith db migrate` (0025_described_files.sql).
UPDATE plugin_versions SET content_digest = '' WHERE id IN (SELECT version_id FROM plugin_files
  WHERE charset NOT IN ('', 'UTF-8') AND kind IN ('sma', 'inc', 'inl'));

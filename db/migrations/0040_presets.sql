-- A pack with a server of its own is a preset of the server creator: what is chosen beside its plugins, as the query of a link without
-- `plugins`; '' = a pack alone.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'addon_packs' AND column_name = 'server');
SET @statement = IF(@missing, 'ALTER TABLE addon_packs ADD COLUMN server VARCHAR(4096) NOT NULL DEFAULT ''''', 'DO 0');
PREPARE presets FROM @statement;
EXECUTE presets;
DEALLOCATE PREPARE presets;

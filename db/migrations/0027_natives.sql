-- What AMX Mod X and its modules offer to plugins: the names of natives, sorted, separated by spaces. NULL = not recorded,
-- and of any other file; of what was mirrored before, goldsmith depot verify --record adds them.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_files' AND column_name = 'natives');
SET @statement = IF(@missing, 'ALTER TABLE component_files ADD COLUMN natives MEDIUMTEXT NULL', 'DO 0');
PREPARE natives FROM @statement;
EXECUTE natives;
DEALLOCATE PREPARE natives;

-- Findings tell which natives a plugin lacks and which it offers to others. Those that were made before do not: the next
-- check makes them again, and until then they count as they are.
ALTER TABLE compile_verdicts MODIFY findings TEXT NULL;
ALTER TABLE plugin_versions MODIFY verdicts MEDIUMTEXT NOT NULL DEFAULT ('');

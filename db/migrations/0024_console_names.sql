-- The names of a plugin's cvars and commands, for searches: what the index in memory needs of `about`, which is much longer.
-- NULL = none.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugins' AND column_name = 'console');
SET @statement = IF(@missing, 'ALTER TABLE plugins ADD COLUMN console MEDIUMTEXT GENERATED ALWAYS AS
  (IF(JSON_VALID(about), JSON_EXTRACT(about, ''$.cvars[*].name'', ''$.commands[*].name''), NULL)) STORED', 'DO 0');
PREPARE console FROM @statement;
EXECUTE console;
DEALLOCATE PREPARE console;

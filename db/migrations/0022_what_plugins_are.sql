-- What a plugin does, in one line, which lists show; and what is told of it at length: its description, links, cvars and
-- commands as JSON, which are only read and replaced whole. NULL = nothing. `changes` of a version are those since the
-- version before. The columns of staged_plugins are what an import prepares.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugins' AND column_name = 'about');
SET @statement = IF(@missing, 'ALTER TABLE plugins ADD COLUMN summary VARCHAR(200) NOT NULL DEFAULT '''',
  ADD COLUMN about MEDIUMTEXT NULL', 'DO 0');
PREPARE texts FROM @statement;
EXECUTE texts;
DEALLOCATE PREPARE texts;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'staged_plugins' AND column_name = 'about');
SET @statement = IF(@missing, 'ALTER TABLE staged_plugins ADD COLUMN summary VARCHAR(200) NOT NULL DEFAULT '''',
  ADD COLUMN about MEDIUMTEXT NULL', 'DO 0');
PREPARE texts FROM @statement;
EXECUTE texts;
DEALLOCATE PREPARE texts;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugin_versions' AND column_name = 'changes');
SET @statement = IF(@missing, 'ALTER TABLE plugin_versions ADD COLUMN changes TEXT NULL', 'DO 0');
PREPARE texts FROM @statement;
EXECUTE texts;
DEALLOCATE PREPARE texts;

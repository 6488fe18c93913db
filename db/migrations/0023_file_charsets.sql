-- The character set of a file that is a text, as an import detects it: UTF-8 or a code page of Windows. '' of other files,
-- and of those that were imported before.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugin_files' AND column_name = 'charset');
SET @statement = IF(@missing, 'ALTER TABLE plugin_files ADD COLUMN charset VARCHAR(16) NOT NULL DEFAULT ''''', 'DO 0');
PREPARE charset FROM @statement;
EXECUTE charset;
DEALLOCATE PREPARE charset;

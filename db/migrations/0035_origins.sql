-- Where newer versions of a plugin come from, and where a version was taken from, as JSON that is only read and replaced
-- whole; and why a version was not published that was mirrored, a line for each reason. NULL = nothing is known.
-- A scan looks for the verdicts on a content that it sees again.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugins' AND column_name = 'upstream');
SET @statement = IF(@missing, 'ALTER TABLE plugins ADD COLUMN upstream TEXT NULL', 'DO 0');
PREPARE origins FROM @statement;
EXECUTE origins;
DEALLOCATE PREPARE origins;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'staged_plugins' AND column_name = 'upstream');
SET @statement = IF(@missing, 'ALTER TABLE staged_plugins ADD COLUMN upstream TEXT NULL', 'DO 0');
PREPARE origins FROM @statement;
EXECUTE origins;
DEALLOCATE PREPARE origins;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugin_versions' AND column_name = 'origin');
SET @statement = IF(@missing, 'ALTER TABLE plugin_versions ADD COLUMN origin TEXT NULL, ADD COLUMN held TEXT NULL,
 ADD KEY plugin_versions_content (content_digest)',
  'DO 0');
PREPARE origins FROM @statement;
EXECUTE origins;
DEALLOCATE PREPARE origins;

-- What a compile told beside its result: what a plugin needs, or why it does not compile, as VerdictStore writes it. Of
-- verdicts that were made before, nothing: the next check makes them again, and until then they count as they are.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'compile_verdicts' AND column_name = 'findings');
SET @statement = IF(@missing, 'ALTER TABLE compile_verdicts ADD COLUMN findings VARCHAR(1000) NULL', 'DO 0');
PREPARE findings FROM @statement;
EXECUTE findings;
DEALLOCATE PREPARE findings;

-- Those of a version with their findings: TOOLCHAIN FINGERPRINT RESULT FINDINGS.
ALTER TABLE plugin_versions MODIFY verdicts VARCHAR(8000) NOT NULL DEFAULT '';

-- What plans need to know of a version's files without reading them: the digest of them all, which a build hash covers,
-- and of each its SHA-256 and the names of the files that it includes and precaches (see db/verdict_store.hpp).
-- '' = not known: of what an older version of the program imported, until `goldsmith db migrate` has read it. A
-- migration that sets content_digest to '' has everything read again.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugin_files' AND column_name = 'sha256');
SET @statement = IF(@missing, 'ALTER TABLE plugin_files ADD COLUMN sha256 CHAR(64) NOT NULL DEFAULT '''', ADD COLUMN
  named MEDIUMBLOB NULL', 'DO 0');
PREPARE files FROM @statement;
EXECUTE files;
DEALLOCATE PREPARE files;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'plugin_versions' AND column_name = 'content_digest');
SET @statement = IF(@missing, 'ALTER TABLE plugin_versions ADD COLUMN content_digest CHAR(64) NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE versions FROM @statement;
EXECUTE versions;
DEALLOCATE PREPARE versions;

-- What its author says of a version: the text of the release that it was mirrored from, as CommonMark; NULL = nothing is
-- known. At most 16,000 bytes.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_versions' AND column_name = 'notes');
SET @statement = IF(@missing, 'ALTER TABLE component_versions ADD COLUMN notes TEXT NULL', 'DO 0');
PREPARE notes FROM @statement;
EXECUTE notes;
DEALLOCATE PREPARE notes;

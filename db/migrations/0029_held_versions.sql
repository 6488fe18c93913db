-- Why a version is not handed out unless it is pinned, and since when; NULL = it is. Put there by
-- `goldsmith component hold`, and by `goldsmith component mirror --if-starts` for a version that does not start.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_versions' AND column_name = 'held_reason');
SET @statement = IF(@missing, 'ALTER TABLE component_versions ADD COLUMN held_reason VARCHAR(300) NULL,
  ADD COLUMN held_at DATETIME NULL', 'DO 0');
PREPARE holds FROM @statement;
EXECUTE holds;
DEALLOCATE PREPARE holds;

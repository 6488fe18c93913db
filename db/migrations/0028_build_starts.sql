-- What the engine of each archive said when it was started; started_at NULL = it was not started yet. `start_messages` has
-- a line for each.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'builds' AND column_name = 'started_at');
SET @statement = IF(@missing, 'ALTER TABLE builds ADD COLUMN started_at DATETIME NULL,
  ADD COLUMN start_outcome VARCHAR(16) NOT NULL DEFAULT '''', ADD COLUMN plugins_running INT NOT NULL DEFAULT 0,
  ADD COLUMN plugins_faulty INT NOT NULL DEFAULT 0, ADD COLUMN start_messages TEXT NULL', 'DO 0');
PREPARE starts FROM @statement;
EXECUTE starts;
DEALLOCATE PREPARE starts;

-- What made-up players found on a server that was started: 'plays', 'faulty', or '' if nobody played.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'builds' AND column_name = 'start_plays');
SET @statement = IF(@missing, 'ALTER TABLE builds ADD COLUMN start_plays VARCHAR(16) NOT NULL DEFAULT ''''', 'DO 0');
PREPARE played FROM @statement;
EXECUTE played;
DEALLOCATE PREPARE played;

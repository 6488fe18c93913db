-- A rule or an advice may be true for some versions of its component alone: '<3.15.0.896'. '' = all.

-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_rules' AND column_name = 'versions');
SET @statement = IF(@missing, 'ALTER TABLE component_rules ADD COLUMN versions VARCHAR(255) NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE ranges FROM @statement;
EXECUTE ranges;
DEALLOCATE PREPARE ranges;

SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_advice' AND column_name = 'versions');
SET @statement = IF(@missing, 'ALTER TABLE component_advice ADD COLUMN versions VARCHAR(255) NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE ranges FROM @statement;
EXECUTE ranges;
DEALLOCATE PREPARE ranges;

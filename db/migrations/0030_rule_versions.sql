-- A rule may be about some versions of the component that it names alone: '>=5.28.0.756'. '' = all.
-- ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_rules' AND column_name = 'with_versions');
SET @statement = IF(@missing, 'ALTER TABLE component_rules ADD COLUMN with_versions VARCHAR(255) NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE ranges FROM @statement;
EXECUTE ranges;
DEALLOCATE PREPARE ranges;

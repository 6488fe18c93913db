-- What holds a version, as domain::HoldKind; NULL as long as it is not held. Which of these held one so far is told by how
-- the reason reads. ADD COLUMN IF NOT EXISTS is not known to MySQL.
SET @missing = (SELECT COUNT(*) = 0 FROM information_schema.columns WHERE table_schema = DATABASE()
  AND table_name = 'component_versions' AND column_name = 'held_kind');
SET @statement = IF(@missing, 'ALTER TABLE component_versions ADD COLUMN held_kind VARCHAR(16) NULL', 'DO 0');
PREPARE kinds FROM @statement;
EXECUTE kinds;
DEALLOCATE PREPARE kinds;
UPDATE component_versions SET held_kind = CASE
  WHEN held_reason LIKE 'it is being mirrored, and was not started yet%' THEN 'unstarted'
  WHEN held_reason = 'it could not be started here'
    OR held_reason LIKE 'the recommended server does not run with it: %'
    OR held_reason LIKE 'the recommended server loads less with it: %'
    OR held_reason LIKE 'natives that were right with % are not with it: %' THEN 'start'
  WHEN held_reason LIKE '% is another repository than the one that was mirrored before%'
    OR held_reason LIKE '% belongs to another account than before%'
    OR held_reason LIKE 'the history of % was rewritten: what was mirrored before is not in it%'
    OR held_reason LIKE 'the forge of % tells neither whose it is nor whether its history was rewritten%' THEN 'doubt'
  WHEN held_reason LIKE 'its number is lower than that of %' OR held_reason LIKE 'its number is a date, unlike that of %'
    OR held_reason LIKE 'its number is at least ten times that of %'
    OR held_reason LIKE 'it is a prerelease, and not of the line of %' THEN 'step'
  ELSE 'hand' END
  WHERE held_at IS NOT NULL AND held_kind IS NULL;

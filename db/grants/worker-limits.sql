-- On top of worker.sql, for `limits.backend = mysql` alone: the counters of rate limits that several
-- hosts share. Placeholders and use as there.

GRANT SELECT, INSERT, UPDATE, DELETE ON `{schema}`.rate_windows TO {user};

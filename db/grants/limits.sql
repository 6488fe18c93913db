-- In addition to api.sql and build.sql, only for `limits.backend = mysql`: the counters of rate limits that several
-- hosts share. Placeholders and use as in api.sql.

GRANT SELECT, INSERT, UPDATE, DELETE ON `{schema}`.rate_windows TO {user};

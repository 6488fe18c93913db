-- What the workers' database user may do: read, log a download, move counters. Nothing else.
--
-- {schema}  the database's name, as in goldsmith
-- {user}    the account, as in 'goldsmith'@'localhost'; CREATE USER makes it
--
--   sed -e 's/{schema}/goldsmith/g' -e "s/{user}/'goldsmith'@'localhost'/g" worker.sql | mysql
--
-- Grants name tables, so that a new table is not open to the workers by accident: apply this file
-- after `goldsmith db migrate`, and again after an upgrade. Applying it twice changes nothing.

GRANT SELECT ON `{schema}`.schema_migrations TO {user};
GRANT SELECT ON `{schema}`.revision TO {user};
GRANT SELECT ON `{schema}`.settings TO {user};
GRANT SELECT ON `{schema}`.plugins TO {user};
GRANT SELECT ON `{schema}`.plugin_tags TO {user};
GRANT SELECT ON `{schema}`.plugin_versions TO {user};
GRANT SELECT ON `{schema}`.plugin_files TO {user};
GRANT SELECT ON `{schema}`.addon_packs TO {user};
GRANT SELECT ON `{schema}`.addon_pack_plugins TO {user};
GRANT SELECT ON `{schema}`.components TO {user};
GRANT SELECT ON `{schema}`.component_rules TO {user};
GRANT SELECT ON `{schema}`.component_upstreams TO {user};
GRANT SELECT ON `{schema}`.component_upstream_files TO {user};
GRANT SELECT ON `{schema}`.component_upstream_pins TO {user};
GRANT SELECT ON `{schema}`.component_installs TO {user};
GRANT SELECT ON `{schema}`.component_install_lines TO {user};
GRANT SELECT ON `{schema}`.component_advice TO {user};
GRANT SELECT ON `{schema}`.component_versions TO {user};
GRANT SELECT ON `{schema}`.component_files TO {user};
GRANT SELECT ON `{schema}`.overlay_sections TO {user};
GRANT SELECT ON `{schema}`.api_keys TO {user};

-- The log is written. Of what it holds only which plugins were downloaded can be read (lists follow
-- their counters), never callers' addresses.
GRANT INSERT, SELECT (id, slug) ON `{schema}`.download_log TO {user};

-- Counters.
GRANT SELECT, UPDATE (downloads) ON `{schema}`.plugin_counters TO {user};
GRANT UPDATE (last_used_at) ON `{schema}`.api_keys TO {user};

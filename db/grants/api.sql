-- The privileges of the workers that answer reads, pool `api`: what their routes read, and nothing else. They cannot
-- read the sources of plugins, overlays or the download log.
--
-- {schema}  name of the database, as in goldsmith
-- {user}    account, as in 'goldsmith_api'@'localhost'; create it with CREATE USER
--
--   sed -e 's/{schema}/goldsmith/g' -e "s/{user}/'goldsmith_api'@'localhost'/g" api.sql | mysql
--
-- The grants name tables, so that the workers cannot use a new table by accident: apply this file after
-- `goldsmith db migrate`, and again after an upgrade. Applying it twice changes nothing.

GRANT SELECT ON `{schema}`.schema_migrations TO {user};
GRANT SELECT ON `{schema}`.revision TO {user};
GRANT SELECT ON `{schema}`.settings TO {user};
GRANT SELECT ON `{schema}`.plugins TO {user};
GRANT SELECT ON `{schema}`.plugin_changes TO {user};
GRANT SELECT ON `{schema}`.plugin_counters TO {user};
GRANT SELECT ON `{schema}`.plugin_tags TO {user};
GRANT SELECT ON `{schema}`.plugin_versions TO {user};
GRANT SELECT (version_id, position, filename, install_dir, kind, is_primary, sha1, size_bytes,
    charset, named)
  ON `{schema}`.plugin_files TO {user};
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
GRANT SELECT ON `{schema}`.component_defects TO {user};
GRANT SELECT ON `{schema}`.component_versions TO {user};
GRANT SELECT ON `{schema}`.component_mirrorings TO {user};
GRANT SELECT ON `{schema}`.component_files TO {user};
GRANT SELECT ON `{schema}`.component_sources TO {user};
GRANT SELECT ON `{schema}`.api_keys TO {user};
GRANT UPDATE (last_used_at) ON `{schema}`.api_keys TO {user};
GRANT SELECT, INSERT, UPDATE ON `{schema}`.key_uses TO {user};

-- Which plugins were downloaded: lists follow their counters.
GRANT SELECT (id, slug) ON `{schema}`.download_log TO {user};

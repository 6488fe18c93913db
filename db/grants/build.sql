-- The privileges of the workers that compile and build, pool `build`, and of the timers that run as their user: what
-- their routes read, the download log, the counters, the digests of archives, what starts of them showed and the verdicts
-- about compiles that they write, and nothing else. They cannot read the callers in the download log.
--
-- {schema}  name of the database, as in goldsmith
-- {user}    account, as in 'goldsmith_build'@'localhost'; create it with CREATE USER
--
--   sed -e 's/{schema}/goldsmith/g' -e "s/{user}/'goldsmith_build'@'localhost'/g" build.sql | mysql
--
-- Apply it after `goldsmith db migrate`, and again after an upgrade, as api.sql.

GRANT SELECT ON `{schema}`.schema_migrations TO {user};
GRANT SELECT ON `{schema}`.revision TO {user};
GRANT SELECT ON `{schema}`.settings TO {user};
GRANT SELECT ON `{schema}`.plugins TO {user};
GRANT SELECT ON `{schema}`.plugin_changes TO {user};
GRANT SELECT ON `{schema}`.plugin_tags TO {user};
GRANT SELECT ON `{schema}`.plugin_versions TO {user};
GRANT SELECT ON `{schema}`.plugin_files TO {user};
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
GRANT SELECT ON `{schema}`.overlay_sections TO {user};
GRANT SELECT ON `{schema}`.api_keys TO {user};
GRANT UPDATE (last_used_at) ON `{schema}`.api_keys TO {user};
GRANT SELECT, INSERT, UPDATE ON `{schema}`.key_uses TO {user};

GRANT SELECT, INSERT ON `{schema}`.builds TO {user};
GRANT UPDATE (started_at, start_outcome, plugins_running, plugins_faulty, start_messages, start_plays)
  ON `{schema}`.builds TO {user};
GRANT SELECT ON `{schema}`.addon_packs TO {user};
GRANT SELECT ON `{schema}`.addon_pack_plugins TO {user};
GRANT SELECT, INSERT, UPDATE (built_at) ON `{schema}`.archive_builds TO {user};
GRANT SELECT, INSERT ON `{schema}`.selection_builds TO {user};

-- For the timer that checks what compiles (goldsmith plugin check).
GRANT UPDATE (verdicts) ON `{schema}`.plugin_versions TO {user};
GRANT UPDATE (verdicts) ON `{schema}`.revision TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON `{schema}`.compile_verdicts TO {user};
GRANT INSERT, SELECT (id, slug) ON `{schema}`.download_log TO {user};
GRANT SELECT, UPDATE (downloads) ON `{schema}`.plugin_counters TO {user};
GRANT INSERT, SELECT (recorded_at), DELETE ON `{schema}`.recorded_requests TO {user};

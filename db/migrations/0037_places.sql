-- Where components look for a file, and which settings in it decide who a player is. Workers of the version before leave these
-- lines out.
ALTER TABLE component_install_lines
  MODIFY kind ENUM('map', 'drop', 'executable', 'configuration', 'secret', 'suggested_secret', 'file', 'place', 'identity') NOT NULL;

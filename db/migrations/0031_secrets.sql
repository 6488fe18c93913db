-- Settings of which each server needs a value of its own. Workers of the version before leave these lines out.
ALTER TABLE component_install_lines
  MODIFY kind ENUM('map', 'drop', 'executable', 'configuration', 'secret', 'suggested_secret') NOT NULL;

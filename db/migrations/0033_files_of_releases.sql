-- Where files of a release go that are no archives. Workers of the version before leave these lines out.
ALTER TABLE component_install_lines
  MODIFY kind ENUM('map', 'drop', 'executable', 'configuration', 'secret', 'suggested_secret', 'file') NOT NULL;

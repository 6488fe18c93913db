-- Which files of a component are their owner's to edit. Workers of the version before leave these lines out.
ALTER TABLE component_install_lines
  MODIFY kind ENUM('map', 'drop', 'executable', 'configuration') NOT NULL;

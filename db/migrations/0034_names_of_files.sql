-- What plugins precache is followed through constants, arrays and formatted texts: every version is read again, see 0025.
UPDATE plugin_versions SET content_digest = '';

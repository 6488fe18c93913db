-- API keys, the operator's settings, and the counters of rate limits for several hosts.

CREATE TABLE IF NOT EXISTS api_keys (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT,
  name VARCHAR(255) NOT NULL,
  prefix VARCHAR(32) NOT NULL,
  sha256 CHAR(64) NOT NULL,
  -- Comma-separated, in the order they were given.
  scopes VARCHAR(255) NOT NULL,
  per_minute BIGINT NOT NULL,
  per_day BIGINT NOT NULL,
  disabled BOOLEAN NOT NULL,
  expires_at DATETIME NULL,
  created_at DATETIME NOT NULL,
  last_used_at DATETIME NULL,
  PRIMARY KEY (id),
  UNIQUE KEY api_keys_sha256 (sha256)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE TABLE IF NOT EXISTS settings (
  name VARCHAR(64) NOT NULL,
  value VARCHAR(1024) NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- limits.backend = mysql: one row a bucket and window; old windows are removed by their start.
CREATE TABLE IF NOT EXISTS rate_windows (
  bucket VARCHAR(128) NOT NULL,
  window_start DATETIME NOT NULL,
  used BIGINT NOT NULL,
  PRIMARY KEY (bucket, window_start),
  KEY rate_windows_start (window_start)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

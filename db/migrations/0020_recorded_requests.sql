-- The requests of the download log's newest rows, as far as a front named them: a front that gets no answer from a host
-- sends the request to another one, and a row here says that it was recorded already. `request` is a digest; the result
-- is part of the key, so that a success after a failure counts. Rows are forgotten after half an hour.
-- Older workers do not know the table and need nothing from it: what they recorded may be recorded again, as before.
CREATE TABLE IF NOT EXISTS recorded_requests (
  request CHAR(32) NOT NULL,
  result VARCHAR(64) NOT NULL,
  recorded_at DATETIME NOT NULL,
  PRIMARY KEY (request, result),
  KEY recorded_requests_at (recorded_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

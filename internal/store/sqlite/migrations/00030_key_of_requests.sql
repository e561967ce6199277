-- SPDX-License-Identifier: Apache-2.0
-- The index of a list by key, which reads all entries of an organization otherwise, such as after
-- a key has leaked. Without statistics, SQLite expects ten entries of an organization and uses
-- none of the indexes of filters. The statistics are those of a large log: rows, and rows of equal
-- values in the first columns.

-- +goose Up
CREATE INDEX request_log_key ON request_log (tenant, key_name, id);
ANALYZE sqlite_schema;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('request_log', 'request_log', '1000000 100000 1'),
    ('request_log', 'request_log_request', '1000000 100000 1 1'),
    ('request_log', 'request_log_class', '1000000 100000 20000 1'),
    ('request_log', 'request_log_code', '100000 10000 1000 1'),
    ('request_log', 'request_log_key', '1000000 100000 20000 1'),
    ('request_log', 'request_log_denied', '100000 2'),
    ('request_log', 'request_log_age', '1000000 2');

-- +goose Down
DELETE FROM sqlite_stat1 WHERE tbl = 'request_log';
DROP INDEX request_log_key;

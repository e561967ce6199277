-- SPDX-License-Identifier: Apache-2.0
-- The audit becomes a chain of hashes for each mode. Entries before this migration stay
-- outside of it.

-- +goose Up
CREATE TABLE audit_head (
    mode     TEXT    PRIMARY KEY,
    sequence INTEGER NOT NULL,
    hash     BLOB    NOT NULL
) STRICT;
INSERT INTO audit_head VALUES ('live', 0, zeroblob(32)), ('test', 0, zeroblob(32));

ALTER TABLE audit ADD COLUMN mode TEXT;
ALTER TABLE audit ADD COLUMN sequence INTEGER;
ALTER TABLE audit ADD COLUMN salt TEXT;
ALTER TABLE audit ADD COLUMN details BLOB;
ALTER TABLE audit ADD COLUMN hash BLOB;
CREATE UNIQUE INDEX audit_sequence ON audit (mode, sequence);

-- +goose Down
DROP INDEX audit_sequence;
ALTER TABLE audit DROP COLUMN hash;
ALTER TABLE audit DROP COLUMN details;
ALTER TABLE audit DROP COLUMN salt;
ALTER TABLE audit DROP COLUMN sequence;
ALTER TABLE audit DROP COLUMN mode;
DROP TABLE audit_head;

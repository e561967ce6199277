-- SPDX-License-Identifier: Apache-2.0
-- The files that partners upload; their bytes are not in the database. The index of jobs finds the
-- open jobs of a file.

-- +goose Up
CREATE TABLE uploaded_file (
    id         TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    sha256     TEXT    NOT NULL,
    bytes      INTEGER NOT NULL CHECK (bytes > 0),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploaded_file_of_tenant ON uploaded_file (tenant, id);
CREATE INDEX uploaded_file_expiry ON uploaded_file (expires_at);
CREATE INDEX job_of_file ON job (file_url) WHERE status IN ('queued', 'processing') AND substr(file_url, 1, 7) = 'upload:';

-- +goose Down
DROP INDEX job_of_file;
DROP TABLE uploaded_file;

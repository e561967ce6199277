-- SPDX-License-Identifier: Apache-2.0
-- The client's own reference of a job, empty for none, and the status of the file server of a job
-- that failed with FETCH_STATUS, 0 for none.

-- +goose Up
ALTER TABLE job ADD COLUMN client_reference TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN upstream_status INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_reference ON job (tenant, client_reference, submitted_at, id) WHERE file_url <> '' AND client_reference <> '';
CREATE INDEX job_verdict ON job (tenant, verdict, submitted_at, id) WHERE file_url <> '' AND verdict <> '';

-- +goose Down
DROP INDEX job_verdict;
DROP INDEX job_reference;
ALTER TABLE job DROP COLUMN upstream_status;
ALTER TABLE job DROP COLUMN client_reference;

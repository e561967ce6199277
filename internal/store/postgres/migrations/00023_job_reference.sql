-- SPDX-License-Identifier: Apache-2.0
-- The client's own reference of a job, empty for none, and the status of the file server of a job
-- that failed with FETCH_STATUS, 0 for none. The indexes are built concurrently; an incomplete
-- index is built again.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE job ADD COLUMN IF NOT EXISTS client_reference text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN IF NOT EXISTS upstream_status integer NOT NULL DEFAULT 0;
DROP INDEX CONCURRENTLY IF EXISTS job_reference;
CREATE INDEX CONCURRENTLY job_reference ON job (tenant, client_reference, submitted_at, id) WHERE file_url <> '' AND client_reference <> '';
DROP INDEX CONCURRENTLY IF EXISTS job_verdict;
CREATE INDEX CONCURRENTLY job_verdict ON job (tenant, verdict, submitted_at, id) WHERE file_url <> '' AND verdict <> '';

-- +goose Down
DROP INDEX CONCURRENTLY job_verdict;
DROP INDEX CONCURRENTLY job_reference;
ALTER TABLE job DROP COLUMN upstream_status;
ALTER TABLE job DROP COLUMN client_reference;

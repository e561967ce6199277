-- SPDX-License-Identifier: Apache-2.0
-- The jobs of a tenant, the latest first, of any status and of one, as far as they
-- have not been purged. Jobs are written during the migration, so the indexes are built
-- concurrently; an incomplete index is built again.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS job_listing;
CREATE INDEX CONCURRENTLY job_listing ON job (tenant, submitted_at, id) WHERE file_url <> '';
DROP INDEX CONCURRENTLY IF EXISTS job_status;
CREATE INDEX CONCURRENTLY job_status ON job (tenant, status, submitted_at, id) WHERE file_url <> '';

-- +goose Down
DROP INDEX CONCURRENTLY job_status;
DROP INDEX CONCURRENTLY job_listing;

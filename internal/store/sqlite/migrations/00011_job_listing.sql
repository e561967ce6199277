-- SPDX-License-Identifier: Apache-2.0
-- The jobs of a tenant, the latest first, of any status and of one, as far as they
-- have not been purged.

-- +goose Up
CREATE INDEX job_listing ON job (tenant, submitted_at, id) WHERE file_url <> '';
CREATE INDEX job_status ON job (tenant, status, submitted_at, id) WHERE file_url <> '';

-- +goose Down
DROP INDEX job_status;
DROP INDEX job_listing;

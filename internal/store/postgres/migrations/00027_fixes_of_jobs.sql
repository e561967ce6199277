-- SPDX-License-Identifier: Apache-2.0
-- The fixes and the comparison of a job: what the submission asks for, a summary of the outcome,
-- and the documents beside the report. The index finds the open jobs that compare with a file. It
-- is built concurrently; an incomplete index is built again.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE job ADD COLUMN IF NOT EXISTS fixes text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN IF NOT EXISTS compare_with text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN IF NOT EXISTS compare_file text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN IF NOT EXISTS summary jsonb;
ALTER TABLE report ADD COLUMN IF NOT EXISTS fix_log bytea;
ALTER TABLE report ADD COLUMN IF NOT EXISTS comparison bytea;
DROP INDEX CONCURRENTLY IF EXISTS job_of_compared_file;
CREATE INDEX CONCURRENTLY job_of_compared_file ON job (compare_file) WHERE status IN ('queued', 'processing') AND compare_file <> '';

-- +goose Down
DROP INDEX CONCURRENTLY job_of_compared_file;
ALTER TABLE report DROP COLUMN comparison;
ALTER TABLE report DROP COLUMN fix_log;
ALTER TABLE job DROP COLUMN summary;
ALTER TABLE job DROP COLUMN compare_file;
ALTER TABLE job DROP COLUMN compare_with;
ALTER TABLE job DROP COLUMN fixes;

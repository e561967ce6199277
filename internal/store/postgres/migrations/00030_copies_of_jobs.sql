-- SPDX-License-Identifier: Apache-2.0
-- The printing condition for the fixes of a job, and the language of its annotated copy. The index
-- finds the open jobs that use a file as ICC profile. It is built concurrently; an incomplete
-- index is built again.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE job ADD COLUMN IF NOT EXISTS output jsonb;
ALTER TABLE job ADD COLUMN IF NOT EXISTS annotate text COLLATE "C" NOT NULL DEFAULT '';
DROP INDEX CONCURRENTLY IF EXISTS job_of_output_profile;
CREATE INDEX CONCURRENTLY job_of_output_profile ON job ((output ->> 'profileFileId')) WHERE status IN ('queued', 'processing') AND output IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY job_of_output_profile;
ALTER TABLE job DROP COLUMN annotate;
ALTER TABLE job DROP COLUMN output;

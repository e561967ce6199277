-- SPDX-License-Identifier: Apache-2.0
-- The fixes and the comparison of a job: what the submission asks for, a summary of the outcome,
-- and the documents beside the report. The index finds the open jobs that compare with a file.

-- +goose Up
ALTER TABLE job ADD COLUMN fixes TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN compare_with TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN compare_file TEXT NOT NULL DEFAULT '';
ALTER TABLE job ADD COLUMN summary TEXT;
ALTER TABLE report ADD COLUMN fix_log BLOB;
ALTER TABLE report ADD COLUMN comparison BLOB;
CREATE INDEX job_of_compared_file ON job (compare_file) WHERE status IN ('queued', 'processing') AND compare_file <> '';

-- +goose Down
DROP INDEX job_of_compared_file;
ALTER TABLE report DROP COLUMN comparison;
ALTER TABLE report DROP COLUMN fix_log;
ALTER TABLE job DROP COLUMN summary;
ALTER TABLE job DROP COLUMN compare_file;
ALTER TABLE job DROP COLUMN compare_with;
ALTER TABLE job DROP COLUMN fixes;

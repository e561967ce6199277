-- SPDX-License-Identifier: Apache-2.0
-- The printing condition for the fixes of a job, and the language of its annotated copy. The index
-- finds the open jobs that use a file as ICC profile.

-- +goose Up
ALTER TABLE job ADD COLUMN output TEXT;
ALTER TABLE job ADD COLUMN annotate TEXT NOT NULL DEFAULT '';
CREATE INDEX job_of_output_profile ON job (output ->> 'profileFileId') WHERE status IN ('queued', 'processing') AND output IS NOT NULL;

-- +goose Down
DROP INDEX job_of_output_profile;
ALTER TABLE job DROP COLUMN annotate;
ALTER TABLE job DROP COLUMN output;

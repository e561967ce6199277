-- SPDX-License-Identifier: Apache-2.0
-- The job ticket: the ordered properties that the file of a job is compared with.

-- +goose Up
ALTER TABLE job ADD COLUMN ticket jsonb;

-- +goose Down
ALTER TABLE job DROP COLUMN ticket;

-- SPDX-License-Identifier: Apache-2.0
-- What was ordered, to hold the file of a job against.

-- +goose Up
ALTER TABLE job ADD COLUMN ticket TEXT;

-- +goose Down
ALTER TABLE job DROP COLUMN ticket;

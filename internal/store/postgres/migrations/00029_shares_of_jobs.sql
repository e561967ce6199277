-- SPDX-License-Identifier: Apache-2.0
-- The links that share the report of a job: digests of their tokens with their periods.

-- +goose Up
ALTER TABLE job ADD COLUMN IF NOT EXISTS shares jsonb;

-- +goose Down
ALTER TABLE job DROP COLUMN shares;

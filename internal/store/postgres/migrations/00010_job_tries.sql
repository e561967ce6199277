-- SPDX-License-Identifier: Apache-2.0
-- The number of attempts of a job that count. Drained attempts do not count.

-- +goose Up
ALTER TABLE job ADD COLUMN tries bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE job DROP COLUMN tries;

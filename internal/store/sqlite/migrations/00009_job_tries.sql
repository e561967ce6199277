-- SPDX-License-Identifier: Apache-2.0
-- How many attempts of a job count: those that were drained are given back.

-- +goose Up
ALTER TABLE job ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE job DROP COLUMN tries;

-- SPDX-License-Identifier: Apache-2.0
-- The traceparent of the request that submitted a job.

-- +goose Up
ALTER TABLE job ADD COLUMN trace TEXT CHECK (length(trace) <= 55);

-- +goose Down
ALTER TABLE job DROP COLUMN trace;

-- SPDX-License-Identifier: Apache-2.0
-- The traceparent of the request or attempt that caused an event, for its deliveries.

-- +goose Up
ALTER TABLE outbox ADD COLUMN trace TEXT CHECK (length(trace) <= 55);
ALTER TABLE webhook_delivery ADD COLUMN trace TEXT CHECK (length(trace) <= 55);

-- +goose Down
ALTER TABLE webhook_delivery DROP COLUMN trace;
ALTER TABLE outbox DROP COLUMN trace;

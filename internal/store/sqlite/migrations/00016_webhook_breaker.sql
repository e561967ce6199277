-- SPDX-License-Identifier: Apache-2.0
-- The circuit breaker of an endpoint, for all workers: the number of consecutive failures,
-- the number of consecutive pauses of deliveries, and the end of the pause.

-- +goose Up
ALTER TABLE webhook_endpoint ADD COLUMN failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0);
ALTER TABLE webhook_endpoint ADD COLUMN rests INTEGER NOT NULL DEFAULT 0 CHECK (rests BETWEEN 0 AND failures);
ALTER TABLE webhook_endpoint ADD COLUMN rests_until INTEGER NOT NULL DEFAULT 0 CHECK ((rests = 0) = (rests_until = 0));

-- +goose Down
ALTER TABLE webhook_endpoint DROP COLUMN rests_until;
ALTER TABLE webhook_endpoint DROP COLUMN rests;
ALTER TABLE webhook_endpoint DROP COLUMN failures;

-- SPDX-License-Identifier: Apache-2.0
-- The circuit breaker of an endpoint, for all workers: the number of consecutive failures,
-- the number of consecutive pauses of deliveries, and the end of the pause.

-- +goose Up
ALTER TABLE webhook_endpoint
    ADD COLUMN failures    bigint NOT NULL DEFAULT 0 CHECK (failures >= 0),
    ADD COLUMN rests       bigint NOT NULL DEFAULT 0 CHECK (rests BETWEEN 0 AND failures),
    ADD COLUMN rests_until timestamptz CHECK ((rests = 0) = (rests_until IS NULL));

-- +goose Down
ALTER TABLE webhook_endpoint DROP COLUMN rests_until, DROP COLUMN rests, DROP COLUMN failures;

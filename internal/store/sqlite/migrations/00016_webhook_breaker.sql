-- SPDX-License-Identifier: Apache-2.0
-- How failures in a row hold deliveries back, for all workers together: how many
-- there were, how often in a row deliveries have rested, and until when.

-- +goose Up
ALTER TABLE webhook_endpoint ADD COLUMN failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0);
ALTER TABLE webhook_endpoint ADD COLUMN rests INTEGER NOT NULL DEFAULT 0 CHECK (rests BETWEEN 0 AND failures);
ALTER TABLE webhook_endpoint ADD COLUMN rests_until INTEGER NOT NULL DEFAULT 0 CHECK ((rests = 0) = (rests_until = 0));

-- +goose Down
ALTER TABLE webhook_endpoint DROP COLUMN rests_until;
ALTER TABLE webhook_endpoint DROP COLUMN rests;
ALTER TABLE webhook_endpoint DROP COLUMN failures;

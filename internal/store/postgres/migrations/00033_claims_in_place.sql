-- SPDX-License-Identifier: Apache-2.0
-- A claim changes a delivery within its page and writes no index: no index has a column that a
-- claim changes, and pages have room for the changed rows. The ids of deliveries contain the time
-- of their creation, so no index on that time is needed. Without the indexes, the previous release
-- still works; its claims and purges take longer.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS webhook_delivery_claimed;
DROP INDEX CONCURRENTLY IF EXISTS webhook_delivery_age;
ALTER TABLE webhook_delivery SET (fillfactor = 50);

-- +goose Down
ALTER TABLE webhook_delivery SET (fillfactor = 80);
DROP INDEX CONCURRENTLY IF EXISTS webhook_delivery_age;
CREATE INDEX CONCURRENTLY webhook_delivery_age ON webhook_delivery (created_at);
DROP INDEX CONCURRENTLY IF EXISTS webhook_delivery_claimed;
CREATE INDEX CONCURRENTLY webhook_delivery_claimed ON webhook_delivery (tenant, endpoint, claimed_until) WHERE claimed_until IS NOT NULL;

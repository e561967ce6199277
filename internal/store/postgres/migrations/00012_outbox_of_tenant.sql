-- SPDX-License-Identifier: Apache-2.0
-- The events of a tenant by time. The outbox is written to all the while, so the
-- index is built beside the writes; one that was left half-built is built again.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS outbox_of_tenant;
CREATE INDEX CONCURRENTLY outbox_of_tenant ON outbox (tenant, at);

-- +goose Down
DROP INDEX CONCURRENTLY outbox_of_tenant;

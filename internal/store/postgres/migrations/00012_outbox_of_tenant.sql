-- SPDX-License-Identifier: Apache-2.0
-- The events of a tenant by time. The outbox is written during the migration, so the
-- index is built concurrently; an incomplete index is built again.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS outbox_of_tenant;
CREATE INDEX CONCURRENTLY outbox_of_tenant ON outbox (tenant, at);

-- +goose Down
DROP INDEX CONCURRENTLY outbox_of_tenant;

-- SPDX-License-Identifier: Apache-2.0
-- The events of RFQs are kept as their history; only events of jobs are purged. The first index
-- lists the history of an RFQ, the second the events that can be purged. Both are built
-- concurrently; an incomplete index is built again.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS outbox_of_rfq;
CREATE INDEX CONCURRENTLY outbox_of_rfq ON outbox (subject, arrival) WHERE left(subject, 4) = 'rfq_';
DROP INDEX CONCURRENTLY IF EXISTS outbox_to_purge;
CREATE INDEX CONCURRENTLY outbox_to_purge ON outbox (id) WHERE left(subject, 4) <> 'rfq_';

-- +goose Down
DROP INDEX CONCURRENTLY outbox_to_purge;
DROP INDEX CONCURRENTLY outbox_of_rfq;

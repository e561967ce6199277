-- SPDX-License-Identifier: Apache-2.0
-- Indexes of two lists that read all records otherwise: RFQs of all organizations by status, and
-- deliveries by the type of their event. New RFQs are open and in no entry of the first index,
-- so it costs nothing when an RFQ is created. Its condition on the mode keeps lists of one
-- organization, which do not have the condition, on the index of the organization.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS rfq_of_all;
CREATE INDEX CONCURRENTLY rfq_of_all ON rfq (status, id) WHERE status <> 'open' AND tenant LIKE '%/live';
DROP INDEX CONCURRENTLY IF EXISTS webhook_delivery_type;
CREATE INDEX CONCURRENTLY webhook_delivery_type ON webhook_delivery (tenant, type, id);

-- +goose Down
DROP INDEX CONCURRENTLY webhook_delivery_type;
DROP INDEX CONCURRENTLY rfq_of_all;

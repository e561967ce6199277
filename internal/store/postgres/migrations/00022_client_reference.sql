-- SPDX-License-Identifier: Apache-2.0
-- The client's own reference of an RFQ; empty for none. The index is built concurrently; an
-- incomplete index is built again.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE rfq ADD COLUMN IF NOT EXISTS client_reference text COLLATE "C" NOT NULL DEFAULT '';
DROP INDEX CONCURRENTLY IF EXISTS rfq_reference;
CREATE INDEX CONCURRENTLY rfq_reference ON rfq (tenant, client_reference, id) WHERE client_reference <> '';

-- +goose Down
DROP INDEX CONCURRENTLY rfq_reference;
ALTER TABLE rfq DROP COLUMN client_reference;

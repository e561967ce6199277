-- SPDX-License-Identifier: Apache-2.0
-- The client's own reference of an RFQ; empty for none.

-- +goose Up
ALTER TABLE rfq ADD COLUMN client_reference TEXT NOT NULL DEFAULT '';
CREATE INDEX rfq_reference ON rfq (tenant, client_reference, id) WHERE client_reference <> '';

-- +goose Down
DROP INDEX rfq_reference;
ALTER TABLE rfq DROP COLUMN client_reference;

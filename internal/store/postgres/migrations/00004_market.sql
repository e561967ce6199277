-- SPDX-License-Identifier: Apache-2.0
-- The expiry of RFQs, and the actions of operators. Indexes are built concurrently; an incomplete
-- index is built again.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS rfq_status;
CREATE INDEX CONCURRENTLY rfq_status ON rfq (tenant, status, id);
DROP INDEX CONCURRENTLY IF EXISTS rfq_test;
CREATE INDEX CONCURRENTLY rfq_test ON rfq (id) WHERE tenant LIKE '%/test';
DROP INDEX CONCURRENTLY IF EXISTS rfq_deadline;
CREATE INDEX CONCURRENTLY rfq_deadline ON rfq (response_deadline) WHERE status IN ('open', 'quoted');
DROP INDEX CONCURRENTLY IF EXISTS rfq_end;
CREATE INDEX CONCURRENTLY rfq_end ON rfq (expires_at) WHERE status = 'closed';
DROP INDEX CONCURRENTLY IF EXISTS rfq_sandbox;
CREATE INDEX CONCURRENTLY rfq_sandbox ON rfq (created_at) WHERE status = 'open' AND tenant LIKE '%/test';
DROP INDEX CONCURRENTLY IF EXISTS quote_validity;
CREATE INDEX CONCURRENTLY quote_validity ON quote (((offer ->> 'validUntil') COLLATE "C")) WHERE status = 'submitted';

-- Entries are added and never changed: the roles of the platform lack the right.
CREATE TABLE IF NOT EXISTS audit (
    id           text COLLATE "C" PRIMARY KEY,
    at           timestamptz      NOT NULL,
    organization text COLLATE "C" NOT NULL,
    key          text             NOT NULL,
    request_id   text COLLATE "C" NOT NULL,
    verb         text             NOT NULL,
    tenant       text COLLATE "C" NOT NULL,
    subject      text COLLATE "C" NOT NULL,
    reason       text             NOT NULL
);

-- +goose Down
DROP TABLE audit;
DROP INDEX quote_validity;
DROP INDEX rfq_sandbox;
DROP INDEX rfq_end;
DROP INDEX rfq_deadline;
DROP INDEX rfq_test;
DROP INDEX rfq_status;

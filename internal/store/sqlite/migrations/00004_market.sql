-- SPDX-License-Identifier: Apache-2.0
-- The expiry of RFQs, and the actions of operators.

-- +goose Up
CREATE INDEX rfq_status ON rfq (tenant, status, id);
CREATE INDEX rfq_test ON rfq (id) WHERE tenant LIKE '%/test';
CREATE INDEX rfq_deadline ON rfq (response_deadline) WHERE status IN ('open', 'quoted');
CREATE INDEX rfq_end ON rfq (expires_at) WHERE status = 'closed';
CREATE INDEX rfq_sandbox ON rfq (created_at) WHERE status = 'open' AND tenant LIKE '%/test';
CREATE INDEX quote_validity ON quote (json_extract(offer, '$.validUntil')) WHERE status = 'submitted';

-- Entries are added and never changed.
CREATE TABLE audit (
    id           TEXT    NOT NULL PRIMARY KEY,
    at           INTEGER NOT NULL,
    organization TEXT    NOT NULL,
    key          TEXT    NOT NULL,
    request_id   TEXT    NOT NULL,
    verb         TEXT    NOT NULL,
    tenant       TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    reason       TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
-- +goose StatementBegin
CREATE TRIGGER audit_stands BEFORE UPDATE ON audit BEGIN
    SELECT raise(ABORT, 'the audit is never changed');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN
    SELECT raise(ABORT, 'the audit is never erased');
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit;
DROP INDEX quote_validity;
DROP INDEX rfq_sandbox;
DROP INDEX rfq_end;
DROP INDEX rfq_deadline;
DROP INDEX rfq_test;
DROP INDEX rfq_status;

-- SPDX-License-Identifier: Apache-2.0
-- Idempotency keys, quota windows, outbox. Times are Unix milliseconds (UTC);
-- a tenant is its canonical text, "org_acme01/live".

-- +goose Up
CREATE TABLE idempotency (
    tenant      TEXT    NOT NULL,
    operation   TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    fingerprint BLOB    NOT NULL,
    subject     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (tenant, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE quota (
    tenant       TEXT    NOT NULL,
    operation    TEXT    NOT NULL,
    window_start INTEGER NOT NULL,
    window_end   INTEGER NOT NULL,
    used         INTEGER NOT NULL CHECK (used > 0),
    PRIMARY KEY (tenant, operation, window_start, window_end)
) STRICT, WITHOUT ROWID;
CREATE INDEX quota_age ON quota (window_end);

-- AUTOINCREMENT: a seq is never used twice, so a consumer can remember one.
CREATE TABLE outbox (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT    NOT NULL UNIQUE,
    tenant  TEXT    NOT NULL,
    type    TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    at      INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE outbox;
DROP TABLE quota;
DROP TABLE idempotency;

-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
CREATE TABLE rfq (
    id                  TEXT    NOT NULL PRIMARY KEY,
    tenant              TEXT    NOT NULL,
    tracking_code       TEXT    NOT NULL UNIQUE,
    catalog_product_uid TEXT    NOT NULL,
    title               TEXT    NOT NULL,
    category            TEXT    NOT NULL,
    quantity            INTEGER NOT NULL CHECK (quantity > 0),
    delivery_city       TEXT    NOT NULL,
    product_name        TEXT    NOT NULL,
    product_group       TEXT    NOT NULL,
    catalog_id          TEXT    NOT NULL,
    status              TEXT    NOT NULL,
    version             INTEGER NOT NULL CHECK (version > 0),
    quote_count         INTEGER NOT NULL CHECK (quote_count >= 0),
    response_deadline   INTEGER NOT NULL,
    expires_at          INTEGER NOT NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX rfq_listing ON rfq (tenant, id);

-- offer is the immutable part of a quote, as JSON.
CREATE TABLE quote (
    id           TEXT    NOT NULL PRIMARY KEY,
    rfq_id       TEXT    NOT NULL REFERENCES rfq (id) ON DELETE CASCADE,
    supplier_id  TEXT    NOT NULL,
    revision     INTEGER NOT NULL CHECK (revision > 0),
    status       TEXT    NOT NULL,
    offer        TEXT    NOT NULL,
    submitted_at INTEGER NOT NULL,
    UNIQUE (rfq_id, supplier_id, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX quote_listing ON quote (rfq_id, id);
-- A supplier has at most one open quote for an RFQ.
CREATE UNIQUE INDEX quote_standing ON quote (rfq_id, supplier_id) WHERE status = 'submitted';

-- +goose Down
DROP TABLE quote;
DROP TABLE rfq;

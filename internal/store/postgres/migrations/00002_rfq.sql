-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
CREATE TABLE rfq (
    id                  text COLLATE "C" PRIMARY KEY,
    tenant              text COLLATE "C" NOT NULL,
    tracking_code       text COLLATE "C" NOT NULL UNIQUE,
    catalog_product_uid text COLLATE "C" NOT NULL,
    title               text             NOT NULL,
    category            text COLLATE "C" NOT NULL,
    quantity            bigint           NOT NULL CHECK (quantity > 0),
    delivery_city       text             NOT NULL,
    product_name        text             NOT NULL,
    product_group       text COLLATE "C" NOT NULL,
    catalog_id          text COLLATE "C" NOT NULL,
    status              text             NOT NULL,
    version             bigint           NOT NULL CHECK (version > 0),
    quote_count         bigint           NOT NULL CHECK (quote_count >= 0),
    response_deadline   timestamptz      NOT NULL,
    expires_at          timestamptz      NOT NULL,
    created_at          timestamptz      NOT NULL,
    updated_at          timestamptz      NOT NULL
);
CREATE INDEX rfq_listing ON rfq (tenant, id);

-- offer is the immutable part of a quote.
CREATE TABLE quote (
    id           text COLLATE "C" PRIMARY KEY,
    rfq_id       text COLLATE "C" NOT NULL REFERENCES rfq (id) ON DELETE CASCADE,
    supplier_id  text COLLATE "C" NOT NULL,
    revision     bigint           NOT NULL CHECK (revision > 0),
    status       text             NOT NULL,
    offer        jsonb            NOT NULL,
    submitted_at timestamptz      NOT NULL,
    UNIQUE (rfq_id, supplier_id, revision)
);
CREATE INDEX quote_listing ON quote (rfq_id, id);
-- A supplier has at most one open quote for an RFQ.
CREATE UNIQUE INDEX quote_standing ON quote (rfq_id, supplier_id) WHERE status = 'submitted';

-- +goose Down
DROP TABLE quote;
DROP TABLE rfq;

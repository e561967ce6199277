-- SPDX-License-Identifier: Apache-2.0
-- Webhooks: endpoints, deliveries and the responses of endpoints. A time is NULL
-- before its event.

-- +goose Up
-- Transactions take locks in one order, to prevent deadlocks: endpoints by
-- (tenant, name), then deliveries by id.
CREATE TABLE webhook_endpoint (
    tenant        text COLLATE "C" NOT NULL CHECK (tenant ~ '^org_[A-Za-z0-9]{6,32}/(test|live)$'),
    name          text COLLATE "C" NOT NULL CHECK (name <> ''),
    url           text             NOT NULL,
    enrolled_at   timestamptz      NOT NULL,
    begun_at      timestamptz      NOT NULL,
    disabled      text COLLATE "C" NOT NULL DEFAULT '' CHECK (disabled IN ('', 'Gone', 'Failing')),
    disabled_at   timestamptz,
    failing_since timestamptz,
    delivered_at  timestamptz,
    PRIMARY KEY (tenant, name),
    CHECK ((disabled = '') = (disabled_at IS NULL))
) WITH (fillfactor = 50); -- each success changes a row in place

-- A worker has lost the claim if the row has another token, or if claimed_until is
-- NULL.
CREATE TABLE webhook_delivery (
    id            text COLLATE "C" PRIMARY KEY,
    tenant        text COLLATE "C" NOT NULL CHECK (tenant ~ '^org_[A-Za-z0-9]{6,32}/(test|live)$'),
    endpoint      text COLLATE "C" NOT NULL CHECK (endpoint <> ''),
    event_id      text COLLATE "C" NOT NULL,
    type          text COLLATE "C" NOT NULL,
    subject       text COLLATE "C" NOT NULL,
    event_at      timestamptz      NOT NULL,
    state         text COLLATE "C" NOT NULL CHECK (state IN ('pending', 'delivered', 'exhausted')),
    attempts      bigint           NOT NULL CHECK (attempts >= 0),
    tries         bigint           NOT NULL CHECK (tries BETWEEN 0 AND attempts),
    due_at        timestamptz      CHECK ((due_at IS NULL) = (state <> 'pending')),
    ended_at      timestamptz      CHECK ((ended_at IS NULL) = (state = 'pending')),
    created_at    timestamptz      NOT NULL,
    token         bigint           NOT NULL DEFAULT 0,
    claimed_until timestamptz      CHECK (claimed_until IS NULL OR state = 'pending'),
    UNIQUE (tenant, endpoint, event_id)
) WITH (fillfactor = 80);
CREATE INDEX webhook_delivery_listing ON webhook_delivery (tenant, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant, endpoint, due_at, id) INCLUDE (event_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_claimed ON webhook_delivery (tenant, endpoint, claimed_until) WHERE claimed_until IS NOT NULL;
CREATE INDEX webhook_delivery_exhausted ON webhook_delivery (tenant, endpoint, event_at, id) WHERE state = 'exhausted';
CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at);

-- took is in microseconds.
CREATE TABLE webhook_attempt (
    delivery_id text COLLATE "C" NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
    number      bigint           NOT NULL CHECK (number > 0),
    at          timestamptz      NOT NULL,
    took        bigint           NOT NULL,
    status      bigint           NOT NULL,
    fault       text COLLATE "C" NOT NULL,
    excerpt     text             NOT NULL,
    PRIMARY KEY (delivery_id, number)
);

-- One row: the seq up to which the outbox has been relayed. Events before this
-- migration are not delivered, so they are numbered first.
CREATE TABLE webhook_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    relayed  bigint NOT NULL
);
SELECT number_outbox(9223372036854775807);
INSERT INTO webhook_head (relayed) SELECT last FROM outbox_head;

-- +goose Down
DROP TABLE webhook_head;
DROP TABLE webhook_attempt;
DROP TABLE webhook_delivery;
DROP TABLE webhook_endpoint;

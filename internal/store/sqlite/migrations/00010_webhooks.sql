-- SPDX-License-Identifier: Apache-2.0
-- Webhooks: endpoints, deliveries and the responses of endpoints. A time is 0
-- before its event.

-- +goose Up
CREATE TABLE webhook_endpoint (
    tenant        TEXT    NOT NULL CHECK (tenant GLOB 'org_*/live' OR tenant GLOB 'org_*/test'),
    name          TEXT    NOT NULL CHECK (name <> ''),
    url           TEXT    NOT NULL,
    enrolled_at   INTEGER NOT NULL,
    begun_at      INTEGER NOT NULL,
    disabled      TEXT    NOT NULL DEFAULT '' CHECK (disabled IN ('', 'Gone', 'Failing')),
    disabled_at   INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER NOT NULL DEFAULT 0,
    delivered_at  INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant, name),
    CHECK ((disabled = '') = (disabled_at = 0)),
    CHECK (length(tenant) BETWEEN 15 AND 41 AND substr(tenant, 5, length(tenant) - 9) NOT GLOB '*[^A-Za-z0-9]*')
) STRICT, WITHOUT ROWID;

-- A worker has lost the claim if the row has another token, or if claimed_until is
-- 0.
CREATE TABLE webhook_delivery (
    id            TEXT    NOT NULL PRIMARY KEY,
    tenant        TEXT    NOT NULL CHECK (tenant GLOB 'org_*/live' OR tenant GLOB 'org_*/test'),
    endpoint      TEXT    NOT NULL CHECK (endpoint <> ''),
    event_id      TEXT    NOT NULL,
    type          TEXT    NOT NULL,
    subject       TEXT    NOT NULL,
    event_at      INTEGER NOT NULL,
    state         TEXT    NOT NULL CHECK (state IN ('pending', 'delivered', 'exhausted')),
    attempts      INTEGER NOT NULL CHECK (attempts >= 0),
    tries         INTEGER NOT NULL CHECK (tries BETWEEN 0 AND attempts),
    due_at        INTEGER NOT NULL CHECK ((due_at = 0) = (state <> 'pending')),
    ended_at      INTEGER NOT NULL CHECK ((ended_at = 0) = (state = 'pending')),
    created_at    INTEGER NOT NULL,
    token         INTEGER NOT NULL DEFAULT 0,
    claimed_until INTEGER NOT NULL DEFAULT 0 CHECK (claimed_until = 0 OR state = 'pending'),
    UNIQUE (tenant, endpoint, event_id),
    CHECK (length(tenant) BETWEEN 15 AND 41 AND substr(tenant, 5, length(tenant) - 9) NOT GLOB '*[^A-Za-z0-9]*')
) STRICT;
CREATE INDEX webhook_delivery_listing ON webhook_delivery (tenant, id);
CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant, endpoint, due_at, id) WHERE state = 'pending';
CREATE INDEX webhook_delivery_claimed ON webhook_delivery (tenant, endpoint, claimed_until) WHERE claimed_until > 0;
CREATE INDEX webhook_delivery_exhausted ON webhook_delivery (tenant, endpoint, event_at, id) WHERE state = 'exhausted';
CREATE INDEX webhook_delivery_age ON webhook_delivery (created_at);

-- took is in microseconds.
CREATE TABLE webhook_attempt (
    delivery_id TEXT    NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL CHECK (number > 0),
    at          INTEGER NOT NULL,
    took        INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    fault       TEXT    NOT NULL,
    excerpt     TEXT    NOT NULL,
    PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;

-- One row: the seq up to which the outbox has been relayed. Events before this
-- migration are not delivered.
CREATE TABLE webhook_head (relayed INTEGER NOT NULL) STRICT;
INSERT INTO webhook_head SELECT coalesce(max(seq), 0) FROM outbox;

CREATE INDEX outbox_of_tenant ON outbox (tenant, at);

-- +goose Down
DROP INDEX outbox_of_tenant;
DROP TABLE webhook_head;
DROP TABLE webhook_attempt;
DROP TABLE webhook_delivery;
DROP TABLE webhook_endpoint;

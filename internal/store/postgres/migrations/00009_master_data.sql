-- SPDX-License-Identifier: Apache-2.0
-- Snapshots of master data, with the periods in which they apply.

-- +goose Up
CREATE TABLE masterdata_snapshot (
    id          text COLLATE "C" PRIMARY KEY,
    level       text COLLATE "C" NOT NULL CHECK (level IN ('catalog', 'resources')),
    owner       text COLLATE "C" NOT NULL,
    currency    text COLLATE "C" NOT NULL,
    counts      jsonb            NOT NULL,
    provenance  jsonb            NOT NULL,
    content     bytea            NOT NULL,
    imported_at timestamptz      NOT NULL,
    imported_by text             NOT NULL
);
CREATE INDEX masterdata_snapshot_listing ON masterdata_snapshot (imported_at, id);
-- Content is compressed already.
ALTER TABLE masterdata_snapshot ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE masterdata_approval (
    id               text COLLATE "C" PRIMARY KEY,
    snapshot         text COLLATE "C" NOT NULL REFERENCES masterdata_snapshot (id),
    level            text COLLATE "C" NOT NULL,
    owner            text COLLATE "C" NOT NULL,
    effective_from   timestamptz      NOT NULL,
    effective_until  timestamptz      CHECK (effective_until > effective_from),
    approved_at      timestamptz      NOT NULL,
    approved_by      text             NOT NULL,
    note             text             NOT NULL,
    withdrawn_at     timestamptz,
    withdrawn_by     text             NOT NULL DEFAULT '',
    withdrawn_reason text             NOT NULL DEFAULT ''
);
CREATE INDEX masterdata_approval_head ON masterdata_approval (level, owner, effective_from) WHERE withdrawn_at IS NULL;

-- One row: replicas read it every two seconds, and read more only if it has
-- increased. A transaction that changes approvals locks the row first, so a replica
-- that has read a revision can read all changes up to it.
CREATE TABLE masterdata_revision (revision bigint NOT NULL);
INSERT INTO masterdata_revision VALUES (0);

-- +goose Down
DROP TABLE masterdata_revision;
DROP TABLE masterdata_approval;
DROP TABLE masterdata_snapshot;

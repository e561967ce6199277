-- SPDX-License-Identifier: Apache-2.0
-- Snapshots of master data, with the periods in which they apply.

-- +goose Up
CREATE TABLE masterdata_snapshot (
    id          TEXT    NOT NULL PRIMARY KEY,
    level       TEXT    NOT NULL CHECK (level IN ('catalog', 'resources')),
    owner       TEXT    NOT NULL,
    currency    TEXT    NOT NULL,
    counts      TEXT    NOT NULL,
    provenance  TEXT    NOT NULL,
    content     BLOB    NOT NULL,
    imported_at INTEGER NOT NULL,
    imported_by TEXT    NOT NULL
) STRICT;
CREATE INDEX masterdata_snapshot_listing ON masterdata_snapshot (imported_at, id);

-- A time of 0 is unset.
CREATE TABLE masterdata_approval (
    id               TEXT    NOT NULL PRIMARY KEY,
    snapshot         TEXT    NOT NULL REFERENCES masterdata_snapshot (id),
    level            TEXT    NOT NULL,
    owner            TEXT    NOT NULL,
    effective_from   INTEGER NOT NULL,
    effective_until  INTEGER NOT NULL CHECK (effective_until = 0 OR effective_until > effective_from),
    approved_at      INTEGER NOT NULL,
    approved_by      TEXT    NOT NULL,
    note             TEXT    NOT NULL,
    withdrawn_at     INTEGER NOT NULL DEFAULT 0,
    withdrawn_by     TEXT    NOT NULL DEFAULT '',
    withdrawn_reason TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX masterdata_approval_head ON masterdata_approval (level, owner, effective_from) WHERE withdrawn_at = 0;

CREATE TABLE masterdata_revision (revision INTEGER NOT NULL) STRICT;
INSERT INTO masterdata_revision VALUES (0);

-- +goose Down
DROP TABLE masterdata_revision;
DROP TABLE masterdata_approval;
DROP TABLE masterdata_snapshot;

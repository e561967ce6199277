-- SPDX-License-Identifier: Apache-2.0
-- Erasures of organizations, and the indexes by which they find records. A time of 0 is
-- unset.

-- +goose Up
CREATE TABLE erasure (
    id           TEXT    NOT NULL PRIMARY KEY,
    organization TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('planned', 'erasing', 'erased')),
    planned_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    confirmed_at INTEGER NOT NULL CHECK ((confirmed_at = 0) = (state = 'planned')),
    ended_at     INTEGER NOT NULL CHECK ((ended_at = 0) = (state <> 'erased')),
    details      TEXT    NOT NULL
) STRICT;
CREATE INDEX erasure_of_organization ON erasure (organization, id) WHERE state <> 'planned';
CREATE UNIQUE INDEX erasure_open ON erasure (organization) WHERE state = 'erasing';
CREATE INDEX erasure_expiry ON erasure (expires_at) WHERE state = 'planned';

CREATE INDEX job_of_tenant ON job (tenant, id);
CREATE INDEX masterdata_snapshot_owner ON masterdata_snapshot (owner, id);
CREATE INDEX masterdata_approval_owner ON masterdata_approval (owner, id);
CREATE INDEX masterdata_approval_snapshot ON masterdata_approval (snapshot);

-- +goose Down
DROP INDEX masterdata_approval_snapshot;
DROP INDEX masterdata_approval_owner;
DROP INDEX masterdata_snapshot_owner;
DROP INDEX job_of_tenant;
DROP TABLE erasure;

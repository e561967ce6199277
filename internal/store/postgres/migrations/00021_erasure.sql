-- SPDX-License-Identifier: Apache-2.0
-- Erasures of organizations, and the indexes by which they find records. The indexes of jobs and
-- of master data are built beside writes; one that was left half-built is built again.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS erasure (
    id           text COLLATE "C" PRIMARY KEY,
    organization text COLLATE "C" NOT NULL,
    state        text COLLATE "C" NOT NULL CHECK (state IN ('planned', 'erasing', 'erased')),
    planned_at   timestamptz      NOT NULL,
    expires_at   timestamptz      NOT NULL,
    confirmed_at timestamptz      CHECK ((confirmed_at IS NULL) = (state = 'planned')),
    ended_at     timestamptz      CHECK ((ended_at IS NULL) = (state <> 'erased')),
    details      text             NOT NULL
);
CREATE INDEX IF NOT EXISTS erasure_of_organization ON erasure (organization, id) WHERE state <> 'planned';
CREATE UNIQUE INDEX IF NOT EXISTS erasure_open ON erasure (organization) WHERE state = 'erasing';
CREATE INDEX IF NOT EXISTS erasure_expiry ON erasure (expires_at) WHERE state = 'planned';

DROP INDEX CONCURRENTLY IF EXISTS job_of_tenant;
CREATE INDEX CONCURRENTLY job_of_tenant ON job (tenant, id);
DROP INDEX CONCURRENTLY IF EXISTS masterdata_snapshot_owner;
CREATE INDEX CONCURRENTLY masterdata_snapshot_owner ON masterdata_snapshot (owner, id);
DROP INDEX CONCURRENTLY IF EXISTS masterdata_approval_owner;
CREATE INDEX CONCURRENTLY masterdata_approval_owner ON masterdata_approval (owner, id);
DROP INDEX CONCURRENTLY IF EXISTS masterdata_approval_snapshot;
CREATE INDEX CONCURRENTLY masterdata_approval_snapshot ON masterdata_approval (snapshot);

-- +goose Down
DROP INDEX CONCURRENTLY masterdata_approval_snapshot;
DROP INDEX CONCURRENTLY masterdata_approval_owner;
DROP INDEX CONCURRENTLY masterdata_snapshot_owner;
DROP INDEX CONCURRENTLY job_of_tenant;
DROP TABLE erasure;

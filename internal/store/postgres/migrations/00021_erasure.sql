-- SPDX-License-Identifier: Apache-2.0
-- Erasures of organizations, and the indexes by which they find records. The indexes of jobs and
-- of master data are built concurrently; an incomplete index is built again.

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

-- erase_records deletes at most the given number of rows of one kind, and returns their number.
-- It runs with the rights of the owner of the schema, because API servers cannot delete records
-- of partners. It requires an erasure that the audit has recorded. Parts are deleted before the
-- records that own them; the records are locked first, in the order of all transactions.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION erase_records(kind text, whose text, most bigint, digests bytea[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    erased bigint;
    org    text := split_part(whose, '/', 1);
BEGIN
    IF NOT EXISTS (
        SELECT FROM erasure e JOIN audit a ON a.id = e.details::jsonb ->> 'auditId'
        WHERE e.organization = org AND e.state = 'erasing'
            AND a.verb = 'organization.erase' AND a.subject = e.id AND a.tenant = org || '/live'
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'the audit has no erasure of the organization';
    END IF;
    CASE kind
    WHEN 'quotes' THEN
        PERFORM FROM rfq WHERE tenant = whose ORDER BY id LIMIT most FOR UPDATE;
        DELETE FROM quote WHERE rfq_id IN (SELECT id FROM rfq WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'rfqs' THEN
        DELETE FROM rfq WHERE id IN (SELECT id FROM rfq WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'reports' THEN
        PERFORM FROM job WHERE tenant = whose ORDER BY id LIMIT most FOR UPDATE;
        DELETE FROM report WHERE job_id IN (SELECT id FROM job WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'jobs' THEN
        DELETE FROM job WHERE id IN (SELECT id FROM job WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'attempts' THEN
        PERFORM FROM webhook_delivery WHERE tenant = whose ORDER BY id LIMIT most FOR UPDATE;
        DELETE FROM webhook_attempt WHERE delivery_id IN (SELECT id FROM webhook_delivery WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'deliveries' THEN
        DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'endpoints' THEN
        DELETE FROM webhook_endpoint WHERE (tenant, name) IN (SELECT tenant, name FROM webhook_endpoint WHERE tenant = whose ORDER BY tenant, name LIMIT most);
    WHEN 'events' THEN
        DELETE FROM outbox WHERE id IN (SELECT id FROM outbox WHERE tenant = whose LIMIT most);
    WHEN 'callbacks' THEN
        DELETE FROM xjmf_message WHERE id IN (SELECT id FROM xjmf_message WHERE tenant = whose ORDER BY id LIMIT most);
    WHEN 'jobStatuses' THEN
        DELETE FROM xjmf_state WHERE (tenant, job_id, job_part_id, partition) IN (
            SELECT tenant, job_id, job_part_id, partition FROM xjmf_state WHERE tenant = whose
            ORDER BY tenant, job_id, job_part_id, partition LIMIT most);
    WHEN 'idempotencyKeys' THEN
        DELETE FROM idempotency WHERE (tenant, operation, key) IN (
            SELECT tenant, operation, key FROM idempotency WHERE tenant = whose ORDER BY tenant, operation, key LIMIT most);
    WHEN 'requests' THEN
        DELETE FROM request_log WHERE (tenant, id) IN (SELECT tenant, id FROM request_log WHERE tenant = whose ORDER BY tenant, id LIMIT most);
    WHEN 'costDataApprovals' THEN
        DELETE FROM masterdata_approval WHERE id IN (SELECT id FROM masterdata_approval WHERE owner = org ORDER BY id LIMIT most);
    WHEN 'costData' THEN
        DELETE FROM masterdata_snapshot WHERE id IN (SELECT id FROM masterdata_snapshot WHERE owner = org ORDER BY id LIMIT most);
    WHEN 'keyUses' THEN
        DELETE FROM key_use WHERE digest = ANY (digests);
    END CASE;
    GET DIAGNOSTICS erased = ROW_COUNT;
    RETURN erased;
END $$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION erase_records(text, text, bigint, bytea[]) FROM PUBLIC;

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
DROP FUNCTION erase_records(text, text, bigint, bytea[]);
DROP TABLE erasure;

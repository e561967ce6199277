-- SPDX-License-Identifier: Apache-2.0
-- The files that partners upload; their bytes are not in the database. The index of jobs finds the
-- open jobs of a file. It is built concurrently; an incomplete index is built again.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS uploaded_file (
    id         text COLLATE "C" PRIMARY KEY,
    tenant     text COLLATE "C" NOT NULL,
    sha256     text COLLATE "C" NOT NULL,
    bytes      bigint           NOT NULL CHECK (bytes > 0),
    created_at timestamptz      NOT NULL,
    expires_at timestamptz      NOT NULL
);
CREATE INDEX IF NOT EXISTS uploaded_file_of_tenant ON uploaded_file (tenant, id);
CREATE INDEX IF NOT EXISTS uploaded_file_expiry ON uploaded_file (expires_at);

-- room_for_file reports whether an organization may store one more file of a size. It lets one
-- transaction of the organization pass at a time, or two would count the same files. A file counts
-- as 64 KiB or more.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION room_for_file(tenants text[], size bigint, most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('files of ' || tenants[1], 0));
    RETURN most >= greatest(size, 65536) + (SELECT coalesce(sum(greatest(bytes, 65536)), 0) FROM uploaded_file WHERE tenant = ANY (tenants));
END $$;
-- +goose StatementEnd

DROP INDEX CONCURRENTLY IF EXISTS job_of_file;
CREATE INDEX CONCURRENTLY job_of_file ON job (file_url) WHERE status IN ('queued', 'processing') AND left(file_url, 7) = 'upload:';

-- erase_records also erases files. The rest is as before.
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
    WHEN 'files' THEN
        DELETE FROM uploaded_file WHERE id IN (SELECT id FROM uploaded_file WHERE tenant = whose ORDER BY id LIMIT most);
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

-- +goose Down
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
DROP INDEX CONCURRENTLY job_of_file;
DROP FUNCTION room_for_file(text[], bigint, bigint);
DROP TABLE uploaded_file;

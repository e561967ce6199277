-- SPDX-License-Identifier: Apache-2.0
-- The order in which the states of jobs were reported, so that a partner can list its own. The
-- previous release does not know the column: its states sort by the time at which it adds them.

-- +goose NO TRANSACTION
-- +goose Up
ALTER TABLE xjmf_state ADD COLUMN IF NOT EXISTS id text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE xjmf_state ALTER COLUMN id SET DEFAULT '0' || to_char(floor(extract(epoch FROM clock_timestamp()) * 1000), 'FM000000000000000') || '.' || gen_random_uuid()::text;

-- Ids of earlier states sort before all ids of callbacks, by the time of receipt.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE backfill_xjmf_state_id() LANGUAGE plpgsql AS $$
DECLARE
    -- The key of the last row of the previous batch, and the number of rows until then.
    last_tenant    text   := '';
    last_job       text   := '';
    last_part      text   := '';
    last_partition text   := '';
    filled         bigint := 0;
BEGIN
    LOOP
        WITH next AS (
            SELECT tenant, job_id, job_part_id, partition, filled + row_number() OVER (ORDER BY tenant, job_id, job_part_id, partition) AS place
            FROM (
                SELECT tenant, job_id, job_part_id, partition FROM xjmf_state
                WHERE (tenant, job_id, job_part_id, partition) > (last_tenant, last_job, last_part, last_partition)
                ORDER BY tenant, job_id, job_part_id, partition LIMIT 1000
            ) AS page
        ), fill AS (
            UPDATE xjmf_state s SET id = '0' || to_char(floor(extract(epoch FROM s.received_at) * 1000), 'FM000000000000000') || '.' || to_char(n.place, 'FM000000000')
            FROM next n
            WHERE s.tenant = n.tenant AND s.job_id = n.job_id AND s.job_part_id = n.job_part_id AND s.partition = n.partition
                AND s.id = '' AND s.received_at IS NOT NULL
        )
        SELECT tenant, job_id, job_part_id, partition, place INTO last_tenant, last_job, last_part, last_partition, filled FROM next ORDER BY place DESC LIMIT 1;
        EXIT WHEN NOT FOUND;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd
CALL backfill_xjmf_state_id();
DROP PROCEDURE backfill_xjmf_state_id;

DROP INDEX CONCURRENTLY IF EXISTS xjmf_state_listing;
CREATE INDEX CONCURRENTLY xjmf_state_listing ON xjmf_state (tenant, id);

-- +goose Down
DROP INDEX CONCURRENTLY xjmf_state_listing;
ALTER TABLE xjmf_state DROP COLUMN id;

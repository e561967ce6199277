-- SPDX-License-Identifier: Apache-2.0
-- The order in which the states of jobs were reported, so that a partner can list its own.

-- +goose Up
ALTER TABLE xjmf_state ADD COLUMN id text COLLATE "C" NOT NULL DEFAULT '';
-- Ids of earlier states sort before all ids of callbacks, by the time of receipt.
UPDATE xjmf_state SET id = '0' || to_char(floor(extract(epoch FROM s.received_at) * 1000), 'FM000000000000000') || '.' || to_char(s.place, 'FM000000000')
FROM (SELECT tenant, job_id, job_part_id, partition, received_at, row_number() OVER (ORDER BY tenant, job_id, job_part_id, partition) AS place FROM xjmf_state) AS s
WHERE s.tenant = xjmf_state.tenant AND s.job_id = xjmf_state.job_id AND s.job_part_id = xjmf_state.job_part_id AND s.partition = xjmf_state.partition AND s.received_at IS NOT NULL;
CREATE INDEX xjmf_state_listing ON xjmf_state (tenant, id);

-- +goose Down
DROP INDEX xjmf_state_listing;
ALTER TABLE xjmf_state DROP COLUMN id;

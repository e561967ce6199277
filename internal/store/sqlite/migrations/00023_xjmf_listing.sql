-- SPDX-License-Identifier: Apache-2.0
-- The order in which the states of jobs were reported, so that a partner can list its own.

-- +goose Up
ALTER TABLE xjmf_state ADD COLUMN id TEXT NOT NULL DEFAULT '';
-- Ids of earlier states sort before all ids of callbacks, by the time of receipt.
UPDATE xjmf_state SET id = printf('0%015d.%09d', s.received_at, s.place)
FROM (SELECT tenant, job_id, job_part_id, partition, received_at, row_number() OVER (ORDER BY tenant, job_id, job_part_id, partition) AS place FROM xjmf_state) AS s
WHERE s.tenant = xjmf_state.tenant AND s.job_id = xjmf_state.job_id AND s.job_part_id = xjmf_state.job_part_id AND s.partition = xjmf_state.partition;
CREATE INDEX xjmf_state_listing ON xjmf_state (tenant, id);

-- +goose Down
DROP INDEX xjmf_state_listing;
ALTER TABLE xjmf_state DROP COLUMN id;

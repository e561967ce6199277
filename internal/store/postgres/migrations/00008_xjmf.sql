-- SPDX-License-Identifier: Apache-2.0
-- XJMF callbacks, and the last reported status of each job.

-- +goose Up
-- The unique key ensures that a callback is applied once: a second insert waits
-- for the commit of the first one, and then finds it.
CREATE TABLE xjmf_message (
    id          text COLLATE "C" PRIMARY KEY,
    tenant      text COLLATE "C" NOT NULL,
    sender      text COLLATE "C" NOT NULL,
    message_id  text COLLATE "C" NOT NULL,
    digest      bytea            NOT NULL,
    encoding    text COLLATE "C" NOT NULL,
    body        bytea            NOT NULL,
    answer      bytea            NOT NULL,
    sent_at     timestamptz      NOT NULL,
    received_at timestamptz      NOT NULL,
    UNIQUE (tenant, sender, message_id)
);
CREATE INDEX xjmf_message_listing ON xjmf_message (tenant, id);
CREATE INDEX xjmf_message_age ON xjmf_message (received_at);

-- status is a value of the external vocabulary. It is NULL only inside of the
-- transaction that first names a job.
CREATE TABLE xjmf_state (
    tenant         text COLLATE "C" NOT NULL,
    job_id         text COLLATE "C" NOT NULL CHECK (job_id <> ''),
    job_part_id    text COLLATE "C" NOT NULL,
    partition      text COLLATE "C" NOT NULL,
    status         text COLLATE "C" CHECK (status IN (
        'Aborted', 'Cleanup', 'Completed', 'InProgress', 'Setup', 'Stopped', 'Suspended', 'Waiting')),
    status_details text             NOT NULL DEFAULT '',
    device_id      text             NOT NULL DEFAULT '',
    sender         text COLLATE "C" NOT NULL DEFAULT '',
    at             timestamptz,
    message        text COLLATE "C" NOT NULL DEFAULT '',
    position       bigint           NOT NULL DEFAULT 0,
    received_at    timestamptz,
    PRIMARY KEY (tenant, job_id, job_part_id, partition)
);
CREATE INDEX xjmf_state_age ON xjmf_state (received_at);

-- +goose Down
DROP TABLE xjmf_state;
DROP TABLE xjmf_message;

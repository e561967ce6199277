-- SPDX-License-Identifier: Apache-2.0
-- XJMF callbacks, and the last reported status of each job.

-- +goose Up
CREATE TABLE xjmf_message (
    id          TEXT    NOT NULL PRIMARY KEY,
    tenant      TEXT    NOT NULL,
    sender      TEXT    NOT NULL,
    message_id  TEXT    NOT NULL,
    digest      BLOB    NOT NULL,
    encoding    TEXT    NOT NULL,
    body        BLOB    NOT NULL,
    answer      BLOB    NOT NULL,
    sent_at     INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    UNIQUE (tenant, sender, message_id)
) STRICT;
CREATE INDEX xjmf_message_listing ON xjmf_message (tenant, id);
CREATE INDEX xjmf_message_age ON xjmf_message (received_at);

-- status is a value of the external vocabulary.
CREATE TABLE xjmf_state (
    tenant         TEXT    NOT NULL,
    job_id         TEXT    NOT NULL CHECK (job_id <> ''),
    job_part_id    TEXT    NOT NULL,
    partition      TEXT    NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN (
        'Aborted', 'Cleanup', 'Completed', 'InProgress', 'Setup', 'Stopped', 'Suspended', 'Waiting')),
    status_details TEXT    NOT NULL,
    device_id      TEXT    NOT NULL,
    sender         TEXT    NOT NULL,
    at             INTEGER NOT NULL,
    message        TEXT    NOT NULL,
    position       INTEGER NOT NULL,
    received_at    INTEGER NOT NULL,
    PRIMARY KEY (tenant, job_id, job_part_id, partition)
) STRICT, WITHOUT ROWID;
CREATE INDEX xjmf_state_age ON xjmf_state (received_at);

-- +goose Down
DROP TABLE xjmf_state;
DROP TABLE xjmf_message;

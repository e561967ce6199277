-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
-- A time of 0 has not come.
CREATE TABLE job (
    id             TEXT    NOT NULL PRIMARY KEY,
    tenant         TEXT    NOT NULL,
    file_url       TEXT    NOT NULL,
    profile        TEXT    NOT NULL,
    status         TEXT    NOT NULL CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
    attempt        INTEGER NOT NULL CHECK (attempt >= 0),
    incarnation    TEXT    NOT NULL,
    pages_done     INTEGER NOT NULL,
    pages_total    INTEGER NOT NULL,
    verdict        TEXT    NOT NULL,
    failure_code   TEXT    NOT NULL,
    failure_detail TEXT    NOT NULL,
    version        INTEGER NOT NULL CHECK (version > 0),
    submitted_at   INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    finished_at    INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    dispatched_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX job_open ON job (dispatched_at, id) WHERE status IN ('queued', 'processing');
CREATE INDEX job_backlog ON job (tenant) WHERE status IN ('queued', 'processing');
CREATE INDEX job_retention ON job (expires_at) WHERE file_url <> '';

-- The primary key prevents a second report of a job.
CREATE TABLE report (
    job_id TEXT NOT NULL PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
    body   BLOB NOT NULL
) STRICT;

-- +goose Down
DROP TABLE report;
DROP TABLE job;

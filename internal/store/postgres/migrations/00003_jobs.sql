-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
-- A time is NULL before its event.
CREATE TABLE job (
    id             text COLLATE "C" PRIMARY KEY,
    tenant         text COLLATE "C" NOT NULL,
    file_url       text             NOT NULL,
    profile        text             NOT NULL,
    status         text             NOT NULL CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'cancelled')),
    attempt        bigint           NOT NULL CHECK (attempt >= 0),
    incarnation    text COLLATE "C" NOT NULL,
    pages_done     bigint           NOT NULL,
    pages_total    bigint           NOT NULL,
    verdict        text             NOT NULL,
    failure_code   text             NOT NULL,
    failure_detail text             NOT NULL,
    version        bigint           NOT NULL CHECK (version > 0),
    submitted_at   timestamptz      NOT NULL,
    started_at     timestamptz,
    finished_at    timestamptz,
    expires_at     timestamptz      NOT NULL,
    dispatched_at  timestamptz      NOT NULL
);
CREATE INDEX job_open ON job (dispatched_at, id) WHERE status IN ('queued', 'processing');
CREATE INDEX job_backlog ON job (tenant) WHERE status IN ('queued', 'processing');
CREATE INDEX job_retention ON job (expires_at) WHERE file_url <> '';

-- The primary key prevents a second report of a job.
CREATE TABLE report (
    job_id text COLLATE "C" PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
    body   bytea NOT NULL
);

-- room_for_job reports whether a tenant may have one more open job. It lets one
-- transaction of the tenant pass at a time, or two would count the same jobs.
-- +goose StatementBegin
CREATE FUNCTION room_for_job(who text, most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('open jobs of ' || who, 0));
    RETURN most > (
        SELECT count(*) FROM (
            SELECT FROM job WHERE tenant = who AND status IN ('queued', 'processing') LIMIT most
        ) AS open
    );
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION room_for_job(text, bigint);
DROP TABLE report;
DROP TABLE job;

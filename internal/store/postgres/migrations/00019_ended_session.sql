-- SPDX-License-Identifier: Apache-2.0
-- The ends of dashboard sessions, by sign-outs and by the identity provider.

-- +goose Up
CREATE TABLE ended_session (
    name     bytea       PRIMARY KEY,
    ended_at timestamptz NOT NULL,
    until    timestamptz NOT NULL
);
CREATE INDEX ended_session_until ON ended_session (until);

-- +goose Down
DROP TABLE ended_session;

-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
CREATE TABLE ended_session (
    name     BLOB    NOT NULL PRIMARY KEY,
    ended_at INTEGER NOT NULL,
    until    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ended_session_until ON ended_session (until);

-- +goose Down
DROP TABLE ended_session;

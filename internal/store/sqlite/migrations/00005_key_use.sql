-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
CREATE TABLE key_use (
    digest  BLOB    NOT NULL PRIMARY KEY,
    used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE key_use;

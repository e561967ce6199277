-- SPDX-License-Identifier: Apache-2.0

-- +goose Up
CREATE TABLE key_use (
    digest  bytea       PRIMARY KEY,
    used_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE key_use;

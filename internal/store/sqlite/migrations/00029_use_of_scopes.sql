-- SPDX-License-Identifier: Apache-2.0
-- The last use of each scope of a key, in seconds since 1970, and the time from which uses are
-- recorded.

-- +goose Up
ALTER TABLE key_use ADD COLUMN scopes TEXT NOT NULL DEFAULT '{}';
ALTER TABLE key_use ADD COLUMN scopes_since INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE key_use DROP COLUMN scopes_since;
ALTER TABLE key_use DROP COLUMN scopes;

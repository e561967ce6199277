-- SPDX-License-Identifier: Apache-2.0
-- The last use of each scope of a key, in seconds since 1970, and the time from which uses are
-- recorded.

-- +goose Up
ALTER TABLE key_use ADD COLUMN IF NOT EXISTS scopes jsonb NOT NULL DEFAULT '{}';
ALTER TABLE key_use ADD COLUMN IF NOT EXISTS scopes_since timestamptz;

-- +goose Down
ALTER TABLE key_use DROP COLUMN scopes_since;
ALTER TABLE key_use DROP COLUMN scopes;

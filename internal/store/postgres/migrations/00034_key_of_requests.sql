-- SPDX-License-Identifier: Apache-2.0
-- The index of a list by key, which reads all entries of an organization otherwise, such as after
-- a key has leaked.

-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS request_log_key;
CREATE INDEX CONCURRENTLY request_log_key ON request_log (tenant, key_name, id);

-- +goose Down
DROP INDEX CONCURRENTLY request_log_key;

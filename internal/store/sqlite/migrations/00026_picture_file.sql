-- SPDX-License-Identifier: Apache-2.0
-- Stored files have a kind, and each kind its own limit.

-- +goose Up
ALTER TABLE uploaded_file ADD COLUMN kind TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE uploaded_file DROP COLUMN kind;

-- SPDX-License-Identifier: Apache-2.0
-- Stored files have a kind, and each kind its own limit: pictures of pages leave the limit of
-- uploaded files as it is.

-- +goose Up
ALTER TABLE uploaded_file ADD COLUMN IF NOT EXISTS kind text COLLATE "C" NOT NULL DEFAULT '';

-- room_for_file reports whether an organization may store one more file of a kind and a size. It
-- lets one transaction of the organization pass at a time, or two would count the same files. A file
-- counts as 64 KiB or more.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION room_for_file(tenants text[], size bigint, most bigint, of_kind text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('files of ' || tenants[1], 0));
    RETURN most >= greatest(size, 65536)
        + (SELECT coalesce(sum(greatest(bytes, 65536)), 0) FROM uploaded_file WHERE tenant = ANY (tenants) AND kind = of_kind);
END $$;
-- +goose StatementEnd

-- The previous release calls room_for_file without a kind.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION room_for_file(tenants text[], size bigint, most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN room_for_file(tenants, size, most, '');
END $$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION room_for_file(tenants text[], size bigint, most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('files of ' || tenants[1], 0));
    RETURN most >= greatest(size, 65536) + (SELECT coalesce(sum(greatest(bytes, 65536)), 0) FROM uploaded_file WHERE tenant = ANY (tenants));
END $$;
-- +goose StatementEnd
DROP FUNCTION room_for_file(text[], bigint, bigint, text);
ALTER TABLE uploaded_file DROP COLUMN kind;

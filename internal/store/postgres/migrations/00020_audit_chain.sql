-- SPDX-License-Identifier: Apache-2.0
-- The audit becomes a chain of hashes for each mode. Entries before this migration stay
-- outside of it. A trigger extends the chain, with the rights of the owner of the schema:
-- the roles of the platform can neither choose a hash nor change the head. Its encoding is
-- that of transaction.ChainedEntry. The index is built concurrently; an incomplete index
-- is built again.

-- +goose NO TRANSACTION
-- +goose Up
CREATE TABLE IF NOT EXISTS audit_head (
    mode     text   PRIMARY KEY,
    sequence bigint NOT NULL,
    hash     bytea  NOT NULL
);
INSERT INTO audit_head VALUES ('live', 0, decode(repeat('00', 32), 'hex')), ('test', 0, decode(repeat('00', 32), 'hex')) ON CONFLICT DO NOTHING;

ALTER TABLE audit
    ADD COLUMN IF NOT EXISTS mode     text,
    ADD COLUMN IF NOT EXISTS sequence bigint,
    ADD COLUMN IF NOT EXISTS salt     text,
    ADD COLUMN IF NOT EXISTS details  bytea,
    ADD COLUMN IF NOT EXISTS hash     bytea;
DROP INDEX CONCURRENTLY IF EXISTS audit_sequence;
CREATE UNIQUE INDEX CONCURRENTLY audit_sequence ON audit (mode, sequence);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_field(value text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT convert_to(octet_length(value) || ':' || value || ',', 'UTF8')
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_extend() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    NEW.mode := split_part(NEW.tenant, '/', 2);
    NEW.salt := gen_random_uuid()::text;
    NEW.details := sha256(audit_field(NEW.salt) || audit_field(NEW.tenant) || audit_field(NEW.subject) || audit_field(NEW.reason));
    UPDATE audit_head AS head SET
        sequence = head.sequence + 1,
        hash = sha256(head.hash || audit_field(NEW.id)
            || audit_field(floor(extract(epoch FROM NEW.at) * 1000)::bigint::text)
            || audit_field(NEW.organization) || audit_field(NEW.key) || audit_field(NEW.request_id)
            || audit_field(NEW.verb) || audit_field(NEW.mode) || NEW.details)
    WHERE head.mode = NEW.mode RETURNING head.sequence, head.hash INTO STRICT NEW.sequence, NEW.hash;
    RETURN NEW;
END $$;
-- +goose StatementEnd

CREATE OR REPLACE TRIGGER audit_extend BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_extend();

-- +goose Down
DROP TRIGGER audit_extend ON audit;
DROP FUNCTION audit_extend;
DROP FUNCTION audit_field;
DROP INDEX audit_sequence;
ALTER TABLE audit DROP COLUMN hash, DROP COLUMN details, DROP COLUMN salt, DROP COLUMN sequence, DROP COLUMN mode;
DROP TABLE audit_head;

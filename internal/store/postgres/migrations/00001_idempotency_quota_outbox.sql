-- SPDX-License-Identifier: Apache-2.0
-- Idempotency keys, quota windows, outbox. A tenant is its canonical text,
-- "org_acme01/live". Identifiers and keys compare by bytes in every database.

-- +goose Up
CREATE TABLE idempotency (
    tenant      text COLLATE "C" NOT NULL,
    operation   text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    fingerprint bytea            NOT NULL,
    subject     text COLLATE "C" NOT NULL,
    created_at  timestamptz      NOT NULL,
    PRIMARY KEY (tenant, operation, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Each write of a tenant changes the same row; the free space keeps the row in its page.
CREATE TABLE quota (
    tenant       text COLLATE "C" NOT NULL,
    operation    text COLLATE "C" NOT NULL,
    window_start timestamptz      NOT NULL,
    window_end   timestamptz      NOT NULL,
    used         bigint           NOT NULL CHECK (used > 0),
    PRIMARY KEY (tenant, operation, window_start, window_end)
) WITH (fillfactor = 50);
CREATE INDEX quota_age ON quota (window_end);

-- arrival is assigned before the transaction commits, so a row may become visible
-- after a row with a greater arrival. A reader that continues after an arrival would
-- miss the row. number_outbox assigns seq to visible rows.
CREATE TABLE outbox (
    arrival bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq     bigint           UNIQUE,
    id      text COLLATE "C" NOT NULL UNIQUE,
    tenant  text COLLATE "C" NOT NULL,
    type    text             NOT NULL,
    subject text COLLATE "C" NOT NULL,
    at      timestamptz      NOT NULL
);
CREATE INDEX outbox_unnumbered ON outbox (arrival) WHERE seq IS NULL;

-- One row: the last seq that was assigned. A seq is never used twice.
CREATE TABLE outbox_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last     bigint NOT NULL
);
INSERT INTO outbox_head (last) VALUES (0);

-- The clock of quota windows: one for all replicas.
-- +goose StatementBegin
CREATE FUNCTION ledger_now() RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
    RETURN clock_timestamp();
END $$;
-- +goose StatementEnd

-- claim checks a counted write: first the key, then the quota, then the room for
-- the record. The caller inserts its record in the same statement, if and only if
-- the outcome is 'created'.
--
-- outcome    replayed | reused | exceeded | full | created, or busy: another
--            transaction has held the key for longer than lock_timeout
-- subject    the record that the key was committed with, for 'replayed'
-- wait       microseconds until the window ends, for 'exceeded'
--
-- A key of '' means that the write has no key, a quota_limit of NULL that it has no quota.
-- +goose StatementBegin
CREATE FUNCTION claim(
    who text, what text, used_key text, print bytea, made text, at timestamptz, forgotten timestamptz,
    quota_limit bigint, window_seconds bigint, room boolean, events jsonb,
    OUT outcome text, OUT subject text, OUT wait bigint
) LANGUAGE plpgsql AS $$
DECLARE
    moment    timestamptz := ledger_now();
    begins    timestamptz := to_timestamp(floor(extract(epoch FROM moment) / window_seconds) * window_seconds);
    ends      timestamptz := begins + make_interval(secs => window_seconds);
    same      boolean;
    used_up   boolean;
BEGIN
    LOOP
        -- One statement sees one state: a window that a commit has filled is
        -- never seen without the key of that commit.
        SELECT i.subject, i.fingerprint = print, coalesce(q.used, 0) >= quota_limit
        INTO subject, same, used_up
        FROM (VALUES (1)) AS once
        LEFT JOIN idempotency i ON i.tenant = who AND i.operation = what AND i.key = nullif(used_key, '')
            AND i.created_at > forgotten
        LEFT JOIN quota q ON q.tenant = who AND q.operation = what AND q.window_start = begins AND q.window_end = ends;

        IF subject IS NOT NULL THEN
            outcome := CASE WHEN same THEN 'replayed' ELSE 'reused' END;
            RETURN;
        ELSIF used_up THEN
            outcome := 'exceeded';
            wait := extract(epoch FROM ends - moment) * 1000000;
            RETURN;
        ELSIF NOT room THEN
            outcome := 'full';
            RETURN;
        END IF;

        EXIT WHEN used_key = '';
        BEGIN
            -- This waits for another transaction with the same key, and writes
            -- nothing if that one commits; then the key is looked up again.
            INSERT INTO idempotency AS known (tenant, operation, key, fingerprint, subject, created_at)
            VALUES (who, what, used_key, print, made, at)
            ON CONFLICT (tenant, operation, key) DO UPDATE
                SET fingerprint = excluded.fingerprint, subject = excluded.subject, created_at = excluded.created_at
                WHERE known.created_at <= forgotten;
            EXIT WHEN FOUND;
        EXCEPTION WHEN lock_not_available THEN
            outcome := 'busy';
            RETURN;
        END;
    END LOOP;

    IF quota_limit IS NOT NULL THEN
        INSERT INTO quota AS q (tenant, operation, window_start, window_end, used)
        VALUES (who, what, begins, ends, 1)
        ON CONFLICT (tenant, operation, window_start, window_end) DO UPDATE
            SET used = q.used + 1 WHERE q.used < quota_limit;
        IF NOT FOUND THEN
            -- Others have filled the window since it was looked at.
            DELETE FROM idempotency i WHERE i.tenant = who AND i.operation = what AND i.key = used_key;
            outcome := 'exceeded';
            wait := extract(epoch FROM ends - moment) * 1000000;
            RETURN;
        END IF;
    END IF;

    PERFORM publish(who, events);
    outcome := 'created';
    subject := made;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION publish(who text, events jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO outbox (id, tenant, type, subject, at)
    SELECT e.id, who, e.type, e.subject, e.at
    FROM jsonb_to_recordset(events) AS e (id text, type text, subject text, at timestamptz);
END $$;
-- +goose StatementEnd

-- number_outbox assigns the next numbers to the first rows without a number. It
-- holds the lock on the head until they are committed, so numbers become visible
-- in their order: after a number, a reader never finds a smaller new one.
-- +goose StatementBegin
CREATE FUNCTION number_outbox(most bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    head  bigint;
    given bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM outbox WHERE seq IS NULL) THEN
        RETURN;
    END IF;
    SELECT last INTO STRICT head FROM outbox_head FOR UPDATE;
    WITH waiting AS (
        SELECT arrival, row_number() OVER (ORDER BY arrival) AS place
        FROM (SELECT arrival FROM outbox WHERE seq IS NULL ORDER BY arrival LIMIT most) AS unnumbered
    )
    UPDATE outbox SET seq = head + waiting.place FROM waiting WHERE outbox.arrival = waiting.arrival;
    GET DIAGNOSTICS given = ROW_COUNT;
    UPDATE outbox_head SET last = head + given;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION number_outbox(bigint);
DROP FUNCTION claim(text, text, text, bytea, text, timestamptz, timestamptz, bigint, bigint, boolean, jsonb);
DROP FUNCTION publish(text, jsonb);
DROP FUNCTION ledger_now();
DROP TABLE outbox_head;
DROP TABLE outbox;
DROP TABLE quota;
DROP TABLE idempotency;

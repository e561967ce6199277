-- SPDX-License-Identifier: Apache-2.0
-- Counted writes of several callers in one statement.

-- +goose Up

-- claim_together is claim for several writes at once; each parameter has one
-- element for each of them. It reads and writes each table once, whatever their
-- number, and a window once for all writes of a tenant. Writes that would need a
-- second read get the outcome 'unsettled': nothing is written for them, and the
-- caller claims each by itself. These are
--
--   a second use of a key in the same call,
--   a key that another transaction has committed meanwhile,
--   all writes of a tenant that do not fit into its window together.
--
-- All keys are locked before all windows, and both in their order, so that two calls
-- that share some of them do not deadlock. The wait for a lock is short here, because
-- other calls wait behind it.
--
-- The planner does not know how many rows an array has or how fast these tables
-- grow. Each row is therefore read by its key: a plan for an empty table would read
-- all rows of a full one.
-- +goose StatementBegin
CREATE FUNCTION claim_together(
    who text[], what text[], used_key text[], print bytea[], made text[], at timestamptz[], forgotten timestamptz[],
    quota_limit bigint[], window_seconds bigint[], events jsonb[]
) RETURNS TABLE (n bigint, outcome text, wait bigint) LANGUAGE plpgsql
SET lock_timeout = '500ms' SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
    moment   timestamptz := ledger_now();
    outcomes text[];
    waits    bigint[];
BEGIN
    WITH item AS MATERIALIZED (
        SELECT i.*, b.begins, b.begins + make_interval(secs => i.span) AS ends
        FROM unnest(who, what, used_key, print, made, at, forgotten, quota_limit, window_seconds) WITH ORDINALITY
                AS i (tenant, operation, key, print, made, at, forgotten, most, span, n),
            LATERAL (SELECT to_timestamp(floor(extract(epoch FROM moment) / i.span) * i.span) AS begins) AS b
    ), looked AS MATERIALIZED (
        -- As in claim, one statement sees one state of keys and windows.
        SELECT i.*,
            CASE
                WHEN k.fingerprint = i.print THEN 'replayed'
                WHEN k.subject IS NOT NULL THEN 'reused'
                WHEN coalesce(q.used, 0) >= i.most THEN 'exceeded'
            END AS answer,
            row_number() OVER (PARTITION BY i.tenant, i.operation, i.key ORDER BY i.n) AS use
        FROM item i
        LEFT JOIN LATERAL (
            SELECT k.fingerprint, k.subject FROM idempotency k
            WHERE k.tenant = i.tenant AND k.operation = i.operation AND k.key = nullif(i.key, '') AND k.created_at > i.forgotten
            LIMIT 1
        ) AS k ON true
        LEFT JOIN LATERAL (
            SELECT q.used FROM quota q
            WHERE q.tenant = i.tenant AND q.operation = i.operation AND q.window_start = i.begins AND q.window_end = i.ends
            LIMIT 1
        ) AS q ON true
    ), keyed AS (
        INSERT INTO idempotency AS known (tenant, operation, key, fingerprint, subject, created_at)
        SELECT l.tenant, l.operation, l.key, l.print, l.made, l.at
        FROM looked l WHERE l.answer IS NULL AND l.key <> '' AND l.use = 1
        ORDER BY l.tenant COLLATE "C", l.operation COLLATE "C", l.key COLLATE "C"
        ON CONFLICT (tenant, operation, key) DO UPDATE
            SET fingerprint = excluded.fingerprint, subject = excluded.subject, created_at = excluded.created_at
            WHERE known.created_at <= (SELECT min(i.forgotten) FROM item i) -- the others are left unsettled
        RETURNING known.subject AS made
    ), held AS MATERIALIZED (
        SELECT l.* FROM looked l
        WHERE l.answer IS NULL AND (l.key = '' OR l.made IN (SELECT k.made FROM keyed k))
    ), charged AS (
        INSERT INTO quota AS q (tenant, operation, window_start, window_end, used)
        SELECT h.tenant, h.operation, h.begins, h.ends, count(*)
        FROM held h WHERE h.most IS NOT NULL
        GROUP BY h.tenant, h.operation, h.begins, h.ends HAVING count(*) <= min(h.most)
        ORDER BY h.tenant COLLATE "C", h.operation COLLATE "C", h.begins, h.ends
        ON CONFLICT (tenant, operation, window_start, window_end) DO UPDATE
            SET used = q.used + excluded.used
            WHERE q.used + excluded.used <= (
                SELECT min(h.most) FROM held h
                WHERE h.tenant = q.tenant AND h.operation = q.operation AND h.begins = q.window_start AND h.ends = q.window_end)
        RETURNING q.tenant, q.operation, q.window_start, q.window_end
    )
    SELECT
        array_agg(coalesce(l.answer, CASE
            WHEN h.n IS NOT NULL AND (h.most IS NULL OR c.tenant IS NOT NULL) THEN 'created' ELSE 'unsettled' END) ORDER BY l.n),
        array_agg((extract(epoch FROM l.ends - moment) * 1000000)::bigint ORDER BY l.n)
    INTO outcomes, waits
    FROM looked l
    LEFT JOIN held h ON h.n = l.n
    LEFT JOIN charged c ON c.tenant = h.tenant AND c.operation = h.operation AND c.window_start = h.begins AND c.window_end = h.ends;

    FOR i IN 1 .. cardinality(outcomes) LOOP
        IF outcomes[i] = 'unsettled' THEN
            DELETE FROM idempotency k
            WHERE k.tenant = who[i] AND k.operation = what[i] AND k.key = used_key[i] AND k.subject = made[i];
        END IF;
    END LOOP;

    INSERT INTO outbox (id, tenant, type, subject, at)
    SELECT e.id, i.tenant, e.type, e.subject, e.at
    FROM unnest(who, events, outcomes) WITH ORDINALITY AS i (tenant, events, outcome, n),
        LATERAL jsonb_to_recordset(i.events) AS e (id text, type text, subject text, at timestamptz)
    WHERE i.outcome = 'created'
    ORDER BY i.n;

    RETURN QUERY SELECT a.n, a.outcome, a.wait FROM unnest(outcomes, waits) WITH ORDINALITY AS a (outcome, wait, n);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION claim_together(text[], text[], text[], bytea[], text[], timestamptz[], timestamptz[], bigint[], bigint[], jsonb[]);

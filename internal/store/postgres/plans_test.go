// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/test/pgtest"
)

// statementLog is a tracer of connections that collects the distinct statements
// they run.
type statementLog struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (l *statementLog) add(statement string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[statement] = true
}

func (l *statementLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.seen))
}

// Every statement is prepared before it runs, except in batches.

func (l *statementLog) TracePrepareStart(ctx context.Context, _ *pgx.Conn, data pgx.TracePrepareStartData) context.Context {
	l.add(data.SQL)
	return ctx
}

func (*statementLog) TracePrepareEnd(context.Context, *pgx.Conn, pgx.TracePrepareEndData) {}

func (*statementLog) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

func (l *statementLog) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	l.add(data.SQL)
}

func (*statementLog) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (*statementLog) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (*statementLog) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

var (
	explainable = regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)
	parameter   = regexp.MustCompile(`\$(\d+)`)
	wholeTable  = regexp.MustCompile(`Seq Scan on (\w+)`)
)

// wholeReads lists the statements that may read a whole table, by a part of the statement,
// with the reason.
var wholeReads = []struct{ table, statement, reason string }{
	{"webhook_head", "webhook_head", "the table has one row"},
	{"webhook_endpoint", "SELECT tenant, name, enrolled_at", "the relay needs the enrolments of all endpoints"},
	{"masterdata_revision", "masterdata_revision", "the table has one row"},
	{"quota_day", "DELETE FROM quota_day", "only the sweeper runs the statement, and days past the retention are erased"},
}

func mayReadWhole(table, statement string) bool {
	for _, one := range wholeReads {
		if one.table == table && strings.Contains(statement, one.statement) {
			return true
		}
	}
	return false
}

// wantIndexes explains statements on an empty database in which reading a whole table is the
// last resort: a statement that still reads one has no index to find its rows.
func wantIndexes(t *testing.T, statements []string) {
	t.Helper()
	address := pgtest.Shared(t)
	openStore(t, address)
	conn := connect(t, address)
	for _, setting := range []string{`SET enable_seqscan = off`, `SET plan_cache_mode = force_generic_plan`} {
		if _, err := conn.Exec(t.Context(), setting); err != nil {
			t.Fatalf("conn.Exec: %v", err)
		}
	}
	explained := 0
	for i, statement := range statements {
		if !explainable.MatchString(statement) {
			continue
		}
		explained++
		plan, err := genericPlan(t.Context(), conn, fmt.Sprint("statement_", i), statement)
		if err != nil {
			t.Errorf("explain %s: %v", statement, err)
		}
		for _, found := range wholeTable.FindAllStringSubmatch(plan, -1) {
			if table := found[1]; !mayReadWhole(table, statement) {
				t.Errorf("a statement reads the whole table %s, want an index:\n%s\nplan:\n%s", table, statement, plan)
			}
		}
	}
	if explained < 50 {
		t.Errorf("explained %d of %d statements, want at least 50: the suite or the tracer does not see them", explained, len(statements))
	}
}

// genericPlan returns the plan of a statement for any parameters.
func genericPlan(ctx context.Context, conn *pgx.Conn, name, statement string) (string, error) {
	most := 0
	for _, found := range parameter.FindAllStringSubmatch(statement, -1) {
		n, _ := strconv.Atoi(found[1])
		most = max(most, n)
	}
	execution := "EXPLAIN EXECUTE " + name
	if most > 0 {
		execution += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", most), ", ") + ")"
	}
	if _, err := conn.Exec(ctx, "PREPARE "+name+" AS "+statement, pgx.QueryExecModeSimpleProtocol); err != nil {
		return "", err
	}
	rows, err := conn.Query(ctx, execution, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(lines, "\n"), err
}

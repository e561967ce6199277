// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	engine "modernc.org/sqlite"
)

// loggedDriver is the name of the driver that collects statements in logged.
const loggedDriver = "sqlite-logged"

var logged = &statementLog{seen: map[string]bool{}}

func init() { sql.Register(loggedDriver, logged) }

// statementLog is a driver that collects the distinct statements of its connections.
type statementLog struct {
	engine.Driver

	mu   sync.Mutex
	seen map[string]bool
}

func (l *statementLog) add(statement string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen[statement] = true
}

// Open implements driver.Driver.
func (l *statementLog) Open(name string) (driver.Conn, error) {
	connection, err := l.Driver.Open(name)
	if err != nil {
		return nil, err
	}
	return loggedConn{connection.(wholeConn), l}, nil
}

// wholeConn lists the interfaces of a connection to SQLite that database/sql uses.
type wholeConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

type loggedConn struct {
	wholeConn
	log *statementLog
}

func (c loggedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.log.add(query)
	return c.wholeConn.PrepareContext(ctx, query)
}

func (c loggedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.log.add(query)
	return c.wholeConn.ExecContext(ctx, query, args)
}

func (c loggedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.log.add(query)
	return c.wholeConn.QueryContext(ctx, query, args)
}

var (
	explainable = regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)
	parameter   = regexp.MustCompile(`\?\d*|@\w+`)
	wholeTable  = regexp.MustCompile(`^SCAN (\w+)$`)
)

// wholeReads lists the statements that may read a whole table, by a part of the statement, with the reason.
var wholeReads = []struct{ table, statement, reason string }{
	{"webhook_head", "webhook_head", "the table has one row"},
	{"webhook_endpoint", "SELECT tenant, name, enrolled_at", "the relay needs the enrolments of all endpoints"},
	{"masterdata_revision", "masterdata_revision", "the table has one row"},
	{"goose_db_version", "goose_db_version", "the table has one row per migration"},
	{"quota", "INSERT INTO quota_day", "the sweeper alone runs it, and deletes the windows that it has added up"},
	{"xjmf_state", "UPDATE xjmf_state SET id = printf", "a migration runs it once"},
}

func mayReadWhole(table, statement string) bool {
	for _, one := range wholeReads {
		if one.table == table && strings.Contains(statement, one.statement) {
			return true
		}
	}
	return false
}

// wantIndexes explains every statement that the conformance suite has run. A statement
// that scans a table without an index has no index to find its rows.
func wantIndexes(t *testing.T) {
	t.Helper()
	records := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	tables := map[string]bool{}
	for _, name := range lastColumn(t, records, `SELECT name FROM sqlite_schema WHERE type = 'table'`) {
		tables[name] = true
	}
	explained := 0
	for _, statement := range slices.Sorted(maps.Keys(logged.seen)) {
		if !explainable.MatchString(statement) {
			continue
		}
		explained++
		steps := lastColumn(t, records, `EXPLAIN QUERY PLAN `+parameter.ReplaceAllString(statement, "1"))
		for _, step := range steps {
			if found := wholeTable.FindStringSubmatch(step); found != nil && tables[found[1]] && !mayReadWhole(found[1], statement) {
				t.Errorf("a statement reads the whole table %s, want an index:\n%s\nplan:\n%s", found[1], statement, strings.Join(steps, "\n"))
			}
		}
	}
	if explained < 50 {
		t.Errorf("explained %d statements, want at least 50: the suite or the driver does not see them", explained)
	}
}

// lastColumn returns the last column of the rows of a query.
func lastColumn(t *testing.T, records *Store, query string) []string {
	t.Helper()
	rows, err := records.reader.QueryContext(t.Context(), query)
	var columns []string
	if err == nil {
		columns, err = rows.Columns()
	}
	values, err := collect(rows, err, func(r row) (last string, err error) {
		into := make([]any, len(columns))
		for i := range into {
			into[i] = new(any)
		}
		into[len(into)-1] = &last
		return last, r.Scan(into...)
	})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return values
}

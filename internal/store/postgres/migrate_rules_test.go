// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// contract is the end of the name of a migration that removes what the previous release no longer
// uses. All other migrations only add.
const contract = "_contract.sql"

// migrationRules keep the previous release working during and after a migration, and its requests
// from waiting. A rule applies to each statement that matches it, unless it also matches except.
var migrationRules = map[string]struct {
	statement, except *regexp.Regexp
	// contracts means that a contract may break the rule.
	contracts bool
}{
	"it removes or renames what the previous release may use": {
		statement: regexp.MustCompile(`(?i)^DROP (TABLE|VIEW|SEQUENCE|TYPE)\b|\bDROP (COLUMN|CONSTRAINT)\b|\bRENAME\b`), contracts: true,
	},
	"it rejects rows that the previous release writes": {
		// A constraint of a column that the same statement adds is met by rows without the column.
		statement: regexp.MustCompile(`(?i)\bSET NOT NULL\b|\bADD CONSTRAINT\b`), except: regexp.MustCompile(`(?i)\bADD COLUMN\b`), contracts: true,
	},
	"it adds a column that the previous release must set": {
		statement: regexp.MustCompile(`(?i)\bADD COLUMN\b[^,]*\bNOT NULL\b`), except: regexp.MustCompile(`(?i)\bDEFAULT\b`),
	},
	"it checks all rows while the table is locked": {
		statement: regexp.MustCompile(`(?i)\bADD CONSTRAINT\b|\bSET NOT NULL\b`), except: regexp.MustCompile(`(?i)\bNOT VALID\b`),
	},
	"it rewrites the table while it is locked": {
		statement: regexp.MustCompile(`(?i)\bALTER COLUMN \w+ (SET DATA )?TYPE\b|^VACUUM FULL|^CLUSTER`),
	},
	"it locks a table for writes while an index is built": {
		statement: regexp.MustCompile(`(?i)^CREATE (UNIQUE )?INDEX\b`), except: regexp.MustCompile(`(?i)\bCONCURRENTLY\b`),
	},
	"it changes rows of a table in one transaction, instead of in a procedure that commits after each batch": {
		statement: regexp.MustCompile(`(?i)^(WITH .*)?(UPDATE|DELETE)\b`),
	},
	"its procedure changes rows and never commits": {
		statement: regexp.MustCompile(`(?is)^(DO|CREATE (OR REPLACE )?PROCEDURE)\b.*\b(UPDATE \w+|DELETE FROM)\b`), except: regexp.MustCompile(`\bCOMMIT;`),
	},
}

var (
	createsTable = regexp.MustCompile(`(?i)^CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	indexOf      = regexp.MustCompile(`(?i)\bON (\w+)`)
	altersTable  = regexp.MustCompile(`(?i)^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)`)
	changesRows  = regexp.MustCompile(`(?i)^(?:UPDATE|DELETE FROM) (\w+)`)
)

// violations returns the rules that a migration breaks. Tables that the migration creates are empty
// and unknown to the previous release, so no rule applies to them.
func violations(name, text string) []string {
	created, broken := map[string]bool{}, map[string]bool{}
	for _, statement := range upStatements(text) {
		if m := createsTable.FindStringSubmatch(statement); m != nil {
			created[m[1]] = true
		}
		if slices.ContainsFunc([]*regexp.Regexp{indexOf, altersTable, changesRows}, func(table *regexp.Regexp) bool {
			m := table.FindStringSubmatch(statement)
			return m != nil && created[m[1]]
		}) {
			continue
		}
		for rule, r := range migrationRules {
			excepted := r.except != nil && r.except.MatchString(statement) || r.contracts && strings.HasSuffix(name, contract)
			if r.statement.MatchString(statement) && !excepted {
				broken[rule] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(broken))
}

// upStatements returns the statements of a migration without those that take it back, and without
// comments.
func upStatements(text string) []string {
	up, _, _ := strings.Cut(text, "-- +goose Down")
	var statements []string
	for i, part := range regexp.MustCompile(`-- \+goose Statement(?:Begin|End)\n`).Split(up, -1) {
		part = regexp.MustCompile(`(?m)\s*--.*$`).ReplaceAllString(part, "")
		if i%2 == 1 {
			statements = append(statements, strings.TrimSpace(part))
			continue
		}
		for statement := range strings.SplitSeq(part, ";") {
			if statement = strings.TrimSpace(statement); statement != "" {
				statements = append(statements, statement)
			}
		}
	}
	return statements
}

func TestMigrationsKeepThePreviousReleaseWorking(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		t.Fatalf("fs.Glob: %v", err)
	}
	for _, file := range files {
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			t.Fatalf("fs.ReadFile: %v", err)
		}
		for _, broken := range violations(file, string(text)) {
			t.Errorf("%s: %s", file, broken)
		}
	}
}

func TestRulesOfMigrationsFindWhatBreaksThem(t *testing.T) {
	t.Parallel()
	for statement, rules := range map[string]int{
		"ALTER TABLE rfq DROP COLUMN title":                                                                  1,
		"ALTER TABLE rfq RENAME TO request":                                                                  1,
		"DROP TABLE rfq":                                                                                     1,
		"ALTER TABLE rfq ADD COLUMN a text NOT NULL":                                                         1,
		"ALTER TABLE rfq ADD COLUMN a text NOT NULL DEFAULT ''":                                              0,
		"ALTER TABLE rfq ALTER COLUMN title SET NOT NULL":                                                    2,
		"ALTER TABLE rfq ADD CONSTRAINT short CHECK (title < 'z')":                                           2,
		"ALTER TABLE rfq ADD CONSTRAINT short CHECK (title < 'z') NOT VALID":                                 1,
		"ALTER TABLE rfq ALTER COLUMN quantity TYPE bigint":                                                  1,
		"CREATE INDEX slow ON rfq (title)":                                                                   1,
		"CREATE INDEX CONCURRENTLY quick ON rfq (title)":                                                     0,
		"CREATE TABLE a (b int); CREATE INDEX c ON a (b); ALTER TABLE a DROP COLUMN b":                       0,
		"UPDATE rfq SET title = ''":                                                                          1,
		"-- +goose StatementBegin\nDO $$ BEGIN UPDATE rfq SET title = ''; END $$;\n-- +goose StatementEnd\n": 1,
		"-- +goose StatementBegin\nDO $$ BEGIN LOOP UPDATE rfq SET title = ''; COMMIT; END LOOP; END $$;\n-- +goose StatementEnd\n": 0,
		"SELECT 1;\n-- +goose Down\nDROP TABLE rfq": 0,
	} {
		if got := violations("00001_a.sql", statement); len(got) != rules {
			t.Errorf("%s: %d rules broken, want %d: %q", statement, len(got), rules, got)
		}
	}
	if got := violations("00002_a"+contract, "ALTER TABLE rfq DROP COLUMN title"); len(got) > 0 {
		t.Errorf("a contract that drops a column: %q, want no rule broken", got)
	}
}

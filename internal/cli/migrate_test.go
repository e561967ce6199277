// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/test/pgtest"
)

func TestMigratePrintsTheSchemaVersion(t *testing.T) {
	t.Parallel()
	database := pgtest.Start(t).URL("postgres")
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := cli.Main(t.Context(), append([]string{"migrate", "--database", database}, args...), &out, &errs); code != 0 || errs.Len() > 0 {
			t.Fatalf("migrate %v: exit %d, %s", args, code, errs.String())
		}
		return out.String()
	}
	text := run()
	var migrated struct{ SchemaVersion json.Number }
	if err := json.Unmarshal([]byte(run("-o", "json")), &migrated); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	if want := "The schema is at version " + migrated.SchemaVersion.String() + ".\n"; text != want || migrated.SchemaVersion == "" {
		t.Errorf("output = %q, want %q", text, want)
	}
}

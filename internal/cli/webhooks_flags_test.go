// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestWorkerAcceptsOnlyTheFlagsOfItsRole(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags []string
		want  string
	}{
		"no such role":                              {[]string{"--role=order"}, `--role must be preflight or webhooks, not "order"`},
		"Redis for the role webhooks":               {[]string{"--role=webhooks", "--redis=redis://127.0.0.1:6379/0"}, "--redis needs --role=preflight, not webhooks"},
		"slots for the role webhooks":               {[]string{"--role=webhooks", "--slots=2"}, "--slots needs --role=preflight, not webhooks"},
		"ranges of files for the role webhooks":     {[]string{"--role=webhooks", "--allow-fetch=10.0.0.0/8"}, "--allow-fetch needs --role=preflight, not webhooks"},
		"ranges of webhooks for the role preflight": {[]string{"--role=preflight", "--allow-webhooks=10.0.0.0/8"}, "--allow-webhooks needs --role=webhooks, not preflight"},
		"a gate Secret for the role preflight":      {[]string{"--role=preflight", "--gate-secret=printmarket-gate-webhooks"}, "--gate-secret needs --role=webhooks, not preflight"},
		"no database to deliver from":               {[]string{"--role=webhooks"}, "--database or the variable PRINTMARKET_DATABASE_URL is required"},
		"a drain that outlives every grace period":  {[]string{"--role=webhooks", "--drain-time=61m"}, "--drain-time must be 0s to 1h, not 1h1m0s"},
		"a database password is not printed":        {[]string{"--role=webhooks", "--database=postgres://a:secret@127.0.0.1:1/x"}, "127.0.0.1"},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			worker := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"worker"}, test.flags...)...)
			worker.Env = []string{"PATH="}
			out, err := worker.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte(test.want)) || bytes.Contains(out, []byte("secret@")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

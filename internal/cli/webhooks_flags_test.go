// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestAWorkerTakesTheFlagsOfItsRoleAlone(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flags []string
		want  string
	}{
		"no such role":                             {[]string{"--role=order"}, `--role is preflight or webhooks, not "order"`},
		"Redis, which events do not need":          {[]string{"--role=webhooks", "--redis=redis://127.0.0.1:6379/0"}, "--redis is a flag of --role=preflight, not of webhooks"},
		"slots, which events do not have":          {[]string{"--role=webhooks", "--slots=2"}, "--slots is a flag of --role=preflight, not of webhooks"},
		"ranges of files, for events":              {[]string{"--role=webhooks", "--allow-fetch=10.0.0.0/8"}, "--allow-fetch is a flag of --role=preflight, not of webhooks"},
		"ranges of receivers, for files":           {[]string{"--role=preflight", "--allow-webhooks=10.0.0.0/8"}, "--allow-webhooks is a flag of --role=webhooks, not of preflight"},
		"a gate Secret, for who opens files":       {[]string{"--role=preflight", "--gate-secret=printmarket-gate-webhooks"}, "--gate-secret is a flag of --role=webhooks, not of preflight"},
		"a cluster, for who opens files":           {[]string{"--role=preflight", "--namespace=prints"}, "--namespace is a flag of --role=webhooks, not of preflight"},
		"an age of gates, for who has none":        {[]string{"--role=preflight", "--gates-max-staleness=1m"}, "--gates-max-staleness is a flag of --role=webhooks, not of preflight"},
		"no database to deliver from":              {[]string{"--role=webhooks"}, "--database or the variable PRINTMARKET_DATABASE_URL is required"},
		"a drain that outlives every grace period": {[]string{"--role=webhooks", "--drain-time=61m"}, "--drain-time is 0s to 1h, not 1h1m0s"},
		"a password of the database is not told":   {[]string{"--role=webhooks", "--database=postgres://a:secret@127.0.0.1:1/x"}, "127.0.0.1"},
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

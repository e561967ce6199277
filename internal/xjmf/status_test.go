// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

func TestStatusesMatchVocabulary(t *testing.T) {
	t.Parallel()
	var nodes []string
	for _, status := range xjmf.NodeStatuses() {
		nodes = append(nodes, status.String())
		if read, err := xjmf.ParseNodeStatus(status.String()); read != status || err != nil {
			t.Errorf("%s parses as %s with error %v", status, read, err)
		}
	}
	if diff := cmp.Diff(vocabulary.Load().List("Status").Values, nodes); diff != "" {
		t.Errorf("Status (-vocabulary +types):\n%s", diff)
	}
}

func TestZeroStatusIsInvalid(t *testing.T) {
	t.Parallel()
	node := xjmf.NodeStatus{}
	if !node.IsZero() || node.String() != "" || node.Terminal() {
		t.Errorf("the zero status is %q, want an empty text", node)
	}
	for _, status := range xjmf.NodeStatuses() {
		if status.IsZero() || status == node || node.Leads(node) || status.Leads(node) {
			t.Errorf("%s is the zero status, or leads to it", status)
		}
	}
}

func TestInvalidStatusIsRejectedWithHint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ word, hint string }{
		"Ready in JMF 1":                 {"Ready", "write Waiting"},
		"Running of jobs in JMF 1":       {"Running", "write InProgress"},
		"Held is an activation now":      {"Held", "QueueEntry/@Activation"},
		"Spawned is of JDF 1":            {"Spawned", "JDF 1"},
		"PendingReturn is a detail now":  {"PendingReturn", "StatusDetails"},
		"a device's status of a job":     {"Production", "that is the status of a device"},
		"another case":                   {"inprogress", "write InProgress"},
		"white space":                    {" Completed", "one of Aborted, Cleanup"},
		"nothing":                        {"", "one of Aborted, Cleanup"},
		"internal stage as a job status": {"on press", "one of Aborted, Cleanup"},
	} {
		var refused *xjmf.StatusError
		_, err := xjmf.ParseNodeStatus(c.word)
		if !errors.As(err, &refused) || !errors.Is(err, xjmf.ErrStatus) || !strings.Contains(refused.Hint, c.hint) || refused.Word != c.word {
			t.Errorf("%s: error = %v, want a hint with %q", name, err, c.hint)
		}
	}
}

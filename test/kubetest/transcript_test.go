// SPDX-License-Identifier: Apache-2.0

package kubetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/test/kubetest"
)

func TestATranscriptIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	var session kubetest.Transcript
	session.Add("kubectl get cap", "NAME   \nrfq-list   \n\n")
	session.Add("kubectl get partner", "NAME\n")
	const want = "$ kubectl get cap\nNAME\nrfq-list\n\n$ kubectl get partner\nNAME\n"
	if diff := cmp.Diff(want, session.String()); diff != "" {
		t.Errorf("transcript (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"kubectl get cap", "kubectl get partner"}, kubetest.Commands(want)); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestAgesAreNotShown(t *testing.T) {
	t.Parallel()
	for sentence, test := range map[string]struct{ tables, want string }{
		"at the end of a line": {
			"NAME       AGE\nrfq-list   14m\nxjdf       3s\n",
			"NAME       AGE\nrfq-list   -\nxjdf       -\n",
		},
		"between columns, however wide they make theirs": {
			"NAME   AGE     NEXT\nxjdf   3d14h   noon\n",
			"NAME   AGE   NEXT\nxjdf   -     noon\n",
		},
		"in each of several tables": {
			"NAME   AGE\na      1s\n\nNAME     KEYS   AGE\nacme     2      10m\n",
			"NAME   AGE\na      -\n\nNAME     KEYS   AGE\nacme     2      -\n",
		},
		"and a table without them is left alone": {
			"NAME   KEYS\nacme   2\n", "NAME   KEYS\nacme   2\n",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, kubetest.WithoutAges(test.tables)); diff != "" {
				t.Errorf("tables (-want +got):\n%s", diff)
			}
		})
	}
}

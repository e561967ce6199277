// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/xjmf"
)

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func status(t *testing.T, word string) xjmf.NodeStatus {
	t.Helper()
	if word == "" {
		return xjmf.NodeStatus{}
	}
	parsed, err := xjmf.ParseNodeStatus(word)
	if err != nil {
		t.Fatalf("cannot parse the status %q: %v", word, err)
	}
	return parsed
}

// TestLifeCycleOfJob checks figure 9-1 as a matrix, with skipped phases and with stopped
// jobs that resume in their former phase.
func TestLifeCycleOfJob(t *testing.T) {
	t.Parallel()
	const everything = "Waiting Setup InProgress Suspended Stopped Cleanup Completed Aborted"
	leads := map[string]string{
		"":           everything,
		"Waiting":    everything,
		"Setup":      "Setup InProgress Suspended Stopped Cleanup Completed Aborted",
		"InProgress": "InProgress Suspended Stopped Cleanup Completed Aborted",
		"Suspended":  "Setup InProgress Suspended Stopped Cleanup Completed Aborted",
		"Stopped":    "Setup InProgress Suspended Stopped Cleanup Completed Aborted",
		"Cleanup":    "Stopped Cleanup Completed Aborted",
		"Completed":  "Completed",
		"Aborted":    "Aborted",
	}
	for from, want := range leads {
		var got []string
		for _, to := range strings.Fields(everything) {
			if status(t, from).Leads(status(t, to)) {
				got = append(got, to)
			}
		}
		if diff := gocmp.Diff(strings.Fields(want), got); diff != "" {
			t.Errorf("from %q (-want +got):\n%s", from, diff)
		}
	}
	for _, s := range xjmf.NodeStatuses() {
		ends := !strings.Contains(leads[s.String()], " ")
		if s.Terminal() != ends {
			t.Errorf("%s: Terminal() = %t, but its next statuses are %s", s, s.Terminal(), leads[s.String()])
		}
	}
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	at := func(seconds int, message string, index int) xjmf.Stamp {
		return xjmf.Stamp{At: start.Add(time.Duration(seconds) * time.Second), Message: message, Index: index}
	}
	for name, c := range map[string]struct {
		current string
		known   xjmf.Stamp
		update  string
		stamp   xjmf.Stamp
		want    xjmf.Outcome
	}{
		"the first update of a job applies":                      {"", xjmf.Stamp{}, "InProgress", at(0, "a", 0), xjmf.Applied},
		"a first update with the last status applies":            {"", xjmf.Stamp{}, "Completed", at(0, "a", 0), xjmf.Applied},
		"a later step applies":                                   {"Setup", at(0, "a", 0), "InProgress", at(1, "b", 0), xjmf.Applied},
		"same status with other details":                         {"InProgress", at(0, "a", 0), "InProgress", at(1, "b", 0), xjmf.Applied},
		"a step back applies and is unusual":                     {"InProgress", at(0, "a", 0), "Waiting", at(1, "b", 0), xjmf.Unusual},
		"an earlier time is late":                                {"Setup", at(1, "a", 0), "InProgress", at(0, "b", 0), xjmf.Late},
		"at the same time the greater id applies":                {"Setup", at(0, "a", 0), "InProgress", at(0, "b", 0), xjmf.Applied},
		"at the same time the smaller id is late":                {"Setup", at(0, "b", 0), "InProgress", at(0, "a", 0), xjmf.Late},
		"numbers in ids are compared: 10 is after 9":             {"InProgress", at(0, "s-9", 0), "Completed", at(0, "s-10", 0), xjmf.Applied},
		"numbers in ids are compared: 9 is before 10":            {"Completed", at(0, "s-10", 0), "InProgress", at(0, "s-9", 0), xjmf.Late},
		"leading zeros do not change the order":                  {"InProgress", at(0, "s-009", 0), "Completed", at(0, "s-10", 0), xjmf.Applied},
		"ids that differ in zeros are different":                 {"InProgress", at(0, "s-09", 0), "Completed", at(0, "s-9", 0), xjmf.Applied},
		"within a message the later position applies":            {"Setup", at(0, "a", 0), "InProgress", at(0, "a", 1), xjmf.Applied},
		"the same message in another document repeats":           {"Setup", at(0, "a", 0), "Setup", at(0, "a", 0), xjmf.Repeated},
		"end reported again":                                     {"Completed", at(0, "a", 0), "Completed", at(1, "b", 0), xjmf.Repeated},
		"a second end is refused":                                {"Completed", at(0, "a", 0), "Aborted", at(1, "b", 0), xjmf.Refused},
		"a job that has ended is not reopened":                   {"Aborted", at(0, "a", 0), "InProgress", at(1, "b", 0), xjmf.Refused},
		"late update of an ended job":                            {"Completed", at(1, "a", 0), "InProgress", at(0, "b", 0), xjmf.Late},
		"instants are compared independently of their time zone": {"Setup", at(0, "a", 0), "Setup", xjmf.Stamp{At: start.In(time.FixedZone("", 3600)), Message: "a"}, xjmf.Repeated},
	} {
		current := xjmf.State{Update: xjmf.Update{Status: status(t, c.current), Stamp: c.known}}
		got := xjmf.Advance(current, xjmf.Update{Status: status(t, c.update), Stamp: c.stamp})
		if got != c.want {
			t.Errorf("%s: outcome is %s, want %s", name, got, c.want)
		}
		if got.Changes() != (got == xjmf.Applied || got == xjmf.Unusual) {
			t.Errorf("%s: Changes() = %t for outcome %s", name, got.Changes(), got)
		}
	}
	if xjmf.Outcome(0).String() != "" || xjmf.Outcome(99).String() != "" {
		t.Error("an invalid outcome has a name, want an empty text")
	}
}

func TestJobsAreOrderedByIDThenPartThenPartition(t *testing.T) {
	t.Parallel()
	ordered := []xjmf.Job{{ID: "A"}, {ID: "A", Partition: "x"}, {ID: "A", PartID: "1"}, {ID: "A", PartID: "1", Partition: "x"}, {ID: "a"}}
	for i, a := range ordered {
		for j, b := range ordered {
			if got, want := a.Compare(b), cmp.Compare(i, j); got != want {
				t.Errorf("comparing %v with %v gives %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestStampsAreTotallyOrdered compares all pairs. If the order had a cycle, the final state
// of a job would depend on the order of arrival.
func TestStampsAreTotallyOrdered(t *testing.T) {
	t.Parallel()
	ordered := []string{"", "0", "1", "01x", "1x", "09", "9", "10", "a", "a-", "a0", "a00", "a1", "a1b", "a01c", "a2", "a10", "a10b", "b", "é1"}
	for i, a := range ordered {
		for j, b := range ordered {
			got := xjmf.Stamp{At: start, Message: a}.Compare(xjmf.Stamp{At: start, Message: b})
			if want := cmp.Compare(i, j); got != want {
				t.Errorf("comparing %q with %q gives %d, want %d", a, b, got, want)
			}
		}
	}
}

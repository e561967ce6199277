// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"testing"
	"time"
)

// request returns an error like those of client-go.
func request(query, why string) error {
	return fmt.Errorf("list: %w", &url.Error{Op: "Get", URL: "https://127.0.0.1:6443/a?" + query, Err: errors.New(why)})
}

func TestFaultTrackerReportsEachCauseOnce(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	const logged, silent, over = "logged", "silent", "over"
	var x faultTracker
	for i, step := range []struct {
		fault error
		want  string
	}{
		{nil, silent},
		{request("limit=200", "read tcp 127.0.0.1:40312->127.0.0.1:6443: connection reset by peer"), logged},
		{request("limit=200", "read tcp 127.0.0.1:40318->127.0.0.1:6443: connection reset by peer"), silent},
		{request("limit=200&continue=abc", "read tcp 127.0.0.1:40320->127.0.0.1:6443: connection reset by peer"), silent},
		{io.EOF, logged},
		{request("limit=200", "read tcp 127.0.0.1:40322->127.0.0.1:6443: connection reset by peer"), silent},
		{io.EOF, silent},
		{nil, over},
		{nil, silent},
		{io.EOF, logged},
	} {
		got := silent
		switch news, ended := x.take(step.fault, at.Add(time.Duration(i)*time.Second)); {
		case news:
			got = logged
		case ended:
			got = over
		}
		if got != step.want {
			t.Errorf("step %d, %v: %s, want %s", i, step.fault, got, step.want)
		}
		if i == 6 && !x.since.Equal(at.Add(time.Second)) {
			t.Errorf("in faultTracker since %v, want the first fault's time", x.since)
		}
	}
}

func TestFaultTrackerLimitsTheNumberOfCauses(t *testing.T) {
	t.Parallel()
	var x faultTracker
	logged := 0
	for i := range 1000 {
		if news, _ := x.take(fmt.Errorf("cause %s", string(rune('a'+i))), time.Time{}); news {
			logged++
		}
	}
	if logged != maxCauses {
		t.Errorf("logged %d times, want %d", logged, maxCauses)
	}
}

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

// request fails as client-go's do.
func request(query, why string) error {
	return fmt.Errorf("list: %w", &url.Error{Op: "Get", URL: "https://127.0.0.1:6443/a?" + query, Err: errors.New(why)})
}

func TestTroubleTellsEachCauseOnceUntilItIsOver(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	const told, silent, over = "told", "silent", "over"
	var x trouble
	for i, step := range []struct {
		fault error
		want  string
	}{
		{nil, silent},
		{request("limit=200", "read tcp 127.0.0.1:40312->127.0.0.1:6443: connection reset by peer"), told},
		{request("limit=200", "read tcp 127.0.0.1:40318->127.0.0.1:6443: connection reset by peer"), silent},
		{request("limit=200&continue=abc", "read tcp 127.0.0.1:40320->127.0.0.1:6443: connection reset by peer"), silent},
		{io.EOF, told},
		{request("limit=200", "read tcp 127.0.0.1:40322->127.0.0.1:6443: connection reset by peer"), silent},
		{io.EOF, silent},
		{nil, over},
		{nil, silent},
		{io.EOF, told},
	} {
		got := silent
		switch news, ended := x.take(step.fault, at.Add(time.Duration(i)*time.Second)); {
		case news:
			got = told
		case ended:
			got = over
		}
		if got != step.want {
			t.Errorf("step %d, %v: %s, want %s", i, step.fault, got, step.want)
		}
		if i == 6 && !x.since.Equal(at.Add(time.Second)) {
			t.Errorf("in trouble since %v, want the first fault's time", x.since)
		}
	}
}

func TestTroubleWithoutEndOfCausesIsToldAFewTimes(t *testing.T) {
	t.Parallel()
	var x trouble
	told := 0
	for i := range 1000 {
		if news, _ := x.take(fmt.Errorf("cause %s", string(rune('a'+i))), time.Time{}); news {
			told++
		}
	}
	if told != maxCauses {
		t.Errorf("told %d times, want %d", told, maxCauses)
	}
}

// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/storetest"
)

// reportState sends a callback of acme's sender about a job.
func reportState(t *testing.T, server *apitest.Server, id, job, status string) {
	t.Helper()
	body := strings.NewReplacer("M-1", id, "S-1", "S"+id, "J-1", job, "InProgress", status).Replace(apitest.Signal)
	server.Do(t, apitest.Request{Method: http.MethodPost, Path: xjdfapi.CallbackPath, Key: "acme-live", Body: body}).Want(t, 200, "")
}

// statePage is a page of GET /api/v1/xjmf/states.
type statePage struct {
	Items []struct {
		JobID, Status, Sender, DeviceID, At, ReceivedAt string
	}
	NextCursor *string
}

func statesOf(t *testing.T, server *apitest.Server, key, query string) statePage {
	t.Helper()
	var page statePage
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjmf/states" + query, Key: key}).Want(t, 200, "").Into(t, &page)
	return page
}

// jobs returns the states of a page, each as "job status".
func (p statePage) jobs() []string {
	all := []string{}
	for _, item := range p.Items {
		all = append(all, item.JobID+" "+item.Status)
	}
	return all
}

func wantJobs(t *testing.T, of string, got statePage, want ...string) {
	t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), got.jobs()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", of, diff)
	}
}

func TestCallbacksOfTestSendersStayInTheSandbox(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	reportState(t, server, "M-1", "J-1", "InProgress")
	server.Sender("acme", func(spec *v1alpha1.XJMFSenderSpec) { spec.Mode = v1alpha1.KeyKindTest })
	// The same id and the same job are another callback and another job in the sandbox.
	reportState(t, server, "M-1", "J-1", "Aborted")
	reportState(t, server, "M-2", "J-2", "Setup")
	wantJobs(t, "production", statesOf(t, server, "acme-live", ""), "J-1 InProgress")
	wantJobs(t, "job in production", statesOf(t, server, "acme-live", "?jobId=J-2"))
	wantJobs(t, "job in the sandbox", statesOf(t, server, "acme-test", "?jobId=J-1"), "J-1 Aborted")
	if sandbox := statesOf(t, server, "acme-test", ""); len(sandbox.Items) != 2 {
		t.Errorf("sandbox: %v, want both jobs", sandbox.jobs())
	}
	wantJobs(t, "another organization", statesOf(t, server, "stark-live", ""))
	item := statesOf(t, server, "acme-live", "").Items[0]
	if item.Sender != apitest.SenderOf("acme") || item.DeviceID != "press-7" || item.At != "2026-11-20T12:00:00.000Z" || item.ReceivedAt != "2026-11-20T12:00:00.000Z" {
		t.Errorf("state %+v", item)
	}
	// At the stage Sandbox, only Test senders may send.
	server.Rollout(posture.XJMFInbound, func(spec *v1alpha1.CapabilityRolloutSpec) { spec.Stage = v1alpha1.StageSandbox })
	reportState(t, server, "M-3", "J-3", "Setup")
}

func TestStatesAreListedInPagesAndFiltered(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var want []string
	for i, status := range []string{"Waiting", "Setup", "InProgress", "Setup", "Completed"} {
		reportState(t, server, fmt.Sprintf("M-%d", 10+i), fmt.Sprintf("J-%d", 10+i), status)
		want = append([]string{fmt.Sprintf("J-%d %s", 10+i, status)}, want...)
		server.Advance(time.Millisecond)
	}
	wantJobs(t, "status Setup", statesOf(t, server, "acme-live", "?status=Setup"), want[1], want[3])
	wantJobs(t, "job and status", statesOf(t, server, "acme-live", "?jobId=J-11&status=Setup"), want[3])
	var got []string
	query := "?limit=2"
	for range 4 {
		page := statesOf(t, server, "acme-live", query)
		got = append(got, page.jobs()...)
		if page.NextCursor == nil {
			break
		}
		query = "?limit=2&cursor=" + url.QueryEscape(*page.NextCursor)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states in pages of 2 (-want +got):\n%s", diff)
	}
	cursor := *statesOf(t, server, "acme-live", "?limit=1").NextCursor
	for name, tc := range map[string]struct{ key, query string }{
		"an unknown parameter":       {"acme-live", "?job=J-1"},
		"an unknown status":          {"acme-live", "?status=Running"},
		"an empty job":               {"acme-live", "?jobId="},
		"a job ID of 256 characters": {"acme-live", "?jobId=" + strings.Repeat("j", 256)},
		"a limit of none":            {"acme-live", "?limit=0"},
		"a cursor of another filter": {"acme-live", "?status=Setup&cursor=" + cursor},
		"a cursor of another mode":   {"acme-test", "?cursor=" + cursor},
	} {
		a := server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjmf/states" + tc.query, Key: tc.key})
		if a.Status != 400 {
			t.Errorf("%s: status %d, want 400", name, a.Status)
			continue
		}
		a.Want(t, 400, problem.CodeInvalidRequest)
	}
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjmf/states", Key: "acme-none"}).Want(t, 403, problem.CodeInsufficientScope)
	server.Store.Set(storetest.Away)
	server.Do(t, apitest.Request{Method: http.MethodGet, Path: "/api/v1/xjmf/states", Key: "acme-live"}).Want(t, 503, problem.CodeStoreUnavailable)
}

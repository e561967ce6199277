// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func hour(n int) time.Time { return time.Date(2026, 11, 20, n, 0, 0, 0, time.UTC) }

func hourOf(n int) *metav1.Time { return new(metav1.NewTime(hour(n))) }

// analysed returns a rollout with the steps 5 % and 50 % at 10 and 12 o'clock.
func analysed(change func(*v1alpha1.CapabilityRollout)) *v1alpha1.CapabilityRollout {
	o := &v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "rfq-create"}}
	o.Spec = v1alpha1.CapabilityRolloutSpec{
		Capability: "rfq-create", Stage: v1alpha1.StageLive,
		Schedule: &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: *hourOf(10), Percent: 5}, {At: *hourOf(12), Percent: 50}}},
		Analysis: &v1alpha1.Analysis{
			InitialDelaySeconds: 30, IntervalSeconds: 60, Count: 2, OnFailure: v1alpha1.AnalysisHold,
			Queries: []v1alpha1.AnalysisQuery{{Name: "errors", PromQL: "errors", Success: v1alpha1.AnalysisRange{AtMost: "0.01"}}},
		},
	}
	change(o)
	return o
}

// ended returns a change that sets the analysis of a step as it ended.
func ended(at int, percent int32, phase v1alpha1.AnalysisPhase) func(*v1alpha1.CapabilityRollout) {
	return func(o *v1alpha1.CapabilityRollout) {
		o.Status.Analysis = &v1alpha1.AnalysisStatus{
			Stage: o.Spec.Stage, At: hourOf(at), Percent: percent, Phase: phase, Since: *hourOf(at), Measured: hourOf(at), Succeeded: 1,
		}
	}
}

func TestAnalysisFollowsWhatIsOpen(t *testing.T) {
	t.Parallel()
	both := func(changes ...func(*v1alpha1.CapabilityRollout)) func(*v1alpha1.CapabilityRollout) {
		return func(o *v1alpha1.CapabilityRollout) {
			for _, change := range changes {
				change(o)
			}
		}
	}
	attempt := func(o *v1alpha1.CapabilityRollout) { o.Spec.Analysis.Attempt = 1 }
	rollBack := func(o *v1alpha1.CapabilityRollout) { o.Spec.Analysis.OnFailure = v1alpha1.AnalysisRollBack }
	for name, tc := range map[string]struct {
		change func(*v1alpha1.CapabilityRollout)
		hour   int
		want   string
	}{
		"nothing is judged before the first step":     {both(), 9, "none, closed"},
		"the first step is judged when it opens":      {both(), 10, "Live 5 % attempt 0 Running, 0 succeeded"},
		"a running analysis continues":                {ended(10, 5, v1alpha1.AnalysisRunning), 13, "Live 5 % attempt 0 Running, 1 succeeded"},
		"the next step is judged when it opens":       {ended(10, 5, v1alpha1.AnalysisSucceeded), 12, "Live 50 % attempt 0 Running, 0 succeeded"},
		"a success stays until the next step":         {ended(10, 5, v1alpha1.AnalysisSucceeded), 11, "Live 5 % attempt 0 Succeeded, 1 succeeded"},
		"a failure stays":                             {ended(12, 50, v1alpha1.AnalysisFailed), 13, "Live 50 % attempt 0 Failed, 1 succeeded"},
		"a failure that was rolled back stays":        {both(ended(12, 50, v1alpha1.AnalysisFailed), rollBack), 13, "Live 50 % attempt 0 Failed, 1 succeeded"},
		"the failure of the first step stays":         {both(ended(10, 5, v1alpha1.AnalysisFailed), rollBack), 13, "Live 5 % attempt 0 Failed, 1 succeeded, closed"},
		"another attempt judges the failed step":      {both(ended(12, 50, v1alpha1.AnalysisFailed), rollBack, attempt), 13, "Live 50 % attempt 1 Running, 0 succeeded"},
		"another attempt restarts a running analysis": {both(ended(10, 5, v1alpha1.AnalysisRunning), attempt), 13, "Live 5 % attempt 1 Running, 0 succeeded"},
		"a failure ends with its step":                {ended(9, 7, v1alpha1.AnalysisFailed), 13, "Live 5 % attempt 0 Running, 0 succeeded"},
		"another stage is judged from the start":      {both(ended(10, 5, v1alpha1.AnalysisSucceeded), func(o *v1alpha1.CapabilityRollout) { o.Spec.Stage = v1alpha1.StageSandbox }), 13, "Sandbox 0 % attempt 0 Running, 0 succeeded"},
		"a running analysis waits for the kill switch": {both(ended(10, 5, v1alpha1.AnalysisRunning), func(o *v1alpha1.CapabilityRollout) {
			o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
		}), 13, "Live 5 % attempt 0 Running, 1 succeeded, closed"},
		"nothing is judged while the kill switch closes": {func(o *v1alpha1.CapabilityRollout) {
			o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
		}, 13, "none, closed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := "none"
			s, open := resumeAnalysis(analysed(tc.change), hour(tc.hour))
			if s != nil {
				got = fmt.Sprintf("%s %d %% attempt %d %s, %d succeeded", s.Stage, s.Percent, s.Attempt, s.Phase, s.Succeeded)
			}
			if !open {
				got += ", closed"
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMeasurementsAreDueByTheStatus(t *testing.T) {
	t.Parallel()
	never := hour(0).AddDate(50, 0, 0)
	for name, tc := range map[string]struct {
		change func(*v1alpha1.CapabilityRollout)
		want   time.Time
	}{
		"the first after the delay": {func(o *v1alpha1.CapabilityRollout) {
			ended(10, 5, v1alpha1.AnalysisRunning)(o)
			o.Status.Analysis.Measured = nil
		}, hour(10).Add(30 * time.Second)},
		"the next after the interval":          {ended(10, 5, v1alpha1.AnalysisRunning), hour(10).Add(time.Minute)},
		"a success is measured until the next": {ended(10, 5, v1alpha1.AnalysisSucceeded), hour(10).Add(time.Minute)},
		"a success of the last step is final":  {ended(12, 50, v1alpha1.AnalysisSucceeded), never},
		"a failure is final":                   {ended(10, 5, v1alpha1.AnalysisFailed), never},
		"a step without queries is judged at once": {func(o *v1alpha1.CapabilityRollout) {
			ended(10, 5, v1alpha1.AnalysisRunning)(o)
			o.Status.Analysis.Measured, o.Spec.Analysis.Queries[0].Percents = nil, []int32{50}
		}, hour(10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := analysed(tc.change)
			got := measurementDue(o, o.Status.Analysis)
			if tc.want.Equal(never) && got.After(never) {
				return
			}
			if !got.Equal(tc.want) {
				t.Errorf("due at %s, want %s", got, tc.want)
			}
		})
	}
}

// TestMeasurements sends queries to a server that responds like the Prometheus API.
func TestMeasurements(t *testing.T) {
	t.Parallel()
	vector := func(values ...string) string {
		var items []string
		for i, value := range values {
			items = append(items, fmt.Sprintf(`{"metric":{"i":"%d"},"value":[1,%q]}`, i, value))
		}
		return `{"status":"success","data":{"resultType":"vector","result":[` + strings.Join(items, ",") + `]}}`
	}
	for name, tc := range map[string]struct {
		response string
		status   int
		phase    v1alpha1.AnalysisPhase
		// succeeded is the number of successes before the measurement.
		succeeded int32
		failure   *v1alpha1.AnalysisRange
		want      v1alpha1.AnalysisStatus
	}{
		"a success counts": {vector("0.01"), 200, v1alpha1.AnalysisRunning, 0, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisRunning, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "0.01", Result: v1alpha1.AnalysisSuccess}},
		}},
		"the last success ends the analysis": {vector("0"), 200, v1alpha1.AnalysisRunning, 1, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisSucceeded, Succeeded: 2, Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "0", Result: v1alpha1.AnalysisSuccess}},
		}},
		"a scalar is a value": {`{"status":"success","data":{"resultType":"scalar","result":[1,"0.5"]}}`, 200, v1alpha1.AnalysisRunning, 1, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisFailed, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "0.5", Result: v1alpha1.AnalysisFailure}},
			Message: "errors is 0.5, success is at most 0.01",
		}},
		"a failure ends an analysis that had succeeded": {vector("1"), 200, v1alpha1.AnalysisSucceeded, 2, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisFailed, Succeeded: 2, Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "1", Result: v1alpha1.AnalysisFailure}},
			Message: "errors is 1, success is at most 0.01",
		}},
		"an infinite value fails": {vector("+Inf"), 200, v1alpha1.AnalysisRunning, 0, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisFailed, Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "+Inf", Result: v1alpha1.AnalysisFailure}},
			Message: "errors is +Inf, success is at most 0.01",
		}},
		"a value between the ranges is no data": {vector("0.05"), 200, v1alpha1.AnalysisRunning, 1, &v1alpha1.AnalysisRange{AtLeast: "0.1"}, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisRunning, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Value: "0.05", Result: v1alpha1.AnalysisNoData}},
			Message: "errors is 0.05, success is at most 0.01",
		}},
		"an empty vector is no data": {vector(), 200, v1alpha1.AnalysisRunning, 1, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisRunning, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Result: v1alpha1.AnalysisNoData}},
			Message: "errors has no data: the query has no value",
		}},
		"no data end a success": {vector("NaN"), 200, v1alpha1.AnalysisSucceeded, 2, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisRunning, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Result: v1alpha1.AnalysisNoData}},
			Message: "errors has no data: the query has no value",
		}},
		"two values are no data": {vector("0", "0"), 200, v1alpha1.AnalysisRunning, 1, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisRunning, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Result: v1alpha1.AnalysisNoData}},
			Message: "errors has no data: the query has 2 values: aggregate them",
		}},
		"an error is no data": {`{"status":"error","errorType":"bad_data","error":"parse error"}`, 400, v1alpha1.AnalysisRunning, 1, nil, v1alpha1.AnalysisStatus{
			Phase: v1alpha1.AnalysisRunning, Succeeded: 1, Values: []v1alpha1.AnalysisValue{{Query: "errors", Result: v1alpha1.AnalysisNoData}},
			Message: "errors has no data: bad_data: parse error",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var query string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				query = r.FormValue("query")
				w.WriteHeader(tc.status)
				fmt.Fprint(w, tc.response)
			}))
			t.Cleanup(server.Close)
			o := analysed(ended(10, 5, tc.phase))
			o.Spec.Analysis.Queries[0].PromQL = `errors{capability="$capability",cohort="$cohort"}`
			o.Spec.Analysis.Queries[0].Failure = tc.failure
			s := o.Status.Analysis
			s.Succeeded = tc.succeeded
			r := reconcilerOf(t, Prometheus{URL: server.URL})
			values, problem := r.measure(t.Context(), o, s, queriesOf(o, s), hour(11))
			judge(o.Spec.Analysis, s, values, problem, hour(11))
			if want := `errors{capability="rfq-create",cohort="5"}`; query != want {
				t.Errorf("query %q, want %q", query, want)
			}
			got := v1alpha1.AnalysisStatus{Phase: s.Phase, Succeeded: s.Succeeded, Values: s.Values, Message: s.Message}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
			if changed := s.Phase != tc.phase; changed != s.Since.Time.Equal(hour(11)) {
				t.Errorf("the phase began at %s", s.Since)
			}
		})
	}
}

func reconcilerOf(t *testing.T, p Prometheus) *AnalysisReconciler {
	t.Helper()
	client, err := newPrometheusClient(p)
	if err != nil {
		t.Fatal(err)
	}
	measurements := prometheus.NewCounterVec(prometheus.CounterOpts{Name: measurementCount.Name, Help: measurementCount.Help}, measurementCount.Labels)
	return &AnalysisReconciler{prometheus: client, metrics: &metrics{measurements: measurements}}
}

func TestPrometheusClientIsBounded(t *testing.T) {
	t.Parallel()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var authorization string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization = r.Header.Get("Authorization")
		fmt.Fprintf(w, `{"status":"success","data":{"resultType":"scalar","result":[1,"0"]},"pad":%q}`, strings.Repeat("a", maxQueryResponse))
	}))
	t.Cleanup(server.Close)
	client, err := newPrometheusClient(Prometheus{URL: server.URL, TokenFile: token})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.query(t.Context(), "1", hour(11)); err == nil {
		t.Error("a response above the limit was accepted")
	} else if strings.Contains(err.Error(), "s3cret") {
		t.Errorf("the error contains the token: %v", err)
	}
	if authorization != "Bearer s3cret" {
		t.Errorf("Authorization %q", authorization)
	}
	var none *prometheusClient
	if _, err := none.query(t.Context(), "1", hour(11)); err == nil || !strings.Contains(err.Error(), "--prometheus-url") {
		t.Errorf("without an address: %v", err)
	}
	if _, err := newPrometheusClient(Prometheus{URL: "https://127.0.0.1:1", CAFile: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("a missing file of certificates was accepted")
	}
}

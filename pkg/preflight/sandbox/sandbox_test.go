// SPDX-License-Identifier: Apache-2.0

package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// pdf writes a file and opens it.
func pdf(t testing.TB, data []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.pdf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatalf("os.Open: %v", err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

func TestGoodFileHasAReport(t *testing.T) {
	t.Parallel()
	file := pdf(t, pdftest.Good())
	for range 2 {
		got, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: inspector(), Profile: selected(t, "print_ready"), File: file})
		if err != nil {
			t.Fatalf("sandbox.Run: %v", err)
		}
		if got.Verdict != report.Pass || !got.Complete || len(got.Pages) != 1 {
			t.Errorf("verdict %s, complete %t, %d pages, findings %+v", got.Verdict, got.Complete, len(got.Pages), got.Findings)
		}
	}
	if offset, err := file.Seek(0, 1); err != nil || offset != 0 {
		t.Errorf("the child moved the parent's file to %d, %v", offset, err)
	}
}

func TestReportIsReturnedAsTheInspectorWroteIt(t *testing.T) {
	t.Parallel()
	got, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave("spaces"), File: pdf(t, nil)})
	if err != nil {
		t.Fatalf("sandbox.Run: %v", err)
	}
	if want := ` {"reportVersion":"1.0","verdict":"pass"}` + "\n\n"; string(got.JSON) != want || got.Verdict != report.Pass {
		t.Errorf("report %q with verdict %s, want %q", got.JSON, got.Verdict, want)
	}
	got, err = sandbox.Run(t.Context(), sandbox.Spec{Inspector: inspector(), Profile: selected(t, "print_ready"), File: pdf(t, pdftest.Good())})
	if err != nil {
		t.Fatalf("sandbox.Run: %v", err)
	}
	encoded, err := report.Encode(got.Report)
	if diff := cmp.Diff(string(encoded), string(got.JSON)); err != nil || diff != "" {
		t.Errorf("report, %v (-encoded again +as written):\n%s", err, diff)
	}
}

func TestProgressAndTicketCrossTheProcess(t *testing.T) {
	t.Parallel()
	var got [][2]int
	made, err := sandbox.Run(t.Context(), sandbox.Spec{
		Inspector: inspector(), Profile: selected(t, "structure_only"), File: pdf(t, pdftest.Pages(pdftest.Page{}, pdftest.Page{})),
		Ticket: &jobticket.Ticket{Pages: 3}, Progress: func(done, total int) { got = append(got, [2]int{done, total}) },
	})
	if err != nil {
		t.Fatalf("sandbox.Run: %v", err)
	}
	if diff := cmp.Diff([][2]int{{1, 2}, {2, 2}}, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&jobticket.Ticket{Pages: 3}, made.Ticket); diff != "" {
		t.Errorf("ticket (-want +got):\n%s", diff)
	}
}

func TestPicturesCrossTheProcess(t *testing.T) {
	t.Parallel()
	spec := sandbox.Spec{Inspector: inspector(), Profile: selected(t, "print_ready"), File: pdf(t, pdftest.Good())}
	without, err := sandbox.Run(t.Context(), spec)
	if err != nil || without.Pictures != nil {
		t.Fatalf("sandbox.Run: %d bytes of pictures, %v", len(without.Pictures), err)
	}
	spec.Pictures = true
	got, err := sandbox.Run(t.Context(), spec)
	if err != nil {
		t.Fatalf("sandbox.Run: %v%s", err, tailOf(err))
	}
	if diff := cmp.Diff(string(without.JSON), string(got.JSON)); diff != "" {
		t.Errorf("report (-without pictures +with):\n%s", diff)
	}
	set, err := pageimage.Open(bytes.NewReader(got.Pictures), int64(len(got.Pictures)))
	if err != nil || len(set.Pages()) != 1 {
		t.Fatalf("open pictures: %v", err)
	}
	if picture, err := set.Picture(1, "Black", 100); err != nil || picture.Bounds().Dx() != 100 {
		t.Errorf("the plane of black: %v, %v", picture, err)
	}
}

func TestReportIsReturnedWithoutPicturesThatFail(t *testing.T) {
	t.Parallel()
	for mode, limits := range map[string]sandbox.Limits{
		"no pictures": {}, "rubbish pictures": {}, "flooding pictures": {Output: 1 << 16}, "crashing pictures": {}, "hogging pictures": {Memory: 128 << 20}, "no frame": {},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			got, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave(mode), File: pdf(t, nil), Limits: limits, Pictures: true})
			if err != nil || got.Verdict != report.Pass || got.Pictures != nil || string(got.JSON) != `{"reportVersion":"1.0","verdict":"pass"}` {
				t.Errorf("report %q, %d bytes of pictures, error %v%s", got.JSON, len(got.Pictures), err, tailOf(err))
			}
		})
	}
	for mode, want := range map[string]error{"sleep": sandbox.ErrTimeLimit, "rubbish": sandbox.ErrCrash} {
		limits := sandbox.Limits{Wall: time.Second}
		if got, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave(mode), File: pdf(t, nil), Limits: limits, Pictures: true}); !errors.Is(err, want) {
			t.Errorf("%s: report %q, error %v, want %v", mode, got.JSON, err, want)
		}
	}
}

func TestAnnotationsCrossTheProcess(t *testing.T) {
	t.Parallel()
	data, pages := pdftest.Pages(pdftest.Page{}), 0
	spec := sandbox.Spec{Inspector: inspector(), Profile: selected(t, "print_ready"), File: pdf(t, data), Progress: func(done, _ int) { pages = done }}
	update, err := sandbox.Annotate(t.Context(), spec)
	if err != nil {
		t.Fatalf("%v%s", err, tailOf(err))
	}
	spec.File = pdf(t, append(data, update...))
	got, err := sandbox.Run(t.Context(), spec)
	if err != nil {
		t.Fatalf("sandbox.Run: %v", err)
	}
	if !got.Complete || len(got.Findings) == 0 || got.Document.Annotations["Text"] != len(got.Findings) || pages != 1 {
		t.Errorf("complete %t, %d findings, annotations %v, %d pages reported", got.Complete, len(got.Findings), got.Document.Annotations, pages)
	}
}

func TestFileWithoutAnnotationsIsNotAFailedInspection(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Annotate(t.Context(), sandbox.Spec{Inspector: inspector(), Profile: selected(t, "print_ready"), File: pdf(t, nil)})
	var failure *sandbox.Error
	if !errors.Is(err, report.RefusedUnreadable) || errors.As(err, &failure) {
		t.Errorf("error = %v, want %v", err, report.RefusedUnreadable)
	}
}

func TestMisbehavingInspectorReturnsNoAnnotations(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]error{"rubbish": sandbox.ErrCrash, "silence": sandbox.ErrCrash, "panic": sandbox.ErrCrash, "flood": sandbox.ErrOutputLimit} {
		got, err := sandbox.Annotate(t.Context(), sandbox.Spec{Inspector: misbehave(mode), File: pdf(t, nil), Limits: sandbox.Limits{Output: 1 << 20}})
		if !errors.Is(err, want) || got != nil {
			t.Errorf("%s: %d bytes, error = %v, want %v", mode, len(got), err, want)
		}
	}
}

func tailOf(err error) string {
	var failure *sandbox.Error
	if errors.As(err, &failure) {
		return "\n" + failure.Tail
	}
	return ""
}

func TestMisbehavingInspectorFailsWithItsReason(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode     string
		limits   sandbox.Limits
		want     error
		wantTail string
	}{
		"an endless loop ends with the processor time": {mode: "spin", limits: sandbox.Limits{CPU: time.Second}, want: sandbox.ErrTimeLimit},
		"doing nothing ends with the wall time":        {mode: "sleep", limits: sandbox.Limits{Wall: 200 * time.Millisecond}, want: sandbox.ErrTimeLimit},
		"too much memory is reported as such":          {mode: "hog", limits: sandbox.Limits{Memory: 128 << 20}, want: sandbox.ErrMemoryLimit},
		"a kill by another process is a crash":         {mode: "killed", want: sandbox.ErrCrash},
		"a stack overflow is a crash":                  {mode: "overflow", limits: sandbox.Limits{Memory: 2 << 30}, want: sandbox.ErrCrash, wantTail: "stack"},
		"a panic is a crash with its tail":             {mode: "panic", want: sandbox.ErrCrash, wantTail: "on purpose"},
		"endless output is cut":                        {mode: "flood", limits: sandbox.Limits{Output: 1 << 20}, want: sandbox.ErrOutputLimit},
		"rubbish is a crash":                           {mode: "rubbish", want: sandbox.ErrCrash},
		"a second report is a crash":                   {mode: "twice", want: sandbox.ErrCrash},
		"a brace after the report is a crash":          {mode: "brace", want: sandbox.ErrCrash},
		"a report that is not UTF-8 is a crash":        {mode: "not UTF8", want: sandbox.ErrCrash},
		"a report in German is a crash":                {mode: "German", want: sandbox.ErrCrash},
		"a parameter of another type is a crash":       {mode: "values", want: sandbox.ErrCrash},
		"no output is a crash":                         {mode: "silence", want: sandbox.ErrCrash},
		"an early death is a crash":                    {mode: "die early", want: sandbox.ErrCrash},
		"a grandchild does not keep us waiting":        {mode: "fork", limits: sandbox.Limits{Wall: time.Second}, want: sandbox.ErrTimeLimit, wantTail: "grandchild"},
		"the end of a long complaint is kept":          {mode: "chatter", want: sandbox.ErrCrash, wantTail: "line 99999"},
		"the beginning of a long complaint is kept":    {mode: "chatter", want: sandbox.ErrCrash, wantTail: "line 0\n"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave(tc.mode), File: pdf(t, nil), Limits: tc.limits})
			var failure *sandbox.Error
			if !errors.Is(err, tc.want) || !errors.As(err, &failure) {
				t.Fatalf("error = %v, want %v%s", err, tc.want, tailOf(err))
			}
			if !strings.Contains(failure.Tail, tc.wantTail) {
				t.Errorf("tail %q does not hold %q", failure.Tail, tc.wantTail)
			}
			if len(failure.Tail) > 10<<10 {
				t.Errorf("tail has %d bytes", len(failure.Tail))
			}
			if failure.Tail != "" && strings.Contains(err.Error(), failure.Tail) {
				t.Error("the error's text quotes the child")
			}
			if m := regexp.MustCompile(`grandchild (\d+)`).FindStringSubmatch(failure.Tail); m != nil {
				pid, _ := strconv.Atoi(m[1])
				waitGone(t, pid)
			}
		})
	}
}

// waitGone polls until a process no longer runs.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}

func TestLimitsAreInForceAndNothingIsInherited(t *testing.T) {
	// Not parallel: it changes the environment of this process.
	t.Setenv("PRINTMARKET_DATABASE_URL", "postgres://user:secret@db/x")
	limits := sandbox.Limits{Memory: 512 << 20, CPU: 3500 * time.Millisecond}
	_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: misbehave("limits"), File: pdf(t, nil), Limits: limits})
	var failure *sandbox.Error
	if !errors.As(err, &failure) {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(failure.Tail), &got); err != nil {
		t.Fatalf("%v in %q", err, failure.Tail)
	}
	want := map[string]any{
		"data": float64(512 << 20), "cpu": 4.0, "fsize": 0.0, "core": 0.0, "nofile": 32.0, "dir": "/", "oom_score_adj": "1000",
		"env": []any{"GOMEMLIMIT=201326592", "GOMAXPROCS=2", "GOTRACEBACK=single"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCancellationKillsTheInspector(t *testing.T) {
	t.Parallel()
	cause := errors.New("lease lost")
	ctx, cancel := context.WithCancelCause(t.Context())
	timer := time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
	defer timer.Stop()
	_, err := sandbox.Run(ctx, sandbox.Spec{Inspector: misbehave("sleep"), File: pdf(t, nil)})
	if !errors.Is(err, cause) {
		t.Fatalf("error = %v, want the cause of the cancellation", err)
	}
	var failure *sandbox.Error
	if errors.As(err, &failure) {
		t.Errorf("a cancelled inspection is reported as a failure: %v", err)
	}
}

func TestCancelledContextStartsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sandbox.Run(ctx, sandbox.Spec{Inspector: misbehave("sleep"), File: pdf(t, nil)}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error = %v, want context.Canceled", err)
	}
}

func TestMissingExecutableIsNotAFailedInspection(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: sandbox.Inspector{Path: filepath.Join(built.dir, "absent")}, Profile: selected(t, "print_ready"), File: pdf(t, nil)})
	var failure *sandbox.Error
	if err == nil || errors.As(err, &failure) {
		t.Fatalf("error = %v, want one about starting", err)
	}
}

func TestMissingProfileIsACrashWithItsReason(t *testing.T) {
	t.Parallel()
	_, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: inspector(), File: pdf(t, pdftest.Good())})
	if !errors.Is(err, sandbox.ErrCrash) || !strings.Contains(tailOf(err), "a profile is required") {
		t.Fatalf("error = %v%s", err, tailOf(err))
	}
}

func TestNoInspectorIsLeftBehind(t *testing.T) {
	t.Parallel()
	for range 20 {
		if _, err := sandbox.Run(t.Context(), sandbox.Spec{Inspector: inspector(), Profile: selected(t, "structure_only"), File: pdf(t, pdftest.Good())}); err != nil {
			t.Fatalf("sandbox.Run: %v", err)
		}
	}
	entries, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(entries) == 0 {
		t.Skip("skipped: there is no /proc to look for zombies in")
	}
	zombie := regexp.MustCompile(fmt.Sprintf(`\(inspector\) Z %d `, os.Getpid()))
	for _, entry := range entries {
		stat := []byte("?")
		// A child of a parallel test may be a zombie for an instant.
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if stat, err = os.ReadFile(entry); err != nil || !zombie.Match(stat) {
				break
			}
		}
		if zombie.Match(stat) {
			t.Errorf("a zombie is left: %s", stat)
		}
	}
}

// BenchmarkInspectorCPU measures the CPU time of a child until it waits for its file, and with the
// inspection of a small file. Compare the second one with BenchmarkInspect of package preflight to see the
// cost of the process.
func BenchmarkInspectorCPU(b *testing.B) {
	file, spec := pdf(b, pdftest.Good()), sandbox.Spec{Inspector: inspector(), Profile: selected(b, "print_ready")}
	spec.File = file
	for name, run := range map[string]func() error{
		"start": func() error {
			// Without a release, the child ends.
			child := exec.CommandContext(b.Context(), spec.Inspector.Path, spec.Inspector.Args...)
			child.Env, child.ExtraFiles = []string{"GOMAXPROCS=2"}, []*os.File{file, file, file}
			if err := child.Run(); child.ProcessState == nil || child.ProcessState.ExitCode() != sandbox.ExitNotReleased {
				return fmt.Errorf("the inspector does not wait for its release: %v", err)
			}
			return nil
		},
		"small file": func() error {
			_, err := sandbox.Run(b.Context(), spec)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			before := childrenCPU(b)
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((childrenCPU(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// childrenCPU returns the CPU time of all children that have ended.
func childrenCPU(b *testing.B) time.Duration {
	b.Helper()
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &use); err != nil {
		b.Fatalf("syscall.Getrusage: %v", err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

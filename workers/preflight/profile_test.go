// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/posturetest"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/workers/preflight"
)

// submitCustom submits a job with a custom profile and returns its id.
func (f *fixture) submitCustom(name string) string {
	f.Helper()
	made, err := f.Submit(f.Context(), acme, preflightjob.Request{FileURL: flyerURL, Profile: name, Profiles: []string{name}}, 100)
	f.must(err)
	return made.Job.ID
}

// withProfiles gives a worker the posture of an installation.
func withProfiles(i *posturetest.Installation) func(*preflight.Config) {
	return func(c *preflight.Config) {
		c.Posture = func() *posture.Snapshot { return i.Gates.Current(time.Now()) }
	}
}

// TestCustomLimitDecidesTheVerdict inspects a file that has a bleed of 3 mm with profiles that want
// 2 and 5 mm.
func TestCustomLimitDecidesTheVerdict(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "inspector")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", program, "../inspector")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the inspector: %v\n%s", err, out)
	}
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		installation := posturetest.NewInstallation(time.Now)
		installation.SetProfiles(map[string]int32{"short": 2, "long": 5})
		good := pdftest.Good()
		f.start("w1", withProfiles(installation), inspects(sandbox.Run),
			fetches(func(_ context.Context, _ string, file io.Writer) error { _, err := file.Write(good); return err }),
			func(c *preflight.Config) { c.Inspector = sandbox.Inspector{Path: program} })
		verdict := func(profile string, want preflightjob.Verdict) {
			t.Helper()
			id := f.submitCustom(profile)
			if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Verdict != want {
				t.Errorf("%s: job %+v, want the verdict %s", profile, job, want)
				return
			}
			text, err := f.Report(t.Context(), acme, id)
			f.must(err)
			var made struct {
				Profile struct{ Name, Version, Digest string }
			}
			f.must(json.Unmarshal(text, &made))
			compiled, _ := installation.Gates.Current(time.Now()).Profile(profile)
			if made.Profile.Name != profile || made.Profile.Version != compiled.Version || made.Profile.Digest != compiled.Digest {
				t.Errorf("report of %+v, want %s %s %s", made.Profile, profile, compiled.Version, compiled.Digest)
			}
		}
		verdict("short", preflightjob.Pass)
		verdict("long", preflightjob.Fail)
		// The attempt has the profile as of its beginning.
		installation.SetProfiles(map[string]int32{"short": 5})
		verdict("short", preflightjob.Fail)
	})
}

func TestJobOfARemovedProfileFails(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		installation := posturetest.NewInstallation(time.Now)
		var inspected counter
		f.start("w1", withProfiles(installation), inspects(func(ctx context.Context, spec sandbox.Spec) (sandbox.Inspected, error) {
			inspected.add()
			return goodInspect(ctx, spec)
		}))
		job := f.ended(f.submitCustom("house"))
		if job.Status != preflightjob.Failed || job.Failure.Code != preflightjob.ProfileUnavailable || job.Tries != 4 || inspected.count() != 0 {
			t.Errorf("job %+v after %d inspections, want PROFILE_UNAVAILABLE after 4 attempts without an inspection", job, inspected.count())
		}
	})
}

// TestJobWaitsForAPosture covers a worker that has not read the cluster yet, and one that is behind
// the API server that has accepted the job.
func TestJobWaitsForAPosture(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		installation := posturetest.NewInstallation(time.Now)
		behind := installation.Gates.Current(time.Now())
		installation.SetProfiles(map[string]int32{"house": 5})
		var looks atomic.Int64
		digests := make(chan string, 1)
		f.start("w1", func(c *preflight.Config) {
			c.Posture = func() *posture.Snapshot {
				switch looks.Add(1) {
				case 1:
					return nil
				case 2:
					return behind
				default:
					return installation.Gates.Current(time.Now())
				}
			}
		}, inspects(func(ctx context.Context, spec sandbox.Spec) (sandbox.Inspected, error) {
			digests <- spec.Profile.Digest
			return goodInspect(ctx, spec)
		}))
		job := f.ended(f.submitCustom("house"))
		if job.Status != preflightjob.Succeeded || job.Tries != 2 {
			t.Errorf("job %+v, want success in the second attempt", job)
		}
		compiled, _ := installation.Gates.Current(time.Now()).Profile("house")
		if digest := <-digests; digest != compiled.Digest {
			t.Errorf("inspected with the profile %s, want %s", digest, compiled.Digest)
		}
	})
}

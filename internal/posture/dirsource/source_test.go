// SPDX-License-Identifier: Apache-2.0

package dirsource_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// follow runs a source of a directory until the test ends.
func follow(t *testing.T, dir string, options ...dirsource.Option) *dirsource.Source {
	t.Helper()
	s, err := dirsource.New(dir, options...)
	if err != nil {
		t.Fatalf("dirsource.New(%q): %v", dir, err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return s
}

// stage returns the posture that the gates enforce for rfq-create.
func stage(s *dirsource.Source) string {
	report := s.Gates().Current(time.Now()).Report(time.Now())
	for _, o := range report.Rollouts {
		if o.Name == "rfq-create" {
			return o.EffectiveStage
		}
	}
	return "none"
}

func staged(name string) string { return strings.Replace(rollout, "Live", name, 1) }

func TestEditsTakeEffect(t *testing.T) {
	t.Parallel()
	atomically := func(t *testing.T, file, text string) {
		t.Helper()
		if err := os.WriteFile(file+".tmp", []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		if err := os.Rename(file+".tmp", file); err != nil {
			t.Fatalf("os.Rename(%q): %v", file, err)
		}
	}
	tests := map[string]func(t *testing.T, file, text string){
		"written in place": func(t *testing.T, file, text string) {
			t.Helper()
			write(t, filepath.Dir(file), files{filepath.Base(file): text})
		},
		"written in two halves": func(t *testing.T, file, text string) {
			t.Helper()
			f, err := os.Create(file)
			if err != nil {
				t.Fatalf("os.Create(%q): %v", file, err)
			}
			for _, half := range []string{text[:len(text)/2], text[len(text)/2:]} {
				if _, err := f.WriteString(half); err != nil {
					t.Fatalf("WriteString(%q): %v", half, err)
				}
			}
			if err := f.Close(); err != nil {
				t.Fatalf("Close: %v", err)
			}
		},
		"renamed over the old one": atomically,
		"moved away first, as vim does": func(t *testing.T, file, text string) {
			t.Helper()
			if err := os.Rename(file, file+"~"); err != nil {
				t.Fatalf("os.Rename(%q): %v", file, err)
			}
			write(t, filepath.Dir(file), files{filepath.Base(file): text})
			if err := os.Remove(file + "~"); err != nil {
				t.Fatalf("os.Remove: %v", err)
			}
		},
		"deleted and written again": func(t *testing.T, file, text string) {
			t.Helper()
			if err := os.Remove(file); err != nil {
				t.Fatalf("os.Remove(%q): %v", file, err)
			}
			write(t, filepath.Dir(file), files{filepath.Base(file): text})
		},
	}
	for name, save := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, files{"sub/a.yaml": rollout})
			s := follow(t, dir)
			eventually.Holds(t, "the first stage", func() bool { return stage(s) == "Live" })
			for _, next := range []string{"Sandbox", "Disabled", "Live"} {
				save(t, filepath.Join(dir, "sub", "a.yaml"), staged(next))
				eventually.Holds(t, "stage "+next, func() bool { return stage(s) == next })
			}
			eventually.Holds(t, "health", func() bool { return s.Healthy() == nil })
		})
	}
}

// TestLinkSwapsTakeEffect replaces a link to a link atomically, as the kubelet does for
// volumes.
func TestLinkSwapsTakeEffect(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, files{"..v1/a.yaml": staged("Live"), "..v2/a.yaml": staged("Sandbox")})
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatalf("os.Symlink(%q): %v", target, err)
		}
	}
	link("..v1", "..data")
	link("..data/a.yaml", "a.yaml")
	s := follow(t, dir)
	eventually.Holds(t, "the first version", func() bool { return stage(s) == "Live" })
	link("..v2", "..next")
	if err := os.Rename(filepath.Join(dir, "..next"), filepath.Join(dir, "..data")); err != nil {
		t.Fatalf("os.Rename: %v", err)
	}
	eventually.Holds(t, "the second version", func() bool { return stage(s) == "Sandbox" })
}

// TestReplacedDirectoryTakesEffect replaces the directory itself, like some
// deployments. No watch reports this change.
func TestReplacedDirectoryTakesEffect(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, files{"v1/a.yaml": staged("Live"), "v2/a.yaml": staged("Sandbox")})
	current := filepath.Join(root, "current")
	if err := os.Symlink("v1", current); err != nil {
		t.Fatalf(`os.Symlink("v1", %q): %v`, current, err)
	}
	s := follow(t, current, dirsource.WithPoll(20*time.Millisecond))
	eventually.Holds(t, "the first version", func() bool { return stage(s) == "Live" })
	if err := os.Symlink("v2", current+".next"); err != nil {
		t.Fatalf(`os.Symlink("v2"): %v`, err)
	}
	if err := os.Rename(current+".next", current); err != nil {
		t.Fatalf("os.Rename(%q): %v", current, err)
	}
	eventually.Holds(t, "the second version", func() bool { return stage(s) == "Sandbox" })
}

func TestDeletedFileDeletesItsObjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, files{"a.yaml": rollout, "b.yaml": partner})
	s := follow(t, dir)
	eventually.Holds(t, "the set", func() bool { return stage(s) == "Live" })
	if err := os.Remove(filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatalf("os.Remove: %v", err)
	}
	eventually.Holds(t, "the deletion", func() bool { return stage(s) == "none" })
	if partners := s.Gates().Current(time.Now()).Report(time.Now()).Partners; len(partners) != 1 {
		t.Errorf("%d partners left", len(partners))
	}
}

func TestFaultKeepsTheLastGoodSet(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, dir string){
		"a file is emptied":        func(t *testing.T, dir string) { t.Helper(); write(t, dir, files{"a.yaml": ""}) },
		"a file is cut":            func(t *testing.T, dir string) { t.Helper(); write(t, dir, files{"a.yaml": rollout[:90]}) },
		"a rule is broken":         func(t *testing.T, dir string) { t.Helper(); write(t, dir, files{"a.yaml": staged("PrivateBeta")}) },
		"a bad file is added":      func(t *testing.T, dir string) { t.Helper(); write(t, dir, files{"z.yaml": "a: ["}) },
		"a duplicate is added":     func(t *testing.T, dir string) { t.Helper(); write(t, dir, files{"z.yaml": staged("Disabled")}) },
		"the directory is removed": func(t *testing.T, dir string) { t.Helper(); remove(t, dir) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "resources")
			write(t, dir, files{"a.yaml": rollout})
			s := follow(t, dir, dirsource.WithPoll(50*time.Millisecond))
			eventually.Holds(t, "the set", func() bool { return stage(s) == "Live" })
			good := s.Status().Revision

			spoil(t, dir)
			eventually.Holds(t, "the fault", func() bool { return s.Healthy() != nil })
			if stage(s) != "Live" || s.Status().Revision != good {
				t.Errorf("stage %s, revision %s after the fault", stage(s), s.Status().Revision)
			}
			// Recovery with other content, then with the content of before.
			_ = os.Remove(filepath.Join(dir, "z.yaml"))
			write(t, dir, files{"a.yaml": staged("Sandbox")})
			eventually.Holds(t, "the recovery", func() bool { return s.Healthy() == nil && stage(s) == "Sandbox" })
			spoil(t, dir)
			eventually.Holds(t, "the second fault", func() bool { return s.Healthy() != nil })
			_ = os.Remove(filepath.Join(dir, "z.yaml"))
			write(t, dir, files{"a.yaml": staged("Sandbox")})
			eventually.Holds(t, "the second recovery", func() bool { return s.Healthy() == nil })
		})
	}
}

func remove(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatalf("os.RemoveAll(%q): %v", dir, err)
	}
}

func TestNothingIsOpenBeforeTheFirstGoodSet(t *testing.T) {
	t.Parallel()
	s, err := dirsource.New(t.TempDir())
	if err != nil {
		t.Fatalf("dirsource.New: %v", err)
	}
	if !errors.Is(s.Healthy(), dirsource.ErrNotLoaded) || s.Gates().Current(time.Now()) != nil {
		t.Errorf("before the first read: %v", s.Healthy())
	}
	dir := t.TempDir()
	write(t, dir, files{"a.yaml": rollout, "b.yaml": ""})
	s = follow(t, dir)
	eventually.Holds(t, "the fault", func() bool { return s.Healthy() != nil && !errors.Is(s.Healthy(), dirsource.ErrNotLoaded) })
	if s.Gates().Current(time.Now()) != nil {
		t.Error("a first set with a fault is in force")
	}
	write(t, dir, files{"b.yaml": partner})
	eventually.Holds(t, "the recovery", func() bool { return stage(s) == "Live" })
}

// tick is a clock that tests move by hand.
type tick struct {
	mu  sync.Mutex
	now time.Time
}

func (c *tick) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *tick) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestReadableDirectoryKeepsTheLastSetFresh checks that the admitted set stays fresh
// while the directory is readable, even if its content is rejected. An unreadable
// directory lets the set become stale.
func TestReadableDirectoryKeepsTheLastSetFresh(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "resources")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatalf("os.Mkdir(%q): %v", dir, err)
	}
	write(t, dir, files{"a.yaml": rollout})
	clock := &tick{now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
	gates := posture.NewGates(time.Minute)
	s := follow(t, dir, dirsource.WithGates(gates), dirsource.WithClock(clock.Now), dirsource.WithPoll(5*time.Millisecond))
	eventually.Holds(t, "the set", func() bool { return gates.Current(clock.Now()) != nil })
	clock.move(time.Hour)
	eventually.Holds(t, "the confirmation", func() bool { return gates.Current(clock.Now()) != nil })

	write(t, dir, files{"a.yaml": ""})
	eventually.Holds(t, "the refusal", func() bool { return s.Healthy() != nil })
	clock.move(time.Hour)
	eventually.Holds(t, "the confirmation of the last good set", func() bool { return gates.Current(clock.Now()) != nil })
	if s.Healthy() == nil {
		t.Error("a refused set is not healthy")
	}

	if err := os.Rename(dir, dir+".gone"); err != nil {
		t.Fatalf("os.Rename(%q): %v", dir, err)
	}
	eventually.Holds(t, "the directory's absence", func() bool { return strings.Contains(fmt.Sprint(s.Healthy()), "read the directory") })
	clock.move(time.Hour)
	if gates.Current(clock.Now()) != nil {
		t.Error("a directory that cannot be read was confirmed")
	}
	if err := os.Rename(dir+".gone", dir); err != nil {
		t.Fatalf("os.Rename(%q): %v", dir, err)
	}
	write(t, dir, files{"a.yaml": rollout})
	eventually.Holds(t, "the recovery", func() bool { return gates.Current(clock.Now()) != nil && s.Healthy() == nil })
}

func TestLogContainsRevisionsAndFaultsButNoValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, files{"a.yaml": partner, "b.yaml": sender, "c.yaml": secret})
	var log telemetrytest.Log
	var changes []string
	var mu sync.Mutex
	s := follow(t, dir, dirsource.WithPoll(5*time.Millisecond), dirsource.WithLogger(slog.New(slog.NewJSONHandler(&log, nil))),
		dirsource.OnChange(func(snapshot *posture.Snapshot) {
			mu.Lock()
			defer mu.Unlock()
			changes = append(changes, snapshot.Revision())
		}))
	eventually.Holds(t, "the set", func() bool { return s.Healthy() == nil })
	revision := s.Status().Revision
	if status := s.Status(); status.Files != 3 || status.LoadedAt.IsZero() {
		t.Errorf("status %+v", status)
	}
	for _, spoiled := range []string{"stringData: [" + secretValue, "x: *" + secretValue, secret + secretValue, strings.Replace(secret, secretValue, "'"+secretValue, 1)} {
		write(t, dir, files{"c.yaml": spoiled})
		eventually.Holds(t, "the fault", func() bool { return s.Healthy() != nil })
		write(t, dir, files{"c.yaml": secret})
		eventually.Holds(t, "the recovery", func() bool { return s.Healthy() == nil })
	}
	text := log.String()
	for _, want := range []string{revision, "c.yaml", "posture in force", "posture directory rejected", "valid again"} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, secretValue) || strings.Contains(text, secretValue[:20]) {
		t.Errorf("the log holds a secret:\n%s", text)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(changes) != 1 || changes[0] != revision {
		t.Errorf("changes %v, want %s once", changes, revision)
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package dirsource publishes snapshots of a directory of manifests to the gates.
//
// It lets the platform run without a cluster: in `printmarket dev`, in CI checks and in
// tests. The files are those that kubectl would apply, including Secrets, and each
// object is validated as if it were created in a cluster. If a cluster would reject an
// object, the source rejects the whole set and keeps the last valid set.
// [Source.Healthy] reports the file, line and field of the fault. Deleting a file
// deletes its objects. An empty or unreadable file is a fault and deletes nothing.
package dirsource

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	// defaultPoll detects changes that the watcher does not report, such as the
	// replacement of the whole directory.
	defaultPoll = time.Second
	// settle is how long the files must stay the same before they are read: saving a
	// file causes several events, and half of it may be valid YAML.
	settle = 20 * time.Millisecond
	// maxSettle limits the number of waits for files that keep changing; the next poll
	// tries again.
	maxSettle = 50
)

// Source watches one directory. Create it with [New].
type Source struct {
	dir       string
	admission *Admission
	gates     *posture.Gates
	log       *slog.Logger
	now       func() time.Time
	poll      time.Duration
	onChange  func(*posture.Snapshot)

	mu     sync.Mutex
	status Status
	// good is the hash of the set in force. loaded is true if there is one.
	good   [32]byte
	loaded bool
	// positions finds the objects in force in their files.
	positions func() Positions
	// refused is the hash of the last rejected set and refusal its error, so that each
	// set is validated only once.
	refused [32]byte
	refusal error
}

// Status describes the state of a source.
type Status struct {
	// Revision is the revision of the snapshot in force; empty before the first one.
	Revision string
	// Files is the number of files of the set in force.
	Files int
	// LoadedAt is when that set was put in force.
	LoadedAt time.Time
	// Fault is why the current content of the directory is not in force; nil if it is.
	Fault error
}

// ErrNotLoaded means that the source has not read its directory yet.
var ErrNotLoaded = errors.New("the posture directory has not been read yet")

// Option configures a source in New.
type Option func(*Source)

// WithGates makes the source publish to the given gates instead of its own.
func WithGates(g *posture.Gates) Option { return func(s *Source) { s.gates = g } }

// WithLogger sets the logger for revisions and faults. Values are never logged.
func WithLogger(log *slog.Logger) Option { return func(s *Source) { s.log = log } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *Source) { s.now = now } }

// WithPoll sets how often the directory is read without an event.
func WithPoll(every time.Duration) Option { return func(s *Source) { s.poll = every } }

// OnChange sets a function that receives each new snapshot after it is in force, one
// call at a time.
func OnChange(f func(*posture.Snapshot)) Option { return func(s *Source) { s.onChange = f } }

// New returns a source of a directory. It compiles the CustomResourceDefinitions, which
// takes a moment, and does not read the directory.
func New(dir string, options ...Option) (*Source, error) {
	admission, err := NewAdmission()
	if err != nil {
		return nil, err
	}
	s := &Source{
		dir:       dir,
		admission: admission,
		gates:     posture.NewGates(0),
		log:       slog.New(slog.DiscardHandler),
		now:       time.Now,
		poll:      defaultPoll,
		onChange:  func(*posture.Snapshot) {},
		status:    Status{Fault: ErrNotLoaded},
	}
	for _, option := range options {
		option(s)
	}
	return s, nil
}

// Gates returns the gates that receive the snapshots.
func (s *Source) Gates() *posture.Gates { return s.gates }

// Status returns the current state of the source.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Healthy returns nil if the current content of the directory is in force.
func (s *Source) Healthy() error { return s.Status().Fault }

// Find returns the file and the line of a field of an object in force, as
// [Positions.Find] does. The file is below the directory's path.
func (s *Source) Find(kind string, name posture.ObjectName, field string) (file string, line int) {
	s.mu.Lock()
	positions := s.positions
	s.mu.Unlock()
	if positions == nil {
		return "", 0
	}
	if file, line = positions().Find(kind, name, field); file == "" {
		return "", 0
	}
	return filepath.Join(s.dir, filepath.FromSlash(file)), line
}

// Run reads the directory, puts it in force and follows its changes until the
// context ends, which is not an error.
func (s *Source) Run(ctx context.Context) error {
	var events <-chan fsnotify.Event
	var faults <-chan error
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		// Without a watcher, for example at the system's limit, the source only polls.
		s.log.WarnContext(ctx, "cannot watch the posture directory", "error", err)
	} else {
		defer func() { _ = watcher.Close() }()
		events, faults = watcher.Events, watcher.Errors
	}
	ticker := time.NewTicker(s.poll)
	defer ticker.Stop()
	for {
		// Put the current content of the directory in force.
		set, err := s.settled(ctx, watcher)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.fail(ctx, err)
		default:
			s.apply(ctx, set)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		case <-events:
		case err := <-faults:
			s.log.WarnContext(ctx, "cannot watch the posture directory", "error", err)
		}
	}
}

// settled reads the directory until its content stays the same for the time settle.
// Content that was already validated is returned at once.
func (s *Source) settled(ctx context.Context, watcher *fsnotify.Watcher) (*contents, error) {
	last, err := scan(s.dir)
	for range maxSettle {
		if err == nil {
			if watcher != nil {
				for _, dir := range last.dirs {
					// Add ignores watched directories. A directory that cannot be watched is polled.
					_ = watcher.Add(dir)
				}
			}
			s.mu.Lock()
			known := s.loaded && last.hash == s.good || s.refusal != nil && last.hash == s.refused
			s.mu.Unlock()
			if known {
				return last, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(settle):
		}
		next, nextErr := scan(s.dir)
		switch {
		case err == nil && nextErr == nil && next.hash == last.hash:
			return next, nil
		case err != nil && nextErr != nil && err.Error() == nextErr.Error():
			return nil, nextErr
		}
		last, err = next, nextErr
	}
	return nil, refuse("", "keeps changing")
}

func (s *Source) apply(ctx context.Context, set *contents) {
	s.mu.Lock()
	inForce := s.loaded && set.hash == s.good
	refusal := s.refusal
	judged := refusal != nil && set.hash == s.refused
	s.mu.Unlock()
	switch {
	case inForce:
		// The directory still contains the set in force.
		s.gates.Confirm(s.now())
		s.mu.Lock()
		recovered := s.status.Fault != nil
		s.status.Fault, s.refusal = nil, nil
		revision := s.status.Revision
		s.mu.Unlock()
		if recovered {
			s.log.InfoContext(ctx, "posture directory is valid again", "revision", revision)
		}
		return
	case judged:
		s.refuse(ctx, refusal)
		return
	}
	inputs, err := s.admission.Read(ctx, set.files, s.now())
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.mu.Lock()
		s.refused, s.refusal = set.hash, err
		s.mu.Unlock()
		s.refuse(ctx, err)
		return
	}
	snapshot := posture.Compile(inputs)
	now := s.now()
	s.gates.Publish(snapshot, now)
	s.mu.Lock()
	s.good, s.loaded, s.refusal = set.hash, true, nil
	s.positions = sync.OnceValue(func() Positions { return Manifests(set.files).Positions(s.admission.Namespace) })
	s.status = Status{Revision: snapshot.Revision(), Files: len(set.files), LoadedAt: now}
	s.mu.Unlock()
	s.log.InfoContext(ctx, "posture in force", "revision", snapshot.Revision(), "files", len(set.files))
	s.onChange(snapshot)
}

// refuse reports the fault and keeps the last valid set fresh: it is still the admitted
// state, as in a cluster that has rejected an apply. If the directory cannot be read,
// its state is unknown, so [Source.fail] alone lets the set become stale.
func (s *Source) refuse(ctx context.Context, err error) {
	s.gates.Confirm(s.now())
	s.fail(ctx, err)
}

// fail keeps the last valid set in force and logs the fault, unless it is the same as
// the previous one.
func (s *Source) fail(ctx context.Context, err error) {
	s.mu.Lock()
	repeated := s.status.Fault != nil && s.status.Fault.Error() == err.Error()
	s.status.Fault = err
	revision := s.status.Revision
	s.mu.Unlock()
	if repeated {
		return
	}
	s.log.ErrorContext(ctx, "posture directory rejected; the last valid content stays in force", "error", err.Error(), "revision", revision)
}

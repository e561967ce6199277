// SPDX-License-Identifier: Apache-2.0

// Package dirsource feeds the gates from a directory of manifests.
//
// It is how the platform runs without a cluster: in `printmarket dev`, in CI
// gates and in tests. The files are the ones that kubectl would apply, Secrets
// included, and they are judged like the creation of their objects in a
// cluster. What a cluster would refuse refuses the whole set here: the last
// good set stays in force, [Source.Healthy] fails and says which file, line and
// field is at fault. A file that is deleted deletes its objects; a file that is
// empty or cannot be read is a fault and deletes nothing.
package dirsource

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/printmarket/printmarket/internal/posture"
)

const (
	// defaultPoll finds what the watcher does not tell, such as a directory
	// that is replaced as a whole.
	defaultPoll = time.Second
	// settle is how long the files must stay the same before they count: a
	// save is several events, and half of one may be valid YAML.
	settle = 20 * time.Millisecond
	// maxSettle bounds the wait for files that never stay the same; the next
	// poll tries again.
	maxSettle = 50
)

// Source watches one directory. Make it with [New].
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
	// good is the hash of the set in force; loaded tells whether there is one.
	good   [32]byte
	loaded bool
	// refused is the hash of the set that was refused last, and refusal why, so
	// that a set is judged once only.
	refused [32]byte
	refusal error
}

// Status is what a source knows about itself.
type Status struct {
	// Revision is that of the snapshot in force; empty before the first.
	Revision string
	// Files is the number of files of the set in force.
	Files int
	// LoadedAt is when that set came into force.
	LoadedAt time.Time
	// Fault is why the directory's present content is not in force; nil when
	// it is.
	Fault error
}

// ErrNotLoaded is the error of a source that has not read its directory yet.
var ErrNotLoaded = errors.New("the posture directory has not been read yet")

// Option changes a source while it is made.
type Option func(*Source)

// WithGates feeds these gates instead of the source's own.
func WithGates(g *posture.Gates) Option { return func(s *Source) { s.gates = g } }

// WithLogger tells about revisions and faults, never about values.
func WithLogger(log *slog.Logger) Option { return func(s *Source) { s.log = log } }

// WithClock replaces time.Now.
func WithClock(now func() time.Time) Option { return func(s *Source) { s.now = now } }

// WithPoll changes how often the directory is read without being told to.
func WithPoll(every time.Duration) Option { return func(s *Source) { s.poll = every } }

// OnChange is called with each new snapshot after it is in force, one call at a
// time.
func OnChange(f func(*posture.Snapshot)) Option { return func(s *Source) { s.onChange = f } }

// New makes a source of a directory. It compiles the definitions, which takes a
// moment, and does not touch the directory.
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

// Gates are the gates that the source feeds.
func (s *Source) Gates() *posture.Gates { return s.gates }

// Status says what is in force.
func (s *Source) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Healthy is nil when the directory's present content is in force.
func (s *Source) Healthy() error { return s.Status().Fault }

// Run reads the directory, puts it in force and follows its changes until the
// context ends, which is not an error.
func (s *Source) Run(ctx context.Context) error {
	var events <-chan fsnotify.Event
	var faults <-chan error
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		// Without a watcher (the system's limit is reached) the poll remains.
		s.log.WarnContext(ctx, "watch the posture directory", "error", err)
	} else {
		defer func() { _ = watcher.Close() }()
		events, faults = watcher.Events, watcher.Errors
	}
	ticker := time.NewTicker(s.poll)
	defer ticker.Stop()
	for {
		// Bring the directory's present content into force.
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
			s.log.WarnContext(ctx, "watch the posture directory", "error", err)
		}
	}
}

// settled reads the directory until it stays the same for a moment. Content
// that is in force already needs no second look.
func (s *Source) settled(ctx context.Context, watcher *fsnotify.Watcher) (*contents, error) {
	last, err := scan(s.dir)
	for range maxSettle {
		if err == nil {
			watch(watcher, last.dirs)
			if s.known(last) {
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

// watch adds the directories; those that are watched already are not added
// twice. One that cannot be watched is polled.
func watch(watcher *fsnotify.Watcher, dirs []string) {
	if watcher == nil {
		return
	}
	for _, dir := range dirs {
		_ = watcher.Add(dir)
	}
}

// known reports whether a set has been judged already.
func (s *Source) known(set *contents) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded && set.hash == s.good || s.refusal != nil && set.hash == s.refused
}

func (s *Source) apply(ctx context.Context, set *contents) {
	s.mu.Lock()
	inForce := s.loaded && set.hash == s.good
	refusal := s.refusal
	judged := refusal != nil && set.hash == s.refused
	s.mu.Unlock()
	switch {
	case inForce:
		// Note that the set in force is still what the directory holds.
		s.gates.Confirm(s.now())
		s.mu.Lock()
		recovered := s.status.Fault != nil
		s.status.Fault, s.refusal = nil, nil
		revision := s.status.Revision
		s.mu.Unlock()
		if recovered {
			s.log.InfoContext(ctx, "posture directory is sound again", "revision", revision)
		}
		return
	case judged:
		s.refuse(ctx, refusal)
		return
	}
	inputs, err := s.admission.load(ctx, set.files, s.now())
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
	s.status = Status{Revision: snapshot.Revision(), Files: len(set.files), LoadedAt: now}
	s.mu.Unlock()
	s.log.InfoContext(ctx, "posture in force", "revision", snapshot.Revision(), "files", len(set.files))
	s.onChange(snapshot)
}

// fail keeps the last good set and reports the fault, once.
// refuse keeps the last good set, and keeps it fresh: it is what is admitted, as
// in a cluster that has refused an apply. A directory that cannot be read says
// nothing about that, so [Source.fail] alone lets the set grow stale.
func (s *Source) refuse(ctx context.Context, err error) {
	s.gates.Confirm(s.now())
	s.fail(ctx, err)
}

func (s *Source) fail(ctx context.Context, err error) {
	s.mu.Lock()
	repeated := s.status.Fault != nil && s.status.Fault.Error() == err.Error()
	s.status.Fault = err
	revision := s.status.Revision
	s.mu.Unlock()
	if repeated {
		return
	}
	s.log.ErrorContext(ctx, "posture directory refused; the last good set stays", "error", err.Error(), "revision", revision)
}
